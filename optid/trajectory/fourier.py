"""Fourier trajectories: a constant and H harmonics per joint, periodic, with exact derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import RankError, ShapeError, sentence

from .arrays import Array, finite, names, positive, times, vector, whole
from .base import Trajectory
from .basis import fourier_basis
from .extremes import Extremes
from .trigonometric import maximise

BLOCK = 1 << 16


@dataclass(frozen=True, eq=False, repr=False)
class Fourier(Trajectory):
    """``q_j(t) = q0_j + Σ_h a_jh sin(h ω_j t) + b_jh cos(h ω_j t)``, ``ω_j = 2π / period_j``.

    Parameters
    ----------
    q0 : (n,) [rad or m]
    a, b : (n, H) [rad or m]
        Sine and cosine coefficients.
    period : float or (n,) [s]
        One period for all joints, or one a joint.
    joint_names : n-tuple of str, optional
    cycles : int
        How often the (longest) period is run.

    Raises
    ------
    ShapeError, DataError
        When the arrays do not fit together, or are not finite.

    Notes
    -----
    Gonzalez, elektron 5(2), 2021, eq. 30. :meth:`from_velocity_form` takes the coefficients of the other common form.

    Examples
    --------
    >>> from optid.trajectory import Fourier
    >>> motion = Fourier([1.0], [[0.5]], [[0.0]], period=2.0)
    >>> motion.derivative([0.5], 0).round(12).ravel().tolist()  # 1 + 0.5 sin(π / 2)
    [1.5]
    """

    kind: ClassVar[str] = "fourier"

    q0: Array
    a: Array
    b: Array
    period: float | Array
    joint_names: tuple[str, ...] = ()
    cycles: int = 1

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "q0", vector(self.q0, "q0 of a Fourier trajectory"))
        n = len(self.q0)
        for what in ("a", "b"):
            array = np.atleast_2d(finite(getattr(self, what), f"{what} of a Fourier trajectory"))
            array.setflags(write=False)
            if array.ndim != 2 or len(array) != n:
                raise ShapeError(sentence(f"{what} of a Fourier trajectory", f"shape {array.shape}", f"({n}, H), joints by harmonics"))
            put(self, what, array)
        if self.a.shape != self.b.shape:
            raise ShapeError(sentence("a and b of a Fourier trajectory", f"shapes {self.a.shape} and {self.b.shape}", "equal shapes"))
        if np.ndim(self.period) == 0:
            put(self, "period", positive(self.period, "period of a Fourier trajectory"))  # type: ignore[arg-type]
        else:
            put(self, "period", vector(self.period, "period of a Fourier trajectory", n))
            for each in self.period:  # type: ignore[union-attr]
                positive(each, "period of a Fourier trajectory")
        put(self, "joint_names", names(self.joint_names, n))
        put(self, "cycles", whole(self.cycles, "cycles of a Fourier trajectory", 1))

    # -- other ways to make one ---------------------------------------------------------------------------------------------------------------------

    @classmethod
    def from_coefficients(cls, coefficients: ArrayLike, harmonics: int, period: ArrayLike, joint_names: Sequence[str] = ()) -> Fourier:
        """From the flat vector (n·(2H+1),) of :attr:`coefficients`, or the matrix (n, 2H+1) of :attr:`matrix`."""
        H = whole(harmonics, "number of harmonics")
        flat = finite(coefficients, "coefficients of a Fourier trajectory")
        if flat.size == 0 or flat.size % (2 * H + 1) or (flat.ndim == 2 and flat.shape[1] != 2 * H + 1) or flat.ndim > 2:
            raise ShapeError(
                sentence("coefficients of a Fourier trajectory", f"shape {flat.shape}", f"(n * {2 * H + 1},) or (n, {2 * H + 1}) for {H} harmonics")
            )
        C = flat.reshape(-1, 2 * H + 1)
        return cls(C[:, 0], C[:, 1 : H + 1], C[:, H + 1 :], period, tuple(joint_names))  # type: ignore[arg-type]

    @classmethod
    def from_velocity_form(cls, q0: ArrayLike, a: ArrayLike, b: ArrayLike, period: ArrayLike, joint_names: Sequence[str] = ()) -> Fourier:
        """From coefficients that are velocity amplitudes [rad/s]: ``q = q0 + Σ_h a_h/(hω) sin(hωt) − b_h/(hω) cos(hωt)``.

        The form of Swevers, Ganseman, Tükel, De Schutter and Van Brussel (IEEE T-RA 13(5), 1997), after Atkeson.
        """
        mean = vector(q0, "q0 of a Fourier trajectory")
        sine, cosine = (np.atleast_2d(finite(x, f"{what} of a Fourier trajectory")) for x, what in ((a, "a"), (b, "b")))
        each = vector(period, "period of a Fourier trajectory", len(mean))
        w = 2 * np.pi / each[:, None] * np.arange(1, sine.shape[1] + 1)
        if sine.shape != w.shape or cosine.shape != w.shape:
            raise ShapeError(sentence("a and b of a Fourier trajectory", f"shapes {sine.shape} and {cosine.shape}", f"({len(mean)}, H) both"))
        return cls(mean, sine / w, -cosine / w, period, tuple(joint_names))  # type: ignore[arg-type]

    @classmethod
    def fit(cls, t: ArrayLike, q: ArrayLike, harmonics: int, period: float, joint_names: Sequence[str] = ()) -> Fourier:
        """Least-squares fit to positions q (N, n) at the times t (N,), which need not be equally spaced.

        Raises
        ------
        RankError
            When the times cannot tell the 2H+1 coefficients apart (too few, or too coarse for the highest harmonic).
        """
        stamps = times(t)
        data = finite(q, "q to fit")
        data = data[:, None] if data.ndim == 1 else data
        if data.ndim != 2 or len(data) != len(stamps):
            raise ShapeError(sentence("q to fit", f"shape {data.shape}", f"({len(stamps)}, n), samples by joints"))
        basis = fourier_basis(stamps, harmonics, period)[0]
        C, _, rank, _ = np.linalg.lstsq(basis, data, rcond=1e-10)
        if rank < basis.shape[1]:
            raise RankError(
                sentence(
                    f"fit of {harmonics} harmonics", f"rank {rank} from {len(stamps)} times", f"rank {basis.shape[1]}", "Use more times or fewer harmonics."
                )
            )
        return cls.from_coefficients(C.T, harmonics, period, joint_names)

    @staticmethod
    def rest_constraints(harmonics: int, period: float) -> Array:
        """Rows R (2, 2H+1) such that ``R @ c = 0`` means velocity and acceleration zero at t = 0, hence at every whole period."""
        _, B1, B2, _ = fourier_basis(0.0, harmonics, period)
        return np.vstack([B1, B2])

    # -- what it is ---------------------------------------------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of joints."""
        return len(self.q0)

    @property
    def harmonics(self) -> int:
        """Number of harmonics H."""
        return int(self.a.shape[1])

    @property
    def periods(self) -> Array:
        """Period of every joint (n,) [s]."""
        return np.broadcast_to(np.asarray(self.period, dtype=float), (self.n,))

    @property
    def duration(self) -> float:
        """``cycles`` times the longest period [s]."""
        return float(self.cycles * self.periods.max())

    @property
    def periodic(self) -> bool:
        """True when the longest period holds every joint's period a whole number of times."""
        ratio = self.periods.max() / self.periods
        return bool(np.all(np.abs(ratio - np.round(ratio)) <= 1e-12 * ratio))

    @property
    def matrix(self) -> Array:
        """Coefficients (n, 2H+1): per joint ``q0, a_1 ... a_H, b_1 ... b_H``, the columns of :func:`fourier_basis`."""
        return np.hstack([self.q0[:, None], self.a, self.b])

    @property
    def coefficients(self) -> Array:
        """:attr:`matrix` as one vector (n·(2H+1),), joint after joint."""
        return self.matrix.ravel()

    # -- motion -------------------------------------------------------------------------------------------------------------------------------------

    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Derivative of any order (N, n); the motion is periodic, so t may lie outside the duration."""
        return self._derivatives(times(t), (whole(order, "order of a derivative"),))[0]

    def evaluate(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Position, velocity, acceleration (N, n); the motion is periodic, so t may lie outside the duration."""
        q, dq, ddq = self._derivatives(times(t), (0, 1, 2))
        return q, dq, ddq

    def _derivatives(self, t: Array, orders: tuple[int, ...]) -> list[Array]:
        result = [np.empty((len(t), self.n)) for _ in orders]
        h = np.arange(1, self.harmonics + 1)
        for joints, period in self._groups():
            w = 2 * np.pi / period * h
            for start in range(0, len(t), BLOCK):
                block = slice(start, start + BLOCK)
                phase = np.mod(t[block], period)[:, None] * w
                s, c = np.sin(phase), np.cos(phase)
                for out, order in zip(result, orders, strict=True):
                    a, b = rotated(self.a[joints] * w**order, self.b[joints] * w**order, order)
                    out[block, joints] = s @ a.T + c @ b.T + (self.q0[joints] if order == 0 else 0.0)
        return result

    def _groups(self) -> list[tuple[list[int], float]]:
        """Joints that share a period."""
        return [([j for j in range(self.n) if self.periods[j] == period], float(period)) for period in np.unique(self.periods)]

    def extremes(self, order: int = 0, start: float = 0.0, stop: float | None = None) -> Extremes:
        """Exact extremes, by the roots of the derivative, with bounds that hold at every instant; see :meth:`Trajectory.extremes`."""
        start, stop = self.interval(start, stop)
        order = whole(order, "order of a derivative")
        w = 2 * np.pi / self.periods
        hw = w[:, None] * np.arange(1, self.harmonics + 1)
        a, b = rotated(self.a * hw**order, self.b * hw**order, order)
        constant = self.q0 if order == 0 else np.zeros(self.n)
        first = w * np.mod(start, self.periods)
        last = first + w * (stop - start)
        value, phase, bound = maximise(np.concatenate([constant, -constant]), np.vstack([a, -a]), np.vstack([b, -b]), np.tile(first, 2), np.tile(last, 2))
        at = start + (phase - np.tile(first, 2)) / np.tile(w, 2)
        n = self.n
        return Extremes(-value[n:], value[:n], at[n:], at[:n], -bound[n:], bound[:n])

    # -- changed copies -----------------------------------------------------------------------------------------------------------------------------

    def shifted(self, start: float) -> Fourier:
        """The same motion with its clock set so that it begins where this one is at ``start`` [s]."""
        phase = 2 * np.pi * np.mod(start, self.periods)[:, None] / self.periods[:, None] * np.arange(1, self.harmonics + 1)
        s, c = np.sin(phase), np.cos(phase)
        return replace(self, a=self.a * c - self.b * s, b=self.a * s + self.b * c)

    def at_rest(self) -> Fourier:
        """The nearest coefficients (least change of ``a`` and ``b``) with zero velocity and acceleration at t = 0 and at every whole period.

        Needs two harmonics at least, otherwise the joint stands still.
        """
        h = np.arange(1, self.harmonics + 1, dtype=float)
        a = self.a - np.outer(self.a @ h, h) / max(1.0, float(h @ h))
        b = self.b - np.outer(self.b @ h**2, h**2) / max(1.0, float(h**2 @ h**2))
        return replace(self, a=a, b=b)


def rotated(a: Array, b: Array, order: int) -> tuple[Array, Array]:
    """Sine and cosine coefficients of the ``order``-th derivative with respect to the phase (the factors (hω)^order left out)."""
    turn = order % 4
    if turn == 0:
        return a, b
    if turn == 1:
        return -b, a
    return (-a, -b) if turn == 2 else (b, -a)
