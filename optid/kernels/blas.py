"""Work whose matrices are too small for a BLAS to divide among threads: they would wait for each other, and change the last bits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0
_limit: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """The BLAS of numpy keeps to one thread, here and in all threads of the program, until the last user is through."""
    global _inside, _limit
    with _lock:
        if not _inside:
            _limit = _controller().limit(limits=1, user_api="blas")
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                _limit.restore_original_limits()


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401  (what is not loaded yet cannot be limited, and SciPy brings a library of its own)
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
