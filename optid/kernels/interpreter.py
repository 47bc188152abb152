"""Evaluation without a compiler: many samples in numpy column by column, few samples, or functions of another kind, through CasADi."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import SolveError, sentence

from .columns import Columns, Program
from .tape import Tape

Array = NDArray[np.float64]

FEW_SAMPLES = 256
"""Below this many samples CasADi's scalar loop is faster than numpy's one call an operation."""

COLUMN_SAMPLES = 1024
"""Samples of a numpy column: long enough to hide the call, short enough that the columns in use stay in cache."""

MAP_SAMPLES = (64, 8, 1)
"""Samples of a CasADi map, largest first."""


@dataclass(frozen=True, eq=False)
class Interpreter:
    """Backend that needs no compiler.

    Attributes
    ----------
    function : casadi.Function
        One output.
    """

    function: ca.Function
    _local: threading.local = field(default_factory=threading.local, init=False, repr=False)

    def evaluate(self, inputs: Sequence[Array], out: Array) -> None:
        """Fill ``out`` (N, m·k), zero where the matrix always is, from inputs (N, n_i), or (n_i,) where all samples share one."""
        start, n = 0, len(out)
        while start < n:
            left = n - start
            if left >= FEW_SAMPLES and self.program is not None:
                worker, size = self._worker("columns", COLUMN_SAMPLES), min(left, COLUMN_SAMPLES)
            else:
                size = next(size for size in MAP_SAMPLES if size <= left)
                worker = self._worker("map", size)
            stop = start + size
            worker.evaluate([x if x.ndim == 1 else x[start:stop] for x in inputs], out[start:stop])
            start = stop

    @cached_property
    def tape(self) -> Tape | None:
        """The function's scalar operations; without them CasADi evaluates every sample."""
        return Tape.of(self.function)

    @cached_property
    def program(self) -> Program | None:
        """The function as numpy operations, or None when there is no tape or numpy lacks an operation."""
        return None if self.tape is None else Program.of(self.tape)

    def _worker(self, kind: str, size: int) -> Columns | Map:
        """Buffers of this thread."""
        workers: dict[Any, Columns | Map] = self._local.__dict__
        key = (kind, size)
        if key not in workers:
            workers[key] = Columns(self.program, size) if kind == "columns" and self.program else Map(self.function, size)
        return workers[key]


class Map:
    """CasADi's own evaluation of ``size`` samples, on buffers; one thread at a time."""

    def __init__(self, function: ca.Function, size: int) -> None:
        mapped = function if size == 1 else function.map(size)
        self.name = function.name()
        self.nonzeros = [function.sparsity_in(i).find() for i in range(function.n_in())]
        rows, columns = function.sparsity_out(0).get_triplet()
        self.elements = np.array(rows, dtype=int) * function.size2_out(0) + np.array(columns, dtype=int)
        self.inputs = [np.zeros((size, len(nonzeros))) for nonzeros in self.nonzeros]
        self.output = np.zeros((size, len(self.elements)))
        buffer: Any
        buffer, self.run = mapped.buffer()
        self.buffer = buffer
        for i, array in enumerate(self.inputs):
            self.buffer.set_arg(i, array.data)
        self.buffer.set_res(0, self.output.data)

    def evaluate(self, inputs: Sequence[Array], out: Array) -> None:
        """Fill ``out`` (size, m·k) from inputs (size, n_i), or (n_i,) where all samples share one."""
        for buffer, nonzeros, values in zip(self.inputs, self.nonzeros, inputs, strict=True):
            buffer[:] = values[..., nonzeros]
        self.run()
        if self.buffer.ret():
            raise SolveError(sentence(f"function {self.name!r}", f"its evaluation returned {self.buffer.ret()}", "0"))
        out[:, self.elements] = self.output
