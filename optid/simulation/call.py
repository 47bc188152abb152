"""A CasADi function called over and over with numpy vectors."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Call:
    """A function of vectors and scalars, called through fixed buffers: a few microseconds instead of the tens that conversions cost.

    Parameters
    ----------
    function : casadi.Function
        Inputs and outputs are densified.

    Notes
    -----
    One thread at a time. Results are copies.
    """

    def __init__(self, function: ca.Function) -> None:
        inputs = [ca.SX.sym(function.name_in(i), *function.size_in(i)) for i in range(function.n_in())]
        outputs = function.call(inputs)
        dense = ca.Function(function.name(), inputs, [ca.densify(y) for y in outputs])
        buffer: Any
        buffer, self._run = dense.buffer()
        self._buffer = buffer
        self._in = [np.zeros(dense.numel_in(i)) for i in range(dense.n_in())]
        self._out = [np.zeros(dense.size_out(i), order="F") for i in range(dense.n_out())]
        for i, vector in enumerate(self._in):
            buffer.set_arg(i, vector.data)
        for i, matrix in enumerate(self._out):
            buffer.set_res(i, matrix.reshape(-1, order="F").data)

    def __call__(self, *inputs: Any) -> Any:
        """The outputs as arrays, vectors one-dimensional; a single output alone."""
        for array, value in zip(self._in, inputs, strict=True):
            array[...] = value
        self._run()
        results = [array[:, 0].copy() if array.shape[1] == 1 else array.copy() for array in self._out]
        return results[0] if len(results) == 1 else tuple(results)
