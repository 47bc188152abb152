"""Reports: text, plots, JSON and one self-contained HTML page."""

from __future__ import annotations

from .comparison import write_comparison
from .design_report import write_design_report
from .html import Table, html_report, write_report
from .numbers import to_dict, to_json
from .plots import (
    plot_comparison,
    plot_parameters,
    plot_residual_spectrum,
    plot_residuals,
    plot_singular_values,
    plot_torque,
    plot_whiteness,
)
from .quality import Recording, recordings_in
from .side_by_side import side_by_side, write_side_by_side
from .spectrum import residual_spectrum
from .text import text_report
from .tuning_report import write_tuning_report
from .use import Assessment, assess
from .verdict import verdict
from .whiteness import residual_whiteness

__all__ = [
    "Assessment",
    "Recording",
    "Table",
    "assess",
    "html_report",
    "plot_comparison",
    "plot_parameters",
    "plot_residual_spectrum",
    "plot_residuals",
    "plot_singular_values",
    "plot_torque",
    "plot_whiteness",
    "recordings_in",
    "residual_spectrum",
    "residual_whiteness",
    "side_by_side",
    "text_report",
    "to_dict",
    "to_json",
    "verdict",
    "write_comparison",
    "write_design_report",
    "write_report",
    "write_side_by_side",
    "write_tuning_report",
]
