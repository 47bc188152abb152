"""Capsules of the arm that do not touch one another at any instant."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits, Robot
from optid.errors import LimitsError, UnknownNameError
from optid.excitation import Capsule, SelfCollision
from optid.excitation.capsules import squared_distance
from optid.excitation.levers import levers
from optid.excitation.path_proof import prove_path
from optid.kinematics.motion import forward_kinematics
from optid.library import planar_2r, ur10
from optid.problems import Excitation
from optid.trajectory import Fourier, Piecewise

POST = Capsule("post", "base", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.15)
FOREARM = Capsule("forearm", "link2", (0.1, 0.0, 0.0), (0.45, 0.0, 0.0), 0.05)
REQUIRED = 0.2


def by_hand(q2: np.ndarray) -> np.ndarray:
    """Distance of the second link's line, from 0.1 to 0.45 m along it, to the first axis 0.5 m behind its own: depends on the elbow alone."""
    foot = np.clip(-0.5 * np.cos(q2), 0.1, 0.45)
    return np.hypot(0.5 + foot * np.cos(q2), foot * np.sin(q2))


def folding(*regions: SelfCollision) -> Excitation:
    """Planar 2R whose elbow may fold until the tip would hit the base."""
    base = BaseParameters.of(DynamicModel(planar_2r(), friction="none"))
    limits = Limits.of(2, lower=[-3.0, 1.0], upper=[3.0, 3.1], velocity=4.0, acceleration=30.0)
    return Excitation(base, harmonics=3, period=3.0, limits=limits, samples=40, criterion="d", regions=regions)


def segment_distance(points: np.ndarray) -> float:
    """Distance of two lines by a fine search, then by halving around the best pair."""
    s, width, middle = np.linspace(-1.0, 1.0, 41), 0.5, np.array([0.5, 0.5])
    for _ in range(60):
        a, b = (np.clip(m + width * s, 0.0, 1.0) for m in middle)
        apart = points[0] + a[:, None] * (points[1] - points[0]) - (points[2] + b[:, None] * (points[3] - points[2]))[:, None]
        found = (apart**2).sum(axis=2)
        j, i = np.unravel_index(int(found.argmin()), found.shape)
        middle, width = np.array([a[i], b[j]]), 0.7 * width
    return float(np.sqrt(found.min()))


@pytest.mark.parametrize("case", ["any", "parallel", "point"])
def test_distance_of_two_lines(case: str) -> None:
    """Against a search over all pairs of points; crossing, parallel and overlapping lines, and a point."""
    rng = np.random.default_rng(3)
    symbols = [ca.SX.sym(f"p{k}", 3) for k in range(4)]
    for _ in range(15):
        points = rng.standard_normal((4, 3))
        if case == "parallel":
            points[3] = points[2] + rng.uniform(-2, 2) * (points[1] - points[0])
        if case == "point":
            points[1] = points[0]
        lengths = [float(np.linalg.norm(points[k + 1] - points[k])) for k in (0, 2)]
        distance = ca.sqrt(squared_distance((symbols[0], symbols[1]), (symbols[2], symbols[3]), *lengths))
        found = float(ca.Function("d", symbols, [distance])(*points))
        assert found == pytest.approx(segment_distance(points), abs=1e-7)


def test_planar_arm_by_hand() -> None:
    """Shares of the required distance are those of the closed form, 0.1 per mille of it below at most."""
    path = SelfCollision([POST, FOREARM]).path(planar_2r())
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (200, 2))
    found = path.values(q, q, q)[:, 0, 0]
    wanted = by_hand(q[:, 1]) / REQUIRED
    assert np.all(found <= wanted + 1e-12) and np.all(found >= wanted - 1.01e-4)
    assert path.labels == ("post to forearm",) and path.order == 0


def test_design_that_would_hit_its_base() -> None:
    """The free design touches; the constrained one is proven, and clear on a fine grid by the closed form."""
    posed = folding(SelfCollision([POST, FOREARM]))
    t = np.linspace(0.0, 3.0, 20001)
    free = optid.solve(folding(), solver="ipopt", seed=0)
    assert by_hand(free.trajectory.derivative(t)[:, 1]).min() < 0.8 * REQUIRED
    broken = prove_path(free.trajectory, posed.paths[0])
    assert not broken.proven and "clearance limit: post to forearm" in str(broken)
    result = optid.solve(replace(posed, initial=free.trajectory), solver="ipopt", seed=0)
    assert result.converged and result.proven
    least = by_hand(result.trajectory.derivative(t)[:, 1]).min()
    assert REQUIRED <= least < 1.05 * REQUIRED
    assert result.path_reports[0].bound[0] <= 1.0 + 1e-9


def test_proof_between_samples_is_a_bound() -> None:
    """The elbow swings through a known smallest distance: proven just below it, refused just above, and the bound is never below what is attained."""
    motion = Fourier([0.0, 0.0], [[0.3], [2.6]], [[0.1], [0.0]], 1.0)
    smallest = float(by_hand(np.array([2.6]))[0])
    for share, proven in ((1 - 1e-3, True), (1 + 1e-3, False)):
        thick = replace(POST, radius=smallest * share - 0.05)
        report = prove_path(motion, SelfCollision([thick, FOREARM]).path(planar_2r()))
        assert report.proven is proven
        assert report.bound[0] >= report.attained[0]


def test_levers_bound_the_change_of_any_distance() -> None:
    """UR10: no change between random neighbouring postures exceeds the levers times the steps of the joints."""
    robot = ur10()
    rng = np.random.default_rng(1)
    names = [link.name or k for k, link in enumerate(robot.links)]
    capsules = [Capsule(str(k), name, rng.uniform(-0.1, 0.1, 3), rng.uniform(-0.1, 0.1, 3), 0.05) for k, name in enumerate(names)]
    capsules += [Capsule("flange", None, (0.0, 0.0, 0.0), (0.0, 0.0, 0.1), 0.05), Capsule("floor", "base", (0.3, 0.0, -0.1), (1.0, 1.0, -0.1), 0.02)]
    path = SelfCollision(capsules).path(robot)
    assert path.lipschitz is not None and path.size == 10 + 4 + 6  # links, flange to links, floor to links and flange
    q = rng.uniform(-np.pi, np.pi, (500, 6))
    step = rng.uniform(-0.05, 0.05, q.shape)
    change = np.abs(path.values(q + step, q, q) - path.values(q, q, q))[:, :, 0]
    allowed = np.abs(step) @ path.lipschitz.T
    assert np.all(change <= allowed + 1e-12)
    assert np.max(change / allowed) > 0.5
    assert np.all(path.lipschitz[:, 0][[label.startswith("0 to") for label in path.labels]] == 0.0)


def test_capsules_are_placed_on_their_links() -> None:
    """Two balls of the UR10 are as far apart as forward kinematics puts their centres."""
    robot = ur10()
    balls = [Capsule("shoulder", 0, (0.0, 0.05, 0.0), (0.0, 0.05, 0.0), 0.1), Capsule("tip", None, (0.0, 0.0, 0.1), (0.0, 0.0, 0.1), 0.1)]
    path = SelfCollision(balls, clearance=0.05).path(robot)
    q = np.random.default_rng(2).uniform(-3, 3, (20, 6))
    one, tip = (np.asarray(forward_kinematics(robot, q, frame)) for frame in (0, None))
    apart = np.linalg.norm(one[:, :3, :3] @ [0.0, 0.05, 0.0] + one[:, :3, 3] - tip[:, :3, :3] @ [0.0, 0.0, 0.1] - tip[:, :3, 3], axis=1)
    np.testing.assert_allclose(path.values(q, q, q)[:, 0, 0], apart / 0.25, atol=1.01e-4)


def test_clearance_of_a_decimated_motion() -> None:
    """Straight lines between a few postures cut a corner that the motion goes around: proven for the motion, not for the lines."""
    t = np.linspace(0.0, 1.0, 5)
    motion = Fourier([0.0, 1.2], [[0.3], [0.0]], [[0.1], [1.2]], 1.0)
    reach = float(by_hand(motion.derivative(np.linspace(0, 1, 1001))[:, 1]).min())
    path = SelfCollision([replace(POST, radius=0.999 * reach - 0.05), FOREARM]).path(planar_2r())
    assert prove_path(motion, path).proven
    turned = Piecewise.linear(t, motion.derivative(t) + [0.0, 0.2])
    report = prove_path(turned, path)
    assert not report.proven and report.time[0] in (0.0, 1.0)
    assert prove_path(Piecewise.linear(t, motion.derivative(t)), path).proven


def sliding() -> Robot:
    """A revolute joint and a slide without limits."""
    from optid import DHRow

    return Robot.from_dh([DHRow(), DHRow(a=0.5), DHRow(joint="P")], "modified")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: SelfCollision([POST, replace(POST, radius=0.1)]).path(planar_2r()), LimitsError, "2 with 1 names, expected a name for each"),
        (lambda: SelfCollision([replace(POST, frame="link1"), FOREARM]).path(planar_2r()), LimitsError, "no pair to keep apart"),
        (lambda: SelfCollision([POST, FOREARM], [("post", "foream")]).path(planar_2r()), UnknownNameError, "Did you mean 'forearm'"),
        (lambda: SelfCollision([POST, FOREARM], [("post", "post")]).path(planar_2r()), LimitsError, "'post' and 'post': the same link"),
        (lambda: SelfCollision([replace(POST, radius=0.0), replace(FOREARM, radius=0.0)]).path(planar_2r()), LimitsError, "no radius and no clearance"),
        (lambda: SelfCollision([replace(POST, radius=-1.0), FOREARM]).path(planar_2r()), LimitsError, "radius of the capsule 'post': -1"),
        (lambda: SelfCollision([replace(POST, start=(0.0, np.nan, 0.0)), FOREARM]).path(planar_2r()), LimitsError, "ends of the capsule 'post'"),
        (lambda: SelfCollision([replace(POST, frame="link9"), FOREARM]).path(planar_2r()), UnknownNameError, "frame 'link9'"),
        (lambda: SelfCollision([POST, FOREARM], clearance=-0.1).path(planar_2r()), LimitsError, "clearance of capsules"),
        (lambda: levers(sliding(), (-1, 0.0), (2, 0.1)), LimitsError, "prismatic joint 'joint3' without position limits"),
    ],
)
def test_wrong_capsules_are_named(make: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()  # type: ignore[operator]


def test_arm_that_touches_at_rest_is_told() -> None:
    """When not even the centre of the range is clear there is no start inside the limits, and the result is not proven."""
    posed = folding(SelfCollision([replace(POST, radius=1.5), FOREARM]))
    result = optid.solve(posed, solver="ipopt", seed=0, budget=5, on_failure="return")
    assert not result.proven
    with pytest.raises(LimitsError, match="clearance limit"):
        result.refuse_unproven()
