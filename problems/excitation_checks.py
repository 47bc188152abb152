"""What is refused before any design begins, naming joint and limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, LimitsError, ShapeError, sentence
from optid.excitation.motion import Motion
from optid.model import DynamicModel
from optid.model.arguments import found, instance
from optid.model.arrays import numbers
from optid.regressor import BaseParameters
from optid.robot import Limits
from optid.trajectory import Trajectory
from optid.trajectory.arrays import whole

Array = NDArray[np.float64]

SMOOTH = 0.05
"""Width of the smooth friction sign as a share of the velocity limit, where neither model nor user gives one."""


NUMBERS = ("period", "sign_width", "noise", "jerk", "start", "period_range", "nominal", "torque_uncertainty")
SWITCHES = ("rest", "torque", "compiled")


def checked_kinds(problem: Any) -> None:
    """Refuse what is not of the kind a field of the problem asks for, before it fails somewhere inside.

    Raises
    ------
    DataError, ShapeError
    """
    instance(problem.base, BaseParameters, "base of an excitation", "Make it: BaseParameters.of(model).")
    instance(problem.limits, (Limits, type(None)), "limits of an excitation", "Make them: Limits.of(n, position=..., velocity=...).")
    for name in NUMBERS:
        if getattr(problem, name) is not None:
            numbers(getattr(problem, name), f"{name} of an excitation")
    for name in SWITCHES:
        if not isinstance(getattr(problem, name), bool | np.bool_ | (bool if name == "rest" else type(None))):
            raise DataError(sentence(f"{name} of an excitation", repr(getattr(problem, name)), "True or False"))
    whole(problem.harmonics, "harmonics of an excitation", 1)
    whole(problem.trajectories, "trajectories of an excitation", 1)
    instance(problem.regions, (list, tuple), "regions of an excitation", "Give a list, also of one.")
    for region in problem.regions:
        if not hasattr(region, "path"):
            raise DataError(sentence("region of an excitation", found(region), "a KeepIn, KeepOut or SelfCollision"))
    if not isinstance(problem.column_scaling, str):
        factors = numbers(problem.column_scaling, "column_scaling of an excitation")
        if not np.isfinite(factors).all() or not (factors > 0).all():
            raise DataError(sentence("column_scaling of an excitation", factors.tolist(), "factors above 0"))


def named_limits(limits: Limits, names: tuple[str, ...]) -> Limits:
    """The limits under the robot's joint names, where they were given without names.

    Raises
    ------
    LimitsError
        When they are named otherwise, or in another order.
    """
    if limits.names == tuple(f"joint {i + 1}" for i in range(limits.n)):
        return replace(limits, names=names)
    if limits.names != names:
        raise LimitsError(sentence("joints of the limits", ", ".join(limits.names), ", ".join(names) + ", the robot's"))
    return limits


def check_limits(limits: Limits, start: ArrayLike | None) -> None:
    """Refuse limits within which nothing can move, or nothing bounds the motion, and a start posture outside them.

    Raises
    ------
    LimitsError
        Naming joint and limit.
    """
    for j, name in enumerate(limits.names):
        low, high = limits.lower[j], limits.upper[j]
        if not low < high:
            raise LimitsError(sentence(f"position limits of {name!r}", f"{low:g} ... {high:g}", "a range to move in"))
        for what in ("velocity", "acceleration"):
            if not getattr(limits, what)[j] > 0:
                raise LimitsError(sentence(f"{what} limit of {name!r}", f"{getattr(limits, what)[j]:g}", "a number above 0", "Nothing can be excited."))
        ranged = np.isfinite(low) and np.isfinite(high)
        if not ranged and not np.isfinite(limits.velocity[j]) and not np.isfinite(limits.acceleration[j]):
            raise LimitsError(sentence(f"limits of {name!r}", "no range, velocity or acceleration limit", "at least one", "The best motion would be endless."))
    if start is not None:
        posture = np.asarray(start, dtype=float)
        if posture.shape != (limits.n,) or not np.isfinite(posture).all():
            raise ShapeError(sentence("start posture", f"shape {posture.shape}", f"({limits.n},) finite positions, one per joint"))
        for j, name in enumerate(limits.names):
            if not limits.lower[j] <= posture[j] <= limits.upper[j]:
                raise LimitsError(sentence(f"start posture of {name!r}", f"{posture[j]:g}", f"within {limits.lower[j]:g} ... {limits.upper[j]:g}"))


def jerk_limits(jerk: ArrayLike | None, limits: Limits) -> tuple[float, ...]:
    """Jerk limits (n,), infinite where there is none."""
    if jerk is None:
        return (float("inf"),) * limits.n
    values = np.broadcast_to(np.asarray(jerk, dtype=float), (limits.n,)) if np.size(jerk) in (1, limits.n) else None
    if values is None or np.isnan(values).any():
        raise ShapeError(sentence("jerk limits", repr(jerk), f"one number, or {limits.n}: one per joint"))
    for j, name in enumerate(limits.names):
        if not values[j] > 0:
            raise LimitsError(sentence(f"jerk limit of {name!r}", f"{values[j]:g}", "a number above 0"))
    return tuple(float(v) for v in values)


def friction_widths(model: DynamicModel, limits: Limits, width: ArrayLike | None) -> tuple[float, ...]:
    """Widths (n,) of the smooth friction sign: the given ones, else the model's own, else ``SMOOTH`` of the velocity limits where the model's is sharp.

    Raises
    ------
    ShapeError
    """
    if width is None:
        speed = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
        width = np.where(np.array(model.widths) > 0, model.widths, SMOOTH * speed)
    chosen = np.broadcast_to(np.asarray(width, dtype=float), (model.n,)) if np.size(width) in (1, model.n) else None
    if chosen is None or not np.isfinite(chosen).all() or not (chosen > 0).all():
        raise ShapeError(sentence("sign_width of an excitation", repr(width), f"a speed above 0, or {model.n} of them"))
    return tuple(float(w) for w in chosen)


def smooth_base(base: BaseParameters, limits: Limits, width: ArrayLike | None) -> BaseParameters:
    """The base parameters with the smooth friction sign of the design."""
    widths = friction_widths(base.model, limits, width)
    if not set(base.model.friction) & {"coulomb", "asymmetric"} or widths == base.model.widths:
        return base
    return replace(base, model=base.model.with_sign_width(widths))


def period_range(given: ArrayLike | None, period: Array) -> tuple[float, float]:
    """Shortest and longest duration [s]: the given range, else the longest period twice."""
    if given is None:
        return float(period.max()), float(period.max())
    ends = np.asarray(given, dtype=float)
    if ends.shape != (2,) or not np.isfinite(ends).all() or not 0 < ends[0] <= ends[1]:
        raise DataError(sentence("period_range of an excitation", given, "(shortest, longest) seconds, above 0"))
    return float(ends[0]), float(ends[1])


def nominal_parameters(given: ArrayLike | None, base: BaseParameters) -> Array:
    """Standard parameters (p,): the given ones, else what the robot's description states."""
    model = base.model
    values = model.nominal_parameters() if given is None else np.array(given, dtype=float)
    if values.shape != (model.p,) or not np.isfinite(values).all():
        raise ShapeError(sentence("nominal parameters", f"shape {values.shape}", f"({model.p},) finite standard parameters"))
    return np.asarray(values)


def initial_variables(motion: Motion, given: Any) -> Array:
    """Variables of a given trajectory, or of coefficients (n, m)."""
    n, m = motion.family.n, motion.family.m
    if isinstance(given, Trajectory):
        coefficients = motion.family.coefficients_of(given)
        duration = float(np.clip(given.duration, *motion.duration))
    else:
        coefficients, duration = numbers(given, "initial motion"), motion.duration[1]
    if coefficients is None or coefficients.size != n * m or not np.isfinite(coefficients).all():
        found = type(given).__name__ if coefficients is None else f"shape {coefficients.shape}"
        raise ShapeError(sentence("initial motion", found, f"a trajectory of the design's family, or ({n}, {m}) finite coefficients"))
    return motion.vector(coefficients.reshape(n, m), duration)
