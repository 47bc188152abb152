"""Filters and derivatives of one uninterrupted piece, with the options' cut-offs turned into numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .bandwidth import default_cutoff
from .cleaning import Piece
from .derivatives import central, savgol
from .filters import Cutoff, cutoff_hz, lowpass, minimum_length, settling_samples

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Motion:
    """What a piece becomes: position, derivatives, filtered and raw torque at the same instants, ends cut.

    ``speed_noise`` (n,) is the standard deviation of the noise left in ``dq``, as far as the filters tell (0 where they do not).
    """

    time: Array
    filled: NDArray[np.bool_]
    q: Array
    dq: Array
    ddq: Array
    tau: Array
    tau_raw: Array
    speed_noise: Array


@dataclass(frozen=True)
class Conditioning:
    """Cut-offs in Hz (None: no filter), samples cut at each end, and the fewest samples that a piece needs."""

    options: Preprocessing
    position: float | None
    velocity: float | None
    acceleration: float | None
    torque: float | None
    trim: int
    shortest: int

    @classmethod
    def of(cls, options: Preprocessing, piece: Piece) -> Conditioning:
        """Resolve "auto" and Nyquist fractions on a piece (the longest one: all pieces are filtered alike)."""
        rate, automatic = piece.rate, None
        asked = (options.cutoff, options.velocity_cutoff, options.acceleration_cutoff, options.torque_cutoff)
        needs_automatic = options.cutoff == "auto" or (options.cutoff is None and options.torque_cutoff == "auto")
        long_enough = len(piece.time) >= minimum_length(options.order)
        if needs_automatic and long_enough:
            automatic = default_cutoff(piece.signals["q"], rate, piece.measured_rate)

        def hz(option: Cutoff | str | None, default: float | None) -> float | None:
            if option is None:
                return None
            return default if isinstance(option, str) else cutoff_hz(option, rate)

        position = hz(options.cutoff, automatic)
        velocity = hz(options.velocity_cutoff, position if options.use_measured_velocity else None)
        acceleration = hz(options.acceleration_cutoff, position if options.use_measured_acceleration else None)
        torque = hz(options.torque_cutoff, automatic if position is None else position)
        active = [x for x in (position, velocity, acceleration, torque) if x is not None]
        trim = max((settling_samples(x, rate, options.order) for x in active), default=0) if options.trim is None else options.trim
        filters = needs_automatic or any(x is not None and x != "auto" for x in asked)
        differentiates = not (options.use_measured_velocity and options.use_measured_acceleration)
        shortest = minimum_length(options.order) if filters else 3 if differentiates else 1
        return cls(options, position, velocity, acceleration, torque, trim, max(shortest, 2 * trim + 1))

    def __str__(self) -> str:
        named = {"position": self.position, "velocity": self.velocity, "acceleration": self.acceleration, "torque": self.torque}
        applied = ", ".join(f"{what} {value:.4g} Hz" for what, value in named.items() if value is not None)
        return f"Zero-phase low-pass of order {self.options.order}: {applied}." if applied else "Nothing was filtered."

    def run(self, piece: Piece) -> Motion:
        """Filter, differentiate, cut the ends."""
        options, signals = self.options, piece.signals
        q = self._smooth(signals["q"], self.position, piece)
        velocity = signals["dq"] if options.use_measured_velocity else self._slope(q, piece)
        dq = self._smooth(velocity, self.velocity, piece)
        ddq = self._smooth(signals["ddq"] if options.use_measured_acceleration else self._slope(dq, piece), self.acceleration, piece)
        tau = self._smooth(signals["tau"], self.torque, piece)
        inside = slice(self.trim, len(q) - self.trim)
        noise = self._speed_noise((signals["q"] - q)[inside], (velocity - dq)[inside], piece.rate)
        return Motion(piece.time[inside], piece.filled[inside], q[inside], dq[inside], ddq[inside], tau[inside], signals["tau"][inside], noise)

    def _speed_noise(self, removed_q: Array, removed_dq: Array, rate: float) -> Array:
        """Noise inside the band, from what the filter took out above it, noise being white: in the position, times ω² in power, or in a measured velocity."""
        if self.options.use_measured_velocity and self.velocity is not None:
            return removed_dq.std(axis=0) * np.sqrt(self.velocity / (rate / 2 - self.velocity))
        if not self.options.use_measured_velocity and self.position is not None:
            return removed_q.std(axis=0) * np.sqrt((2 * np.pi) ** 2 * self.position**3 / (3 * (rate / 2 - self.position)))
        return np.zeros(removed_q.shape[1])

    def _smooth(self, x: Array, cutoff: float | None, piece: Piece) -> Array:
        return x if cutoff is None else lowpass(x, cutoff, piece.rate, self.options.order)

    def _slope(self, x: Array, piece: Piece) -> Array:
        if self.options.derivative == "savgol":
            return savgol(x, piece.rate, self.options.savgol_window or 10 / piece.rate)
        return central(x, time=piece.time) if self.options.clock == "recorded" else central(x, piece.rate)
