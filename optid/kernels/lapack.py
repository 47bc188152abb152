"""LAPACK's update of a triangle by more rows, called so that other threads run meanwhile (SciPy's own wrapper holds Python's lock)."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PANEL_COLUMNS = 8
"""Columns of a Householder panel."""

CHUNK_ROWS = 256
"""Rows of one factorisation: they stay in cache, and their products are too small for a BLAS to divide among threads, so its threads change no bit."""


@cache
def _dtpqrt() -> Any:
    from scipy.linalg import cython_lapack

    capsule = ctypes.py_object(cython_lapack.__pyx_capi__["dtpqrt"])
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    integer = ctypes.POINTER(ctypes.c_int)
    address = ctypes.c_void_p
    types: list[Any] = [integer, integer, integer, integer, address, integer, address, integer, address, integer, address, integer]
    return ctypes.CFUNCTYPE(None, *types)(pointer_of(capsule, name_of(capsule)))


def add_rows(triangle: Array, rows: Array) -> None:
    """Replace an upper triangle R by that of [R; rows], in place; ``rows`` is overwritten.

    Parameters
    ----------
    triangle : (c, c) float64 array in Fortran order
    rows : (m, c) float64 array in Fortran order
    """
    m, c = rows.shape
    if not (m and c):
        return
    panel = min(PANEL_COLUMNS, c)
    scratch = np.empty((2, panel * c))
    factor, (by_column, zero, width, columns, stride, info) = _dtpqrt(), (ctypes.byref(ctypes.c_int(k)) for k in (c, 0, panel, c, m, 0))
    address, item = rows.ctypes.data, rows.itemsize
    triangle_at, blocks_at, work_at = triangle.ctypes.data, scratch[0].ctypes.data, scratch[1].ctypes.data
    for start in range(0, m, CHUNK_ROWS):
        count = ctypes.byref(ctypes.c_int(min(CHUNK_ROWS, m - start)))
        factor(count, columns, zero, width, triangle_at, by_column, address + item * start, stride, blocks_at, width, work_at, info)
