"""Wrong calls of the closed forms and of the frames: every one is answered by one sentence that names what was wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optid import library
from optid.errors import DataError, OptidError, RobotError, ShapeError
from optid.kinematics import Frames, ScaraInverse, euler_from_rotation, inverse_two_axis, rotation_from_euler, two_axis_position

SCARA = ScaraInverse.of(library.scara_er14())
PLACE = [0.3, 0.2, 0.15]

Case = tuple[Callable[[], Any], type[OptidError], str]

CASES: list[Case] = [
    (lambda: SCARA.solve(PLACE, near=[np.nan] * 4), DataError, "near of a SCARA: NaN or infinite values, expected finite numbers"),
    (lambda: SCARA.solve(PLACE, near=[0.0] * 3), ShapeError, "near of a SCARA: shape (3,), expected (4,), or (1, 4), one a target"),
    (lambda: SCARA.solve([PLACE, PLACE], near=np.zeros((3, 4))), ShapeError, "near of a SCARA: shape (3, 4), expected (4,), or (2, 4), one a target"),
    (lambda: SCARA.solve(PLACE, roll=np.nan), DataError, "roll of a SCARA's tool: NaN or infinite values"),
    (lambda: SCARA.solve(PLACE, roll=[1.0, 2.0, 3.0]), ShapeError, "roll of a SCARA's tool: shape (3,), expected a number, or (1,), one a target"),
    (lambda: SCARA.solve(PLACE, roll="x"), ShapeError, "roll of a SCARA's tool: 'x', expected real numbers"),
    (lambda: SCARA.solve("x"), ShapeError, "position of a SCARA's tool: 'x', expected real numbers"),
    (lambda: SCARA.solve(PLACE, elbow="up"), DataError, "elbow of a SCARA: up, expected +1 or -1"),
    (lambda: SCARA.position([1.0, 2.0]), ShapeError, "posture of a SCARA: shape (2,), expected (..., 4)"),
    (lambda: SCARA.roll([1.0, 2.0]), ShapeError, "posture of a SCARA: shape (2,)"),
    (lambda: SCARA.elbow([1.0, 2.0]), ShapeError, "posture of a SCARA: shape (2,)"),
    (lambda: SCARA.elbow([np.nan] * 4), DataError, "posture of a SCARA: NaN or infinite values"),
    (lambda: ScaraInverse.of("scara"), DataError, "SCARA arm: 'scara', expected a Robot"),
    (lambda: inverse_two_axis(1.0, 1.0, "x"), ShapeError, "position of the two-axis arm: 'x'"),
    (lambda: two_axis_position(1.0, 1.0, [0.1]), ShapeError, "angles of the two-axis arm: shape (1,), expected (..., 2)"),
    (lambda: Frames.work_cell(np.eye(4)), RobotError, "pose of frame 'base': ndarray, expected a Transform"),
    (lambda: Frames.work_cell(tool=np.eye(4)), RobotError, "pose of frame 'tool': ndarray, expected a Transform"),
    (lambda: Frames.work_cell().with_frame("camera", "world", np.eye(4)), RobotError, "pose of frame 'camera': ndarray, expected a Transform"),
    (lambda: rotation_from_euler("x"), ShapeError, "Euler angles: 'x', expected real numbers"),
    (lambda: euler_from_rotation("x"), ShapeError, "rotation: 'x', expected real numbers"),
]


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_call_is_answered_by_one_sentence(case: Case) -> None:
    call, kind, message = case
    with pytest.raises(kind, match=re.escape(message)):
        call()
