"""Families of motions that are linear in their coefficients, in unit time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence
from optid.trajectory import Fourier, Trajectory, fourier_basis

Array = NDArray[np.float64]


class Family(ABC):
    """``q_j(t) = φ_j(t / duration) · C_j`` for the coefficients C (n, m): position, velocity, acceleration and jerk are linear in C.

    Attributes
    ----------
    n : int
        Number of joints.
    m : int
        Coefficients a joint.
    density : int
        Instants per duration that resolve the fastest component with about eight a cycle.
    periodic : bool
        Whether the end of the motion is its start.
    joint_names : tuple of str

    Examples
    --------
    >>> from optid.excitation import Family, FourierFamily
    >>> isinstance(FourierFamily(1, harmonics=2), Family)
    True
    """

    n: int
    joint_names: tuple[str, ...]

    @property
    @abstractmethod
    def m(self) -> int:
        """Coefficients a joint."""

    @property
    @abstractmethod
    def density(self) -> int:
        """Instants per duration that resolve the fastest component."""

    @property
    @abstractmethod
    def periodic(self) -> bool:
        """Whether the end of the motion is its start."""

    @property
    @abstractmethod
    def coefficient_names(self) -> tuple[str, ...]:
        """Names of the m coefficients of a joint."""

    @property
    @abstractmethod
    def still(self) -> Array:
        """Coefficients (m,) of the motion that stands still at 1."""

    @abstractmethod
    def basis(self, phase: ArrayLike, order: int) -> Array:
        """Derivative ``order`` with respect to the phase, at the phases (N,) in [0, 1], per coefficient: (n, N, m)."""

    @abstractmethod
    def trajectory(self, coefficients: Array, duration: float) -> Trajectory:
        """The trajectory of coefficients (n, m) over a duration [s]."""

    @abstractmethod
    def coefficients_of(self, trajectory: Trajectory) -> Array | None:
        """Coefficients (n, m) of a trajectory of this family, None for any other one."""

    def phases(self, count: int) -> Array:
        """``count`` equally spaced phases; a periodic family leaves out the end, which is its start."""
        return np.arange(count) / count if self.periodic else np.linspace(0.0, 1.0, count)

    def instants(self, order: int) -> Array:
        """Phases at which limits of the derivative of that order are imposed first; ``density`` of them where nothing better is known."""
        return self.phases(self.density)


@dataclass(frozen=True)
class FourierFamily(Family):
    """Fourier trajectories (:class:`optid.trajectory.Fourier`): a constant, H sines, H cosines a joint.

    Parameters
    ----------
    n : int
    harmonics : int
    ratios : (n,) or empty
        Period of each joint as a share of the longest.
    joint_names : n-tuple of str, optional

    Examples
    --------
    >>> from optid.excitation import FourierFamily
    >>> FourierFamily(2, harmonics=3).harmonics
    3
    """

    n: int
    harmonics: int
    ratios: tuple[float, ...] = ()
    joint_names: tuple[str, ...] = field(default=())

    __repr__ = brief

    def __post_init__(self) -> None:
        if isinstance(self.harmonics, bool) or int(self.harmonics) != self.harmonics or self.harmonics < 1:
            raise DataError(sentence("harmonics of an excitation", self.harmonics, "a whole number, one or more"))
        object.__setattr__(self, "ratios", tuple(self.ratios) or (1.0,) * self.n)
        if len(self.ratios) != self.n:
            raise ShapeError(sentence("period of an excitation", f"{len(self.ratios)} periods", f"one, or {self.n}: one per joint"))

    @classmethod
    def of(cls, n: int, harmonics: int, period: ArrayLike, joint_names: Sequence[str] = ()) -> FourierFamily:
        """From one period [s] for all joints, or one a joint."""
        each = np.atleast_1d(np.asarray(period, dtype=float))
        return cls(n, harmonics, tuple(each / each.max()) if each.size > 1 else (), tuple(joint_names))

    @property
    def m(self) -> int:
        return 2 * self.harmonics + 1

    @property
    def density(self) -> int:
        return int(np.ceil(8 * self.harmonics / min(self.ratios)))

    @property
    def periodic(self) -> bool:
        turns = 1.0 / np.array(self.ratios)
        return bool(np.all(np.abs(turns - np.round(turns)) <= 1e-12 * turns))

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        h = range(1, self.harmonics + 1)
        return ("q0", *(f"a{k}" for k in h), *(f"b{k}" for k in h))

    @property
    def still(self) -> Array:
        return np.eye(self.m)[0]

    def basis(self, phase: ArrayLike, order: int) -> Array:
        each = {ratio: fourier_basis(phase, self.harmonics, ratio)[order] for ratio in set(self.ratios)}
        return np.stack([each[ratio] for ratio in self.ratios])

    def trajectory(self, coefficients: Array, duration: float) -> Fourier:
        period = duration * np.array(self.ratios) if set(self.ratios) != {1.0} else duration
        return Fourier.from_coefficients(coefficients, self.harmonics, period, self.joint_names)

    def coefficients_of(self, trajectory: Trajectory) -> Array | None:
        if not isinstance(trajectory, Fourier) or trajectory.n != self.n or trajectory.harmonics > self.harmonics:
            return None
        fill = np.zeros((self.n, self.harmonics - trajectory.harmonics))
        return np.hstack([trajectory.q0[:, None], trajectory.a, fill, trajectory.b, fill])
