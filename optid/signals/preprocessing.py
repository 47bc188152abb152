"""From a recorded trial to samples for identification, in one documented pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, sentence
from optid.experiment.trial import Trial

from .bandwidth import default_cutoff
from .cleaning import Piece, clean, pieces
from .derivatives import central, savgol
from .filters import Cutoff, cutoff_hz, lowpass, minimum_length, settling_samples
from .samples import Samples
from .selection import default_min_speed, moving, per_joint

Array = NDArray[np.float64]
Auto = Cutoff | str | None


@dataclass(frozen=True)
class Preprocessing:
    """Options of the pipeline; ``apply(trial)`` runs it.

    Steps, in this order: samples that are not finite, not valid or doubly stamped are dropped; gaps split the record into segments; each segment goes onto a
    uniform grid; filters; derivatives; trim; time window; every k-th sample; selection by speed. Whatever is dropped is counted in ``Samples.counts`` and
    told in ``Samples.notes``.

    Attributes
    ----------
    rate : None, float [Hz], "nominal" or "recorded"
        None: samples whose steps spread by at most 1 % stay as they are, others are resampled **from their stamps** at the rate of the median step (with a
        warning). A number: resampled from the stamps to that rate. "nominal": the stamps are taken as late readings of an exact clock and replaced by uniform
        ones. "recorded": nothing is resampled; filters count samples and derivatives use the stamps as they are.
    interpolation : "cubic", "pchip" or "linear"
    max_gap : float [s] or None
        Longest step that is bridged by interpolation; longer ones split the record. None: ten median steps.
    on_bad : "drop" or "raise"
        What to do with samples that are NaN or infinite.
    cutoff : float [Hz], Nyquist, None or "auto"
        Low-pass of the position. "auto": five times the frequency below which 99 % of the velocity's energy lies, at most rate / 5. None: no filter.
    velocity_cutoff, acceleration_cutoff : the same
        Further low-passes of velocity and acceleration; "auto" filters a *measured* velocity or acceleration like the position and a derived one not again.
    torque_cutoff : the same
        "auto": as the position.
    order : int
        Design order of all filters (before forward-backward).
    derivative : "central" or "savgol"
    savgol_window : float [s] or None
        Length of the Savitzky–Golay window; None: one period of the position cut-off.
    use_measured_velocity, use_measured_acceleration : bool
        Take ``dq``, ``ddq`` of the trial instead of deriving them.
    trim : int or None
        Samples cut at both ends of every segment (of the uniform grid); None: as many as the filters' end transients reach.
    start, stop : float [s] or None
        Time window after the first stamp, applied **after** filtering; use ``trial.window`` to cut before.
    min_speed : None, float or n floats [rad/s; m/s]
        A joint's sample is used only where it moves faster. None: 1 % of the joint's largest speed; 0: all samples.
    every : int
        Keep every k-th sample, without a filter of its own.
    decimate : int
        Factor for ``Samples.decimation``: torque and regressor are decimated alike, later.
    periodic : PeriodicOptions or None
        Average over cycles instead (``periodic.py``).
    """

    rate: float | str | None = None
    interpolation: str = "cubic"
    max_gap: float | None = None
    on_bad: str = "drop"
    cutoff: Auto = "auto"
    velocity_cutoff: Auto = "auto"
    acceleration_cutoff: Auto = "auto"
    torque_cutoff: Auto = "auto"
    order: int = 4
    derivative: str = "central"
    savgol_window: float | None = None
    use_measured_velocity: bool = False
    use_measured_acceleration: bool = False
    trim: int | None = None
    start: float | None = None
    stop: float | None = None
    min_speed: float | tuple[float, ...] | None = None
    every: int = 1
    decimate: int = 1
    periodic: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.rate, str) and self.rate not in ("nominal", "recorded"):
            raise DataError(sentence("rate of the preprocessing", repr(self.rate), "None, a number in Hz, 'nominal' or 'recorded'"))
        for what, value, known in (("on_bad", self.on_bad, ("drop", "raise")), ("derivative", self.derivative, ("central", "savgol"))):
            if value not in known:
                raise DataError(sentence(f"{what} of the preprocessing", repr(value), " or ".join(map(repr, known))))
        for what in ("cutoff", "velocity_cutoff", "acceleration_cutoff", "torque_cutoff"):
            if isinstance(getattr(self, what), str) and getattr(self, what) != "auto":
                raise DataError(sentence(f"{what} of the preprocessing", repr(getattr(self, what)), "Hz, a Nyquist fraction, None or 'auto'"))
        for what in ("every", "decimate"):
            if getattr(self, what) < 1 or int(getattr(self, what)) != getattr(self, what):
                raise DataError(sentence(f"{what} of the preprocessing", getattr(self, what), "a whole number, 1 or more"))
        if self.min_speed is not None and np.ndim(self.min_speed):
            object.__setattr__(self, "min_speed", tuple(float(x) for x in np.asarray(self.min_speed)))

    def apply(self, trial: Trial) -> Samples:
        """Prepare one trial.

        Raises
        ------
        DataError
            When the trial has no torque, too few samples, backward stamps, or nothing is left.
        """
        if self.periodic is not None:
            average = self.periodic.average(trial, self)
            return average.samples()
        counts: dict[str, int] = {"recorded": trial.n_samples}
        notes: list[str] = []
        record = clean(trial, self, counts, notes)
        parts = pieces(record, self, counts, notes)
        filters = self._resolve(parts, notes)
        longest = max(len(p.time) for p in parts)
        kept = [p for p in parts if len(p.time) >= filters.shortest]
        if not kept:
            raise DataError(
                sentence(f"trial {trial.name!r}", f"{longest} samples in its longest uninterrupted piece", f"at least {filters.shortest}, for the filters")
            )
        dropped = sum(len(p.time) for p in parts) - sum(len(p.time) for p in kept)
        if dropped:
            counts["in short pieces"] = dropped
            notes.append(f"{dropped} samples lie in pieces shorter than the {filters.shortest} samples that the filters need and were dropped.")
        return _assemble(trial, [filters.run(p) for p in kept], filters, self, counts, notes)

    def _resolve(self, parts: list[Piece], notes: list[str]) -> _Filters:
        longest = max(parts, key=lambda p: len(p.time))
        rate = longest.rate
        automatic = "auto" in (self.cutoff, self.torque_cutoff) or (self.cutoff is None and "auto" in (self.velocity_cutoff, self.acceleration_cutoff))
        found = None
        if automatic and len(longest.time) >= minimum_length(self.order):
            found = default_cutoff(longest.q, rate)
        position = self._hz(self.cutoff, found, rate)
        velocity = self._hz(self.velocity_cutoff, position if self.use_measured_velocity else None, rate)
        acceleration = self._hz(self.acceleration_cutoff, position if self.use_measured_acceleration else None, rate)
        torque = self._hz(self.torque_cutoff, position if position is not None else found, rate)
        shown = {"position": position, "velocity": velocity, "acceleration": acceleration, "torque": torque}
        applied = ", ".join(f"{what} {value:.4g} Hz" for what, value in shown.items() if value is not None)
        notes.append(f"Zero-phase low-pass of order {self.order}: {applied}." if applied else "Nothing was filtered.")
        active = [x for x in shown.values() if x is not None]
        trim = self.trim if self.trim is not None else max((settling_samples(x, rate, self.order) for x in active), default=0)
        shortest = max(minimum_length(self.order) if active or automatic else 3, 2 * trim + 3)
        return _Filters(self, position, velocity, acceleration, torque, trim, shortest)

    @staticmethod
    def _hz(option: Auto, automatic: float | None, rate: float) -> float | None:
        if option is None:
            return None
        if isinstance(option, str):
            return automatic
        return cutoff_hz(option, rate)


@dataclass(frozen=True)
class _Filters:
    """The filters and derivatives of one run, cut-offs resolved to Hz."""

    options: Preprocessing
    position: float | None
    velocity: float | None
    acceleration: float | None
    torque: float | None
    trim: int
    shortest: int

    def run(self, piece: Piece) -> Piece:
        """The piece with filtered position and torque, its derivatives, and its ends cut."""
        options, order, rate = self.options, self.options.order, piece.rate
        stamps = piece.time if options.rate == "recorded" else None

        def smooth(x: Array, cutoff: float | None) -> Array:
            return x if cutoff is None else lowpass(x, cutoff, rate, order)

        def slope(x: Array) -> Array:
            if options.derivative == "savgol":
                window = options.savgol_window or 1 / (self.position or rate / 10)
                return savgol(x, rate, window)
            return central(x, rate) if stamps is None else central(x, time=stamps)

        q = smooth(piece.q, self.position)
        dq = smooth(piece.dq if options.use_measured_velocity and piece.dq is not None else slope(q), self.velocity)
        ddq = smooth(piece.ddq if options.use_measured_acceleration and piece.ddq is not None else slope(dq), self.acceleration)
        tau = smooth(piece.tau, self.torque)
        inside = slice(self.trim, len(q) - self.trim)
        return replace(
            piece,
            time=piece.time[inside],
            q=q[inside],
            dq=dq[inside],
            ddq=ddq[inside],
            tau=tau[inside],
            tau_raw=piece.tau[inside],
            filled=piece.filled[inside],
        )


def _assemble(trial: Trial, parts: list[Piece], filters: _Filters, options: Preprocessing, counts: dict[str, int], notes: list[str]) -> Samples:
    if filters.trim:
        counts["trimmed"] = 2 * filters.trim * len(parts)
        notes.append(f"{filters.trim} samples were trimmed at each end of {len(parts)} piece(s), where the filters have not settled.")
    reference = trial.time[0]
    chosen = []
    for part in parts:
        inside = np.ones(len(part.time), dtype=bool)
        if options.start is not None:
            inside &= part.time - reference >= options.start
        if options.stop is not None:
            inside &= part.time - reference <= options.stop
        chosen.append(np.flatnonzero(inside)[:: options.every])
        counts["outside the window"] = counts.get("outside the window", 0) + int((~inside).sum())
        counts["thinned out"] = counts.get("thinned out", 0) + int(inside.sum()) - len(chosen[-1])
    counts = {key: value for key, value in counts.items() if value}

    def joined(what: str) -> Any:
        return np.concatenate([getattr(part, what)[index] for part, index in zip(parts, chosen, strict=True)])

    time, dq, filled = joined("time"), joined("dq"), joined("filled")
    if not len(time):
        raise DataError(sentence(f"trial {trial.name!r}", "no sample left after trimming and the time window", "some", "Widen start/stop or lower trim."))
    limit: ArrayLike = default_min_speed(dq) if options.min_speed is None else options.min_speed
    threshold = per_joint(limit, trial.n, "min_speed")
    moves = moving(dq, threshold)
    slow = (~moves).sum(axis=0)
    if slow.any():
        counts["slow"] = int(slow.sum())
        notes.append(
            f"Left out for moving no faster than {', '.join(f'{x:.3g}' for x in threshold)} (joint by joint): "
            f"{', '.join(map(str, slow))} of {len(time)} samples."
        )
    counts["kept"] = len(time)
    numbers = np.concatenate([np.full(len(index), k, dtype=np.int64) for k, index in enumerate(chosen)])
    return Samples(
        time=time,
        q=joined("q"),
        dq=dq,
        ddq=joined("ddq"),
        tau=joined("tau"),
        tau_raw=joined("tau_raw"),
        use=moves & ~filled[:, None],
        rate=parts[0].rate / options.every,
        joint_names=trial.joint_names,
        segment=numbers,
        decimation=options.decimate,
        counts=counts,
        notes=tuple(notes),
        name=trial.name,
        role=trial.role,
    )
