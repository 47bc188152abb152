"""Stamps or an exact clock: which of the two explains the positions better.

Stamps that spread have one of two causes. Either the sampling was irregular and the stamps tell it truly, or an exact clock was read late and the stamps
carry the reader's jitter. A moving robot is smooth in true time, so the recording itself can decide: the wrong time axis makes it rough.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence

Array = NDArray[np.float64]
LONGEST = 2**17  # samples looked at: the middle of a longer record
CLEARLY = 0.5  # an exact clock must halve the roughness to be believed against the stamps


def roughness(time: ArrayLike, x: ArrayLike) -> Array:
    """(n,) rms error of predicting each sample from its four neighbours.

    The cubic through samples k−2, k−1, k+1, k+2 is evaluated at sample k; each error is divided by the gain that white noise has in it, so that irregular
    spacing alone does not count.

    Parameters
    ----------
    time : (N,), increasing, N >= 5
    x : (N, n)

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import roughness
    >>> t = np.arange(100) * 0.01
    >>> bool(roughness(t, (t**2)[:, None])[0] < 1e-12)
    True
    """
    stamps, signal = np.asarray(time, dtype=float), np.asarray(x, dtype=float)
    if stamps.ndim != 1 or len(stamps) < 5 or signal.shape[:1] != stamps.shape:
        raise ShapeError(sentence("signal to judge the roughness of", f"time {stamps.shape}, signal {signal.shape}", "(N,) and (N, n), five samples or more"))
    count = len(stamps) - 4
    near = [0, 1, 3, 4]
    distance = np.stack([stamps[k : k + count] - stamps[2 : 2 + count] for k in near])
    weight = np.ones((4, count))
    for a in range(4):
        for b in range(4):
            if a != b:
                weight[a] *= -distance[b] / (distance[a] - distance[b])
    error = -signal[2 : 2 + count]
    for a, k in enumerate(near):
        error = error + weight[a][:, None] * signal[k : k + count]
    gain = np.sqrt(1 + (weight**2).sum(axis=0))
    return np.sqrt(np.mean((error / gain[:, None]) ** 2, axis=0))


def stamps_over_clock(time: ArrayLike, q: ArrayLike, count: ArrayLike | None = None) -> float:
    """Roughness of the positions on an exact clock over that on their stamps (geometric mean over the joints); below 1/2 the clock is believed.

    Parameters
    ----------
    time : (N,) [s], increasing
    q : (N, n)
    count : (N,), increasing, or None
        Ticks of the exact clock at each sample; None: 0 … N−1, no sample missing.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.signals import stamps_over_clock
    >>> true = np.arange(500) * 0.01 + 0.002 * np.random.default_rng(0).standard_normal(500)
    >>> stamps_over_clock(true, np.sin(3 * true)[:, None]) > 1  # the stamps are the true instants
    True
    """
    stamps, position = np.asarray(time, dtype=float), np.asarray(q, dtype=float)
    ticks = np.arange(len(stamps)) if count is None else np.asarray(count)
    if len(stamps) < 5:
        return 1.0
    if len(stamps) > LONGEST:
        middle = slice((len(stamps) - LONGEST) // 2, (len(stamps) + LONGEST) // 2)
        stamps, position, ticks = stamps[middle], position[middle], ticks[middle]
    on_clock, on_stamps = roughness(ticks, position), roughness(stamps, position)
    tiny = 1e-11 * np.abs(position).max(axis=0) + np.finfo(float).tiny
    return float(np.exp(np.mean(np.log((on_clock + tiny) / (on_stamps + tiny)))))
