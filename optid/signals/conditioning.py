"""Filters and derivatives of one uninterrupted piece, with the options' cut-offs turned into numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

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

    def select(self, index: slice) -> Motion:
        """The samples of a slice."""
        what = ("time", "filled", "q", "dq", "ddq", "tau", "tau_raw")
        return replace(self, **{name: getattr(self, name)[index] for name in what})


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

    def admitted(self, lengths: Sequence[int], name: str, counts: dict[str, int], notes: list[str]) -> list[int]:
        """Which pieces of these lengths are long enough; what is dropped and trimmed goes into ``counts`` and ``notes``.

        Raises
        ------
        DataError
            When none is.
        """
        found = [k for k, length in enumerate(lengths) if length >= self.shortest]
        if not found:
            raise DataError(
                sentence(
                    f"trial {name!r}",
                    f"{max(lengths)} samples in its longest uninterrupted piece",
                    f"at least {self.shortest} for these filters and trimmed ends",
                    "Record longer, or change cutoff, order, trim or max_gap.",
                )
            )
        short = sum(lengths) - sum(lengths[k] for k in found)
        if short:
            counts["in short pieces"] = short
            notes.append(f"{short} samples were dropped in pieces shorter than the {self.shortest} samples that filters and trimmed ends take.")
        notes.append(str(self))
        if self.trim:
            counts["trimmed"] = 2 * self.trim * len(found)
            notes.append(f"{self.trim} samples were trimmed at each end of {len(found)} piece(s), where the filters have not settled.")
        return found

    @property
    def cutoffs(self) -> dict[str, float]:
        """Cut-offs of what is filtered [Hz]."""
        named = {"position": self.position, "velocity": self.velocity, "acceleration": self.acceleration, "torque": self.torque}
        return {what: value for what, value in named.items() if value is not None}

    def __str__(self) -> str:
        applied = ", ".join(f"{what} {value:.4g} Hz" for what, value in self.cutoffs.items())
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
        noise = self.speed_noise((signals["q"] - q)[inside].std(axis=0), (velocity - dq)[inside].std(axis=0), piece.rate)
        return Motion(piece.time[inside], piece.filled[inside], q[inside], dq[inside], ddq[inside], tau[inside], signals["tau"][inside], noise)

    def speed_noise(self, removed_q: Array, removed_dq: Array, rate: float) -> Array:
        """Noise inside the band, from the standard deviation (n,) of what the filter took out above it, noise being white: in the position, times ω² in power,
        or in a measured velocity."""
        if self.options.use_measured_velocity and self.velocity is not None:
            return np.asarray(removed_dq * np.sqrt(self.velocity / (rate / 2 - self.velocity)))
        if not self.options.use_measured_velocity and self.position is not None:
            return np.asarray(removed_q * np.sqrt((2 * np.pi) ** 2 * self.position**3 / (3 * (rate / 2 - self.position))))
        return np.zeros(len(removed_q))

    def _smooth(self, x: Array, cutoff: float | None, piece: Piece) -> Array:
        return x if cutoff is None else lowpass(x, cutoff, piece.rate, self.options.order)

    def _slope(self, x: Array, piece: Piece) -> Array:
        if self.options.derivative == "savgol":
            return savgol(x, piece.rate, self.options.savgol_window or 10 / piece.rate)
        return central(x, time=piece.time) if self.options.clock == "recorded" else central(x, piece.rate)
