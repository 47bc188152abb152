"""How far joints can move points of the arm, whatever its posture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optid.errors import LimitsError, sentence
from optid.robot import Robot

Array = NDArray[np.float64]


def levers(robot: Robot, near: tuple[int, float], far: tuple[int, float]) -> Array:
    """Largest change of the distance between points of two links per unit of every coordinate (n,) [m/rad, 1], for all postures within the position limits.

    A revolute joint between the links moves either against the other by its angle times a distance from its axis; the axis' point nearest in the chain is at
    most as far away as the lengths up to there add up to.

    Parameters
    ----------
    near, far : (link, reach)
        Index of the link (-1: the base) and largest distance [m] of its points from the origin of its frame.

    Raises
    ------
    LimitsError
        A prismatic joint between the links has no position limits: nothing bounds the lengths.
    """
    stroke = _strokes(robot, range(near[0] + 1, far[0] + 1))
    before = [float(np.linalg.norm(joint.before.p)) for joint in robot.joints]
    after = [float(np.linalg.norm(joint.after.p)) for joint in robot.joints]
    base = float(np.linalg.norm(robot.base.p)) if near[0] < 0 else 0.0
    change = np.zeros(robot.n_links)
    for i in range(near[0] + 1, far[0] + 1):
        if not robot.joints[i].revolute:
            change[i] = 1.0
            continue
        inwards = sum(before[k] + stroke[k] + after[k] for k in range(near[0] + 1, i)) + before[i] + base
        outwards = after[i] + sum(before[k] + stroke[k] + after[k] for k in range(i + 1, far[0] + 1))
        change[i] = min(inwards + near[1], outwards + far[1])
    return np.asarray(change @ np.abs(robot.expansion[0]))


def _strokes(robot: Robot, between: range) -> dict[int, float]:
    """Largest displacement of each joint of the chain between the links; zero for revolute ones."""
    G, b = robot.expansion
    reach = np.abs(robot.limits.position).max(axis=1)
    result = {}
    for k in between:
        result[k] = 0.0 if robot.joints[k].revolute else abs(float(b[k])) + float(sum(abs(G[k, j]) * reach[j] for j in np.flatnonzero(G[k])))
        if not np.isfinite(result[k]):
            found = f"prismatic joint {robot.joints[k].name!r} without position limits"
            raise LimitsError(sentence("lengths of the arm", found, "lower and upper limits, which bound the distance of its links"))
    return result
