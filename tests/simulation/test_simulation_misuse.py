"""Wrong calls of the simulators: every one is answered by one sentence that names what was wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optid import DynamicModel, Joint, Link, Robot, library
from optid.errors import DataError, OptidError, ShapeError, SolveError, UnknownNameError
from optid.model import DCMotor
from optid.model.actuator import Actuator, needed_voltage
from optid.model.torque_budget import torque_budget
from optid.simulation import BatchPlant, Measurement, Plant, State, forward_dynamics, integrate, mechanical_energy

MODEL = DynamicModel(library.planar_2r(), "viscous+coulomb", sign_width=0.02)
PLANT = Plant(MODEL)
AT = PLANT.state([0.0, 0.0])
FIVE = State(*np.zeros((3, 5, 2)))
NONE = [0.0, 0.0]

Case = tuple[Callable[[], Any], type[OptidError], str]

ADVANCE: list[Case] = [
    (lambda: PLANT.advance(AT, NONE, -1.0), DataError, "duration of a simulation: -1.0, expected a number of seconds that is not negative"),
    (lambda: PLANT.advance(AT, NONE, np.nan), DataError, "duration of a simulation: nan"),
    (lambda: PLANT.advance(AT, NONE, np.inf), DataError, "duration of a simulation: inf"),
    (lambda: PLANT.advance(AT, NONE, "1 ms"), DataError, "duration of a simulation: '1 ms'"),
    (lambda: PLANT.advance(AT, [0.0] * 3, 1e-3), ShapeError, "inputs of a plant: shape (3,), expected one number, or 2, one an axis"),
    (lambda: PLANT.advance(AT, None, 1e-3), ShapeError, "inputs of a plant: None, expected real numbers"),
    (lambda: PLANT.advance(AT, NONE, 1e-3, [1.0]), ShapeError, "torques from outside: shape (1,)"),
    (lambda: PLANT.advance(AT, [np.nan, 0.0], 1e-3), SolveError, "states that are not finite"),
    (lambda: PLANT.advance([0.0, 0.0], NONE, 1e-3), ShapeError, "expected three arrays (2,). Make it with plant.state(q, dq)"),
    (lambda: PLANT.advance(State(*np.zeros((3, 3))), NONE, 1e-3), ShapeError, "state of a plant"),
    (lambda: PLANT.rates(AT, [0.0] * 3), ShapeError, "inputs of a plant: shape (3,)"),
    (lambda: PLANT.drive(AT, [0.0] * 3), ShapeError, "inputs of a plant: shape (3,)"),
    (lambda: Plant(MODEL, max_torque=3.0).drive(AT, [0.0] * 3), ShapeError, "inputs of a plant: shape (3,)"),
]
BATCH: list[Case] = [
    (lambda: BatchPlant(PLANT).advance(FIVE, NONE, -1.0), DataError, "duration of a simulation: -1.0"),
    (lambda: BatchPlant(PLANT).advance(FIVE, NONE, np.nan), DataError, "duration of a simulation: nan"),
    (lambda: BatchPlant(PLANT).advance(FIVE, [0.0] * 3, 1e-3), ShapeError, "inputs of a batch: shape (3,), expected (2,) or (5, 2)"),
    (lambda: BatchPlant(PLANT).advance(FIVE, np.zeros((4, 2)), 1e-3), ShapeError, "inputs of a batch: shape (4, 2), expected (2,) or (5, 2)"),
    (lambda: BatchPlant(PLANT).advance(FIVE, None, 1e-3), ShapeError, "inputs of a batch: None, expected real numbers"),
    (lambda: BatchPlant(PLANT).advance(FIVE, NONE, 1e-3, np.zeros((4, 2))), ShapeError, "torques from outside: shape (4, 2)"),
    (lambda: BatchPlant(PLANT).advance(State(*np.zeros((3, 5, 3))), NONE, 1e-3), ShapeError, "expected three arrays (N, 2)"),
    (lambda: BatchPlant(PLANT).advance(State(FIVE.q, FIVE.dq[:4], FIVE.q), NONE, 1e-3), ShapeError, "states of a batch: [(5, 2), (4, 2), (5, 2)]"),
    (lambda: BatchPlant(PLANT).advance(FIVE, np.where(np.eye(5, 2) * [0, 1], np.nan, 0.0), 1e-3), SolveError, "1 of 5 copies not finite, copy 1 the first"),
    (lambda: BatchPlant(MODEL), DataError, "plant of a batch: a DynamicModel, expected a Plant. Make one: Plant(model)"),
    (lambda: BatchPlant(PLANT, "simt"), UnknownNameError, "Did you mean 'simd'"),
]
INTEGRATE: list[Case] = [
    (lambda: integrate(MODEL, AT, [0.0, 0.1]), DataError, "plant to integrate: a DynamicModel, expected a Plant"),
    (lambda: integrate(PLANT, [0.0], [0.0, 0.1]), ShapeError, "state of a plant"),
    (lambda: integrate(PLANT, AT, [0.0, np.inf]), DataError, "increasing, finite times"),
    (lambda: integrate(PLANT, AT, "now"), ShapeError, "times to integrate to: 'now'"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], rtol=0.0), DataError, "rtol of an integration: 0.0, expected a positive number"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], atol=-1.0), DataError, "atol of an integration"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], [1.0, 2.0]), DataError, "inputs of an integration: a list, expected a function of time and state"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], outside=[1.0, 2.0]), DataError, "outside of an integration: a list"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], lambda t, s: [1.0] * 3), ShapeError, "inputs of an integration: shape (3,)"),
    (lambda: integrate(PLANT, AT, [0.0, 0.1], outside=lambda t, s: [1.0] * 3), ShapeError, "torques from outside: shape (3,)"),
]
MAKING: list[Case] = [
    (lambda: Plant(library.planar_2r()), DataError, "model of a plant: a Robot, expected a DynamicModel. Make one: DynamicModel(robot)"),
    (lambda: Plant(MODEL, "x"), ShapeError, "pi: 'x', expected real numbers"),
    (lambda: Plant(MODEL, step="1 ms"), DataError, "step of a plant: '1 ms', expected a positive number of seconds"),
    (lambda: Plant(MODEL, actuators=(1, 2)), DataError, "actuator of a plant: 1, expected an Actuator"),
    (lambda: Plant(MODEL, max_torque="x"), ShapeError, "max_torque of a plant: 'x'"),
    (lambda: PLANT.state("x"), ShapeError, "q of a state: 'x', expected real numbers"),
    (lambda: Measurement(noise="x"), ShapeError, "noise of a measurement: 'x', expected real numbers"),
    (lambda: Measurement(resolution=[[1e-3, 1e-3]]), ShapeError, "resolution of a measurement: shape (1, 2)"),
    (lambda: Measurement(speed_noise=(1e-3,) * 3).start(1e-3, 0, 2), ShapeError, "speed_noise of a measurement: 3 values, expected one, or 2, one an axis"),
    (lambda: forward_dynamics(library.planar_2r(), [1.0], *[NONE] * 3), DataError, "model of forward dynamics: a Robot"),
    (lambda: mechanical_energy(library.planar_2r(), [1.0], *[NONE] * 2), DataError, "model of an energy: a Robot"),
    (lambda: Actuator(3.0), DataError, "motor of an actuator: 3.0, expected a DCMotor"),
    (lambda: Actuator(DCMotor(0, 1, 1, np.nan, 0)), OptidError, "J of an actuator's motor: nan"),
    (lambda: Actuator(DCMotor(0, "1", 1, 0, 0)), DataError, "R of an actuator's motor: '1'"),
    (lambda: needed_voltage([Actuator(DCMotor(0, 1, 1, 0, 0))], [1.0], [1.0], [1.0, 2.0]), ShapeError, "signal of the actuators: shape (2,)"),
    (lambda: torque_budget([0.0, 1.0], "x"), ShapeError, "torques of a budget: 'x'"),
    (lambda: torque_budget([0.0, 1.0], [[1.0], [1.0]], rated="x"), ShapeError, "rated of a torque budget: 'x'"),
]


@pytest.mark.parametrize("case", [*ADVANCE, *BATCH, *INTEGRATE, *MAKING])
def test_a_wrong_call_is_answered_by_one_sentence(case: Case) -> None:
    call, kind, message = case
    with pytest.raises(kind, match=re.escape(message)):
        call()


def test_standing_friction_ends_an_adaptive_integration_with_advice() -> None:
    """A mass that Coulomb friction brings to rest after v m / fc = 0.8 s: no step is small enough there; the fixed step passes it and stands still."""
    joint = Joint("slide", "P", axis=(1.0, 0.0, 0.0), coulomb=0.5)
    plant = Plant(DynamicModel(Robot((joint,), (Link("mass", 2.0),)), "coulomb"))
    start = plant.state([0.0], [0.2])
    with pytest.raises(SolveError, match=r"integration: 3000 evaluations at t = 0\.8\d* s, expected fewer up to 1\.5 s\. .*plant\.advance \(fixed steps\)"):
        integrate(plant, start, [0.0, 1.5], most_evaluations=3000)
    end = plant.advance(start, [0.0], 1.5)
    assert end.dq[0] == 0.0
    assert end.q[0] == pytest.approx(2.0 * 0.2**2 / (2 * 0.5), rel=1e-9)
