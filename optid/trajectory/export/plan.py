"""The common path of every export: check the design, print the numbers, rebuild from the printed numbers what will run, check that again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, LimitsError, sentence
from optid.robot import Limits
from optid.trajectory.arrays import Array, whole
from optid.trajectory.base import Trajectory
from optid.trajectory.check import CheckReport
from optid.trajectory.piecewise import Piecewise

from .convention import Units
from .interpolation import LINEAR, QUINTIC, SPLINE, deviation, interpolated

MOST_DIGITS = 15


class Proof(Protocol):
    """A limit beyond those of single joints: of torques, of places of the arm (the paths of an excitation design are such)."""

    quantity: str

    @property
    def order(self) -> int:
        """Highest derivative of the motion that matters."""
        ...

    def prove(self, trajectory: Trajectory) -> Any:
        """A report that is true when the limit holds at every instant, and says in its text what is broken otherwise."""
        ...


@dataclass(frozen=True)
class Guard:
    """What an export is checked against.

    Attributes
    ----------
    limits : Limits or None
        None proves nothing.
    override : bool
        Export although the proof is missing or fails; the text says so.
    rest : bool
        Ask that the design starts and ends at rest.
    tolerance : float
        Excesses below this fraction of a limit, from printed digits, are allowed.
    jerk : float or (n,), optional
    also : sequence of Proof
        Further limits of what will run.
    """

    limits: Limits | None
    override: bool = False
    rest: bool = False
    tolerance: float = 1e-6
    jerk: ArrayLike | None = None
    also: Sequence[Proof] = ()

    def design(self, trajectory: Trajectory) -> CheckReport | None:
        """Check the design; raises LimitsError when it may not be exported."""
        if self.limits is None:
            if not self.override:
                raise LimitsError(sentence("export of a trajectory", "no limits to check it against", "limits=", "Or say override=True."))
            return None
        report = trajectory.check(self.limits, jerk=self.jerk, rest=self.rest, tolerance=self.tolerance)
        return self._judged(report, "export of a trajectory", "Repair the motion (a motion that is not at rest needs ramps), or say override=True.")

    def printed(self, run: Piecewise, model: str, digits: int) -> CheckReport | None:
        """Check what the controller makes of the printed numbers; straight lines have no acceleration to check, the controller chooses it."""
        if self.limits is None:
            return None
        linear = model == LINEAR
        limits = replace(self.limits, acceleration=(np.inf,) * run.n) if linear else self.limits
        report = run.check(limits, jerk=None if linear else self.jerk, tolerance=self.tolerance)
        hint = "Leave a margin, take more targets or digits, or say override=True."
        return self._judged(report, f"trajectory as exported ({model} between targets of {digits} digits)", hint)

    def proofs(self, run: Piecewise, smooth: Piecewise, digits: int) -> dict[str, Any]:
        """Reports of the further limits, by quantity; those that depend on accelerations are proven of the smooth motion through the printed numbers."""
        reports = {}
        for each in self.also:
            report = each.prove(smooth if each.order == 2 else run)
            if not report and not self.override:
                hint = "Leave a margin, take more targets or digits, or say override=True."
                raise LimitsError(sentence(f"trajectory as exported ({digits} digits)", str(report), "limits that are proven at every instant", hint))
            reports[each.quantity] = report
        return reports

    def _judged(self, report: CheckReport, what: str, hint: str) -> CheckReport:
        if not report.proven and not self.override:
            raise LimitsError(sentence(what, str(report), "a motion inside its limits at every instant", hint))
        return report


@dataclass(frozen=True, eq=False)
class Export:
    """A trajectory in a controller's language.

    Attributes
    ----------
    text : str
    time : (N,) [s]
        When the targets are reached.
    values : (N, n)
        Printed joint positions, in the controller's units and convention.
    as_run : Piecewise
        What the controller makes of the printed numbers, by the stated model, in SI units and the robot's convention.
    model : "linear", "spline" or "quintic"
        The stated model between targets.
    deviation : mapping model -> (n,) [rad or m]
        Proven bound of the distance between design and controller, for each model.
    design_report, report : CheckReport or None
        The design, and ``as_run``, against the limits; None when no limits were given. A linear model has no acceleration to check.
    proofs : mapping quantity -> report
        Further limits against ``as_run``; torques, for a linear model, against the cubic spline through the printed numbers.
    """

    text: str
    time: Array
    values: Array
    as_run: Piecewise
    model: str
    deviation: Mapping[str, Array]
    design_report: CheckReport | None
    report: CheckReport | None
    proofs: Mapping[str, Any]

    @property
    def proven(self) -> bool:
        """True when the design and what will run are proven inside the limits."""
        return all(r is not None and r.proven for r in (self.design_report, self.report)) and all(self.proofs.values())

    def write(self, path: str | PathLike[str]) -> None:
        """Write the text to a file (UTF-8, line feeds)."""
        Path(path).write_text(self.text, encoding="utf-8", newline="\n")


def planned(
    trajectory: Trajectory,
    guard: Guard,
    time: Array,
    run_time: Array,
    digits: int,
    units: Units,
    model: str,
    closed: bool = False,
    others: tuple[str, ...] = (),
) -> tuple[Export, tuple[Array, ...]]:
    """Everything but the text.

    Parameters
    ----------
    time, run_time : (N,) [s]
        When the targets are taken from the design, and when the controller reaches them.
    others : tuple of str
        Further models whose deviation is reported.

    Returns
    -------
    export : Export
        With an empty text.
    printed : tuple of (N, n)
        Printed positions, and for the quintic model velocities and accelerations, in the controller's numbers.
    """
    if whole(digits, "digits of an export") > MOST_DIGITS:
        raise DataError(sentence("digits of an export", digits, f"{MOST_DIGITS} at most"))
    design_report = guard.design(trajectory)
    orders = range(3 if model == QUINTIC else 1)
    numbers = [units.to_controller(trajectory.derivative(time, order), order) for order in orders]
    numbers[0] = _inside(numbers[0], digits, guard.limits, units)
    printed = tuple(np.round(x, digits) + 0.0 for x in numbers)
    states = tuple(units.from_controller(x, order) for order, x in zip(orders, printed, strict=True))
    runs = {m: interpolated(m, run_time, states, closed, trajectory.joint_names) for m in (model, *others)}
    report = guard.printed(runs[model], model, digits)
    smooth = runs[model]
    if model == LINEAR and any(each.order == 2 for each in guard.also):
        smooth = runs.get(SPLINE) or interpolated(SPLINE, run_time, states, closed, trajectory.joint_names)
    proofs = guard.proofs(runs[model], smooth, digits)
    far = {m: deviation(trajectory, run) for m, run in runs.items()}
    return Export("", run_time, printed[0], runs[model], model, far, design_report, report, proofs), printed


def _inside(values: Array, digits: int, limits: Limits | None, units: Units) -> Array:
    """Positions whose rounding would carry them past a limit that they keep, rounded away from it."""
    if limits is None:
        return values
    ends = np.sort(units.to_controller(limits.position.T), axis=0)
    near, unit = np.round(values, digits), 10.0**-digits
    down = (near > ends[1]) & (values <= ends[1] + 1e-9 * unit)
    up = (near < ends[0]) & (values >= ends[0] - 1e-9 * unit)
    shifted: Array = near - unit * down + unit * up
    return shifted


def remarks(export: Export, units: Units, digits: int) -> list[str]:
    """Lines for the head of a program: model, deviation, verdict."""
    unit = units.scale
    names = {LINEAR: "straight lines in joint space", SPLINE: "a cubic spline", QUINTIC: "quintic polynomials"}
    lines = [f"{digits} digits printed; motion between targets taken as {names[export.model]}"]
    for model, far in export.deviation.items():
        lines.append(f"largest distance to the design with {names[model]}, axis by axis: " + " ".join(f"{x:.3g}" for x in far * unit))
    if export.design_report is None:
        lines.append("NOT CHECKED AGAINST ANY LIMITS: exported by override")
    elif not export.proven:
        lines.append("BREAKS ITS LIMITS: exported by override")
        broken = [*export.design_report.violations, *(export.report.violations if export.report else ())]
        lines += [f"axis {v.index + 1} {v.quantity} {v.value:.6g} at {v.time:.6g} s, limit {v.limit:.6g} (SI units)" for v in broken]
        lines += [f"{quantity} is not proven inside its limits" for quantity, proof in export.proofs.items() if not proof]
    else:
        checked = ", ".join(["position", "velocity", *(["acceleration"] if export.model != LINEAR else []), *export.proofs])
        lines.append(f"inside its limits at every instant; checked again with the printed numbers: {checked}")
    return lines


def stamps(trajectory: Trajectory, step: float) -> Array:
    """Times ``k step`` (N,) [s], the last one not before the end."""
    return step * np.arange(np.ceil(trajectory.duration / step * (1 - 1e-12) - 1e-9) + 1.0)
