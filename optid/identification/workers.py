"""Work on many files at once: in this process, in processes of this machine, or through any executor."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import SpawnContext, SpawnProcess
from types import ModuleType
from typing import Any

from optid import errors
from optid.errors import DataError, OptidError, require, sentence

BREAKS = 2
"""Times that a pool of processes is set up anew after one of them died, before what is left runs one by one."""


def available_processors() -> int:
    """Processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class Crew:
    """Who works on the pieces of a job: this process, processes of this machine, or an executor. A context manager; processes live until it ends.

    Processes know nothing of the program that starts them and do not run its main script again, so that scripts need no ``if __name__ == "__main__"``.

    Attributes
    ----------
    workers : int
        Processes of this machine; 1: none but this.
    executor : concurrent.futures.Executor, optional
        Does the work instead.
    """

    workers: int = 1
    executor: Executor | None = None
    _pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        self._dismiss()

    def at_home(self, count: int) -> bool:
        """Whether so many pieces of work stay in this process."""
        return isinstance(self.executor, ThreadPoolExecutor) or (self.executor is None and (self.workers == 1 or count < 2))

    def each(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[tuple[int, Any]]:
        """``(k, work(items[k]))`` for every k, as they are done; an :class:`OptidError` that an item raises takes its result's place.

        A process that dies costs nothing but time: what it had in hand is done again. An item that kills its process every time gives an error.

        Parameters
        ----------
        work : callable
            Found at the top level of a module, unless all stays in this process.
        """
        if self.executor is None and self.at_home(len(items)):
            yield from ((k, _outcome(work, item)) for k, item in enumerate(items))
            return
        left = set(range(len(items)))
        if self.executor is not None:
            yield from _through(self.executor, work, items, left)
        for _ in range(BREAKS):
            if left:
                yield from self._processes(self.workers, work, items, left)
        for k in sorted(left):
            yield from self._processes(1, work, items, alone := {k})
            if alone:
                hint = "Leave it out."
                yield k, DataError(sentence(f"file {items[k]}", "the worker process died each time it was at work on it", "one that a process survives", hint))

    def _processes(self, count: int, work: Callable[[Any], Any], items: Sequence[Any], left: set[int]) -> Iterator[tuple[int, Any]]:
        """Results from processes, which are set up anew for the next call when one of them dies."""
        if self._pool is None:
            share = max(1, available_processors() // count)
            self._pool = ProcessPoolExecutor(count, mp_context=_Context(), initializer=_start, initargs=(share,))
        yield from _through(self._pool, work, items, left)
        if left:
            self._dismiss()

    def _dismiss(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None


def _through(pool: Executor, work: Callable[[Any], Any], items: Sequence[Any], left: set[int]) -> Iterator[tuple[int, Any]]:
    """Results of the items ``left``, which are taken off it; those that a broken pool had in hand stay."""
    futures: dict[Future[Any], int] = {}
    with suppress(BrokenExecutor):
        for k in sorted(left):
            futures[pool.submit(_sendable, work, items[k])] = k
    try:
        for future in as_completed(futures):
            k = futures[future]
            try:
                result = future.result()
                if isinstance(result, _Failure):
                    result = result.error
            except BrokenExecutor:
                continue
            except Exception as error:
                if type(error).__name__ != "KilledWorker":  # of dask.distributed, which has tried again by itself
                    raise
                result = DataError(sentence(f"file {items[k]}", "the workers died that were at work on it", "one that a process survives", "Leave it out."))
            left.discard(k)
            yield k, result
    finally:
        for future in futures:
            future.cancel()


@dataclass(frozen=True)
class _Failure:
    """An error as plain text: not every way to send exceptions can send those that are two builtins at once."""

    kind: str
    text: str

    @property
    def error(self) -> OptidError:
        kind = getattr(errors, self.kind, OptidError)
        return kind(self.text) if isinstance(kind, type) and issubclass(kind, OptidError) else OptidError(self.text)


def _sendable(work: Callable[[Any], Any], item: Any) -> Any:
    try:
        return work(item)
    except OptidError as error:
        return _Failure(type(error).__name__, str(error))


def _outcome(work: Callable[[Any], Any], item: Any) -> Any:
    try:
        return work(item)
    except OptidError as error:
        return error


def _start(threads: int) -> None:
    os.environ["OMP_NUM_THREADS"] = str(threads)


class _Process(SpawnProcess):
    """Starts without a main script."""

    def start(self) -> None:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            super().start()
        finally:
            sys.modules["__main__"] = main


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def scheduler(address: str) -> Iterator[Executor]:
    """The workers of a ``dask.distributed`` scheduler, such as ``tcp://host:8786``.

    Raises
    ------
    MissingExtraError
        dask.distributed is not installed.
    DataError
        Nobody answers at the address.
    """
    distributed = require("distributed", "distributed")
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError, TypeError) as error:
        hint = "Start one with  dask scheduler  and workers with  dask worker ADDRESS."
        raise DataError(sentence(f"scheduler {address!r}", "no answer", "the address of a running dask scheduler, tcp://host:8786", hint)) from error
    with client, client.get_executor() as executor:
        yield executor
