"""Capsules around links of the arm that must not touch one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import LimitsError, sentence, unknown_name
from optid.kinematics.chain import compose, frame_index, link_transforms
from optid.kinematics.joint_transform import constant
from optid.robot import Robot

from .levers import levers
from .paths import Path, of_position

Array = NDArray[np.float64]

BASE = "base"
"""Frame of capsules that do not move."""

SOFT = 1e-4
"""Rounding of distances near zero, as a share of the required one; it errs on the safe side."""

FLAT = 1e-12
"""Keeps the nearest points of parallel axes defined; it lengthens no distance by more than its own share of a capsule's length."""


@dataclass(frozen=True)
class Capsule:
    """All points within ``radius`` of a straight line between two points of a link; a ball when these are one.

    Parameters
    ----------
    name : str
    frame : link index, link name, None for the tool, or "base"
    start, end : (3,) [m]
        In that frame.
    radius : float [m]

    Examples
    --------
    >>> from optid.excitation import Capsule
    >>> Capsule("forearm", 1, (0, 0, 0), (0.3, 0, 0), 0.05).radius
    0.05
    """

    name: str
    frame: int | str | None
    start: ArrayLike
    end: ArrayLike
    radius: float

    def ends(self) -> Array:
        """Both ends (2, 3) [m].

        Raises
        ------
        LimitsError
            They are not finite points, or the radius is negative.
        """
        points = [np.asarray(x, dtype=float) for x in (self.start, self.end)]
        if any(x.shape != (3,) or not np.isfinite(x).all() for x in points):
            raise LimitsError(sentence(f"ends of the capsule {self.name!r}", f"{self.start!r} and {self.end!r}", "two points (3,) in metres"))
        if not 0 <= self.radius < np.inf:
            raise LimitsError(sentence(f"radius of the capsule {self.name!r}", self.radius, "0 m or more"))
        return np.array(points)

    def link(self, robot: Robot) -> int:
        """Index of the link it belongs to; -1 for the base."""
        if self.frame == BASE and BASE not in [link.name for link in robot.links]:
            return -1
        index = frame_index(robot, self.frame)
        return robot.n_links - 1 if index is None else index


@dataclass(frozen=True, eq=False)
class SelfCollision:
    """Capsules of the arm (and around it, in the frame "base") keep clear of one another.

    Between samples the proof rests on the distance of two capsules being a Lipschitz function of the joint angles: joint j changes it by at most its lever,
    the largest distance any posture allows between the joint's axis and the nearer of the two capsules' far ends, times its own movement. Joints that are not
    between the two links do not change it at all.

    Parameters
    ----------
    capsules : sequence of Capsule
    pairs : sequence of (name, name), optional
        Which must keep clear; by default all pairs on links that are not the same and not neighbours.
    clearance : float [m]
        Distance to keep between surfaces.

    Examples
    --------
    >>> from optid.excitation import Capsule, SelfCollision
    >>> arm = [Capsule("column", "base", (0, 0, 0), (0, 0, 1), 0.1), Capsule("forearm", 1, (0, 0, 0), (0.3, 0, 0), 0.05)]
    >>> SelfCollision(arm, clearance=0.02).clearance
    0.02
    """

    capsules: Sequence[Capsule]
    pairs: Sequence[tuple[str, str]] | None = None
    clearance: float = 0.0

    def chosen(self, robot: Robot) -> list[tuple[Capsule, Capsule]]:
        """The pairs, the one nearer to the base first.

        Raises
        ------
        UnknownNameError, LimitsError
        """
        known = {capsule.name: capsule for capsule in self.capsules}
        if len(known) < len(self.capsules):
            raise LimitsError(sentence("capsules of an arm", f"{len(self.capsules)} with {len(known)} names", "a name for each"))
        if self.pairs is None:
            wanted = [pair for pair in combinations(self.capsules, 2) if abs(pair[0].link(robot) - pair[1].link(robot)) > 1]
        else:
            for name in (name for pair in self.pairs for name in pair):
                if name not in known:
                    raise unknown_name("capsule", name, known)
            wanted = [(known[a], known[b]) for a, b in self.pairs]
        if not wanted:
            raise LimitsError(sentence("capsules of an arm", "no pair to keep apart", "capsules of links that are not neighbours, or pairs="))
        for a, b in wanted:
            if a.link(robot) == b.link(robot):
                raise LimitsError(sentence(f"capsules {a.name!r} and {b.name!r}", "the same link", "links that move against each other"))
        return [(a, b) if a.link(robot) < b.link(robot) else (b, a) for a, b in wanted]

    def path(self, robot: Robot) -> Path:
        """The constraint for a robot: distances as shares of the required ones.

        Raises
        ------
        LimitsError
            Two capsules without thickness and clearance, or a prismatic joint between two capsules without position limits.
        """
        if not 0 <= self.clearance < np.inf:
            raise LimitsError(sentence("clearance of capsules", self.clearance, "0 m or more"))
        ends = {capsule.name: capsule.ends() for capsule in self.capsules}
        q = ca.SX.sym("q", robot.n)
        links = link_transforms(robot, q)
        tool = compose(links[-1], (ca.SX(constant(robot.tool.R)), ca.SX(constant(robot.tool.p))))
        pairs = self.chosen(robot)
        shares, bounds, required = [], [], []
        for near, far in pairs:
            apart = near.radius + far.radius + self.clearance
            if not apart > 0:
                raise LimitsError(sentence(f"capsules {near.name!r} and {far.name!r}", "no radius and no clearance", "a distance to keep"))
            segments, lengths = [], []
            for capsule in (near, far):
                index = capsule.link(robot)
                R, p = (ca.SX.eye(3), ca.SX.zeros(3)) if index < 0 else (tool if capsule.frame is None else links[index])
                segments.append(tuple(p + ca.mtimes(R, ca.DM(end)) for end in ends[capsule.name]))
                lengths.append(float(np.linalg.norm(ends[capsule.name][1] - ends[capsule.name][0])))
            squared = squared_distance(segments[0], segments[1], lengths[0], lengths[1])
            shares.append(ca.sqrt(squared / apart**2 + SOFT**2) - SOFT)
            bounds.append(levers(robot, _reach(robot, near), _reach(robot, far)) / apart)
            required.append(apart)
        labels = tuple(f"{near.name} to {far.name}" for near, far in pairs)
        k = len(pairs)
        return of_position(robot, "clearance", ca.vertcat(*shares), q, labels, np.ones(k), np.full(k, np.inf), np.array(required), np.array(bounds))


def _reach(robot: Robot, capsule: Capsule) -> tuple[int, float]:
    """Link of a capsule, and the largest distance of its line from the origin of the link's frame."""
    ends = capsule.ends()
    if capsule.frame is None:
        ends = ends @ robot.tool.R.T + robot.tool.p
    return capsule.link(robot), float(np.linalg.norm(ends, axis=1).max())


def squared_distance(one: tuple[ca.SX, ...], other: tuple[ca.SX, ...], length: float, other_length: float) -> ca.SX:
    """Squared distance of two straight lines of known lengths, each given by its ends.

    The nearest points are an end of either line and a point of the other, or the feet of the common perpendicular where these lie on both: the smallest of
    five distances, none of which is below the true one.
    """
    candidates = [_from_point(end, one, length) for end in other[: 2 if other_length > 0 else 1]]
    candidates += [_from_point(end, other, other_length) for end in one[: 2 if length > 0 else 1]]
    if length > 0 and other_length > 0:
        u, v, w = one[1] - one[0], other[1] - other[0], one[0] - other[0]
        a, b, c, d, e = length**2, ca.dot(u, v), other_length**2, ca.dot(u, w), ca.dot(v, w)
        across = a * c - b**2 + FLAT * a * c
        s, t = _clamped((b * e - c * d) / across), _clamped((a * e - b * d) / across)
        candidates.append(ca.sumsqr(w + s * u - t * v))
    smallest = candidates[0]
    for candidate in candidates[1:]:
        smallest = ca.fmin(smallest, candidate)
    return smallest


def _from_point(point: ca.SX, line: tuple[ca.SX, ...], length: float) -> ca.SX:
    if not length > 0:
        return ca.sumsqr(point - line[0])
    along = line[1] - line[0]
    return ca.sumsqr(point - line[0] - _clamped(ca.dot(point - line[0], along) / length**2) * along)


def _clamped(share: ca.SX) -> ca.SX:
    return ca.fmin(ca.fmax(share, 0.0), 1.0)
