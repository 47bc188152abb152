"""ABB RAPID: a module of joint targets, reached one after another in equal times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, sentence
from optid.robot import Limits
from optid.trajectory.arrays import positive, vector
from optid.trajectory.base import Trajectory
from optid.trajectory.fourier import Fourier

from .convention import Convention, Units
from .interpolation import LINEAR, SPLINE
from .names import identifiers, one_word, program_name
from .plan import Export, Guard, Proof, planned, remarks

ROBOT_AXES, EXTERNAL_AXES = 6, 6


def to_rapid(
    trajectory: Trajectory,
    *,
    limits: Limits | None,
    step: float = 0.25,
    digits: int = 4,
    model: str = LINEAR,
    name: str = "motion",
    hold: ArrayLike = (),
    convention: Convention | None = None,
    zone: str = "z10",
    tool: str = "tool0",
    override: bool = False,
    tolerance: float = 1e-6,
    jerk: ArrayLike | None = None,
    also: Sequence[Proof] = (),
) -> Export:
    """A RAPID module that runs the trajectory by ``MoveAbsJ`` with times (degrees; millimetres for prismatic joints).

    The robot first goes slowly to the start posture; the first target is the one after one step, as in Gonzalez (elektron 5(2), 2021, Table I, 0.25 s). The
    cycles of a Fourier trajectory become a loop.

    Parameters
    ----------
    limits : Limits or None
        What the design, and again the motion through the printed targets, must keep; None needs ``override``.
    step : float [s]
        Time between targets; made shorter so that it divides the duration.
    digits : int
        Digits after the point.
    model : "linear" or "spline"
        What the controller is taken to do between targets; the deviation from the design is reported for both.
    name : str
        Of the module; turned into an identifier that starts with ``optid_``.
    hold : (6 - n,) [rad]
        Posture of the robot axes after the n joints. Joints after the sixth are external axes.
    convention : Convention, optional
        Signs and offsets of the controller's axes, and which joints are prismatic.
    zone, tool : str
        RAPID names.
    override : bool
        Export although the proof is missing or fails.
    tolerance : float
        Excesses below this fraction of a limit are allowed.
    jerk : float or (n,), optional [rad/s³ or m/s³]
    also : sequence of Proof
        Further limits that what will run must keep (torques, places of the arm): proven again of the motion through the printed targets. Torques need
        accelerations, which straight lines do not have; they are those of the cubic spline through the targets.

    Raises
    ------
    LimitsError
        When the motion is not proven inside its limits, before or after printing.
    """
    if model not in (LINEAR, SPLINE):
        raise DataError(sentence("model of a RAPID export", repr(model), f"{LINEAR!r} or {SPLINE!r}"))
    n = trajectory.n
    if n > ROBOT_AXES + EXTERNAL_AXES:
        raise DataError(sentence("a RAPID export", f"{n} joints", f"{ROBOT_AXES + EXTERNAL_AXES} at most"))
    held = held_axes(hold, ROBOT_AXES, n, "a RAPID export")
    cycles = 1
    if isinstance(trajectory, Fourier) and trajectory.periodic:
        trajectory, cycles = replace(trajectory, cycles=1), trajectory.cycles
    count = max(2, int(np.ceil(trajectory.duration / positive(step, "step of a RAPID export") - 1e-9)))
    exact = trajectory.duration / count
    printed_step = round(exact, 6)
    if printed_step == 0.0:
        raise DataError(sentence("step of a RAPID export", f"{exact:g} s", "1e-6 s at least"))
    units = Units.of(convention, n, degrees=True, millimetres=True)
    index = np.arange(count + 1.0)
    guard = Guard(limits, override, False, tolerance, jerk, also)
    other = SPLINE if model == LINEAR else LINEAR
    export, _ = planned(trajectory, guard, exact * index, printed_step * index, digits, units, model, trajectory.periodic, (other,))

    zone, tool = one_word(zone, "zone of a RAPID export"), one_word(tool, "tool of a RAPID export")
    module = program_name(name)
    rows = [_target(values, np.rad2deg(held), digits) for values in export.values]
    joints = ", ".join(identifiers(trajectory.joint_names)) or f"{n} joints"
    head = [f"Joint targets in degrees (linear axes in mm), {printed_step:g} s apart: {joints}", *remarks(export, units, digits)]
    lines = [
        f"MODULE {module}",
        *(f"  ! {line}" for line in head),
        f"  LOCAL CONST jointtarget start:={rows[0]};",
        f"  LOCAL CONST jointtarget targets{{{count}}}:=[",
        *(f"    {row}{',' if k < count - 1 else '];'}" for k, row in enumerate(rows[1:])),
        "",
        f"  PROC run_{module}()",
        f"    MoveAbsJ start\\NoEOffs, v100, fine, {tool};",
        f"    FOR cycle FROM 1 TO {cycles} DO",
        f"      FOR i FROM 1 TO {count} DO",
        f"        MoveAbsJ targets{{i}}\\NoEOffs, v1000\\T:={printed_step:.6f}, {zone}, {tool};",
        "      ENDFOR",
        "    ENDFOR",
        f"    MoveAbsJ targets{{{count}}}\\NoEOffs, v100, fine, {tool};",
        "  ENDPROC",
        "ENDMODULE",
        "",
    ]
    return replace(export, text="\n".join(lines))


def held_axes(hold: ArrayLike, axes: int, n: int, what: str) -> np.ndarray:
    """Postures [rad] of the robot axes that the trajectory does not move; none of them is invented."""
    missing = max(0, axes - n)
    given = np.ravel(hold)
    if len(given) != missing:
        raise DataError(
            sentence(what, f"{n} joints and {len(given)} held axes", f"hold= with {missing} postures in rad, one for every other axis of the robot")
        )
    return vector(given, f"hold of {what}", missing) if missing else np.zeros(0)


def _target(values: np.ndarray, held_deg: np.ndarray, digits: int) -> str:
    robot = [f"{x:.{digits}f}" for x in values[:ROBOT_AXES]] + [f"{x + 0.0:.{digits}f}" for x in np.round(held_deg, digits)]
    external = [f"{x:.{digits}f}" for x in values[ROBOT_AXES:]]
    external += ["9E9"] * (EXTERNAL_AXES - len(external))
    return f"[[{','.join(robot)}],[{','.join(external)}]]"
