"""What a tuning session is asked to do, and what it must never do; both survive in its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, FileError, LimitsError, sentence, unknown_name
from optid.problems.flexibility import FlexibilityTuning, Rule

from .objectives import PathRule, TailRule

if TYPE_CHECKING:
    from optid.experiment import Trial

Array = NDArray[np.float64]

RULES: dict[str, type[TailRule] | type[PathRule]] = {"tail": TailRule, "path": PathRule}


@dataclass(frozen=True)
class SafetyLimits:
    """What no run may exceed.

    Attributes
    ----------
    max_step : float [%]
        Largest distance, on any axis, from a Υ that has been run and was safe. Farther points are approached by runs in between; not below the grid's step.
    max_torque : (n,) tuple or None [N m]
        Motor torques, motor side, in any sample of a run.
    max_ratio : float
        Largest value of the objective, in parts of the first run's; 1 at least.
    max_unsafe : int
        The tuning ends after so many runs outside the limits.

    Examples
    --------
    >>> from optid.flexibility import SafetyLimits
    >>> SafetyLimits(max_torque=(80.0, 80.0)).max_step
    10.0
    """

    max_step: float = 10.0
    max_torque: tuple[float, ...] | None = None
    max_ratio: float = 5.0
    max_unsafe: int = 3

    def __post_init__(self) -> None:
        torque = None if self.max_torque is None else tuple(float(t) for t in np.atleast_1d(self.max_torque))
        object.__setattr__(self, "max_torque", torque)
        if torque is not None and not all(t > 0 for t in torque):
            raise LimitsError(sentence("max_torque of a tuning", torque, "numbers above 0 [N m]"))
        for what in ("max_step", "max_unsafe"):
            if not getattr(self, what) > 0:
                raise LimitsError(sentence(f"{what} of a tuning", getattr(self, what), "a number above 0"))
        if not self.max_ratio >= 1:
            raise LimitsError(sentence("max_ratio of a tuning", self.max_ratio, "1 or more, the first run itself"))


@dataclass(frozen=True, eq=False)
class TuningSettings:
    """One tuning.

    Attributes
    ----------
    rule : TailRule or PathRule
    names : n names of the robot's axes
    axes : indices of those tuned; all by default
    start, lower, upper : floats or (n,) [%]
    step : int [%]
    solver : str
        "" is the recommended one.
    options : mapping
        Options of the solver.
    seed : int
    budget : int
        Runs of the robot in all.
    gears : (n,), or (n, n) where motors are coupled
        Bring torques recorded on the arm side to the motors, see :func:`~optid.model.transmission.motor_torque`.
    limits : SafetyLimits
    notes : mapping
        Whatever else belongs to the tuning, e.g. the move.

    Examples
    --------
    >>> from optid.flexibility import TailRule, TuningSettings
    >>> TuningSettings(TailRule(0.3), budget=10).names
    ('axis2', 'axis3')
    """

    rule: TailRule | PathRule
    names: tuple[str, ...] = ("axis2", "axis3")
    axes: Any = None
    start: Any = 100.0
    lower: Any = 80.0
    upper: Any = 120.0
    step: int = 1
    solver: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    budget: int = 15
    gears: Any = 1.0
    limits: SafetyLimits = field(default_factory=SafetyLimits)
    notes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        names = (self.names,) if isinstance(self.names, str) else tuple(str(name) for name in self.names)
        put(self, "names", names)
        put(self, "axes", tuple(range(len(names))) if self.axes is None else tuple(int(a) for a in np.atleast_1d(self.axes)))
        for what in ("start", "lower", "upper", "gears"):
            try:
                given = np.asarray(getattr(self, what), dtype=float)
                values = np.broadcast_to(given, given.shape if what == "gears" and given.shape == (len(names),) * 2 else (len(names),))
            except ValueError as error:
                raise DataError(sentence(f"{what} of a tuning", f"shape {np.shape(getattr(self, what))}", f"a number, or {len(names)} of them")) from error
            put(self, what, np.array(values))
        if len(set(names)) < len(names):
            raise DataError(sentence("axes of a tuning", ", ".join(names), "names that differ"))
        if self.limits.max_step < self.step:
            raise LimitsError(sentence("max_step of a tuning", f"{self.limits.max_step:g} %", f"{self.step} % or more, the step of the grid"))
        torque = self.limits.max_torque
        if torque is not None and len(torque) not in (1, len(names)):
            raise LimitsError(sentence("max_torque of a tuning", f"{len(torque)} values", f"one, or {len(names)}"))
        if int(self.budget) != self.budget or self.budget < 1:
            raise LimitsError(sentence("budget of a tuning", self.budget, "a whole number of runs, 1 or more"))
        self.problem(lambda upsilon: None)  # type: ignore[arg-type, return-value]

    @property
    def n(self) -> int:
        """Number of axes."""
        return len(self.names)

    def problem(self, run: Callable[[Array], Trial], rule: Rule | None = None) -> FlexibilityTuning:
        """The posed problem, evaluated by ``run`` and judged by the rule, or by another that stands in for it."""
        signal = self.solver in ("", "secant")
        return FlexibilityTuning(run, rule or self.rule, self.axes, self.start, self.step, self.lower, self.upper, signal, self.names)

    def search(self, problem: FlexibilityTuning) -> dict[str, Any]:
        """Arguments of ``optid.solve``."""
        chosen = dict(problem.recommended) if self.solver in ("", "secant") else {"solver": self.solver}
        return {**chosen, **self.options, "seed": self.seed, "budget": self.budget, "on_failure": "return"}

    def to_mapping(self) -> dict[str, Any]:
        """Plain values for a file."""
        kind = next(name for name, rule in RULES.items() if isinstance(self.rule, rule))
        plain = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in ("rule", "limits", "axes")}
        return {
            "kind": "flexibility tuning",
            **plain,
            "names": list(self.names),
            "axes": list(self.axes),
            "options": dict(self.options),
            "notes": dict(self.notes),
            "rule": {"kind": kind, **{item.name: getattr(self.rule, item.name) for item in fields(self.rule)}},
            "limits": {item.name: getattr(self.limits, item.name) for item in fields(self.limits)},
        }

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], where: str) -> TuningSettings:
        """From what :meth:`to_mapping` gave.

        Raises
        ------
        FileError
            Not the settings of a tuning.
        """
        if mapping.get("kind") != "flexibility tuning":
            raise FileError(sentence(where, "no tuning in it", "a file made by TuningSession.create or optid tune"))
        known = {item.name for item in fields(cls)}
        values = {name: value for name, value in mapping.items() if name in known}
        rule = dict(values.pop("rule", {}))
        kind = rule.pop("kind", "")
        if kind not in RULES:
            raise unknown_name("rule of a tuning", str(kind), RULES)
        try:
            return cls(rule=RULES[kind](**rule), limits=SafetyLimits(**values.pop("limits", {})), **values)
        except TypeError as error:
            raise FileError(sentence(where, f"settings that do not fit ({error})", "the settings of a tuning")) from error
