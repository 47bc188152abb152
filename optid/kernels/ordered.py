"""Work on several threads whose results come in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from .threads import available_threads

T = TypeVar("T")


def in_order(work: Callable[[int], T], count: int, threads: int | None = None) -> Iterator[T]:
    """``work(0) … work(count − 1)`` in this order, computed ahead on other threads; no more than one result a thread waits to be taken.

    Parameters
    ----------
    threads : int, optional
        Default: :func:`available_threads`. With one thread nothing is computed ahead.
    """
    workers = min(available_threads() if threads is None else threads, count)
    if workers < 2:
        yield from (work(k) for k in range(count))
        return
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[Future[T]] = deque()
        try:
            for k in range(count):
                waiting.append(pool.submit(work, k))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
