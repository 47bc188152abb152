"""For tests of your own: the contract every solver keeps (``check_solver("name")``), and a small arm with data and a fit to try things on."""

from .contract import check_budget, check_not_a_number, check_reference, check_refusal, check_repeats, check_solver, check_stops
from .example import example_file, example_fit, example_model, example_plan, example_recording, example_samples

__all__ = [
    "check_budget",
    "check_not_a_number",
    "check_reference",
    "check_refusal",
    "check_repeats",
    "check_solver",
    "check_stops",
    "example_file",
    "example_fit",
    "example_model",
    "example_plan",
    "example_recording",
    "example_samples",
]
