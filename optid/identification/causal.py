"""Filters that look back only, for identification while the robot moves."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence

Array = NDArray[np.float64]

ELASTIC = 5.0
"""Default cut-off over the lowest elastic frequency (G21)."""


ROUNDING = 1e-13
"""Derivatives below this part of ω (or ω²) times the value are rounding: a signal that stands has none."""


class Filtered(NamedTuple):
    """A signal after the filter, with its exact first and second derivatives: arrays shaped as the input."""

    value: Array
    rate: Array
    acceleration: Array


class CausalFilter:
    """State-variable filter: an analog Butterworth low-pass whose states are the filtered signal and its derivatives.

    The chain of integrators gives velocity and acceleration of the filtered signal without differencing it. It is stepped exactly for an input that runs
    straight between samples. What is slow against the cut-off comes out unchanged and **late** by :attr:`delay`; signals that went through equal filters
    stay in step with each other, so that torque and regressor agree and an estimate is simply that much old.

    Parameters
    ----------
    n : int
        Signals filtered side by side.
    rate : float [Hz]
        Of the samples, which must come regularly.
    cutoff : float [Hz]
        See :meth:`of` for the default from the elastic frequency.
    order : int
        At least 3, so that the acceleration does not see single samples unfiltered.
    """

    def __init__(self, n: int, rate: float, cutoff: float, order: int = 4) -> None:
        from scipy.linalg import expm

        if not (rate > 0 and 0 < cutoff < rate / 2):
            raise DataError(sentence("cut-off of a causal filter", f"{cutoff:g} Hz at {rate:g} Hz", "between 0 and half the sampling rate"))
        if not 3 <= order <= 10 or int(order) != order:
            raise DataError(sentence("order of a causal filter", order, "a whole number from 3 to 10"))
        self.n, self.rate, self.cutoff, self.order = n, float(rate), float(cutoff), int(order)
        # poles on the left half of the unit circle: the characteristic polynomial, highest power first, of s/ω
        poles = np.exp(1j * np.pi * (2 * np.arange(order) + order + 1) / (2 * order))
        self._polynomial = np.real(np.poly(poles))
        step = 2 * np.pi * cutoff / rate  # one sample in units of 1/ω
        A = np.zeros((order + 2, order + 2))
        A[: order - 1, 1:order] = np.eye(order - 1)
        A[order - 1, :order] = -self._polynomial[:0:-1]
        A[order - 1, order] = self._polynomial[-1]
        A[order, order + 1] = 1.0 / step  # the input's slope per sample
        transition = expm(A * step)
        self._advance = transition[:order, :order]
        held, ramp = transition[:order, order], transition[:order, order + 1]
        self._before, self._now = held - ramp, ramp
        self._scale = (2 * np.pi * cutoff) ** np.arange(3)
        self._state: Array | None = None
        self._last = np.zeros(n)

    @classmethod
    def of(cls, n: int, rate: float, elastic_frequency: float, order: int = 4) -> CausalFilter:
        """With a cut-off five times the lowest elastic frequency [Hz] of the arm (G21), or 40 % of the rate where that is less."""
        if not elastic_frequency > 0:
            raise DataError(sentence("elastic frequency", elastic_frequency, "a positive number of Hz"))
        return cls(n, rate, min(ELASTIC * elastic_frequency, 0.4 * rate), order)

    @property
    def delay(self) -> float:
        """[s] by which slow signals come out late: the coefficient of s in the normalised polynomial over 2π·cut-off (2.613/ω for order 4)."""
        return float(self._polynomial[-2] / self._polynomial[-1] / (2 * np.pi * self.cutoff))

    @property
    def settling(self) -> int:
        """Samples until the start is forgotten to one part in a thousand: by the slowest pole, at ω sin(π / 2m) from the imaginary axis."""
        return int(np.ceil(np.log(1e3) / (2 * np.pi * self.cutoff * np.sin(np.pi / (2 * self.order))) * self.rate))

    def step(self, x: ArrayLike) -> Filtered:
        """Take in one sample (n,), or several (B, n) in turn; the first ever is taken to have been there for ever, at rest."""
        signal = np.asarray(x, dtype=float)
        single = signal.ndim == 1
        signal = signal[None, :] if single else signal
        if signal.ndim != 2 or signal.shape[1] != self.n:
            raise ShapeError(sentence("samples of a causal filter", f"shape {np.shape(x)}", f"({self.n},) or (B, {self.n})"))
        if not np.isfinite(signal).all():
            raise DataError(sentence("samples of a causal filter", "NaN or infinite samples", "finite numbers", "Hold the last good sample instead."))
        found = np.zeros((len(signal), 3, self.n))
        for k, now in enumerate(signal):
            if self._state is None:
                self._state = np.zeros((self.order, self.n))
                self._state[0] = now
            else:
                self._state = self._advance @ self._state + np.outer(self._before, self._last) + np.outer(self._now, now)
            self._last = now
            found[k] = self._state[:3] * self._scale[:, None]
        found[:, 1:][np.abs(found[:, 1:]) < ROUNDING * self._scale[1:, None] * np.abs(found[:, :1])] = 0.0
        parts = [found[:, i] for i in range(3)]
        return Filtered(*(p[0] if single else p for p in parts))
