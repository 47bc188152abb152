"""Many files, one model: every file is reduced to its factors, on as many processors or machines as there are; one bad file does not stop the others."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.brief import brief
from optid.errors import DataError, OptidError, sentence, unknown_name
from optid.kernels import JointFactors
from optid.kernels.blas import one_thread
from optid.model import DynamicModel
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters
from optid.signals import Preprocessing, Samples
from optid.statistics.residuals import ResidualStatistics

from .arguments import batch_paths
from .checkpoint import Checkpoint, combined, file_hash
from .leave_out import LeaveOneOut, left_out
from .methods import Job, make_method
from .pipeline import base_of
from .prepare import checked_options
from .reduce import Reduced, Setup, examine_file, joined_cells, reduce_file, tell
from .streaming import prepared, sources
from .workers import Crew, available_processors

if TYPE_CHECKING:
    from optid.signals.stream import SampleStream

PARALLEL = 300_000
"""Samples in all files from which on processes of their own pay."""

BYTES = 25
"""Bytes of a file a sample and joint, typically."""

PARTS_BYTES = 2**29
"""Factors of single trials that are kept; with more trials than that, those of a file are merged."""


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

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import identify_batch
    >>> from optid.testing import example_file, example_model
    >>> with TemporaryDirectory() as folder:
    ...     print(identify_batch([example_file(folder)], example_model()).files[0].trials)
    ('a',)
    """

    path: str
    trials: tuple[str, ...]
    rows: int
    error: str | None = None

    __repr__ = brief


@dataclass(frozen=True)
class BatchResult:
    """One fit from many files.

    Attributes
    ----------
    result : IdentificationResult
        Of all good files together.
    files : tuple of FileReport
        In the order given.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import identify_batch
    >>> from optid.testing import example_file, example_model
    >>> with TemporaryDirectory() as folder:
    ...     print(identify_batch([example_file(folder)], example_model()).failed)
    ()
    """

    result: IdentificationResult
    files: tuple[FileReport, ...]
    _job: Job | None = field(default=None, repr=False)
    _method: Any = field(default=None, repr=False)

    __repr__ = brief

    @property
    def failed(self) -> tuple[FileReport, ...]:
        """Files that were left out."""
        return tuple(f for f in self.files if f.error is not None)

    def leave_one_out(self) -> LeaveOneOut:
        """Every trial predicted by a fit of the others, from the factors that are at hand."""
        if self._job is None:
            raise DataError(sentence("validation by leaving trials out", "a result without its factors", "one of identify_batch in this session"))
        return left_out(self._job, self._method)


@one_thread()
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
    workers: int | None = None,
    executor: Executor | None = None,
    resume: str | PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    **method_options: Any,
) -> BatchResult:
    """Identify one model from many experiment files.

    The result is the same to the last bit for any number of workers and after any interruption.

    Parameters
    ----------
    paths : sequence of paths
        Their trials with role "identification" are used.
    method, known, prior, preprocessing, solver, seed, residuals, **method_options
        See :func:`identify`. Methods that go through the data again read the files again, here.
    on_error : "report" or "raise"
        A bad file is reported and left out, or stops everything.
    workers : int, optional
        Processes of this machine. Default: one a processor when there are several files with many samples, else none but this.
    executor : concurrent.futures.Executor, optional
        Does the work instead of processes of this machine, such as ``dask.distributed``'s ``client.get_executor()``, whose workers read the same paths.
    resume : path, optional
        A folder that keeps what is done, file by file. Called again with it, only what is missing is done; files are known by their content.
    progress : callable, optional
        Called with (files done, files in all).

    Raises
    ------
    DataError
        When no file is good, or the model cannot be sent to other processes.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import identify_batch
    >>> from optid.testing import example_file, example_model
    >>> with TemporaryDirectory() as folder:
    ...     print(identify_batch([example_file(folder), f"{folder}/none.h5"], example_model()).failed[0].error.split(": ")[-1])
    not found, expected an existing file.
    """
    names = batch_paths(paths)
    if on_error not in ("report", "raise"):
        raise unknown_name("on_error", on_error, ("report", "raise"))
    if workers is not None and (workers < 1 or int(workers) != workers):
        raise DataError(sentence("workers", workers, "a whole number, 1 or more"))
    chosen = make_method(method, method_options)
    base, values = base_of(model, known, seed)
    options = checked_options(preprocessing)
    total = _samples(names, base.model.n)
    setup = Setup(base.settled(total), options, base.known_vector(values))
    processes = workers if workers is not None else available_processors() if total >= PARALLEL else 1
    checkpoint = None if resume is None else Checkpoint.of(resume)
    with Crew(min(processes, max(len(names), 1)), executor) as crew:
        batch = _Batch(names, setup, crew, checkpoint, on_error == "raise")
        return _identified(batch, base, values, chosen, prior, solver, seed, residuals, progress)


def _identified(
    batch: _Batch,
    base: BaseParameters,
    values: Mapping[str, float],
    chosen: Any,
    prior: Any,
    solver: str | None,
    seed: int,
    residuals: bool,
    progress: Callable[[int, int], None] | None,
) -> BatchResult:
    """The fit of a batch."""
    names, options = batch.paths, batch.setup.options
    found = batch.reduced(progress)
    good = [k for k, outcome in enumerate(found) if isinstance(outcome, Reduced)]
    reports = tuple(_report(name, outcome) for name, outcome in zip(names, found, strict=True))
    if not good:
        first = reports[0].error if reports else "no path was given"
        raise DataError(sentence("batch", f"none of {len(reports)} files could be used (the first: {first})", "at least one good file"))
    files: list[Reduced] = [found[k] for k in good]

    def again() -> Iterator[Samples | SampleStream]:
        return (prepared(item, base.model.robot, options) for k in good for item in sources(names[k], "identification"))

    context = {
        "preprocessing": options,
        "trials": tuple(name for file in files for name in file.names),
        "notes": tuple(note for file in files for note in file.notes),
    }
    shares = [share for file in files for share in file.shares]
    job = Job(base, _parts(files), values, context, prior, solver, seed, again, float(np.mean(shares)))
    result = chosen.fit(job)
    if residuals and result.details.residuals is None and result.details.equations is None:
        statistics = batch.examined(good, files, result)
        result = replace(result, details=replace(result.details, residuals=statistics))
    return BatchResult(result, reports, job, chosen)


@dataclass(frozen=True, eq=False)
class _Batch:
    """Files and who works on them."""

    paths: list[str]
    setup: Setup
    crew: Crew
    checkpoint: Checkpoint | None
    stop: bool
    _hashes: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.crew.at_home(len(self.paths)):
            _ = self.setup.payload  # says now what cannot be sent

    def reduced(self, progress: Callable[[int, int], None] | None) -> list[Any]:
        """Of every file its triangles, or the error that it gives."""
        found: list[Any] = [None] * len(self.paths)
        for k in range(len(self.paths)):
            stored = self._get(k, "triangles")
            found[k] = None if stored is None else Reduced.restored(*stored, self.setup)
        missing = [k for k, outcome in enumerate(found) if outcome is None]
        done = len(found) - len(missing)
        if progress is not None and done:
            progress(done, len(found))
        for k, outcome in self._each(partial(reduce_file, setup=self.setup), missing):
            if isinstance(outcome, OptidError) and self.stop:
                raise outcome
            if isinstance(outcome, Reduced):
                self._put(k, "triangles", *outcome.stored())
            found[k], done = outcome, done + 1
            if progress is not None:
                progress(done, len(found))
        for outcome in found:
            if isinstance(outcome, Reduced):
                tell(outcome.told, stacklevel=4)
        return found

    def examined(self, good: list[int], files: list[Reduced], result: IdentificationResult) -> ResidualStatistics:
        """Residual statistics of the fit, file by file."""
        factor = joined_cells([length for file in files for length in file.lengths])
        work = partial(examine_file, setup=self.setup, beta=result.minimum_norm, weights=result.weights, factor=factor)
        of_fit = combined("residuals", result.minimum_norm.tobytes(), result.weights.tobytes(), str(factor))
        found: dict[int, list[ResidualStatistics]] = {}
        for k in good:
            stored = self._get(k, of_fit)
            if stored is not None:
                parts = [{name: stored[0][f"{name}{i}"] for name in stored[1]["names"]} for i in range(stored[1]["trials"])]
                found[k] = [ResidualStatistics.from_mapping(part) for part in parts]
        for k, outcome in self._each(work, [k for k in good if k not in found]):
            if isinstance(outcome, OptidError):
                raise outcome
            found[k] = outcome
            arrays = {f"{name}{i}": value for i, part in enumerate(outcome) for name, value in part.to_mapping().items()}
            self._put(k, of_fit, arrays, {"trials": len(outcome), "names": list(outcome[0].to_mapping())})
        return ResidualStatistics.merge([part for k in good for part in found[k]])

    def _each(self, work: Callable[[str], Any], chosen: list[int]) -> Iterator[tuple[int, Any]]:
        for k, outcome in self.crew.each(work, [self.paths[k] for k in chosen]):
            yield chosen[k], outcome

    def _get(self, k: int, what: str) -> tuple[dict[str, Any], Any] | None:
        key = self._key(k, what)
        return None if self.checkpoint is None or key is None else self.checkpoint.get(key)

    def _put(self, k: int, what: str, arrays: Mapping[str, Any], value: Any) -> None:
        key = self._key(k, what)
        if self.checkpoint is not None and key is not None:
            self.checkpoint.put(key, arrays, value)

    def _key(self, k: int, what: str) -> str | None:
        """Of a piece of work; None for a file that cannot be read, and where nothing is kept."""
        if self.checkpoint is None:
            return None
        if k not in self._hashes:
            self._hashes[k] = file_hash(self.paths[k])
        return combined(self.setup.key, self._hashes[k], what) if self._hashes[k] else None


def _samples(paths: Sequence[str], n: int) -> int:
    """About how many samples of n joints the files hold, by their sizes: enough to choose how to work on them, and to choose alike each time."""
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path)) // (BYTES * n)


def _parts(files: Sequence[Reduced]) -> tuple[JointFactors, ...]:
    """One a trial, or, of very many, one a file."""
    parts = tuple(part for file in files for part in file.parts)
    if sum(part.triangles.nbytes for part in parts) <= PARTS_BYTES:
        return parts
    return tuple(JointFactors.merge(file.parts) for file in files)


def _report(path: str, outcome: Any) -> FileReport:
    if isinstance(outcome, Reduced):
        return FileReport(path, outcome.names, sum(int(part.counts.sum()) for part in outcome.parts))
    return FileReport(path, (), 0, str(outcome))
