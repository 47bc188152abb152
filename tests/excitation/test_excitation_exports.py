"""Every limit of a design, torques and clearances too, is proven again after every step on its way to the robot: ramps, stops, fewer targets, rounding."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import LimitsError
from optid.excitation import Capsule, SelfCollision
from optid.excitation.path_proof import prove_path
from optid.library import planar_2r
from optid.problems import Excitation, ExcitationResult
from optid.solvers import Solution
from optid.trajectory import Fourier, Piecewise, PointToPoint, RampedFourier, Sequence, Trajectory, stopped
from optid.trajectory.export import to_csv, to_rapid, to_ros, to_urscript

HOLD = (0.0, 0.0, 0.0, 0.0)


def problem(**options: object) -> Excitation:
    """Planar 2R that runs into the torque limit of its first axis and comes near its own base."""
    model = DynamicModel(planar_2r(), friction="viscous+coulomb", sign_width=0.1)
    limits = Limits.of(2, lower=[-1.0, 0.5], upper=[1.0, 3.0], velocity=3.0, acceleration=20.0, torque=[20.0, 8.0])
    capsules = [Capsule("post", "base", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.2), Capsule("forearm", "link2", (0.1, 0.0, 0.0), (0.45, 0.0, 0.0), 0.05)]
    given: dict[str, object] = {"rest": True, "regions": (SelfCollision(capsules),), **options}
    return Excitation(BaseParameters.of(model), harmonics=4, period=4.0, limits=limits, samples=80, criterion="d", **given)  # type: ignore[arg-type]


def found(at: Excitation, coefficients: list[list[float]]) -> ExcitationResult:
    """A design as a solver left it, to four digits: what is proven of it may not depend on the processor that a search runs on.

    Its limits are a little wider than those of the search, so that rounding and splines have room, and accelerations of a ramp are no matter. Coefficients are
    q0, a, b of each joint.
    """
    limits = Limits.of(2, lower=[-1.01, 0.49], upper=[1.01, 3.01], velocity=3.01, acceleration=25.0, torque=[20.0, 8.0])
    wide = replace(at, limits=limits)
    x = wide.design.motions[0].vector(np.array(coefficients), 4.0)
    return wide.interpret(Solution(x, 0.0, 0.0, "optimal", "", 1, 0.0, 0, solver="ipopt"))


@pytest.fixture(scope="module")
def resting() -> ExcitationResult:
    first = [0.1729, -0.483, -0.2195, -0.1111, 0.3138, -0.1501, 0.295, 0.0002, -0.0645]
    second = [2.0301, -0.3761, -0.0804, -0.1371, 0.237, -0.164, -0.2919, 0.1913, -0.0244]
    return found(problem(), [first, second])


@pytest.fixture(scope="module")
def moving() -> ExcitationResult:
    first = [-0.0946, -0.4092, 0.4134, -0.1546, 0.0377, -0.2721, 0.2997, 0.3184, 0.158]
    second = [1.6162, -0.4967, 0.2087, -0.0707, -0.3229, 0.4375, 0.0708, 0.1132, 0.1327]
    return found(problem(rest=False, torque=False), [first, second])


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]


def read_rapid(text: str) -> Piecewise:
    """Cubic spline through the targets of a module, the start first."""
    from scipy.interpolate import CubicSpline

    targets = np.deg2rad([numbers(line)[:2] for line in text.splitlines() if "[[" in line])
    step = float(re.search(r"\\T:=([\d.]+)", text)[1])  # type: ignore[index]
    spline = CubicSpline(step * np.arange(len(targets)), targets, bc_type="periodic" if np.array_equal(targets[0], targets[-1]) else "clamped")
    return Piecewise(spline.x, np.moveaxis(spline.c[::-1], 0, 2) * step ** np.arange(4))


def read_urscript(text: str) -> Piecewise:
    """Straight lines between the streamed positions."""
    rows = [numbers(line.split("]")[0])[:2] for line in text.splitlines() if line.strip().startswith(("movej", "servoj"))]
    step = float(re.search(r" t=([\d.]+)", text)[1])  # type: ignore[index]
    return Piecewise.linear(step * np.arange(len(rows)), rows)


def test_design_runs_into_its_torque_limit() -> None:
    """The largest torque that the proof cannot exclude is the limit itself; every limit holds."""
    design = optid.solve(problem(), solver="ipopt", seed=0)
    assert design.converged and design.proven
    assert [report.quantity for report in design.path_reports] == ["torque", "clearance"]
    assert design.path_reports[0].bound.max() > 0.99


@pytest.mark.parametrize(
    ("writer", "options"),
    [(to_csv, {}), (to_ros, {"joint_names": ("a", "b")}), (to_urscript, {"hold": HOLD}), (to_rapid, {"hold": HOLD, "step": 0.02})],
)
def test_torque_and_clearance_are_proven_of_the_printed_numbers(resting: ExcitationResult, writer: object, options: dict[str, object]) -> None:
    export = resting.export(writer, **options)  # type: ignore[arg-type]
    assert export.proven and set(export.proofs) == {"torque", "clearance"}
    assert export.proofs["torque"].attained.max() == pytest.approx(resting.path_reports[0].attained.max(), abs=2e-3)
    if writer in (to_urscript, to_rapid):
        assert "torque, clearance" in export.text


def test_programs_read_back_keep_every_limit(resting: ExcitationResult) -> None:
    """The printed numbers, parsed from the text, are proven once more: RAPID with torques, URScript (which has no accelerations) without."""
    rapid = read_rapid(resting.export(to_rapid, hold=HOLD, step=0.02).text)
    t = np.linspace(0.0, 4.0, 500)
    np.testing.assert_allclose(rapid.derivative(t), resting.trajectory.derivative(t), atol=2e-6 + 3e-4)
    assert resting.prove(rapid, rest=False)
    script = read_urscript(resting.export(to_urscript, hold=HOLD).text)
    np.testing.assert_allclose(script.derivative(script.breaks), resting.trajectory.derivative(script.breaks), atol=1e-9)
    assert prove_path(script, resting.problem.paths[1])
    told = str(prove_path(script, resting.problem.paths[0]))
    assert "not proven, for the velocity jumps" in told


def test_fewer_targets_that_need_more_torque_are_refused(resting: ExcitationResult) -> None:
    """Ten targets a motion: position and velocity hold of the lines between them, the torque of the spline does not."""
    with pytest.raises(LimitsError, match=r"trajectory as exported .*torque limit: joint1 .* above"):
        resting.export(to_rapid, hold=HOLD, step=0.4)
    export = resting.export(to_rapid, hold=HOLD, step=0.4, override=True)
    assert not export.proven and "torque is not proven inside its limits" in export.text
    assert export.report is not None and export.report.proven


def test_rounding_that_needs_more_torque_is_refused(resting: ExcitationResult) -> None:
    """At 2 ms a step, a thousandth of a radian is 500 rad/s² more."""
    with pytest.raises(LimitsError, match="trajectory as exported"):
        resting.export(to_urscript, hold=HOLD, digits=3)
    assert resting.export(to_urscript, hold=HOLD, digits=7).proven


def test_ramps_are_proven(moving: ExcitationResult) -> None:
    """A short ramp needs no room; a long one swings into the base and is refused, naming where."""
    short, long = (RampedFourier(moving.trajectory, ramp) for ramp in (0.2, 1.0))  # type: ignore[arg-type]
    assert moving.prove(short, rest=True)
    assert moving.export(to_urscript, short, hold=HOLD).proven
    with pytest.raises(LimitsError, match=r"export of a motion made from a design: .*clearance limit: post to forearm .* above at"):
        moving.export(to_urscript, long, hold=HOLD)
    with pytest.raises(LimitsError, match="start velocity"):
        moving.export(to_urscript, hold=HOLD)


def test_torque_of_a_ramp_is_proven(moving: ExcitationResult) -> None:
    """The same ramp under a torque limit just above and just below what the ramp needs."""
    short = RampedFourier(moving.trajectory, 0.2)  # type: ignore[arg-type]
    whole = replace(moving.problem, torque=True, regions=()).paths[0]
    needed = prove_path(short, whole).attained
    inner = prove_path(moving.trajectory, whole).attained
    assert np.all(needed >= inner - 1e-3)
    for share, proven in ((1.001, True), (0.999, False)):
        limits = replace(moving.limits, torque=tuple(np.array(moving.limits.torque) * needed * share))
        assert bool(prove_path(short, replace(moving.problem, limits=limits, torque=True, regions=()).paths[0])) is proven


def test_stops_are_proven(moving: ExcitationResult) -> None:
    assert moving.prove(stopped(moving.trajectory, 1.3, 0.2), rest=False)
    report = moving.prove(stopped(moving.trajectory, 1.3, 2.0), rest=False)
    assert not report and "position" in str(report)


@pytest.mark.parametrize("family", ["ramped", "stopped", "moves", "spline", "lines", "window"])
def test_proof_of_any_motion_bounds_a_fine_grid(resting: ExcitationResult, family: str) -> None:
    """Torque and clearance of motions with breaks: proven 0.02 outside the values of 40 001 samples, refused 0.02 inside them."""
    motion = Fourier([0.1, 1.5], [[0.3, 0.1], [0.4, 0.2]], [[0.2, -0.1], [0.1, 0.3]], 3.0)
    t = np.linspace(0.0, 3.0, 31)
    made: dict[str, Trajectory] = {
        "ramped": RampedFourier(motion, 0.5),
        "stopped": stopped(motion, 1.0, 0.4),
        "moves": Sequence((PointToPoint([0.0, 1.0], [0.5, 2.0], 1.0), PointToPoint([0.5, 2.0], [0.2, 0.6], 0.7))),
        "spline": Piecewise.hermite(t, motion.evaluate(t)),
        "lines": Piecewise.linear(t, motion.derivative(t)),
        "window": Sequence((stopped(motion, 1.0, 0.4),)),
    }
    t = np.linspace(0.0, made[family].duration, 40_001)
    for path in resting.problem.paths:
        if family == "lines" and path.quantity == "torque":
            assert np.all(np.isinf(prove_path(made[family], path).bound))
            continue
        values = path.values(*made[family].evaluate(t))[:, :, 0]
        low, high = (np.where(np.isfinite(x), v, x) for x, v in ((path.lower, values.min(axis=0)), (path.upper, values.max(axis=0))))
        loose = prove_path(made[family], replace(path, lower=low - 0.02, upper=high + 0.02))
        assert loose.proven and loose.attained.max() == pytest.approx(0.98, abs=1e-3)
        tight = prove_path(made[family], replace(path, lower=low + 0.02, upper=high - 0.02))
        assert not tight.proven and tight.attained.max() > 1.0
