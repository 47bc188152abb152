"""Input shapers: the classical other way to end a move without vibration, at the price of a delay.

The reference is replaced by a sum of copies of itself, weighted and delayed so that the vibrations of the copies cancel (Singer & Seering 1990). The controller
then needs no model beyond a frequency and a damping, and the move takes half a period (ZV) or a whole one (ZVD) longer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite
from optid.brief import brief
from optid.errors import DataError, sentence, unknown_name
from optid.model.arguments import instance, positive, real

from .feedforward import Motion, checked

if TYPE_CHECKING:
    from .loop import FlexibleLoop

Array = NDArray[np.float64]

KINDS = ("ZV", "ZVD")


@dataclass(frozen=True, eq=False)
class Shaper:
    """Impulses.

    Attributes
    ----------
    times : (k,) [s]
        The first is 0.
    amplitudes : (k,)
        Their sum is 1.

    Examples
    --------
    >>> from optid.flexibility import Shaper
    >>> Shaper.of(5.0, 0.0, "ZV").amplitudes.round(6).tolist(), Shaper.of(5.0, 0.0, "ZV").times.round(6).tolist()
    ([0.5, 0.5], [0.0, 0.1])
    """

    times: Array
    amplitudes: Array

    __repr__ = brief

    def __post_init__(self) -> None:
        times, amplitudes = (finite(getattr(self, what), (None,), f"{what} of a shaper") for what in ("times", "amplitudes"))
        if len(times) != len(amplitudes) or not len(times) or times[0] != 0 or np.any(np.diff(times) < 0) or abs(amplitudes.sum() - 1) > 1e-9:
            found = f"times {times.tolist()}, amplitudes {amplitudes.tolist()}"
            raise DataError(sentence("impulses of a shaper", found, "as many amplitudes, of sum 1, as times that begin with 0 and increase"))
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "amplitudes", amplitudes)

    @classmethod
    def of(cls, frequency: float, damping: float = 0.0, kind: str = "ZV") -> Shaper:
        """The shaper of one vibration.

        Parameters
        ----------
        frequency : float [Hz]
            Undamped natural frequency.
        damping : float
            Damping ratio, below 1.
        kind : "ZV" or "ZVD"
            Zero vibration; or also zero derivative of it, which forgives errors of the frequency and takes twice as long.
        """
        if not isinstance(kind, str) or kind not in KINDS:
            raise unknown_name("kind of a shaper", kind, KINDS)
        positive(frequency, "frequency of a vibration", "a frequency above 0 [Hz]")
        if not 0 <= real(damping, "damping ratio of a vibration") < 1:
            raise DataError(sentence("vibration of a shaper", f"{frequency} Hz, damping ratio {damping}", "a frequency above 0 and a ratio from 0 to below 1"))
        root = np.sqrt(1 - damping**2)
        period = 1 / (frequency * root)
        k = np.exp(-damping * np.pi / root)
        amplitudes = np.array([1, k]) if kind == "ZV" else np.array([1, 2 * k, k**2])
        return cls(np.arange(len(amplitudes)) * period / 2, amplitudes / amplitudes.sum())

    @classmethod
    def of_loop(cls, loop: FlexibleLoop, posture: ArrayLike, kind: str = "ZV", most_damped: float = 0.6) -> Shaper:
        """The shaper of all vibrations of a closed loop at a posture (n,) [rad], as the model of the plant has them.

        Parameters
        ----------
        most_damped : float
            Damping ratio up to which a mode counts as a vibration.

        Raises
        ------
        DataError
            No vibration there.

        Examples
        --------
        >>> from optid.flexibility import FlexibleLoop, Shaper, set_a
        >>> loop = FlexibleLoop(set_a(), backend="interpreter")
        >>> Shaper.of_loop(loop, [0.0, 0.0]).amplitudes.size  # two vibrations, two impulses each
        4
        """
        from .linear import linearise
        from .loop import FlexibleLoop

        instance(loop, FlexibleLoop, "loop of a shaper")
        positive(most_damped, "damping ratio of a vibration", "a number above 0")
        poles = linearise(loop.plant, posture).with_feedback(loop.gains).poles()
        modes = [(abs(p) / (2 * np.pi), -p.real / abs(p)) for p in poles if p.imag > 1 and 0 <= -p.real < most_damped * abs(p)]
        if not modes:
            raise DataError(sentence("vibrations of the closed loop", "none", f"one at least with a damping ratio below {most_damped:g}"))
        first, *others = (cls.of(float(frequency), float(damping), kind) for frequency, damping in sorted(modes))
        for other in others:
            first = first.then(other)
        return first

    def then(self, other: Shaper) -> Shaper:
        """Both one after the other, for two vibrations."""
        instance(other, Shaper, "shaper to follow another")
        times = np.add.outer(self.times, other.times).ravel()
        return Shaper(np.sort(times), np.multiply.outer(self.amplitudes, other.amplitudes).ravel()[np.argsort(times, kind="stable")])

    @property
    def delay(self) -> float:
        """By how much a move becomes longer [s]."""
        return float(self.times[-1])

    def vibration(self, frequency: float, damping: float = 0.0) -> float:
        """Vibration of this frequency [Hz] that is left, as a part of that without shaper."""
        if not 0 <= real(damping, "damping ratio of a vibration") < 1:
            raise DataError(sentence("damping ratio of a vibration", damping, "a number from 0 to below 1"))
        omega = 2 * np.pi * positive(frequency, "frequency of a vibration", "a frequency above 0 [Hz]")
        pole = omega * (damping + 1j * np.sqrt(1 - damping**2))
        return float(np.abs(np.sum(self.amplitudes * np.exp(pole * (self.times - self.times[-1])))))


@dataclass(frozen=True, eq=False)
class ShapedMotion:
    """A motion passed through a shaper.

    Attributes
    ----------
    motion : Motion
    shaper : Shaper

    Examples
    --------
    >>> from optid.flexibility import ShapedMotion, Shaper
    >>> from optid.trajectory import PointToPoint
    >>> shaped = ShapedMotion(PointToPoint([0.0], [1.0], 1.0), Shaper.of(5.0, 0.0, "ZV"))
    >>> round(shaped.duration, 6)  # longer by half a period
    1.1
    """

    motion: Any
    shaper: Shaper

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.shaper, Shaper, "shaper of a motion")
        checked(self.motion)

    @property
    def duration(self) -> float:
        """Length [s]."""
        return float(self.motion.duration + self.shaper.delay)

    def derivative(self, t: ArrayLike, order: int = 0) -> Array:
        """Position or a derivative (N, n) at the times t (N,); the motion stands before its start and after its end."""
        stamps = np.asarray(t, dtype=float)
        inner: Motion = self.motion
        copies = []
        for delay, weight in zip(self.shaper.times, self.shaper.amplitudes, strict=True):
            inside = np.clip(stamps - delay, 0.0, inner.duration)
            values = weight * inner.derivative(inside, order)
            if order > 0:
                values[inside != stamps - delay] = 0.0
            copies.append(values)
        return np.asarray(np.sum(copies, axis=0))
