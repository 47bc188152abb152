r"""A tuning run as an ABB RAPID module: set the tuning values, move, record, put the safe values back.

``TuneServo … \Type:=TUNE_DF`` takes the controller's estimate of the lowest natural frequency, in percent of its own model: the Υ of a tuning. The module
calls two procedures of the site, ``optid_log_on`` and ``optid_log_off`` with the number of the run, which record motor angles and torques and write the
measurement. The first sample must lie at the beginning of the move, in every run alike.

**The modules follow the language's published syntax; none has run on a controller yet.** Load the first one by hand, read it, and run it at reduced speed.
What to check there: that ``TUNE_DF`` is known for this robot, that the handlers ``ERROR`` and ``UNDO`` (program pointer moved away) are reached, and that
values set by ``TuneServo`` do not outlive a restart of the program: ``optid_best`` has to be called after every one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, FileError, sentence
from optid.trajectory.export.names import one_word

from .session_report import Point, Request

AXES = 6
LONGEST_NAME = 32
FARTHEST = 4 * np.pi
"""No axis of a robot turns as far [rad]: what lies beyond are degrees."""
ALLOWED = (1.0, 500.0)
"""What ``TuneServo`` takes [%]."""
TURNING = 0.2
"""Degrees per second that the tool may turn, for every mm/s that it may travel."""
_TUNE = re.compile(r"^\s*TuneServo\s+(\w+),\s*(\d+),\s*([0-9.]+)\\Type:=TUNE_DF;", re.MULTILINE)


@dataclass(frozen=True)
class RapidRun:
    """The move of a general tuning on a six-axis robot.

    Attributes
    ----------
    start, goal : (6,) [rad]
        The robot goes to the start in joint space at 100 mm/s from wherever it stands: the way there must be free.
    numbers : n-tuple of int
        Robot axes, 1 to 6, in the order of the tuning's axes.
    line : bool
        Move the tool along a straight line (MoveL) instead of the joints (MoveAbsJ).
    settle : float [s]
        Standing still before Υ is set, before the move, and after it, which is what the objective looks at.
    speed : float [mm/s]
        Of the tool along the move, and a fifth of it in degrees/s for turning. The default is slow; vibrations worth tuning need the speed of production.
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
    speed: float = 250.0
    tool: str = "tool0"
    unit: str = "ROB_1"

    def __post_init__(self) -> None:
        for what in ("start", "goal"):
            posture = np.asarray(getattr(self, what), dtype=float)
            if posture.shape != (AXES,) or not np.all(np.abs(posture) < FARTHEST):
                raise DataError(sentence(f"{what} of a RAPID run", f"shape {posture.shape}, {posture}", f"{AXES} finite angles [rad], below {FARTHEST:.3g}"))
            object.__setattr__(self, what, tuple(map(float, posture)))
        numbers = tuple(self.numbers)
        if not numbers or len(set(numbers)) < len(numbers) or not all(k in range(1, AXES + 1) for k in numbers):
            raise DataError(sentence("axis numbers of a RAPID run", numbers, f"different whole numbers from 1 to {AXES}"))
        object.__setattr__(self, "numbers", tuple(map(int, numbers)))
        for what, unit in (("settle", "s"), ("speed", "mm/s")):
            if not 0 < getattr(self, what) < np.inf:
                raise DataError(sentence(f"{what} of a RAPID run", getattr(self, what), f"a finite number above 0 [{unit}]"))
        for what in ("tool", "unit"):
            if len(one_word(getattr(self, what), f"{what} of a RAPID run")) > LONGEST_NAME:
                raise DataError(sentence(f"{what} of a RAPID run", getattr(self, what), f"{LONGEST_NAME} characters at most"))

    def module(self, request: Request, mark: str = "") -> str:
        """The module of a run, and its procedure ``optid_run_0007``.

        Parameters
        ----------
        mark : str
            Says which tuning the run belongs to.
        """
        after = self._tune(request.safe)
        speed = f"[{self.speed:g},{TURNING * self.speed:g},{self.speed:g},{TURNING * self.speed:g}]"
        move = f"MoveL CalcRobT(goal,{self.tool}), pace, fine, {self.tool};" if self.line else f"MoveAbsJ goal\\NoEOffs, pace, fine, {self.tool};"
        lines = [
            f"MODULE optid_module_{request.number:04d}",
            f"  ! run {request.number} of the tuning {_ascii(mark)}".rstrip(),
            f"  LOCAL CONST jointtarget start:={_target(self.start)};",
            f"  LOCAL CONST jointtarget goal:={_target(self.goal)};",
            f"  LOCAL CONST speeddata pace:={speed};",
            "",
            f"  PROC optid_run_{request.number:04d}()",
            f"    MoveAbsJ start\\NoEOffs, v100, fine, {self.tool};",
            f"    WaitTime\\InPos, {self.settle:g};",
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
            "  UNDO",
            *after,
            "  ENDPROC",
            "ENDMODULE",
            "",
        ]
        return "\n".join(lines)

    def final(self, upsilon: ArrayLike) -> str:
        """A module whose procedure ``optid_best`` only sets the values found."""
        values = self._tune(tuple(map(float, np.asarray(upsilon))))
        return "\n".join(["MODULE optid_module_best", "  PROC optid_best()", *values, "  ENDPROC", "ENDMODULE", ""])

    def to_mapping(self) -> dict[str, Any]:
        """Plain values for the notes of a tuning."""
        return asdict(self)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> RapidRun:
        """From what :meth:`to_mapping` gave, read from a file."""
        try:
            values = {item.name: mapping[item.name] for item in fields(cls)}
            many = {name: tuple(np.asarray(values[name]).tolist()) for name in ("start", "goal", "numbers")}
            return cls(**{**values, **many, "line": bool(values["line"])})
        except (KeyError, TypeError, ValueError) as error:
            raise FileError(sentence("move of a tuning", f"not readable ({error})", "what optid tune resume has written")) from error

    def _tune(self, upsilon: Point) -> list[str]:
        if len(upsilon) != len(self.numbers):
            raise DataError(sentence("Υ of a RAPID run", f"{len(upsilon)} values", f"{len(self.numbers)}, one for each of the axes {self.numbers}"))
        if not all(ALLOWED[0] <= percent <= ALLOWED[1] for percent in upsilon):
            raise DataError(sentence("Υ of a RAPID run", f"{upsilon} %", f"{ALLOWED[0]:g} to {ALLOWED[1]:g} %, what TuneServo takes"))
        return [f"    TuneServo {self.unit}, {axis}, {percent:.6g}\\Type:=TUNE_DF;" for axis, percent in zip(self.numbers, upsilon, strict=True)]


def tuned_values(module: str) -> dict[int, float]:
    """Axis number → Υ [%] that a module sets first."""
    found: dict[int, float] = {}
    for _, axis, percent in _TUNE.findall(module):
        found.setdefault(int(axis), float(percent))
    return found


def _ascii(text: str) -> str:
    return text.encode("ascii", "replace").decode()[:80]


def _target(posture: ArrayLike) -> str:
    degrees = ",".join(f"{angle:.5f}" for angle in np.rad2deg(np.asarray(posture, dtype=float)) + 0.0)
    return f"[[{degrees}],[9E9,9E9,9E9,9E9,9E9,9E9]]"
