"""A tuning run as an ABB RAPID module: set the tuning values, move, record, put the safe values back.

``TuneServo … \\Type:=TUNE_DF`` takes the controller's estimate of the lowest natural frequency, in percent of its own model: the Υ of a tuning. The module
calls two procedures of the site, ``optid_log_on`` and ``optid_log_off`` with the number of the run, which record motor angles and torques and write the
measurement. The modules follow the language's published syntax; they have not run on a controller.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence
from optid.trajectory.export.names import one_word

from .session_report import Point, Request

AXES = 6
_TUNE = re.compile(r"^\s*TuneServo\s+(\w+),\s*(\d+),\s*([0-9.]+)\\Type:=TUNE_DF;", re.MULTILINE)


@dataclass(frozen=True)
class RapidRun:
    """The move of a general tuning on a six-axis robot.

    Attributes
    ----------
    start, goal : (6,) [rad]
    numbers : n-tuple of int
        Robot axes, 1 to 6, in the order of the tuning's axes.
    line : bool
        Move the tool along a straight line (MoveL) instead of the joints (MoveAbsJ).
    settle : float [s]
        Standing still before and after the move; the part after it is what the objective looks at.
    tool, unit : str
        RAPID names.

    Examples
    --------
    >>> from optid.flexibility import RapidRun
    >>> RapidRun(start=(0,) * 6, goal=(0, 0.03, 0.03, 0, 0, 0)).numbers
    (2, 3)
    """

    start: tuple[float, ...]
    goal: tuple[float, ...]
    numbers: tuple[int, ...] = (2, 3)
    line: bool = True
    settle: float = 1.0
    tool: str = "tool0"
    unit: str = "ROB_1"

    def __post_init__(self) -> None:
        for what in ("start", "goal"):
            posture = np.asarray(getattr(self, what), dtype=float)
            if posture.shape != (AXES,) or not np.all(np.isfinite(posture)):
                raise DataError(sentence(f"{what} of a RAPID run", f"shape {posture.shape}, {posture}", f"{AXES} finite angles [rad]"))
        if len(set(self.numbers)) < len(self.numbers) or not all(1 <= k <= AXES for k in self.numbers):
            raise DataError(sentence("axis numbers of a RAPID run", self.numbers, f"different numbers from 1 to {AXES}"))
        one_word(self.tool, "tool of a RAPID run")
        one_word(self.unit, "unit of a RAPID run")

    def module(self, request: Request) -> str:
        """The module of a run; its procedure has the module's name."""
        name = f"optid_run_{request.number:04d}"
        after = self._tune(request.safe)
        move = f"MoveL CalcRobT(goal,{self.tool}), vmax, fine, {self.tool};" if self.line else f"MoveAbsJ goal\\NoEOffs, vmax, fine, {self.tool};"
        lines = [
            f"MODULE {name}",
            f"  ! run {request.number} of a tuning, in percent",
            f"  LOCAL CONST jointtarget start:={_target(self.start)};",
            f"  LOCAL CONST jointtarget goal:={_target(self.goal)};",
            "",
            f"  PROC {name}()",
            f"    MoveAbsJ start\\NoEOffs, v200, fine, {self.tool};",
            *self._tune(request.upsilon),
            f"    WaitTime {self.settle:g};",
            "    optid_log_on;",
            f"    {move}",
            f"    WaitTime {self.settle:g};",
            f"    optid_log_off {request.number};",
            *after,
            "  ERROR",
            *after,
            "    RAISE;",
            "  ENDPROC",
            "ENDMODULE",
            "",
        ]
        return "\n".join(lines)

    def final(self, upsilon: ArrayLike) -> str:
        """A module that only sets the values found."""
        lines = ["MODULE optid_best", "  PROC optid_best()", *self._tune(tuple(map(float, np.asarray(upsilon)))), "  ENDPROC", "ENDMODULE", ""]
        return "\n".join(lines)

    def _tune(self, upsilon: Point) -> list[str]:
        if len(upsilon) != len(self.numbers):
            raise DataError(sentence("Υ of a RAPID run", f"{len(upsilon)} values", f"{len(self.numbers)}, one for each of the axes {self.numbers}"))
        return [f"    TuneServo {self.unit}, {axis}, {percent:.6g}\\Type:=TUNE_DF;" for axis, percent in zip(self.numbers, upsilon, strict=True)]


def tuned_values(module: str) -> dict[int, float]:
    """Axis number → Υ [%] that a module sets first."""
    found: dict[int, float] = {}
    for _, axis, percent in _TUNE.findall(module):
        found.setdefault(int(axis), float(percent))
    return found


def _target(posture: ArrayLike) -> str:
    degrees = ",".join(f"{angle:.5f}" for angle in np.rad2deg(np.asarray(posture, dtype=float)) + 0.0)
    return f"[[{degrees}],[9E9,9E9,9E9,9E9,9E9,9E9]]"
