"""Arms of the textbooks, kinematics only."""

from __future__ import annotations

import numpy as np

from optid.robot import DHRow, Robot


def puma560() -> Robot:
    """Unimation PUMA 560, standard DH, kinematics only.

    Corke & Armstrong-Hélouvry, *A search for consensus among model parameters reported for the PUMA 560 robot*, 1994.

    Examples
    --------
    >>> from optid import library
    >>> library.puma560().n
    6
    """
    half = np.pi / 2
    rows = [
        DHRow(alpha=half, d=0.6718),
        DHRow(a=0.4318),
        DHRow(alpha=-half, a=0.0203, d=0.15005),
        DHRow(alpha=half, d=0.4318),
        DHRow(alpha=-half),
        DHRow(),
    ]
    return Robot.from_dh(rows, "standard", name="PUMA 560")


def stanford() -> Robot:
    """Stanford arm, axes R-R-P-R-R-R, standard DH, kinematics only (proportions of Paul, *Robot Manipulators*, 1981, with round lengths).

    Examples
    --------
    >>> from optid import library
    >>> [joint.kind for joint in library.stanford().joints]
    ['R', 'R', 'P', 'R', 'R', 'R']
    """
    half = np.pi / 2
    rows = [
        DHRow(alpha=-half, d=0.4),
        DHRow(alpha=half, d=0.15),
        DHRow(joint="P"),
        DHRow(alpha=-half),
        DHRow(alpha=half),
        DHRow(d=0.2),
    ]
    return Robot.from_dh(rows, "standard", name="Stanford arm")
