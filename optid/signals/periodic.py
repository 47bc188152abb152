"""The periodic route: cycles of one motion as realisations, averaged, band-limited and differentiated in the frequency domain (G21)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, sentence
from optid.experiment.trial import Trial

from .bandwidth import default_cutoff
from .cleaning import Piece, clean, pieces
from .derivatives import fft_derivatives, fft_lowpass
from .filters import is_real
from .period import find_period
from .samples import Samples
from .selection import selected
from .timing import interpolate

if TYPE_CHECKING:
    from .preprocessing import Preprocessing

Array = NDArray[np.float64]


@dataclass(frozen=True)
class PeriodicOptions:
    """How to average over cycles.

    Attributes
    ----------
    period : float [s] or None
        Nominal period; None: that of the trial.
    search : float
        The true period is looked for within this fraction of the nominal one; 0 takes the nominal period as exact.
    drop_first, drop_last : int
        Cycles left out at the start (the robot accelerates from rest) and at the end.
    position_cutoff : float [Hz] or None
        Harmonics of the position up to it are kept. None: the rule of ``bandwidth.py`` on the mean cycle.
    torque_cutoff : float [Hz] or None
        The same for the torque; G21 takes twice the position's. None: no limit, as the mean torque is not differentiated.

    Examples
    --------
    >>> from optid import Preprocessing
    >>> from optid.signals import PeriodicOptions
    >>> Preprocessing(periodic=PeriodicOptions(period=10.0)).periodic.period
    10.0
    """

    period: float | None = None
    search: float = 0.1
    drop_first: int = 1
    drop_last: int = 1
    position_cutoff: float | None = None
    torque_cutoff: float | None = None

    def __post_init__(self) -> None:
        for what in ("drop_first", "drop_last"):
            value = getattr(self, what)
            if not (is_real(value) and 0 <= value < np.inf and int(value) == value):
                raise DataError(sentence(f"{what} of the periodic options", value, "a whole number, 0 or more"))
        for what in ("period", "position_cutoff", "torque_cutoff"):
            value = getattr(self, what)
            if value is not None and not (is_real(value) and 0 < value < np.inf):
                raise DataError(sentence(f"{what} of the periodic options", value, "a positive number, or None"))
        if not (is_real(self.search) and 0 <= self.search < np.inf):
            raise DataError(sentence("search of the periodic options", self.search, "a fraction of the period, 0 or more"))


@dataclass(frozen=True)
class PeriodicAverage:
    """One averaged cycle.

    Attributes
    ----------
    time : (N_s,) [s]
        Instants of the cycle, from 0.
    period : float [s]
        The true period.
    q, dq, ddq : (N_s, n)
        Mean position, band-limited, and its derivatives.
    tau : (N_s, n) [N m]
        Mean torque, band-limited.
    q_cycles, tau_cycles : (N_c, N_s, n)
        The cycles that were averaged, unfiltered.
    position_cutoff, torque_cutoff : float [Hz]
    measured_rate : float [Hz]
        Rate of the measurements behind the samples of the cycle.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Preprocessing, Trial
    >>> from optid.signals import PeriodicOptions, average_cycles
    >>> t = np.arange(0, 10, 0.01)
    >>> trial = Trial(t, np.sin(2 * np.pi * t)[:, None], tau=np.cos(2 * np.pi * t)[:, None])
    >>> cycle = average_cycles(trial, PeriodicOptions(period=1.0), Preprocessing())
    >>> round(cycle.period, 4), bool(abs(cycle.q[:, 0] - np.sin(2 * np.pi * cycle.time)).max() < 1e-3)
    (1.0, True)
    """

    time: Array
    period: float
    q: Array
    dq: Array
    ddq: Array
    tau: Array
    q_cycles: Array
    tau_cycles: Array
    position_cutoff: float
    torque_cutoff: float
    measured_rate: float
    joint_names: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    name: str = "trial"
    role: str = "identification"

    __repr__ = brief

    @property
    def n_cycles(self) -> int:
        """Number of cycles N_c averaged."""
        return int(self.tau_cycles.shape[0])

    @property
    def q_variance(self) -> Array:
        """(n,) variance of one position sample over the cycles, pooled over the N_s instants with divisor N_s (N_c − 1)."""
        return pooled_variance(self.q_cycles)

    @property
    def tau_variance(self) -> Array:
        """(n,) variance of one torque sample over the cycles, pooled over the N_s instants with divisor N_s (N_c − 1)."""
        return pooled_variance(self.tau_cycles)

    @property
    def tau_band(self) -> Array:
        """(N_s, n) half width of the 95 % band about the mean torque in which one further measured sample lies.

        Student's t with N_c − 1 degrees of freedom, times the standard deviation over the cycles at that instant, times sqrt(1 + 1/N_c).
        """
        from scipy.special import stdtrit

        quantile = float(stdtrit(self.n_cycles - 1, 0.975))
        return np.asarray(quantile * np.sqrt(1 + 1 / self.n_cycles) * self.tau_cycles.std(axis=0, ddof=1))

    def samples(self, min_speed: ArrayLike | None = None) -> Samples:
        """The averaged cycle as samples for identification; ``tau_raw`` is the mean torque before its band limit."""
        counts, notes = dict(self.counts), list(self.notes)
        omega = 2 * np.pi / self.period * np.arange(1, int(np.floor(self.position_cutoff * self.period * (1 + 1e-9))) + 1)
        speed_noise = np.sqrt(self.q_variance / self.n_cycles * 2 / len(self.time) * (omega**2).sum())
        use = selected(self.dq, min_speed, speed_noise, counts, notes)
        counts["kept"] = len(self.time)
        harmonics = int(np.floor(self.torque_cutoff * self.period * (1 + 1e-9)))
        return Samples(
            time=self.time,
            q=self.q,
            dq=self.dq,
            ddq=self.ddq,
            tau=self.tau,
            tau_raw=self.tau_cycles.mean(axis=0),
            use=use,
            rate=len(self.time) / self.period,
            joint_names=self.joint_names,
            harmonics=min(harmonics, (min(len(self.time), int(self.period * self.measured_rate)) - 1) // 2),
            independent_share=min(2 * harmonics + 1, self.period * self.measured_rate, len(self.time)) / len(self.time),
            tau_band=self.tau_band,
            noise_floor=np.sqrt(self.tau_variance),
            counts=counts,
            notes=tuple(notes),
            name=self.name,
            role=self.role,
        )


def pooled_variance(cycles: ArrayLike) -> Array:
    """(n,) variance over the cycles (N_c, N_s, n), pooled over instants: the squared deviations from the mean cycle over N_s (N_c − 1).

    Each instant's mean takes one degree of freedom; dividing by N_s N_c − 1 instead, as G21 does, is low by the factor (N_c − 1) / N_c.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import pooled_variance
    >>> cycles = 0.1 * np.random.default_rng(0).standard_normal((20, 500, 1))
    >>> pooled_variance(cycles).round(3)
    array([0.01])
    """
    values = np.asarray(cycles, dtype=float)
    if values.ndim != 3 or len(values) < 2:
        raise DataError(sentence("cycles to take a variance over", f"shape {values.shape}", "(N_c, N_s, n) with two cycles or more"))
    return np.asarray(((values - values.mean(axis=0)) ** 2).sum(axis=(0, 1)) / (values.shape[1] * (len(values) - 1)))


def average_cycles(trial: Trial, options: PeriodicOptions, preprocessing: Preprocessing) -> PeriodicAverage:
    """Find the true period, cut the record into cycles, drop the outer ones, average, band-limit and differentiate.

    Of ``preprocessing`` the treatment of time (``clock``, ``rate``, ``interpolation``, ``max_gap``), of bad samples and the window ``start``, ``stop`` apply;
    its filters and trims do not. The first cycle starts at the window's start. What was interpolated in short holes counts like the rest of its cycle.

    Raises
    ------
    DataError
        When no nominal period is known, none is found, or fewer than two cycles are left.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Preprocessing, Trial
    >>> from optid.signals import PeriodicOptions, average_cycles
    >>> t = np.arange(0, 10, 0.01)
    >>> trial = Trial(t, np.sin(2 * np.pi * t)[:, None], tau=np.cos(2 * np.pi * t)[:, None])
    >>> average_cycles(trial, PeriodicOptions(period=1.0), Preprocessing()).q_cycles.shape[0]  # ten, without the outer two
    8
    """
    nominal = trial.period if options.period is None else options.period
    if nominal is None:
        raise DataError(sentence(f"trial {trial.name!r}", "no nominal period", "one", "Give PeriodicOptions(period=...) in seconds."))
    counts: dict[str, int] = {"recorded": trial.n_samples}
    notes: list[str] = []
    made = pieces(clean(trial, preprocessing, counts, notes), preprocessing, counts, notes)
    piece = max(made, key=lambda p: len(p.time))
    if len(made) > 1:
        counts["in other pieces"] = sum(len(p.time) for p in made) - len(piece.time)
        notes.append(f"Only the longest uninterrupted piece was cut into cycles; {counts['in other pieces']} samples lie in the others.")
    piece = _windowed(piece, trial.time[0], preprocessing, counts)
    period = nominal if options.search == 0 else _period(piece, nominal, options)
    step = 1e3 / piece.rate
    notes.append(f"Period {period:.6g} s ({period * piece.rate:.5g} samples of {step:.6g} ms), nominally {nominal:.6g} s.")
    cycles = _cut(piece, period, options, preprocessing.interpolation, trial.name, counts, notes)
    per_cycle = cycles["q"].shape[1]
    mean_q, mean_tau, cycle_rate = cycles["q"].mean(axis=0), cycles["tau"].mean(axis=0), per_cycle / period
    position_cutoff = default_cutoff(np.tile(mean_q, (3, 1)), cycle_rate, piece.measured_rate) if options.position_cutoff is None else options.position_cutoff
    torque_cutoff = cycle_rate / 2 if options.torque_cutoff is None else options.torque_cutoff
    notes.append(f"Harmonics were kept up to {position_cutoff:.4g} Hz in the position and {torque_cutoff:.4g} Hz in the torque.")
    smooth, velocity, acceleration = fft_derivatives(mean_q, cycle_rate, position_cutoff)
    return PeriodicAverage(
        time=np.arange(per_cycle, dtype=float) * (period / per_cycle),
        period=period,
        q=smooth,
        dq=velocity,
        ddq=acceleration,
        tau=fft_lowpass(mean_tau, cycle_rate, torque_cutoff),
        q_cycles=cycles["q"],
        tau_cycles=cycles["tau"],
        position_cutoff=position_cutoff,
        torque_cutoff=torque_cutoff,
        measured_rate=piece.measured_rate,
        joint_names=trial.joint_names,
        counts=counts,
        notes=tuple(notes),
        name=trial.name,
        role=trial.role,
    )


def _windowed(piece: Piece, reference: float, preprocessing: Preprocessing, counts: dict[str, int]) -> Piece:
    """The piece between ``start`` and ``stop``."""
    after, rounding = piece.time - reference, 1e-3 / piece.rate
    inside = (after >= (preprocessing.start or 0.0) - rounding) & (after <= (np.inf if preprocessing.stop is None else preprocessing.stop) + rounding)
    if inside.all():
        return piece
    counts["outside the window"] = int((~inside).sum())
    return replace(piece, time=piece.time[inside], filled=piece.filled[inside], signals={what: x[inside] for what, x in piece.signals.items()})


def _period(piece: Piece, nominal: float, options: PeriodicOptions) -> float:
    """The period found in the part of the record that the outer cycles leave, where that is long enough."""
    q, cycle = piece.signals["q"], nominal * piece.rate
    middle = q[round(options.drop_first * cycle) : len(q) - round(options.drop_last * cycle)]
    return find_period(middle if len(middle) > 2.3 * cycle else q, piece.rate, nominal, options.search)


def _cut(piece: Piece, period: float, options: PeriodicOptions, interpolation: str, name: str, counts: dict[str, int], notes: list[str]) -> dict[str, Array]:
    """Position and torque of the cycles kept, (N_c, N_s, n) each, at instants that split the period evenly."""
    time, per_cycle = piece.time, round(period * piece.rate)
    slack = 0.02 if options.drop_last else 1 / per_cycle  # a last cycle that is dropped anyway may be a little short
    total = int(np.floor(len(time) / (period * piece.rate) + slack))
    kept = total - options.drop_first - options.drop_last
    if kept < 2:
        raise DataError(
            sentence(
                f"cycles of trial {name!r}",
                f"{total} of {period:.4g} s, {options.drop_first} and {options.drop_last} to be dropped",
                "two or more left",
                "Record more cycles, or drop fewer.",
            )
        )
    starts = time[0] + period * (options.drop_first + np.arange(kept))
    instants = np.minimum((starts[:, None] + np.arange(per_cycle) * (period / per_cycle)).ravel(), time[-1])
    counts["in dropped cycles"] = len(time) - kept * per_cycle
    counts["averaged"] = kept * per_cycle
    notes.append(f"{kept} of {total} cycles were averaged; the first {options.drop_first} and the last {options.drop_last} were left out.")
    return {what: interpolate(time, piece.signals[what], instants, interpolation).reshape(kept, per_cycle, -1) for what in ("q", "tau")}
