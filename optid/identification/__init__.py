"""The main job: recordings and a model in, a fitted model out."""

from .batch import BatchResult, FileReport, identify_batch
from .compare import Comparison, compare
from .complete import physical_set
from .leave_out import LeaveOneOut, leave_one_trial_out
from .load import identify_drive_gains, identify_payload
from .online import OnlineIdentification, OnlineOptions, OnlinePayload
from .pipeline import METHODS, identify
from .power import PowerFit, identify_power
from .result_file import load_result, save_result
from .spread import Spread, spread
from .write_back import identified_robot, write_robot

__all__ = [
    "METHODS",
    "BatchResult",
    "Comparison",
    "FileReport",
    "LeaveOneOut",
    "OnlineIdentification",
    "OnlineOptions",
    "OnlinePayload",
    "PowerFit",
    "Spread",
    "compare",
    "identified_robot",
    "identify",
    "identify_batch",
    "identify_drive_gains",
    "identify_payload",
    "identify_power",
    "leave_one_trial_out",
    "load_result",
    "physical_set",
    "save_result",
    "spread",
    "write_robot",
]
