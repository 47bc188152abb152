"""Which samples may be used: standstill and slow motion per joint.

At rest the sign of a noisy velocity flips at random and friction holds any torque between −fc and fc, so a Coulomb column fits noise. A sample is left out
for joint j (only) where ``|dq_j|`` is at most ``min_speed_j``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]
DEFAULT_FRACTION = 0.01


def default_min_speed(dq: ArrayLike) -> Array:
    """(n,) default threshold: 1 % of each joint's largest speed. A fraction, so that it is right in any unit and for slow and fast joints."""
    velocity = np.asarray(dq, dtype=float)
    return DEFAULT_FRACTION * np.abs(velocity).max(axis=0, initial=0.0)


def per_joint(value: ArrayLike, n: int, what: str) -> Array:
    """A scalar or (n,) as (n,), not negative and finite."""
    array = np.asarray(value, dtype=float)
    if array.shape not in ((), (n,)):
        raise ShapeError(sentence(what, f"shape {array.shape}", f"one number, or {n}: one per joint"))
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise DataError(sentence(what, array.tolist(), "finite numbers that are not negative"))
    return np.broadcast_to(array, (n,)).copy()


def moving(dq: ArrayLike, min_speed: ArrayLike | None = None) -> NDArray[np.bool_]:
    """(N, n) mask of the samples at which joint j moves faster than ``min_speed`` (scalar or (n,) [rad/s]; 0 keeps everything).

    The number of samples left out per joint is ``(~mask).sum(axis=0)``.
    """
    velocity = np.asarray(dq, dtype=float)
    if velocity.ndim != 2:
        raise ShapeError(sentence("velocities to select by", f"shape {velocity.shape}", "(N, n)"))
    threshold = default_min_speed(velocity) if min_speed is None else per_joint(min_speed, velocity.shape[1], "min_speed")
    return (np.abs(velocity) > threshold) | (threshold == 0)


def selected(dq: ArrayLike, min_speed: ArrayLike | None, counts: dict[str, int], notes: list[str]) -> NDArray[np.bool_]:
    """The mask of :func:`moving`, with what it leaves out added to ``counts`` and told in ``notes``."""
    velocity = np.asarray(dq, dtype=float)
    threshold = per_joint(default_min_speed(velocity) if min_speed is None else min_speed, velocity.shape[1], "min_speed")
    mask = moving(velocity, threshold)
    slow = (~mask).sum(axis=0)
    if slow.any():
        counts["slow"] = int(slow.sum())
        notes.append(
            f"Not used, because the joint moves no faster than {', '.join(f'{x:.3g}' for x in threshold)} rad/s (or m/s): "
            f"{', '.join(map(str, slow))} of {len(velocity)} samples, joint by joint."
        )
    return mask
