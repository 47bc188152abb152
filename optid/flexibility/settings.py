"""What a tuning session is asked to do, and what it must never do; both survive in its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.arrays import numbers
from optid.errors import DataError, FileError, LimitsError, sentence
from optid.model.arguments import instance, per_axis, positive, real, whole
from optid.problems.flexibility import FlexibilityTuning, Rule

from .digest import digest
from .objectives import PathRule, TailRule

if TYPE_CHECKING:
    from optid.experiment import Trial

Array = NDArray[np.float64]

KIND = "flexibility tuning"
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
        put = object.__setattr__
        if self.max_torque is not None:
            put(
                self,
                "max_torque",
                tuple(positive(t, "max_torque of a tuning", "numbers above 0 [N m]") for t in np.atleast_1d(np.asarray(self.max_torque, object))),
            )
        if not real(self.max_step, "max_step of a tuning", "a number above 0 [%]") > 0:
            raise LimitsError(sentence("max_step of a tuning", self.max_step, "a number above 0 [%]"))
        put(self, "max_unsafe", whole(self.max_unsafe, "max_unsafe of a tuning", 1, "a whole number of runs, 1 or more"))
        if not real(self.max_ratio, "max_ratio of a tuning", "1 or more, the first run itself") >= 1:
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
        instance(self.limits, SafetyLimits, "limits of a tuning")
        instance(self.rule, tuple(RULES.values()), "rule of a tuning")
        for what in ("options", "notes"):
            instance(getattr(self, what), Mapping, f"{what} of a tuning")
        instance(self.solver, str, "solver of a tuning")
        names = (self.names,) if isinstance(self.names, str) else tuple(str(name) for name in np.atleast_1d(np.asarray(self.names, object)))
        put(self, "names", names)
        if len(set(names)) < len(names) or not all(names):
            raise DataError(sentence("axes of a tuning", ", ".join(names) or "none", "names that differ"))
        chosen = range(len(names)) if self.axes is None else np.atleast_1d(np.asarray(self.axes, object))
        put(self, "axes", tuple(whole(a, "axes of a tuning", 0, f"whole numbers from 0 to {len(names) - 1}") for a in chosen))
        for what, least in (("step", 1), ("budget", 1), ("seed", 0)):
            put(self, what, whole(getattr(self, what), f"{what} of a tuning", least, f"a whole number, {least} or more"))
        for what in ("start", "lower", "upper"):
            put(self, what, per_axis(getattr(self, what), len(names), f"{what} of a tuning"))
        gears = numbers(self.gears, "gears of a tuning")
        put(self, "gears", gears if gears.shape == (len(names),) * 2 else per_axis(gears, len(names), "gears of a tuning"))
        if not np.all(np.isfinite(self.gears)) or np.linalg.matrix_rank(self.gears if self.gears.ndim == 2 else np.diag(self.gears)) < len(names):
            raise DataError(sentence("gears of a tuning", np.array2string(self.gears), "finite numbers other than 0, or an invertible matrix"))
        if self.limits.max_step < self.step:
            raise LimitsError(sentence("max_step of a tuning", f"{self.limits.max_step:g} %", f"{self.step} % or more, the step of the grid"))
        torque = self.limits.max_torque
        if torque is not None and len(torque) not in (1, len(names)):
            raise LimitsError(sentence("max_torque of a tuning", f"{len(torque)} values", f"one, or {len(names)}"))
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
        """Plain values for a file, with a digest of them: a limit that changes in a file must not reach a robot."""
        kind = next(name for name, rule in RULES.items() if isinstance(self.rule, rule))
        plain = {item.name: getattr(self, item.name) for item in fields(self) if item.name not in ("rule", "limits", "axes")}
        values = {
            "kind": KIND,
            **plain,
            "names": list(self.names),
            "axes": list(self.axes),
            "options": dict(self.options),
            "notes": dict(self.notes),
            "rule": {"kind": kind, **{item.name: getattr(self.rule, item.name) for item in fields(self.rule)}},
            "limits": {item.name: getattr(self.limits, item.name) for item in fields(self.limits)},
        }
        return {**values, "digest": digest(values)}

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any], where: str) -> TuningSettings:
        """From what :meth:`to_mapping` gave.

        Raises
        ------
        FileError
            Not the settings of a tuning, or changed since.
        """
        if not isinstance(mapping.get("kind"), str) or mapping["kind"] != KIND:
            raise FileError(sentence(where, "no tuning in it", "a file made by TuningSession.create or optid tune"))
        try:
            known = {item.name for item in fields(cls)}
            values = {name: value for name, value in mapping.items() if name in known}
            rule = dict(values.pop("rule"))
            made = RULES[str(rule.pop("kind"))](**rule)
            found = cls(rule=made, limits=SafetyLimits(**values.pop("limits")), **values)
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise FileError(sentence(where, f"settings that do not fit ({error})", "the settings of a tuning")) from error
        if found.to_mapping()["digest"] != str(mapping.get("digest")):
            hint = "The file is damaged, edited, or of another version; begin a new tuning for other settings."
            raise FileError(sentence(where, "settings that are not those written", "the settings of a tuning", hint))
        return found
