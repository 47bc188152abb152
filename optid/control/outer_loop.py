"""The linear outer loop of a controller: from the tracking error to an acceleration (or torque), one transfer function H(s) a joint.

``V(s) = H(s) E(s)`` with E the position error (V08, Ec. 49). A part of H that is proportional to s acts on the speed error, which is measured, so that PD and
PID are transfer functions like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.model.arrays import numbers

Array = NDArray[np.float64]


def critical_gain(kp: ArrayLike) -> Array:
    """Speed gain that damps the error critically: ``kv = 2 √kp`` (V08, Ec. 60).

    Examples
    --------
    >>> from optid.control import critical_gain
    >>> critical_gain([100.0, 400.0])
    array([20., 40.])
    """
    gain = numbers(kp, "position gain")
    if not (gain >= 0).all():
        raise DataError(sentence("position gain", gain.tolist(), "numbers that are not negative"))
    return 2 * np.sqrt(gain)


@dataclass(frozen=True, eq=False)
class OuterLoop:
    """n independent transfer functions, ``H_j(s) = num_j(s) / den_j(s)``.

    Parameters
    ----------
    num, den : n sequences of coefficients, highest power first
        The numerator's degree may exceed the denominator's by one at most.

    Examples
    --------
    A lead filter with integral action on two joints:

    >>> loop = OuterLoop([[400.0, 9e3, 4e4]] * 2, [[0.01, 1.0, 0.0]] * 2)
    >>> loop.n, loop.n_states
    (2, 4)
    """

    num: Sequence[Sequence[float]]
    den: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        counts = [len(x) if isinstance(x, Sequence | np.ndarray) and not isinstance(x, str) else 0 for x in (self.num, self.den)]
        if counts[0] != counts[1] or not counts[0]:
            raise ShapeError(sentence("outer loop", f"{counts[0]} numerators, {counts[1]} denominators", "one list of coefficients of each for every joint"))
        pairs = []
        for j, (num, den) in enumerate(zip(self.num, self.den, strict=True)):
            top, bottom = (np.trim_zeros(np.atleast_1d(numbers(x, f"H(s) of joint {j + 1}")), "f") for x in (num, den))
            if top.ndim != 1 or bottom.ndim != 1:
                raise ShapeError(sentence(f"H(s) of joint {j + 1}", f"shapes {top.shape} and {bottom.shape}", "two lists of coefficients"))
            if not len(bottom) or not (np.isfinite(top).all() and np.isfinite(bottom).all()):
                raise DataError(sentence(f"H(s) of joint {j + 1}", f"{num} / {den}", "finite coefficients and a denominator other than zero"))
            if len(top) > len(bottom) + 1:
                raise DataError(
                    sentence(f"H(s) of joint {j + 1}", f"degree {len(top) - 1} over {len(bottom) - 1}", "at most one more: accelerations are not measured")
                )
            pairs.append((tuple(map(float, top)), tuple(map(float, bottom))))
        object.__setattr__(self, "num", tuple(top for top, _ in pairs))
        object.__setattr__(self, "den", tuple(bottom for _, bottom in pairs))

    @classmethod
    def pd(cls, kp: ArrayLike, kv: ArrayLike | None = None) -> OuterLoop:
        """``kp + kv s``; critically damped where kv is left out."""
        return cls.pid(kp, critical_gain(kp) if kv is None else kv, 0.0)

    @classmethod
    def pid(cls, kp: ArrayLike, kv: ArrayLike, ki: ArrayLike) -> OuterLoop:
        """``kp + kv s + ki / s``; gains are scalars or one for each joint."""
        given = {"kp": kp, "kv": kv, "ki": ki}
        sizes = {what: numbers(gain, f"gain {what}") for what, gain in given.items()}
        n = max(gain.size for gain in sizes.values())
        if any(gain.shape not in ((), (1,), (n,)) or not gain.size for gain in sizes.values()):
            found = ", ".join(f"{what} {gain.shape}" for what, gain in sizes.items())
            raise ShapeError(sentence("gains of an outer loop", f"shapes {found}", "numbers, or one for each joint"))
        for what, gain in sizes.items():
            if not np.isfinite(gain).all():
                raise DataError(sentence(f"gain {what}", gain.tolist(), "finite numbers"))
        rows = np.stack([np.broadcast_to(sizes[what], (n,)) for what in ("kv", "kp", "ki")], axis=1)
        return cls([[v, p, i] if i else [v, p] for v, p, i in rows], [[1.0, 0.0] if i else [1.0] for _, _, i in rows])

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.num)

    @property
    def n_states(self) -> int:
        """Number of states: the sum of the denominators' degrees."""
        return sum(len(den) - 1 for den in self.den)

    @cached_property
    def _system(self) -> tuple[Array, Array, Array, Array, Array]:
        """A (z, z), B (z, n), C (n, z), D (n,), and the speed gains (n,): ``v = C z + D e + gain · de/dt``."""
        n, size = self.n, self.n_states
        A, B, C = np.zeros((size, size)), np.zeros((size, n)), np.zeros((n, size))
        D, speed = np.zeros(n), np.zeros(n)
        at = 0
        for j, (top, bottom) in enumerate(zip(self.num, self.den, strict=True)):
            quotient, rest = np.polydiv(np.array(top) if len(top) else np.zeros(1), np.array(bottom))
            quotient = np.concatenate([np.zeros(2), quotient])[-2:]
            speed[j], D[j] = quotient
            k = len(bottom) - 1
            monic = np.array(bottom[1:]) / bottom[0]
            part = slice(at, at + k)
            # controllable canonical form
            A[part, part] = np.eye(k, k=-1)
            if k:
                A[at, part] = -monic
                B[at, j] = 1.0
                C[j, part] = np.concatenate([np.zeros(k), rest])[-k:] / bottom[0]
            at += k
        return A, B, C, D, speed

    def output(self, z: Array, e: Array, de: Array) -> Array:
        """v (n,) from the states z, position errors e and speed errors de (n,)."""
        _, _, C, D, speed = self._system
        return np.asarray(C @ z + D * e + speed * de)

    def rates(self, z: Array, e: Array) -> Array:
        """dz/dt."""
        A, B, _, _, _ = self._system
        return np.asarray(A @ z + B @ e)

    def discrete(self, period: float) -> tuple[Array, Array]:
        """(Ad, Bd) with ``z_{k+1} = Ad z_k + Bd e_k``, exact for errors held over ``period`` [s]."""
        from scipy.linalg import expm

        A, B, _, _, _ = self._system
        size = self.n_states
        block = np.zeros((size + self.n, size + self.n))
        block[:size, :size], block[:size, size:] = A, B
        power = expm(block * period)
        return power[:size, :size], power[:size, size:]
