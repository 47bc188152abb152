"""Compiled kernels: from C source, through the cache, to a call on numpy arrays.

A library has one function, ``int optid_kernel(const double *const *inputs, const long long *strides, long long n, double *out, long long by_sample,
long long by_element)``: element e of input i of sample s is ``inputs[i][s * strides[i] + e]``, element e of the result goes to
``out[s * by_sample + e * by_element]``, and it returns 0. Structural zeros are left alone,
except that vector code writes them, too, when ``by_element`` is 1.
"""

from __future__ import annotations

import ctypes
import hashlib
import itertools
import logging
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import SolveError, sentence

from .cache import CacheError, find, folder, opened, publish
from .threads import available_threads
from .toolchain import CompilerError, Toolchain

Array = NDArray[np.float64]

SAMPLES_PER_THREAD = 2048
"""Fewer samples are not worth a thread."""

_logger = logging.getLogger(__name__)
_building = threading.Lock()
_told: set[str] = set()


@dataclass(frozen=True, eq=False)
class Native:
    """Backend of machine code.

    Attributes
    ----------
    name : str
        Name of the function, for messages.
    call : ctypes function
    vector : bool
        Vector code: several threads may run it at once, and it writes whole matrices.
    """

    name: str
    call: Any
    vector: bool

    @classmethod
    def build(cls, name: str, source: str, vector: bool) -> Native | None:
        """Code of a C source, from the cache or newly compiled; None, after one message in the log, when that is impossible."""
        try:
            with _building:
                return cls(name, _function(source), vector)
        except (CompilerError, CacheError) as error:
            _tell(str(error))
            return None

    def evaluate(self, inputs: Sequence[Array], out: Array) -> None:
        """Fill ``out`` (N, m·k) from inputs (N, n_i), or (n_i,) where all samples share one.

        Structural zeros are zeros already, unless :attr:`vector` code fills rows that are contiguous.
        """
        n = len(out)
        workers = min(available_threads(), n // SAMPLES_PER_THREAD) if self.vector else 1
        if workers < 2:
            self._range(inputs, out)
            return
        edges = [n * w // workers for w in range(workers + 1)]
        parts = [slice(a, b) for a, b in itertools.pairwise(edges)]
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(lambda part: self._range([x if x.ndim == 1 else x[part] for x in inputs], out[part]), parts))

    def _range(self, inputs: Sequence[Array], out: Array) -> None:
        arrays = [np.ascontiguousarray(x) for x in inputs]
        pointers = (ctypes.c_void_p * (len(arrays) + 1))(*(x.ctypes.data for x in arrays))
        strides = (ctypes.c_longlong * (len(arrays) + 1))(*(0 if x.ndim == 1 else x.shape[1] for x in arrays))
        by_sample, by_element = (stride // out.itemsize for stride in out.strides)
        failed = self.call(pointers, strides, len(out), out.ctypes.data, by_sample, by_element)
        if failed:
            raise SolveError(sentence(f"function {self.name!r}", f"its evaluation returned {failed}", "0"))


def _tell(reason: str) -> None:
    """Say once a process why nothing is compiled."""
    if reason not in _told:
        _told.add(reason)
        _logger.warning("kernels are interpreted, several times slower: %s.", reason)


def _function(source: str) -> Any:
    toolchain = Toolchain.of_this_machine()
    directory = opened(folder())
    digest = hashlib.sha256("\0".join([toolchain.identity, source]).encode()).hexdigest()
    name = f"kernel-{digest}.so"
    path = find(directory, name)
    if path is not None:
        try:
            return _load(path)
        except CompilerError:  # cut short by a crash of the machine: made again below
            path.unlink(missing_ok=True)
    return _load(publish(directory, name, lambda temporary: toolchain.compile(source, temporary)))


def _load(path: Path) -> Any:
    try:
        function = ctypes.CDLL(str(path)).optid_kernel
    except (OSError, AttributeError) as error:
        raise CompilerError(f"the compiled file {path} does not load") from error
    function.restype = ctypes.c_int
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_void_p, ctypes.c_longlong, ctypes.c_longlong]
    return function
