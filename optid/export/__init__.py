"""A model's equations as text, LaTeX and C."""

from .c_code import CSource, to_c
from .equations import PARTS, Equations
from .expanded import expanded
from .grouped import grouped_parameters, groupings, standard_name
from .latex import to_latex
from .text import to_text

__all__ = [
    "PARTS",
    "CSource",
    "Equations",
    "expanded",
    "grouped_parameters",
    "groupings",
    "standard_name",
    "to_c",
    "to_latex",
    "to_text",
]
