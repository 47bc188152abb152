"""What a worker does with one file of a batch: reduce it to triangles, and later to the statistics of its residuals."""

from __future__ import annotations

import os
import pickle
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

import optid
from optid import errors
from optid.errors import DataError, OptidWarning, sentence
from optid.kernels import JointFactors
from optid.regressor import BaseParameters, accumulate
from optid.signals import Preprocessing
from optid.statistics.residuals import CELLS, ResidualStatistics

from .checkpoint import combined
from .examine import equation_parts, trial_residuals
from .streaming import prepared, sources

Array = NDArray[np.float64]
Told = tuple[tuple[str, str], ...]

_PROGRAM = uuid.uuid4().hex


def _here() -> str:
    """This process, among all of all machines; one that was forked off is another."""
    return f"{_PROGRAM}-{os.getpid()}"


@dataclass(frozen=True, eq=False)
class Setup:
    """What all files of a batch share.

    Attributes
    ----------
    base : BaseParameters
        With the backend of its kernels settled, so that every worker gives the same bits.
    options : Preprocessing
    known : (p,) or None
        Standard vector of the known parameters.
    home : str
        The process that made it.
    """

    base: BaseParameters
    options: Preprocessing
    known: Array | None
    home: str = field(default_factory=_here)

    @cached_property
    def payload(self) -> bytes:
        """Sent to workers, once for all.

        Raises
        ------
        DataError
            Something in it cannot be sent.
        """
        try:
            return pickle.dumps((self.base, self.options, self.known, self.home))
        except Exception as error:  # pickle raises what the object's own code raises
            hint = "Define functions at the top level of a module, or pass workers=1 or a ThreadPoolExecutor."
            found = f"something that cannot be sent to another process ({str(error).splitlines()[0]})"
            raise DataError(sentence("model or preprocessing of the batch", found, "plain data", hint)) from error

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.payload,)

    @cached_property
    def key(self) -> str:
        """Hash of all that decides the numbers of a file beside its content."""
        robot = self.base.model.robot
        described = (robot.joint_names, [drive.gain for drive in robot.drives], self.options, self.base.backend, optid.__version__)
        known = b"" if self.known is None else self.known.tobytes()
        return combined(self.base.function.serialize(), known, repr(described))


@lru_cache(maxsize=2)
def _received(payload: bytes) -> Setup:
    return Setup(*pickle.loads(payload))


@dataclass(frozen=True, eq=False)
class Reduced:
    """One file.

    Attributes
    ----------
    names : tuple of str
        Its trials.
    parts : tuple of JointFactors
        One a trial.
    lengths : tuple of int
        Instants of each trial's equations.
    shares : tuple of float
        Independent torque samples over all of them.
    notes : tuple of str
    told : tuple of (category, text)
        Warnings.
    """

    names: tuple[str, ...]
    parts: tuple[JointFactors, ...]
    lengths: tuple[int, ...]
    shares: tuple[float, ...]
    notes: tuple[str, ...]
    told: Told

    def stored(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """As arrays and a JSON value."""
        arrays = {what: np.stack([getattr(part, what) for part in self.parts]) for what in ("triangles", "counts", "sums")}
        plain = ("names", "lengths", "shares", "notes", "told")
        return arrays, {"columns": self.parts[0].n_columns, **{what: getattr(self, what) for what in plain}}

    @classmethod
    def restored(cls, arrays: Mapping[str, NDArray[Any]], value: Mapping[str, Any], setup: Setup) -> Reduced | None:
        """From :meth:`stored`; None when it does not fit."""
        try:
            empty = JointFactors.empty(setup.base.model.n, setup.base.rank, n_targets=2)
            rows = zip(arrays["triangles"], arrays["counts"], arrays["sums"], strict=True)
            parts = tuple(JointFactors(triangles, counts.astype(np.int64), sums, int(value["columns"])) for triangles, counts, sums in rows)
            names, notes = (tuple(map(str, value[what])) for what in ("names", "notes"))
            told = tuple((str(category), str(text)) for category, text in value["told"])
            found = cls(names, parts, tuple(map(int, value["lengths"])), tuple(map(float, value["shares"])), notes, told)
        except (KeyError, TypeError, ValueError):
            return None
        fit = all((p.triangles.shape, p.sums.shape, p.n_columns) == (empty.triangles.shape, empty.sums.shape, empty.n_columns) for p in parts)
        finite = all(np.isfinite(p.triangles).all() and np.isfinite(p.sums).all() for p in parts)
        return found if parts and fit and finite and len(names) == len(parts) == len(found.lengths) == len(found.shares) else None


def reduce_file(path: str, setup: Setup) -> Reduced:
    """Triangles of every trial with role "identification"; one trial is in memory at a time, or a part of it."""
    names, parts, lengths, shares, notes = [], [], [], [], []
    with _collected(setup) as told:
        for item in sources(path, "identification"):
            samples = prepared(item, setup.base.model.robot, setup.options)
            parts.append(accumulate(setup.base, samples, setup.known))
            names.append(samples.name)
            lengths.append(sum(part.stop - part.start for part in equation_parts(samples)[0]))
            shares.append(samples.independent_share)
            notes += [f"{samples.name}: {note}" for note in samples.notes]
    return Reduced(tuple(names), tuple(parts), tuple(lengths), tuple(shares), tuple(notes), tuple(told))


def examine_file(path: str, setup: Setup, beta: Array, weights: Array, factor: int) -> list[ResidualStatistics]:
    """Residual statistics of every trial, ``factor`` cells joined to one."""
    with _collected(setup):
        trials = (prepared(item, setup.base.model.robot, setup.options) for item in sources(path, "identification"))
        found = [trial_residuals(setup.base, samples, setup.known, beta).examine(weights) for samples in trials]
    return [part.coarser(factor) for part in found]


def joined_cells(lengths: list[int]) -> int:
    """Cells to join to one, so that those of all trials are about as many as :func:`ResidualStatistics.merge` keeps."""
    cells = [ceil(length / max(1, ceil(length / CELLS))) for length in lengths]
    factor = max(1, ceil(sum(cells) / CELLS))
    while factor < CELLS and sum(ceil(c / factor) for c in cells) > CELLS:
        factor += 1
    return factor


@contextmanager
def _collected(setup: Setup) -> Iterator[list[tuple[str, str]]]:
    """optid's warnings, which a process of its own sends home; at home they are given as they come."""
    told: list[tuple[str, str]] = []
    if setup.home == _here():
        yield told
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", OptidWarning)
        yield told
    for warning in caught:
        if issubclass(warning.category, OptidWarning):
            told.append((warning.category.__name__, str(warning.message)))


def tell(told: Told, stacklevel: int) -> None:
    """Give warnings that were sent home."""
    for name, text in told:
        category = getattr(errors, name, OptidWarning)
        warnings.warn(text, category if isinstance(category, type) and issubclass(category, OptidWarning) else OptidWarning, stacklevel=stacklevel)
