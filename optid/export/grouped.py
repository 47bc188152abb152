"""Tables of regrouped parameters, as Khalil's school writes them (ZZ1R, MX2R, …), made into standard vectors.

A regrouped parameter stands for a combination, and it is attached to one standard parameter: the torque of the combination is that of its value put into that
parameter alone. So a published table goes in as it is, and everything that it has regrouped is zero.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, RankError, sentence, unknown_name
from optid.model import DynamicModel
from optid.model.arguments import instance, real
from optid.regressor import BaseParameters

Array = NDArray[np.float64]

_STEMS = {
    **{f"{a}{b}": f"I{a.lower()}{b.lower()}" for a, b in ("XX", "XY", "XZ", "YY", "YZ", "ZZ")},
    **{f"M{a}": f"m{a.lower()}" for a in "XYZ"},
    "M": "m",
    "IA": "Ia",
    "FV": "fv",
    "FS": "fc",
    "FC": "fc",
    "FO": "fo",
    "OFF": "fo",
}


def standard_name(name: str) -> str:
    """The standard parameter that a regrouped one is attached to: ``ZZ1R`` → ``Izz1``, ``MX2R`` → ``mx2``, ``IA4`` → ``Ia4``, ``FS1`` → ``fc1``.

    Products of inertia are matrix elements on both sides (Ixy = −∫xy dm).

    Examples
    --------
    >>> from optid.export import standard_name
    >>> standard_name("ZZ1R"), standard_name("MX2R")
    ('Izz1', 'mx2')
    """
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)R?", name)
    stem = found[1].upper() if found else ""
    if not found or stem not in _STEMS:
        raise unknown_name("regrouped parameter", name, [f"{stem}1R" for stem in _STEMS])
    return f"{_STEMS[stem]}{found[2]}"


def grouped_parameters(model: DynamicModel, table: Mapping[str, float]) -> Array:
    """Standard vector (p,) of a published table of base parameters.

    Parameters
    ----------
    model : DynamicModel
        Whose link frames are those of the table (modified DH, as a rule).
    table : mapping name → value
        Names such as ``ZZ1R`` (the R may be left out), or standard names.

    Raises
    ------
    UnknownNameError
        For a name that is neither.
    RankError
        When two names stand for one combination, so that something would count twice.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import grouped_parameters
    >>> model = DynamicModel(library.planar_2r(), "none")
    >>> pi = grouped_parameters(model, {"MX2": 0.2, "ZZ2": 0.05})
    >>> float(pi[model.index("mx2")]), float(pi[model.index("Izz2")])
    (0.2, 0.05)
    """
    instance(model, DynamicModel, "model of a table", "Make one: DynamicModel(robot).")
    for name, value in table.items():
        if not np.isfinite(real(value, f"{name} of a table of robot {model.robot.name!r}", "a finite number")):
            raise DataError(sentence(f"{name} of a table of robot {model.robot.name!r}", value, "a finite number"))
    names = {name: name if name in model.parameter_names else standard_name(name) for name in table}
    pi = model.parameters({names[name]: value for name, value in table.items()})
    base = BaseParameters.of(model)
    columns = [model.index(name) for name in names.values()]
    chosen = base.matrix[:, columns]
    norms = np.linalg.norm(chosen, axis=0)
    silent = [name for name, norm in zip(table, norms, strict=True) if norm == 0]
    if silent:
        raise RankError(sentence(f"table of robot {model.robot.name!r}", f"{silent[0]}, which no motion reveals", "base parameters"))
    rank = int(np.linalg.matrix_rank(chosen / norms, tol=1e-8)) if columns else 0
    if rank < len(columns):
        raise RankError(
            sentence(f"table of robot {model.robot.name!r}", f"{len(columns)} names for {rank} combinations", "independent names", "Some of them count twice.")
        )
    return pi


def groupings(model: DynamicModel, names: Mapping[str, float] | list[str]) -> dict[str, str]:
    """What each regrouped name of a table stands for, as a formula in standard parameters.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.export import groupings
    >>> groupings(DynamicModel(library.planar_2r(), "none"), ["MX1R", "ZZ1R", "MY1", "MX2", "MY2", "ZZ2"])
    {'MX1R': 'mx1 + 0.5*m2', 'ZZ1R': 'Izz1 + 0.25*m2', 'MY1': 'my1', 'MX2': 'mx2', 'MY2': 'my2', 'ZZ2': 'Izz2'}
    """
    standard = {name: name if name in model.parameter_names else standard_name(name) for name in names}
    base = BaseParameters.of(model, preferred=tuple(standard.values()))
    formulas = dict(zip(base.names, base.formulas, strict=True))
    return {name: formulas.get(own, "(not a base parameter of its own)") for name, own in standard.items()}
