"""Ways to estimate, one file a family: ``optid.identify(model, trials, method="wls")``."""

from .job import Job
from .registry import METHODS, Method, make_method, register

__all__ = ["METHODS", "Job", "Method", "make_method", "register"]
