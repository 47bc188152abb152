"""Wrong calls of laws, references and closed loops: every one is answered by one sentence that names what was wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optid import DynamicModel, library
from optid.control import (
    ComputedTorque,
    ExpressionMotion,
    Indices,
    OuterLoop,
    Predictive,
    Reference,
    VoltageLaw,
    critical_gain,
    simulate,
    tracking_indices,
)
from optid.errors import DataError, OptidError, ShapeError, UnsuitableSolverError
from optid.problems import PredictiveModel
from optid.simulation import Measurement, Plant
from optid.trajectory import PointToPoint

MODEL = DynamicModel(library.planar_2r(), "viscous")
PLANT = Plant(MODEL)
LAW = ComputedTorque(MODEL, OuterLoop.pd(100.0))
MOTION = PointToPoint([0.0, 0.0], [1.0, 1.0], 1.0)
REFERENCE = Reference(MOTION)

Case = tuple[Callable[[], Any], type[OptidError], str]


def run(plant: Any = PLANT, law: Any = LAW, reference: Any = REFERENCE, **options: Any) -> Callable[[], Any]:
    return lambda: simulate(plant, law, reference, **options)


RUNS: list[Case] = [
    (run(plant=MODEL), DataError, "plant to simulate: a DynamicModel, expected a Plant. Make one: Plant(model)"),
    (run(plant=LAW, law=PLANT), DataError, "plant to simulate: a ComputedTorque, expected a Plant"),
    (run(reference=MOTION), DataError, "reference to follow: a PointToPoint, expected a Reference. Wrap the motion: Reference(motion)"),
    (run(law=OuterLoop.pd(1.0)), UnsuitableSolverError, "controller: an OuterLoop, expected a law, or anything with start(reference, period)"),
    (run(law=None), UnsuitableSolverError, "controller: None, expected a law"),
    (run(delay=np.nan), DataError, "delay of a controller: nan, expected a whole number of samples"),
    (run(delay=None), DataError, "delay of a controller: None, expected a whole number of samples"),
    (run(delay=1.5), DataError, "delay of a controller: 1.5"),
    (run(period="1ms"), DataError, "period of a controller: '1ms', expected a positive number of seconds"),
    (run(period=5.0), DataError, "period of a controller: 5 s, expected at most the duration, 1 s"),
    (run(duration="1"), DataError, "duration of a simulation: '1', expected a positive number of seconds"),
    (run(disturbance=[1.0, 2.0]), DataError, "disturbance: a list, expected a function of time"),
    (run(disturbance=lambda t: "x"), ShapeError, "disturbance: 'x', expected real numbers"),
    (run(disturbance=lambda t: [np.nan, 0.0]), DataError, "disturbance at t = 0 s: [nan, 0.0], expected finite joint torques"),
    (run(q0="x"), ShapeError, "q of a state: 'x', expected real numbers"),
    (run(dq0=[1.0]), ShapeError, "dq of a state: shape (1,)"),
    (run(measurement={"noise": 1.0}), DataError, "measurement of a controller: a dict, expected a Measurement"),
    (run(measurement=Measurement(noise=(1e-3,) * 3)), ShapeError, "noise of a measurement: 3 values, expected one, or 2, one an axis"),
    (run(seed="x", measurement=Measurement(noise=1e-3)), DataError, "seed: 'x', expected a whole number"),
    (run(period=None, record="x"), DataError, "time between records: 'x'"),
    (run(period=None, record=2.0), DataError, "time between records: 2.0, expected at most the duration, 1 s"),
    (run(period=None, duration=0.01, rtol=0), DataError, "rtol of continuous control: 0, expected a positive number"),
]
LOOPS: list[Case] = [
    (
        lambda: OuterLoop.pid([1.0, 2.0], [1.0] * 3, 1.0),
        ShapeError,
        "gains of an outer loop: shapes kp (2,), kv (3,), ki (), expected numbers, or one for each",
    ),
    (lambda: OuterLoop.pd([1.0, 2.0], [1.0] * 3), ShapeError, "gains of an outer loop: shapes kp (2,), kv (3,)"),
    (lambda: OuterLoop.pd([[1.0, 2.0], [1.0, 2.0]]), ShapeError, "gains of an outer loop: shapes kp (2, 2)"),
    (lambda: OuterLoop.pd([]), ShapeError, "gains of an outer loop: shapes kp (0,)"),
    (lambda: OuterLoop.pd("x"), ShapeError, "position gain: 'x', expected real numbers"),
    (lambda: OuterLoop.pid(1.0, np.nan, 0.0), DataError, "gain kv: nan, expected finite numbers"),
    (lambda: OuterLoop(1.0, 1.0), ShapeError, "outer loop: 0 numerators, 0 denominators, expected one list of coefficients of each for every joint"),
    (lambda: OuterLoop([["a"]], [[1.0]]), ShapeError, "H(s) of joint 1: entries of type"),
    (lambda: critical_gain("x"), ShapeError, "position gain: 'x'"),
    (lambda: ComputedTorque(library.planar_2r(), OuterLoop.pd(1.0)), DataError, "model of a control law: a Robot, expected a DynamicModel"),
    (lambda: ComputedTorque(MODEL, 100.0), DataError, "outer loop of a control law: 100.0, expected an OuterLoop. Make one: OuterLoop.pd(kp)"),
    (lambda: VoltageLaw(LAW, (1, 2)), DataError, "actuator of a voltage law: 1, expected an Actuator"),
    (lambda: VoltageLaw(MODEL, ()), DataError, "law behind voltages: a DynamicModel, expected a Law"),
    (lambda: Predictive(MODEL), DataError, "model of a predictive controller: a DynamicModel, expected a PredictiveModel"),
    (lambda: Predictive(PredictiveModel(MODEL), iterations=0), DataError, "iterations of a predictive controller: 0, expected a whole number, 1 or more"),
    (lambda: PredictiveModel(MODEL, horizon=2.5), DataError, "horizon of a predictive controller: 2.5"),
    (lambda: PredictiveModel(MODEL, period="1 ms"), DataError, "period of a predictive controller: '1 ms'"),
    (lambda: PredictiveModel(MODEL, torque="x"), ShapeError, "torque of a predictive controller: 'x'"),
]
MOTIONS: list[Case] = [
    (lambda: Reference("x"), DataError, "motion of a reference: 'x', expected a trajectory or a motion"),
    (lambda: Reference(np.zeros((3, 2))), DataError, "motion of a reference: a ndarray"),
    (lambda: Reference(MOTION, hold="1ms"), DataError, "hold of a reference: '1ms', expected a positive number of seconds, or None"),
    (lambda: Reference(MOTION, lead=None), DataError, "lead of a reference: None"),
    (lambda: ExpressionMotion(3, 1.0), DataError, "expression of a motion: 3, expected a function of time"),
    (lambda: ExpressionMotion(lambda t: t, "x"), DataError, "duration of a motion: 'x'"),
    (lambda: tracking_indices(5), DataError, "motion to judge: 5, expected a Simulation"),
    (lambda: Indices.of([0.0, 1.0], "x"), ShapeError, "errors to sum: 'x'"),
]


@pytest.mark.parametrize("case", [*RUNS, *LOOPS, *MOTIONS])
def test_a_wrong_call_is_answered_by_one_sentence(case: Case) -> None:
    call, kind, message = case
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_the_finest_tolerance_is_that_of_the_integrator() -> None:
    """SciPy warns below 2.2e-14; 1e-16 is taken as 1e-13 and stays silent."""
    answer = simulate(PLANT, LAW, REFERENCE, period=None, duration=0.05, rtol=1e-16)
    assert np.abs(answer.error).max() < 1e-12
