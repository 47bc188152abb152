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
NOISE_FACTOR = 5.0
STANDSTILL = 0.1
"""A joint below its speed threshold for this long [s] stands; more briefly, it turns round."""


def default_min_speed(dq: ArrayLike, noise: ArrayLike = 0.0) -> Array:
    """(n,) default threshold: 1 % of each joint's largest speed, or five standard deviations of the noise in its velocity where that is more.

    The first part is a fraction, so that it fits any unit and slow joints as well as fast ones; the second leaves out a joint that only trembles.

    Parameters
    ----------
    dq : (N, n)
    noise : scalar or (n,), standard deviation of the velocity's noise where it is known

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import default_min_speed
    >>> default_min_speed(np.array([[2.0, -1.0], [0.5, 0.2]]))
    array([0.02, 0.01])
    """
    velocity = np.asarray(dq, dtype=float)
    return np.maximum(DEFAULT_FRACTION * np.abs(velocity).max(axis=0, initial=0.0), NOISE_FACTOR * np.asarray(noise))


def moving(dq: ArrayLike, min_speed: ArrayLike | None = None, *, noise: ArrayLike = 0.0) -> NDArray[np.bool_]:
    """(N, n) mask of the samples at which each joint moves faster than its threshold.

    Parameters
    ----------
    dq : (N, n)
    min_speed : scalar or (n,) [rad/s; m/s], or None
        None: :func:`default_min_speed`; 0 keeps all samples, those at rest too.
    noise : scalar or (n,)
        For the default.

    Examples
    --------
    >>> from optid.signals import moving
    >>> moving([[0.5, 0.01], [0.0, 0.3]], min_speed=0.1)
    array([[ True, False],
           [False,  True]])
    """
    velocity = np.asarray(dq, dtype=float)
    if velocity.ndim != 2:
        raise ShapeError(sentence("velocities to select by", f"shape {velocity.shape}", "(N, n)"))
    if min_speed is None:
        return np.abs(velocity) > default_min_speed(velocity, noise)
    threshold = _per_joint(min_speed, velocity.shape[1])
    return (np.abs(velocity) > threshold) | (threshold == 0)


def standing(moves: NDArray[np.bool_], rate: float, duration: float = STANDSTILL) -> NDArray[np.bool_]:
    """(N, n) mask of the samples in which each joint does not move for at least ``duration`` [s]; a joint that merely turns round is not standing."""
    least = max(int(np.ceil(duration * rate)), 2)
    result = np.zeros(moves.shape, dtype=bool)
    for j in range(moves.shape[1]):
        edges = np.flatnonzero(np.diff(np.concatenate([[True], moves[:, j], [True]]).astype(np.int8)))
        for first, last in zip(edges[::2], edges[1::2], strict=True):
            result[first:last, j] = last - first >= least
    return result


def selected(dq: Array, min_speed: ArrayLike | None, noise: ArrayLike, counts: dict[str, int], notes: list[str]) -> NDArray[np.bool_]:
    """The mask of :func:`moving`, with what it leaves out added to ``counts`` and told in ``notes``."""
    mask = moving(dq, min_speed, noise=noise)
    slow = (~mask).sum(axis=0)
    if slow.any():
        threshold = default_min_speed(dq, noise) if min_speed is None else _per_joint(min_speed, dq.shape[1])
        counts["slow"] = int(slow.sum())
        notes.append(slow_note(threshold, slow, len(dq)))
    return mask


def slow_note(threshold: Array, slow: NDArray[np.int64], total: int) -> str:
    """What is left out (n,) for a threshold (n,)."""
    return (
        f"Not used, because the joint moves no faster than {', '.join(f'{x:.3g}' for x in threshold)} rad/s (or m/s): "
        f"{', '.join(map(str, slow))} of {total} samples, joint by joint."
    )


def filled_note(filled: int) -> str:
    """That holes give no equations."""
    return f"The equations at {filled} interpolated samples are not used."


def _per_joint(value: ArrayLike, n: int) -> Array:
    array = np.asarray(value, dtype=float)
    if array.shape not in ((), (n,)):
        raise ShapeError(sentence("min_speed", f"shape {array.shape}", f"one number, or {n}: one per joint"))
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise DataError(sentence("min_speed", array.tolist(), "finite numbers that are not negative"))
    return np.broadcast_to(array, (n,))
