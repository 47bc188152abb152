"""What is refused before any design begins, naming joint and limit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import LimitsError, ShapeError, sentence
from optid.regressor import BaseParameters
from optid.robot import Limits

SMOOTH = 0.05
"""Width of the smooth friction sign as a share of the velocity limit, where neither model nor user gives one."""


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


def smooth_base(base: BaseParameters, limits: Limits, width: ArrayLike | None) -> BaseParameters:
    """The base parameters with the smooth friction sign of the design: the given width, else the model's own, else ``SMOOTH`` of the velocity limits."""
    from dataclasses import replace

    model: Any = base.model
    if width is None:
        if not set(model.friction) & {"coulomb", "asymmetric"} or min(model.widths) > 0:
            return base
        speed = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
        width = np.where(np.array(model.widths) > 0, model.widths, SMOOTH * speed)
    chosen = np.broadcast_to(np.asarray(width, dtype=float), (model.n,)) if np.size(width) in (1, model.n) else None
    if chosen is None or not np.isfinite(chosen).all() or not (chosen > 0).all():
        raise ShapeError(sentence("sign_width of an excitation", repr(width), f"a speed above 0, or {model.n} of them"))
    return replace(base, model=model.with_sign_width(tuple(float(w) for w in chosen)))
