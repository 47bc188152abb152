"""A check of HDF5's text heaps before the library reads them.

Variable-length text lies in "global heap collections". The HDF5 library walks such a collection by adding up the sizes of its objects; where a damaged or
hostile file says that the free space has size zero, the walk never ends and the process hangs beyond the reach of Ctrl-C. This check walks first.
Layout: HDF5 File Format Specification, III.E "Global Heap" (8-byte sizes).
"""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator

_SIGNATURE = b"GCOL\x01"
_HEADER = 16
_STRETCH = 2**24
_OBJECT = struct.Struct("<HHIQ")


def endless_heaps(path: str | os.PathLike[str]) -> Iterator[int]:
    """Addresses [byte] of heap collections in which HDF5 would walk for ever."""
    if os.path.getsize(path) < _HEADER:
        return
    with open(path, "rb") as raw, mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for first in range(0, len(data), _STRETCH):
            last = first + _STRETCH + len(_SIGNATURE) - 1
            start = data.find(_SIGNATURE, first, last)
            while start >= 0:
                if _is_endless(data, start):
                    yield start
                start = data.find(_SIGNATURE, start + 1, last)
            if hasattr(mmap, "MADV_DONTNEED"):  # pages that were looked at would count as memory of this process
                data.madvise(mmap.MADV_DONTNEED, first, min(_STRETCH, len(data) - first))


def _is_endless(data: mmap.mmap, start: int) -> bool:
    if start + _HEADER > len(data):
        return False
    (size,) = struct.unpack_from("<Q", data, start + 8)
    stop = start + size
    at = start + _HEADER
    while at + _OBJECT.size <= min(stop, len(data)):
        index, _, _, length = _OBJECT.unpack_from(data, at)
        step = length if index == 0 else _OBJECT.size + (length + 7) // 8 * 8
        if step == 0:
            return True
        at += step
    return False
