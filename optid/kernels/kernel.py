"""Batch evaluation of a CasADi function: N samples in, N matrices out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence, unknown_name

from .choice import Choice
from .interpreter import Interpreter
from .native import Native

Array = NDArray[np.float64]

BACKENDS = ("auto", "interpreter", "compiled", "simd")


@dataclass(frozen=True, eq=False)
class Kernel:
    """A CasADi function for many samples at once.

    Parameters
    ----------
    function : casadi.Function
        Inputs are vectors, the one output is an (m, k) matrix.
    backend : "auto", "interpreter", "compiled" or "simd"
        "simd" compiles vector code of the function's scalar operations and runs it on all processors; "compiled" CasADi's own C code, sample by sample, for any
        function that has such; "auto" interprets until compiling pays. Without a compiler, with one that fails, or with a cache folder that cannot be used,
        the interpreter takes over, and the log says so once. Backends agree to 1e-12 of the largest entry of a matrix.

    Notes
    -----
    Compiled code is kept in the user's cache folder, or in ``OPTID_CACHE_DIR``. ``CC`` names another compiler, ``OMP_NUM_THREADS`` bounds the threads; their
    number does not change a bit of the result. Safe to call from several threads.

    Examples
    --------
    >>> import casadi as ca, numpy as np
    >>> q, pi = ca.SX.sym("q"), ca.SX.sym("pi", 2)
    >>> kernel = Kernel(ca.Function("torque", [pi, q], [pi[0] * ca.sin(q) + pi[1]], ["pi", "q"], ["tau"]))
    >>> kernel(np.zeros((3, 1)), pi=[9.81, 2.0])[:, 0, 0]
    array([2., 2., 2.])
    """

    function: ca.Function
    backend: str = "auto"

    def __post_init__(self) -> None:
        f = self.function
        if not isinstance(f, ca.Function):
            raise ShapeError(sentence("kernel", f"a {type(f).__name__}", "a casadi.Function"))
        if self.backend not in BACKENDS:
            raise unknown_name("kernel backend", self.backend, BACKENDS)
        if f.n_out() != 1:
            raise ShapeError(sentence(f"function {f.name()!r}", f"{f.n_out()} outputs", "one", "Make a function of one of them, or of their horzcat."))
        for i in range(f.n_in()):
            if f.size2_in(i) != 1:
                raise ShapeError(sentence(f"input {f.name_in(i)!r} of function {f.name()!r}", f"shape {f.size_in(i)}", "a column vector"))

    def __getstate__(self) -> dict[str, Any]:
        """Fields only: buffers and loaded code are made again where the kernel arrives."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def name(self) -> str:
        """Name of the function."""
        return str(self.function.name())

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, in the function's order."""
        return tuple(self.function.name_in())

    @property
    def shape(self) -> tuple[int, int]:
        """(m, k) of the matrix of a sample."""
        return self.function.size1_out(0), self.function.size2_out(0)

    def __call__(self, *samples: ArrayLike, out: Array | None = None, **named: ArrayLike) -> Array:
        """Matrices of N samples.

        Parameters
        ----------
        *samples : (N, n_i) arrays
            In the order of the function's inputs, leaving out those given by name.
        out : (N, m, k) float64 array in C order, optional
            Written and returned, so that a loop allocates nothing.
        **named : (n_i,) vectors that all samples share, or (N, n_i) arrays

        Returns
        -------
        (N, m, k) array

        Raises
        ------
        ShapeError
            An array does not fit the function, or nothing says how many samples there are.
        """
        inputs, n = self._inputs(samples, named)
        m, k = self.shape
        evaluator = self._evaluator(n)
        if out is None:
            out = _zeros(n, m * k).reshape(n, m, k)
        elif out.shape != (n, m, k) or out.dtype != np.float64 or not out.flags.c_contiguous or not out.flags.writeable:
            raise ShapeError(sentence("out", f"{out.dtype} {out.shape}", f"a writeable float64 array ({n}, {m}, {k}) in C order"))
        elif not (isinstance(evaluator, Native) and evaluator.vector):
            out.fill(0.0)
        evaluator.evaluate(inputs, out.reshape(n, m * k))
        return out

    def blocks(self, *samples: ArrayLike, size: int = 1024, **named: ArrayLike) -> Iterator[tuple[slice, Array]]:
        """The matrices block by block, in bounded memory: pairs (samples, their (B, m, k) matrices).

        A block is a view of one buffer, with the samples innermost in memory: it is valid until the next one.
        Arguments as in a call; ``size`` is the number of samples a block. Blocks start at multiples of ``size``.
        """
        inputs, n = self._inputs(samples, named)
        if size < 1:
            raise ShapeError(sentence("size of the blocks", size, "at least 1"))
        return self._blocks(inputs, n, size)

    def _blocks(self, inputs: list[Array], n: int, size: int) -> Iterator[tuple[slice, Array]]:
        m, k = self.shape
        size = min(size, n)
        # rows a power of two apart would compete for the same lines of the processor's cache
        stride = size + 8 if size % 64 == 0 else size
        buffer = _zeros(m * k, stride)
        matrices = buffer.reshape(m, k, stride).transpose(2, 0, 1)
        evaluator = self._evaluator(n)
        for start in range(0, n, max(size, 1)):
            stop = min(start + size, n)
            evaluator.evaluate([x if x.ndim == 1 else x[start:stop] for x in inputs], buffer[:, : stop - start].T)
            yield slice(start, stop), matrices[: stop - start]

    def _inputs(self, samples: tuple[ArrayLike, ...], named: dict[str, ArrayLike]) -> tuple[list[Array], int]:
        """Arrays in the function's order, (N, n_i), or (n_i,) where shared; and N."""
        names = self.input_names
        for name in named:
            if name not in names:
                raise unknown_name(f"input of function {self.name!r}", name, names)
        order = [name for name in names if name not in named]
        if len(order) != len(samples):
            raise ShapeError(sentence(f"samples of function {self.name!r}", f"{len(samples)} arrays", f"{len(order)}: {', '.join(order) or 'none'}"))
        given = {name: np.asarray(value, dtype=float) for name, value in (*zip(order, samples, strict=True), *named.items())}
        counts = {name: len(array) for name, array in given.items() if array.ndim == 2}
        n = next(iter(counts.values()), None)
        if n is None:
            raise ShapeError(sentence(f"samples of function {self.name!r}", "only shared vectors", "at least one (N, n) array"))
        for i, name in enumerate(names):
            size, array = self.function.numel_in(i), given[name]
            if array.shape != (n, size) and not (name in named and array.shape == (size,)):
                wanted = f"({n}, {size})" + (f" or ({size},)" if name in named else "")
                raise ShapeError(sentence(f"input {name!r} of function {self.name!r}", f"shape {array.shape}", wanted))
        return [given[name] for name in names], n

    def prepared(self, n: int) -> Kernel:
        """This kernel with its backend settled for jobs of ``n`` samples in all, and compiled if that pays.

        "auto" decides by the size of each call, and interpreter and compiled code differ in the last bits: a job that must give the same bits however it is
        divided into calls settles the backend first.
        """
        if self.backend != "auto":
            return self
        return replace(self, backend="interpreter" if self._choice.native(n) is None else "simd")

    @cached_property
    def _choice(self) -> Choice:
        return Choice(self.backend, Interpreter(self.function))

    def _evaluator(self, n: int) -> Interpreter | Native:
        return self._choice.native(n) or self._choice.interpreter


def _zeros(rows: int, columns: int) -> Array:
    """Zeros that start on a line of the processor's cache: vectors across two lines cost twice."""
    spare = np.zeros(rows * columns + 7)
    start = -spare.ctypes.data % 64 // 8
    return spare[start : start + rows * columns].reshape(rows, columns)
