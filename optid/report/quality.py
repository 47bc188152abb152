"""What the recordings behind a result look like: rate, jitter, gaps, samples that cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.signals.timing import TimingReport


@dataclass(frozen=True)
class Recording:
    """One trial as it was recorded, before anything was done to it.

    Attributes
    ----------
    name, role : str
    file : str
        Name of its file, empty when it has none.
    samples, invalid : int
        All of them, and those marked invalid.
    seconds : float
    period : float or None [s]
        Nominal period of the motion.
    timing : TimingReport or None
        None for stamps that cannot be judged.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.report import recordings_in
    >>> from optid.testing import example_file
    >>> with TemporaryDirectory() as folder:
    ...     print(recordings_in([example_file(folder)])[0].samples)
    401
    """

    name: str
    role: str
    file: str
    samples: int
    invalid: int
    seconds: float
    period: float | None
    timing: TimingReport | None

    @classmethod
    def of(cls, trial: Trial, file: str = "") -> Recording:
        """Look at a trial."""
        return cls._of(trial.name, trial.role, file, trial.time, trial.valid, trial.period)

    @classmethod
    def _of(cls, name: str, role: str, file: str, time: Any, valid: Any, period: float | None) -> Recording:
        from optid.signals.timing import TimingReport

        good = np.asarray(time, dtype=float)[np.asarray(valid, dtype=bool)]
        try:
            timing = TimingReport.of(good)
        except DataError:
            timing = None
        seconds = float(good[-1] - good[0]) if len(good) else 0.0
        return cls(name, role, file, len(time), int(len(time) - len(good)), seconds, period, timing)

    def to_dict(self) -> dict[str, Any]:
        """As plain values; ``rate`` [Hz] is the mean one, ``jitter`` the spread of the steps over their median."""
        found: dict[str, Any] = {what: getattr(self, what) for what in ("name", "role", "file", "samples", "invalid", "seconds", "period")}
        t = self.timing
        names = {"rate": "mean_rate", "jitter": "spread", "median_step": "median_step", "shortest_step": "shortest", "longest_step": "longest"}
        names |= {what: what for what in ("duplicates", "backward", "gaps", "gap_length")}
        return found | {key: None if t is None else getattr(t, what) for key, what in names.items()}


def recordings_in(files: Iterable[str | PathLike[str]], role: str | None = None, names: Sequence[str] = ()) -> list[Recording]:
    """The trials of experiment files, from their time stamps alone.

    Parameters
    ----------
    role : str, optional
        Only trials of this role.
    names : sequence of str
        Only trials of these names.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.report import recordings_in
    >>> from optid.testing import example_file
    >>> with TemporaryDirectory() as folder:
    ...     print([recording.name for recording in recordings_in([example_file(folder)])])
    ['a']
    """
    from optid.experiment.stored import open_trials

    found = []
    for file in files:
        for stored in open_trials(file, role):
            if names and stored.name not in names:
                continue
            arrays = stored.arrays(0, stored.n_samples, ())
            found.append(Recording._of(stored.name, stored.role, Path(file).name, arrays["time"], arrays["valid"], stored.period))
    return found
