"""Many files, one model: every file is reduced to its factors; one bad file does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np

from optid.errors import DataError, OptidError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.model import DynamicModel
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters, accumulate
from optid.signals import Preprocessing, Samples

from .examine import examined
from .methods import Job, make_method
from .pipeline import base_of
from .prepare import collect, prepare


@dataclass(frozen=True)
class FileReport:
    """What became of one file.

    Attributes
    ----------
    path : str
    trials : tuple of str
        Names of the trials used.
    rows : int
        Equations it gave.
    error : str or None
        Why it was left out.
    """

    path: str
    trials: tuple[str, ...]
    rows: int
    error: str | None = None


@dataclass(frozen=True)
class BatchResult:
    """One fit from many files.

    Attributes
    ----------
    result : IdentificationResult
        Of all good files together.
    files : tuple of FileReport
        In the order given.
    """

    result: IdentificationResult
    files: tuple[FileReport, ...]

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """Files that were left out."""
        return tuple(f for f in self.files if f.error is not None)


def identify_batch(
    paths: Sequence[str | PathLike[str]],
    model: DynamicModel | BaseParameters,
    *,
    method: Any = "wls",
    known: Mapping[str, float] | Sequence[str] = (),
    prior: Any = None,
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
    residuals: bool = True,
    on_error: str = "report",
    progress: Callable[[int, int], None] | None = None,
    **method_options: Any,
) -> BatchResult:
    """Identify one model from many experiment files.

    Parameters
    ----------
    paths : sequence of paths
        Their trials with role "identification" are used.
    method, known, prior, preprocessing, solver, seed, residuals, **method_options
        See :func:`identify`. Methods that go through the data again read the files again.
    on_error : "report" or "raise"
        A bad file is reported and left out, or stops everything.

    Raises
    ------
    DataError
        When no file is good.
    """
    if on_error not in ("report", "raise"):
        raise unknown_name("on_error", on_error, ("report", "raise"))
    chosen = make_method(method, method_options)
    base, values = base_of(model, known, seed)
    vector = base.known_parameters(values) if base.known else None
    options = preprocessing if preprocessing is not None else Preprocessing()
    parts: list[JointFactors] = []
    good: list[str | PathLike[str]] = []
    shares: list[float] = []
    reports: list[FileReport] = []
    notes: list[str] = []
    for k, path in enumerate(paths):
        try:
            samples = [prepare(item, base.model.robot, options) for item in collect(path, "identification")]
            factors = JointFactors.merge([accumulate(base, s, vector) for s in samples])
        except OptidError as error:
            if on_error == "raise":
                raise
            reports.append(FileReport(fspath(path), (), 0, str(error)))
        else:
            parts.append(factors)
            good.append(path)
            shares += [s.independent_share for s in samples]
            notes += [f"{s.name}: {note}" for s in samples for note in s.notes]
            reports.append(FileReport(fspath(path), tuple(s.name for s in samples), int(factors.counts.sum())))
        if progress is not None:
            progress(k + 1, len(paths))
    if not parts:
        first = reports[0].error if reports else "no path was given"
        raise DataError(sentence("batch", f"none of {len(reports)} files could be used (the first: {first})", "at least one good file"))
    names = tuple(name for report in reports for name in report.trials)

    def again() -> Iterator[Samples]:
        return (prepare(item, base.model.robot, options) for path in good for item in collect(path, "identification"))

    context = {"preprocessing": options, "trials": names, "notes": tuple(notes)}
    job = Job(base, tuple(parts), values, context, prior, solver, seed, again, float(np.mean(shares)))
    result = chosen.fit(job)
    return BatchResult(examined(result, job) if residuals else result, tuple(reports))
