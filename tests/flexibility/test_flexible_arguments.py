"""Whatever is handed over: one clear sentence, and no error of numpy, CasADi or Python itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optid.errors import DataError, OptidError, ShapeError
from optid.experiment import Trial
from optid.flexibility import (
    FlexibleLoop,
    FlexibleModel,
    Gains,
    MoveLimits,
    ShapedMotion,
    Shaper,
    SimulatedRobot,
    best_input,
    linearise,
    set_a,
    tcp_line,
    within,
)
from optid.flexibility.feedforward import Feedforward
from optid.flexibility.inputs import input_quality
from optid.flexibility.joint_stiffness import recorded_stiffness
from optid.flexibility.open_loop import energy, fastest, swing
from optid.flexibility.paths import span_for
from optid.flexibility.stiffness import stiffness_from_encoders
from optid.flexibility.two_axis import two_axis_robot
from optid.flexibility.two_masses import two_mass_from_motor
from optid.library import emps, kr300
from optid.model import DynamicModel
from optid.model.flexible_joint import ElasticJoint, MotorFriction, Spring
from optid.problems.decoupling import Decoupling
from optid.problems.tuning_plan import decoupling_plan
from optid.robot import Drive
from optid.trajectory import PointToPoint

A = set_a()
ROBOT = A.robot
LOOP = FlexibleLoop(A, backend="interpreter")
CLOSED = linearise(A, [0.0, 0.0]).with_feedback(LOOP.gains)
REST = np.zeros(8)
ARM = DynamicModel(kr300(), ())
JOINT = {"spring": Spring(1e5), "rotor_inertia": 1e-3}
TIME = np.arange(0, 20, 0.005)
SIGNALS = {"motor": np.sin(3 * TIME), "torque": np.sin(5 * TIME), "rate": 200.0, "gear": 1.0}
BOTH = {**SIGNALS, "link": np.sin(3 * TIME) - 1e-4 * np.sin(5 * TIME), "rotor_inertia": 0.0}

SWING = emps().with_drives([Drive(1.0, 1e-3)])
TRIAL = Trial(TIME, SIGNALS["motor"], tau=SIGNALS["torque"], attributes={"link": np.reshape(BOTH["link"], (-1, 1))})

NOT_NUMBERS: tuple[Any, ...] = (1j, "x", {}, object(), np.array([1j, 2.0]), [[1.0], [1.0, 2.0]])
NOT_FINITE = (float("nan"), float("inf"), [float("nan"), 1.0])
NEGATIVE = (-1.0, [-1.0, -1.0])


def move(span: float) -> PointToPoint:
    return PointToPoint(np.zeros(2), np.full(2, 0.1), span, "ninth")


OBJECTS: dict[str, Callable[[Any], Any]] = {
    "robot of a model": lambda x: FlexibleModel(x, A.joints),
    "joints": lambda x: FlexibleModel(ROBOT, x),
    "robot of": lambda x: FlexibleModel.of(x, 1e5),
    "spring of a joint": lambda x: ElasticJoint(**{**JOINT, "spring": x}),
    "friction of a joint": lambda x: ElasticJoint(**JOINT, friction=x),
    "driven": lambda x: ElasticJoint(**JOINT, driven=x),
    "factors": lambda x: A.parameters(x or 1),
    "plant": FlexibleLoop,
    "controller": lambda x: FlexibleLoop(A, x),
    "gains": lambda x: FlexibleLoop(A, gains=x),
    "law": lambda x: FlexibleLoop(A, law=x),
    "backend": lambda x: FlexibleLoop(A, backend=x),
    "feedforward": Feedforward,
    "model of gains": Gains.of,
    "model to linearise": lambda x: linearise(x, [0.0, 0.0]),
    "feedback": CLOSED.with_feedback,
    "model to swing": lambda x: swing(x, REST, 0.1),
    "motion": LOOP.simulate,
    "robot of a line": lambda x: tcp_line(x, [0.0, 0.0], [0.1, 0.1], 1.0),
    "loop of a move": lambda x: within(x, move, MoveLimits(1.0)),
    "maker of a move": lambda x: within(LOOP, x, MoveLimits(1.0)),
    "limits of a move": lambda x: within(LOOP, move, x),
    "shaper after another": Shaper.of(5.0).then,
    "kind of a shaper": lambda x: Shaper.of(5.0, kind=x),
    "motion to shape": lambda x: ShapedMotion(x, Shaper.of(5.0)),
    "shaper of a motion": lambda x: ShapedMotion(move(0.3), x),
    "loop to analyse": lambda x: input_quality(x, move(0.3)),
    "motion to analyse": lambda x: input_quality(LOOP, x),
    "motions": lambda x: best_input(LOOP, x),
    "loop of a robot": lambda x: SimulatedRobot(x, move(0.3)),
    "motion of a robot": lambda x: SimulatedRobot(LOOP, x),
    "arm to decouple": lambda x: Decoupling(x, 0),
    "arm of a plan": decoupling_plan,
    "passive joints": lambda x: FlexibleModel.of(ROBOT, 1e5, passive=x or 1),
    "fixed axes": lambda x: Decoupling(ARM, 0, fixed=x or 1),
    "robot of a recording": lambda x: recorded_stiffness(x, TRIAL),
    "recording": lambda x: recorded_stiffness(SWING, x),
    "link recording": lambda x: recorded_stiffness(SWING, TRIAL, x),
    "axes of a recording": lambda x: recorded_stiffness(SWING, TRIAL, axes=x),
    "antiresonances": lambda x: recorded_stiffness(SWING, TRIAL, antiresonances=x),
    "damping of a fit": lambda x: stiffness_from_encoders(**BOTH, damping=x),
}
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "spring": Spring,
    "knee": lambda x: Spring(1.0, 2.0, x),
    "viscous": MotorFriction,
    "damping": lambda x: ElasticJoint(**JOINT, damping=x),
    "gear": lambda x: ElasticJoint(**JOINT, gear=x),
    "rotor inertia": lambda x: ElasticJoint(Spring(1.0), rotor_inertia=x),
    "passive": ElasticJoint.passive,
    "stiffness of": lambda x: FlexibleModel.of(kr300(), x),
    "damping of": lambda x: FlexibleModel.of(kr300(), 1e5, x),
    "lengths": lambda x: two_axis_robot(x, (1, 1), (1, 1), (1, 1)),
    "factor": lambda x: A.parameters({"m1": x}),
    "kp": lambda x: Gains(x, (1.0, 1.0), (0.0, 0.0)),
    "speed of gains": lambda x: Gains.of(A, x),
    "step": lambda x: FlexibleLoop(A, step=x),
    "rate": lambda x: FlexibleLoop(A, rate=x),
    "Υ": lambda x: LOOP.simulate(move(0.3), x),
    "tail": lambda x: LOOP.simulate(move(0.3), tail=x),
    "plants": lambda x: LOOP.simulate(move(0.3), plants=x),
    "row of poles": LOOP.poles,
    "Υ of poles": lambda x: LOOP.poles(np.zeros(12), x),
    "row of rest": lambda x: LOOP.rest(x, 100.0),
    "posture": lambda x: linearise(A, x),
    "parameters": lambda x: linearise(A, [0.0, 0.0], x),
    "frequencies": CLOSED.response,
    "tracked frequencies": CLOSED.tracking,
    "held motors": CLOSED.antiresonances,
    "state": lambda x: swing(A, x, 0.1),
    "time of a swing": lambda x: swing(A, REST, x),
    "step of a swing": lambda x: swing(A, REST, 0.1, step=x),
    "torque of a swing": lambda x: swing(A, REST, 0.1, lambda t: x),
    "states": lambda x: energy(A, x),
    "fastest": lambda x: fastest(A, x),
    "start of a line": lambda x: tcp_line(ROBOT, x, [0.1, 0.1], 1.0),
    "span of a line": lambda x: tcp_line(ROBOT, [0.0, 0.0], [0.1, 0.1], x),
    "pieces of a line": lambda x: tcp_line(ROBOT, [0.0, 0.0], [0.1, 0.1], 1.0, x),
    "distance": lambda x: span_for(x, 1.0),
    "acceleration": lambda x: span_for(1.0, x),
    "longest": lambda x: within(LOOP, move, MoveLimits(1.0), longest=x),
    "accuracy": lambda x: within(LOOP, move, MoveLimits(1.0), accuracy=x),
    "frequency of a shaper": Shaper.of,
    "damping of a shaper": lambda x: Shaper.of(5.0, x),
    "impulses": lambda x: Shaper(x, x),
    "vibration": Shaper.of(5.0).vibration,
    "damping of a vibration": lambda x: Shaper.of(5.0).vibration(5.0, x),
    "plant of a robot": lambda x: SimulatedRobot(LOOP, move(0.3), x),
    "noise": lambda x: SimulatedRobot(LOOP, move(0.3), torque_noise=x),
    "seed": lambda x: SimulatedRobot(LOOP, move(0.3), seed=x),
    "Υ of a run": lambda x: SimulatedRobot(LOOP, move(0.3)).run(x, 1),
    **{f"{what} of a fit": lambda x, what=what: stiffness_from_encoders(**{**BOTH, what: x}) for what in BOTH},  # type: ignore[misc]
    "cut-offs": lambda x: stiffness_from_encoders(**BOTH, cutoffs=x),
    "order": lambda x: stiffness_from_encoders(**BOTH, order=x),
    "level": lambda x: stiffness_from_encoders(**BOTH, level=x),
    **{f"{what} of two masses": lambda x, what=what: two_mass_from_motor(**{**SIGNALS, "antiresonance": 5.0, what: x}) for what in SIGNALS},  # type: ignore[misc]
    "antiresonance": lambda x: two_mass_from_motor(**SIGNALS, antiresonance=x),
    "cut-offs of two masses": lambda x: two_mass_from_motor(**SIGNALS, antiresonance=5.0, cutoffs=x),
    "rotor of two masses": lambda x: two_mass_from_motor(**SIGNALS, antiresonance=5.0, rotor_inertia=x),
    "antiresonance of a recording": lambda x: recorded_stiffness(SWING, TRIAL, antiresonances={SWING.joint_names[0]: x}),
    "cut-offs of a recording": lambda x: recorded_stiffness(SWING, TRIAL, cutoffs=x),
    "level of a recording": lambda x: recorded_stiffness(SWING, TRIAL, level=x),
    "axes": lambda x: Decoupling(ARM, x),
    "pi": lambda x: Decoupling(ARM, 0, pi=x),
    "lower": lambda x: Decoupling(ARM, 0, lower=x),
    "angle": lambda x: Decoupling(ARM, 0, fixed={1: x}),
    "length of a move": lambda x: Decoupling(ARM, 0, move=x),
    "frequency": lambda x: Decoupling(ARM, 0, frequency=x),
    "x0": lambda x: Decoupling(ARM, 0, x0=x),
    "postures": Decoupling(ARM, 0).coupling,
    "largest": lambda x: decoupling_plan(A.arm, largest=x),
    "tolerance": lambda x: decoupling_plan(A.arm, tolerance=x),
    "seed of a plan": lambda x: decoupling_plan(A.arm, seed=x),
}
LIMITS = ("speed", "acceleration", "motor_torque", "gear_torque")
ANY_SIGN = {
    *("gear", "gear of a fit", "gear of two masses", "factor", "speed of gains", "distance", "angle", "kp", "torque of a swing", "lower", "fastest"),
    *("posture", "start of a line", "lengths", "row of poles", "row of rest", "frequencies", "tracked frequencies"),
}
"""Of these, negative numbers mean something."""


CLEAR = re.compile(r"[^\n]*(expected|unknown name)[^\n]*[.?]")
"""One sentence or two, on one line, about something that was expected."""


def refusal(call: Callable[[Any], Any], value: Any) -> str:
    """What is said against a value; any other error goes through, and none at all is an empty text."""
    try:
        call(value)
    except OptidError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("what", OBJECTS)
@pytest.mark.parametrize("value", [1.5, "x", object(), [1.0], np.ones(2)], ids=["number", "text", "object", "list", "array"])
def test_things_of_another_kind(what: str, value: Any) -> None:
    empty = what in ("factors", "passive joints", "fixed axes") and isinstance(value, np.ndarray)
    assert CLEAR.fullmatch(refusal(OBJECTS[what], [1.0] if empty else value))


@pytest.mark.parametrize("what", NUMBERS)
def test_what_is_no_number(what: str) -> None:
    for value in (*NOT_NUMBERS, *NOT_FINITE, *(() if what in ANY_SIGN else NEGATIVE), np.ones((1, 2, 2))):
        assert CLEAR.fullmatch(refusal(NUMBERS[what], value)), value


@pytest.mark.parametrize("what", LIMITS)
def test_limits_of_a_move(what: str) -> None:
    for value in (*NOT_NUMBERS, float("nan"), 0.0, -1.0, np.ones((2, 2))):
        assert CLEAR.fullmatch(refusal(lambda x: MoveLimits(**{what: x}), value)), value
    assert CLEAR.fullmatch(refusal(lambda x: within(LOOP, move, MoveLimits(**{what: x})), (1.0, 2.0, 3.0)))


@pytest.mark.parametrize(
    ("call", "value"),
    [
        (lambda x: A.with_joints(**{x: 1.0}), "nothing"),
        (lambda x: decoupling_plan(A.arm, **{x: 1.0}), "nothing"),
        (lambda x: best_input(LOOP, x), {}),
        (lambda x: Decoupling(ARM, 0, fixed={x: 0.0}), 6),
        (lambda x: FlexibleModel.of(ROBOT, 1e5, friction=x), [MotorFriction()]),
    ],
    ids=["joint", "plan", "motions", "axis", "frictions"],
)
def test_names_that_are_unknown(call: Callable[[Any], Any], value: Any) -> None:
    assert CLEAR.fullmatch(refusal(call, value))


def test_recordings_that_do_not_fit() -> None:
    """Times that differ, samples that must not be used, steps of different length, no link angle."""
    late = Trial(TIME + 0.01, BOTH["link"], name="late")
    with pytest.raises(DataError, match="link angles 'late': other times, expected those of trial 'trial'"):
        recorded_stiffness(SWING, TRIAL, late)
    with pytest.raises(ShapeError, match=r"link angles 'short': shape \(10, 1\)"):
        recorded_stiffness(SWING, TRIAL, Trial(TIME[:10], TIME[:10], name="short"))
    with pytest.raises(DataError, match="1 samples that must not be used"):
        recorded_stiffness(SWING, Trial(TIME, SIGNALS["motor"], tau=SIGNALS["torque"], valid=TIME != 1.0))
    with pytest.raises(DataError, match="expected a steady clock"):
        recorded_stiffness(SWING, Trial(TIME**1.1, SIGNALS["motor"], tau=SIGNALS["torque"]))
    with pytest.raises(DataError, match="no link angle, no antiresonance"):
        recorded_stiffness(SWING, Trial(TIME, SIGNALS["motor"], tau=SIGNALS["torque"]), axes=[SWING.joint_names[0]])
