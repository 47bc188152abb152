"""A model's equations as text, LaTeX and C; an identified model in the files of other programs."""

from .c_code import CSource, to_c
from .equations import PARTS, Equations
from .expanded import expanded
from .fit_files import write_c, write_casadi, write_latex, write_matlab, write_urdf
from .grouped import grouped_parameters, groupings, standard_name
from .identified import FUNCTIONS, baked_parameters, identified_functions
from .identified_c import fit_to_c
from .latex import to_latex
from .parameter_table import fit_to_latex
from .printed_forms import coefficient_errors
from .text import to_text

__all__ = [
    "FUNCTIONS",
    "PARTS",
    "CSource",
    "Equations",
    "baked_parameters",
    "coefficient_errors",
    "expanded",
    "fit_to_c",
    "fit_to_latex",
    "grouped_parameters",
    "groupings",
    "identified_functions",
    "standard_name",
    "to_c",
    "to_latex",
    "to_text",
    "write_c",
    "write_casadi",
    "write_latex",
    "write_matlab",
    "write_urdf",
]
