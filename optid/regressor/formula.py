"""Base parameters as readable formulas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike


def _number(value: float) -> str:
    # twelve digits first: a coefficient such as 0.04638875 must not print differently for its last bit
    return f"{float(f'{value:.12g}'):.6g}"


def formula(coefficients: ArrayLike, names: Sequence[str], leading: int, threshold: float = 0.0) -> str:
    """A combination such as ``Ixz2 - 0.36*mz2 - 0.36*mz3``, its leading parameter first.

    Parameters
    ----------
    coefficients : (p,)
    names : p names
    leading : index of the independent parameter, printed first
    threshold : coefficients of smaller magnitude are left out
    """
    values = np.asarray(coefficients, dtype=float)
    # own kind first (Iyy1 + Iyy2 + Iyy3 + 0.14*mx1), then the others in standard order
    stem = names[leading].rstrip("0123456789")
    others = [k for k in range(len(names)) if k != leading and abs(values[k]) > threshold]
    others.sort(key=lambda k: (names[k].rstrip("0123456789") != stem, k))
    text = ""
    for k in [leading, *others]:
        c = float(values[k])
        size = "" if abs(abs(c) - 1.0) < 1e-9 else _number(abs(c)) + "*"
        sign = ("-" if c < 0 else "") if not text else (" - " if c < 0 else " + ")
        text += f"{sign}{size}{names[k]}"
    return text
