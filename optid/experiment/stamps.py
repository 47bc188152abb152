"""Which rows of a damaged log belong together, by their time stamps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_FAR = 100.0


def forward_rows(time: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The rows that make one forward-running recording.

    The stamps are cut wherever they go back, stand still or leap (more than 100 median steps). The longest piece is the recording; walking away from it,
    another piece is kept when it continues the stamps: strictly beyond them, and either within 100 median steps a row, or reached by a leap alone (a pause)
    with no step back behind it.

    Parameters
    ----------
    time : (N,) finite [s]

    Returns
    -------
    keep : (N,) bool
    """
    keep = np.zeros(len(time), dtype=bool)
    if len(time) == 0:
        return keep
    step = np.diff(time)
    median = float(np.median(step[step > 0])) if (step > 0).any() else 0.0
    torn = step <= 0
    cuts = np.flatnonzero(torn | (step > _FAR * median)) + 1
    edges = np.concatenate([[0], cuts, [len(time)]])
    pieces = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    anchor = int(np.argmax(np.diff(edges)))
    keep[slice(*pieces[anchor])] = True
    end = _extend(keep, time, torn, pieces[anchor:], _FAR * median)
    pieces[anchor] = (pieces[anchor][0], end)
    # the same walk to the left, in reversed and negated time
    size = len(time)
    mirrored = [(size - b, size - a) for a, b in reversed(pieces[: anchor + 1])]
    _extend(keep[::-1], -time[::-1], torn[::-1], mirrored, _FAR * median)
    return keep


def _extend(keep: NDArray[np.bool_], time: NDArray[np.float64], torn: NDArray[np.bool_], pieces: list[tuple[int, int]], far: float) -> int:
    """Walk rightwards from the first piece, the recording, and keep (in place) the rows of the pieces that continue it.

    Where a piece and the recording before it overlap, the fewer rows go: the head of the piece, or the tail of the recording (a stamp that ran ahead).
    Returns where the first piece now ends.
    """
    first, end = pieces[0]
    trimmed = end
    for start, stop in pieces[1:]:
        head = int(np.searchsorted(time[start:stop], time[end - 1], side="right"))
        tail = end - first - int(np.searchsorted(time[first:end], time[start], side="left"))
        if 0 < tail < min(head, end - first) and time[start] - time[end - 1 - tail] <= far * (start - end + 1 + tail):
            keep[end - tail : end] = False
            end -= tail
            head = 0
            trimmed = end if first == pieces[0][0] else trimmed
        begin = start + head
        if begin == stop:
            continue
        near = time[begin] - time[end - 1] <= far * (begin - end + 1)
        step_back_behind = stop < len(time) and bool(torn[stop - 1])
        if near or not step_back_behind:
            keep[begin:stop] = True
            first, end = begin, stop
    return trimmed
