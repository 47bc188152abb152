"""The main job: recordings and a model in, a fitted model out."""

from .batch import BatchResult, FileReport, identify_batch
from .pipeline import METHODS, identify
from .result_file import load_result, save_result

__all__ = ["METHODS", "BatchResult", "FileReport", "identify", "identify_batch", "load_result", "save_result"]
