"""The parameters of a fit as a LaTeX table."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from .latex import symbol_latex
from .rounding import in_brackets, plus_minus

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.robot import Robot

_BODY = {"m": r"kg", "mx": r"kg\,m", "my": r"kg\,m", "mz": r"kg\,m"}
_ROTARY = {"Ia": r"kg\,m$^2$", "fv": r"N\,m\,s/rad", "fc": r"N\,m", "fo": r"N\,m"}
_SLIDING = {"Ia": r"kg", "fv": r"N\,s/m", "fc": r"N", "fo": r"N"}
_EXACT = 1e-9
"""A standard deviation below this part of the value is rounding, not measurement."""
_ALIAS = {"fvp": "fv", "fvn": "fv", "fcp": "fc", "fcn": "fc"}


def fit_to_latex(fit: IdentificationResult, siunitx: bool = False) -> str:
    r"""A table of the parameters with their standard deviations, rounded to two digits of these (package booktabs).

    Parameters
    ----------
    fit : IdentificationResult
    siunitx : bool
        Write ``\num{0.300(12)}`` for that package in place of ``$0.300 \pm 0.012$``.

    Notes
    -----
    The standard deviations are of the kind that can be relied on (``fit.reliable_kind``): where residuals are correlated in time, those for white ones are
    wrong. A parameter that the data do not determine has no number; one whose deviation is zero (fixed by a constraint, or fitted to exact data) has the value
    alone.

    Examples
    --------
    >>> from optid.export import fit_to_latex
    >>> from optid.testing import example_fit
    >>> r"\toprule" in fit_to_latex(example_fit())
    True
    """
    sigma = np.sqrt(np.diag(fit.covariance(fit.reliable_kind)))
    lines = [r"\begin{tabular}{llrr}", r"\toprule", r"Parameter & Unit & Value & Rel. $\sigma$ \\", r"\midrule"]
    for row, spread, name in zip(fit.rows(), sigma, fit.base.names, strict=True):
        value, spread = float(row["value"]), float(spread)
        number, share = "undetermined", "--"
        if row["determined"] and math.isfinite(value):
            number = rf"\num{{{value:.6g}}}" if siunitx else f"${_factor(f'{value:.6g}')}$"
            if math.isfinite(spread) and spread > _EXACT * abs(value):
                number = in_brackets(value, spread) if siunitx else f"${plus_minus(value, spread)}$"
                share = _percent(spread / abs(value) if value else math.inf)
        lines.append(rf"${formula_latex(str(row['formula']))}$ & {unit_latex(name, fit.base.model.robot)} & {number} & {share} \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _percent(share: float) -> str:
    """A share in per cent, two digits, with an end on either side."""
    if share > 1:
        return r"$>$100\,\%"
    return rf"{100 * share:.2g}\,\%" if share >= 1e-4 else r"$<$0.01\,\%"


def formula_latex(formula: str) -> str:
    r"""A base parameter's formula in LaTeX.

    Examples
    --------
    >>> print(formula_latex("Ixz2 - 0.36*mz2 + Izz3"))
    I_{xz2} - 0.36\,m_{z2} + I_{zz3}
    """
    terms = re.split(r"( [+-] )", formula)
    return "".join(term if index % 2 else r"\,".join(map(_factor, term.split("*"))) for index, term in enumerate(terms))


def _factor(text: str) -> str:
    sign = "-" if text.startswith("-") else ""
    text = text.removeprefix("-")
    number = re.fullmatch(r"([\d.]+)e([+-]?\d+)", text)
    if number:
        return rf"{sign}{number[1]} \times 10^{{{int(number[2])}}}"
    plain = re.fullmatch(r"[\d.]+", text) is not None
    return sign + (text if plain else symbol_latex(text))


def unit_latex(name: str, robot: Robot) -> str:
    """The unit of a standard parameter, which is that of the base parameter it stands for; "--" for a column of the user's."""
    found = re.fullmatch(r"(m[xyz]?|I[xyz]{2}|Ia|f[vc][pn]?|fo)(\d+)", name)
    if found is None:
        return "--"
    stem = _ALIAS.get(found[1], found[1])
    if stem in _ROTARY:
        return (_ROTARY if robot.joints[robot.independent[int(found[2]) - 1]].revolute else _SLIDING)[stem]
    return _BODY.get(stem, r"kg\,m$^2$")
