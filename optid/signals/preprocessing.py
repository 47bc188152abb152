"""From a recorded trial to samples for identification, in one documented pipeline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from optid.errors import DataError, sentence
from optid.experiment.trial import Trial

from .cleaning import clean, pieces
from .conditioning import Conditioning, Motion
from .filters import Cutoff, Nyquist, is_real, noise_share, shortest_to_decimate
from .periodic import PeriodicOptions, average_cycles
from .samples import Samples
from .selection import filled_note, selected, standing
from .timing import INTERPOLATIONS

CLOCKS = ("auto", "stamps", "nominal", "recorded")
DERIVATIVES = ("central", "savgol")
ON_BAD = ("drop", "raise")


@dataclass(frozen=True)
class Preprocessing:
    """Options of the pipeline; ``apply(trial)`` runs it.

    Steps, in this order: samples that are not finite, not valid or doubly stamped are dropped; gaps split the record into segments; each segment goes onto a
    uniform grid; filters; derivatives; ends trimmed; time window; every k-th sample; selection by speed. Whatever is dropped is counted in ``Samples.counts``
    and told in ``Samples.notes``. To cut a record *before* it is filtered, use ``trial.window``.

    Attributes
    ----------
    clock : "auto", "stamps", "nominal" or "recorded"
        Which times to believe. "stamps": those recorded; the samples are resampled from them. "nominal": an exact clock of the mean rate, read late; no sample
        may be missing. "auto": the recording decides by the axis on which its positions are smoother (``clock.py``). Where the steps spread by at most 1 %
        and the stamps do not wander, the samples stay as they are unless they are twice as smooth on the stamps; elsewhere, with a warning, the stamps are
        believed unless the positions are twice as smooth on the exact clock. "recorded": no uniform grid; filters count samples, derivatives use the stamps.
    rate : float [Hz] or None
        Rate of the uniform grid. None: that of the samples; for irregular stamps, of their median step.
    interpolation : "cubic", "pchip" or "linear"
    max_gap : float [s] or None
        Longest step that is bridged by interpolation; longer ones split the record. None: ten median steps.
    on_bad : "drop" or "raise"
        What to do with samples that are NaN or infinite.
    cutoff : float [Hz], Nyquist, None or "auto"
        Low-pass of the position. "auto": the highest frequency up to which noise adds at most 1 % of its rms to the acceleration, at most rate / 5
        (``bandwidth.py``). None: no filter.
    velocity_cutoff, acceleration_cutoff : the same
        Further low-passes of velocity and acceleration. "auto": a measured one is filtered like the position, a derived one not again.
    torque_cutoff : the same
        None, the default: the torque need not be differentiated, and a filter on one side of the equation alone rounds the steps of Coulomb friction (4 % of it
        at a fifth of the rate on a noise-free sine). "auto": as the position, or by its rule where the position is not filtered. See also ``decimate``.
    order : int
        Design order of all filters (before forward-backward).
    derivative : "central" or "savgol"
    savgol_window : float [s] or None
        Length of the Savitzky–Golay window; None: eleven samples.
    use_measured_velocity, use_measured_acceleration : bool
        Take ``dq``, ``ddq`` of the trial instead of deriving them.
    trim : int or None
        Samples of the uniform grid cut at both ends of every segment. None: as far as the filters' end transients reach.
    start, stop : float [s] or None
        Time window after the first stamp, applied after filtering.
    min_speed : None, float or n floats [rad/s; m/s]
        The equation of a joint is used only where the joint moves faster. None: 1 % of its largest speed; 0: everywhere.
    every : int
        Keep every k-th sample, without a filter of its own.
    decimate : int
        Factor by which torque and regressor columns are to be decimated alike (``Samples.decimated``).
    periodic : PeriodicOptions or None
        Average over the cycles of a periodic motion instead of filtering (``periodic.py``).

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Preprocessing, Trial
    >>> t = np.arange(0, 10, 0.01)
    >>> trial = Trial(t, np.sin(t)[:, None], tau=np.cos(t)[:, None])
    >>> samples = Preprocessing(cutoff=5.0).apply(trial)
    >>> bool(abs(samples.dq[:, 0] - np.cos(samples.time)).max() < 1e-3)
    True
    """

    clock: str = "auto"
    rate: float | None = None
    interpolation: str = "cubic"
    max_gap: float | None = None
    on_bad: str = "drop"
    cutoff: Cutoff | str | None = "auto"
    velocity_cutoff: Cutoff | str | None = "auto"
    acceleration_cutoff: Cutoff | str | None = "auto"
    torque_cutoff: Cutoff | str | None = None
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
    periodic: PeriodicOptions | None = None

    def __post_init__(self) -> None:
        choices = {"clock": CLOCKS, "interpolation": INTERPOLATIONS, "on_bad": ON_BAD, "derivative": DERIVATIVES}
        for what, known in choices.items():
            if not isinstance(getattr(self, what), str) or getattr(self, what) not in known:
                raise DataError(sentence(f"{what} of the preprocessing", repr(getattr(self, what)), " or ".join(map(repr, known))))
        for what in ("cutoff", "velocity_cutoff", "acceleration_cutoff", "torque_cutoff"):
            value = getattr(self, what)
            if not (value is None or isinstance(value, Nyquist) or is_real(value) or (isinstance(value, str) and value == "auto")):
                raise DataError(sentence(f"{what} of the preprocessing", repr(value), "Hz, Nyquist(fraction), None or 'auto'"))
        for what, least in (("order", 1), ("every", 1), ("decimate", 1), ("trim", 0)):
            value = getattr(self, what)
            if (value is not None or what != "trim") and not (is_real(value) and least <= value < np.inf and int(value) == value):
                raise DataError(sentence(f"{what} of the preprocessing", repr(value), f"a whole number, {least} or more"))
        shortest_to_decimate(self.decimate)
        for what in ("rate", "max_gap", "savgol_window"):
            value = getattr(self, what)
            if value is not None and not (is_real(value) and 0 < value < np.inf):
                raise DataError(sentence(f"{what} of the preprocessing", repr(value), "a positive number, or None"))
        for what in ("start", "stop"):
            value = getattr(self, what)
            if value is not None and not (is_real(value) and not np.isnan(value)):
                raise DataError(sentence(f"{what} of the preprocessing", repr(value), "a number of seconds, or None"))
        for what in ("use_measured_velocity", "use_measured_acceleration"):
            if not isinstance(getattr(self, what), (bool, np.bool_)):
                raise DataError(sentence(f"{what} of the preprocessing", repr(getattr(self, what)), "True or False"))
        if not (self.periodic is None or isinstance(self.periodic, PeriodicOptions)):
            raise DataError(sentence("periodic of the preprocessing", repr(self.periodic), "PeriodicOptions, or None"))
        if not all(is_real(x) for x in ([] if self.min_speed is None else np.ravel(np.asarray(self.min_speed, dtype=object)))):
            raise DataError(sentence("min_speed of the preprocessing", repr(self.min_speed), "None, a number or one a joint"))
        if self.clock == "recorded" and (self.rate is not None or self.derivative == "savgol"):
            raise DataError(sentence("clock 'recorded'", "a rate or Savitzky-Golay derivative with it", "neither: both need a uniform grid"))
        if self.min_speed is not None and np.ndim(self.min_speed):
            object.__setattr__(self, "min_speed", tuple(float(x) for x in np.asarray(self.min_speed)))

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of the signals that are used."""
        wanted = {"q": True, "tau": True, "dq": self.use_measured_velocity, "ddq": self.use_measured_acceleration}
        return tuple(what for what, used in wanted.items() if used)

    def apply(self, trial: Trial) -> Samples:
        """Prepare one trial.

        Raises
        ------
        DataError
            When the trial has no torque, too few samples, backward stamps, or nothing is left of it.

        Warns
        -----
        DataWarning
            When the stamps spread by more than 1 % and ``clock`` is "auto".
        """
        if self.periodic is not None:
            return average_cycles(trial, self.periodic, self).samples(self.min_speed)
        counts: dict[str, int] = {"recorded": trial.n_samples}
        notes: list[str] = []
        parts = pieces(clean(trial, self, counts, notes), self, counts, notes)
        longest = max(parts, key=lambda piece: len(piece.time))
        conditioning = Conditioning.of(self, longest)
        long_enough = [parts[k] for k in conditioning.admitted([len(piece.time) for piece in parts], trial.name, counts, notes)]
        rate = longest.rate
        share = min(longest.measured_rate / rate, 1.0 if conditioning.torque is None else noise_share(conditioning.torque, rate, self.order))
        found = self._gather(trial, [conditioning.run(piece) for piece in long_enough], rate, share, counts, notes)
        return replace(found, cutoffs=conditioning.cutoffs)

    def _gather(self, trial: Trial, motions: list[Motion], rate: float, share: float, counts: dict[str, int], notes: list[str]) -> Samples:
        """One set of samples out of the pieces: window, every k-th, selection by speed."""
        chosen, rounding = [], 1e-3 / rate
        for motion in motions:
            after = motion.time - trial.time[0]
            first = 0 if self.start is None else int(np.searchsorted(after, self.start - rounding))
            last = len(after) if self.stop is None else int(np.searchsorted(after, self.stop + rounding, side="right"))
            chosen.append(self.thinned(first, last, len(after), counts))
        self.note_short(counts, notes)

        def joined(what: str) -> Any:
            parts = [getattr(motion, what)[index] for motion, index in zip(motions, chosen, strict=True)]
            return parts[0] if len(parts) == 1 else np.concatenate(parts)

        dq = joined("dq")
        if not len(dq):
            raise self.nothing_left(trial.name)
        noise = np.max([motion.speed_noise for motion in motions], axis=0)
        filled = joined("filled")
        if filled.any():
            notes.append(filled_note(int(filled.sum())))
        moves = selected(dq, self.min_speed, noise, counts, notes)
        counts["kept"] = len(dq)
        return Samples(
            time=joined("time"),
            q=joined("q"),
            dq=dq,
            ddq=joined("ddq"),
            tau=joined("tau"),
            tau_raw=joined("tau_raw"),
            use=moves & ~filled[:, None],
            rate=rate / self.every,
            resting=standing(moves, rate / self.every),
            joint_names=trial.joint_names,
            segment=np.repeat(np.arange(len(chosen)), [len(motion.time[index]) for motion, index in zip(motions, chosen, strict=True)]),
            decimation=self.decimate,
            independent_share=min(1.0, share * self.every * self.decimate),
            counts=counts,
            notes=tuple(notes),
            name=trial.name,
            role=trial.role,
        )

    def thinned(self, first: int, last: int, length: int, counts: dict[str, int]) -> slice:
        """Samples of a piece of ``length`` that are taken of those in the time window, ``first:last``; the others are counted."""
        inside = max(first, last) - first
        kept = -(-inside // self.every)
        short = kept if kept < shortest_to_decimate(self.decimate) else 0
        for what, number in (("outside the window", length - inside), ("thinned out", inside - kept), ("too few to decimate", short)):
            if number:
                counts[what] = counts.get(what, 0) + number
        return slice(first, first if short else first + inside, self.every)

    def note_short(self, counts: dict[str, int], notes: list[str]) -> None:
        """Say which pieces are too short to be decimated."""
        if "too few to decimate" in counts:
            few, fewest = counts["too few to decimate"], shortest_to_decimate(self.decimate)
            notes.append(f"{few} samples were dropped in pieces of fewer than the {fewest} that decimation by {self.decimate} takes.")

    def nothing_left(self, name: str) -> DataError:
        """The error for a trial of which no sample is taken."""
        return DataError(sentence(f"trial {name!r}", "no sample left", "some", "start and stop count from the first stamp; decimate needs long pieces."))
