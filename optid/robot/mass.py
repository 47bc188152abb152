"""Masses from what is known before any measurement."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, sentence


def masses_from_volumes(total: float, volumes: ArrayLike) -> NDArray[np.float64]:
    """Masses (n,) [kg] that share a robot's weight in proportion to the volumes of its links, as G21 does with CAD volumes.

    Parameters
    ----------
    total : float [kg]
        Mass of all the links together.
    volumes : (n,)
        In any one unit.

    Examples
    --------
    >>> from optid.robot import masses_from_volumes
    >>> masses_from_volumes(12.0, [1.0, 2.0, 3.0])
    array([2., 4., 6.])
    """
    parts = np.asarray(volumes, dtype=float)
    if parts.ndim != 1 or not len(parts) or not np.isfinite(parts).all() or (parts < 0).any() or parts.sum() == 0:
        raise RobotError(sentence("volumes", repr(volumes), "one or more numbers ≥ 0 with a positive sum"))
    if not np.isfinite(total) or total <= 0:
        raise RobotError(sentence("total mass", total, "a positive number [kg]"))
    return np.asarray(total * parts / parts.sum())
