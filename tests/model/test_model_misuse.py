"""Plain mistakes in a model's arguments and states: one sentence of optid's own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Robot
from optid.errors import OptidError, RobotError, ShapeError, UnknownNameError

ROBOT = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0))
PENDULUM = DynamicModel(Robot.from_dh([DHRow()], "modified"))
MASKED = np.ma.masked_array(np.zeros((2, 1)), mask=[[True], [False]])

MISUSE: dict[str, tuple[Callable[[], object], type[OptidError], str]] = {
    "name": (lambda: DynamicModel("ur10e"), RobotError, "robot of a dynamic model: 'ur10e', expected a Robot. Read it with Robot.load"),  # type: ignore[arg-type]
    "none": (lambda: DynamicModel(None), RobotError, r"robot of a dynamic model: None, expected a Robot\."),  # type: ignore[arg-type]
    "friction": (lambda: DynamicModel(ROBOT, friction=5), RobotError, "friction: 5, expected terms such as"),  # type: ignore[arg-type]
    "nested friction": (lambda: DynamicModel(ROBOT, friction=[["viscous"]]), UnknownNameError, r"friction term \['viscous'\]"),  # type: ignore[arg-type,list-item]
    "width": (lambda: DynamicModel(ROBOT, sign_width="a"), RobotError, "sign_width: 'a', expected a speed"),  # type: ignore[arg-type]
    "no state": (lambda: PENDULUM.inverse_dynamics(np.zeros(13), None, 0, 0), ShapeError, "q: None, expected real numbers"),
    "hole": (lambda: PENDULUM.inverse_dynamics(np.zeros(13), 0, [None], 0), ShapeError, "dq: entries of type object, expected real numbers"),
    "text": (lambda: PENDULUM.regressor(0, 0, "a"), ShapeError, "ddq: 'a', expected real numbers"),
    "complex": (lambda: PENDULUM.regressor(1j * np.ones((4, 1)), 0, 0), ShapeError, "q: entries of type complex128, expected real numbers"),
    "ragged": (lambda: PENDULUM.regressor([[1.0], [1.0, 2.0]], 0, 0), ShapeError, "q: rows of different lengths, expected an array"),
    "masked": (lambda: PENDULUM.inverse_dynamics(np.zeros(13), 0, MASKED, 0), ShapeError, "dq: a masked array, expected a plain array. Leave the masked"),
}


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_is_named(case: str) -> None:
    call, kind, message = MISUSE[case]
    with pytest.raises(kind, match=message):
        call()
