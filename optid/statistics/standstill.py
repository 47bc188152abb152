"""What a standing robot tells of its position signals' noise, and how far a noisy speed shows its sign.

The sign of a speed v that is read with normal noise of standard deviation σ is right on average by ``E sign(v + ε) = erf(v / √2 σ)``. The slope of that at
rest is √(2/π) / σ, that of ``tanh(v / w)`` is 1 / w: with ``w = √(π/2) σ`` both agree to 0.04 everywhere. So a friction model with that width believes the
direction of a motion as far as the recording shows it, and no further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

from .encoder import motion_noise

if TYPE_CHECKING:
    from optid.experiment import Trial

Array = NDArray[np.float64]

WINDOW = 32
"""Samples in which a joint is looked at for standstill."""

WHITE = 0.5
"""Half the mean squared step over the variance: 1 for white noise about a constant, next to nothing for motion."""


def position_noise(trial: Trial) -> Array:
    """Standard deviation (n,) of the white noise on recorded positions [rad or m], from the pieces of the recording in which a joint stands.

    A joint stands where its readings of 32 samples look like white noise about a constant. The median over such pieces counts, and at least what the smallest
    distance between readings does when positions are rounded to it (:class:`EncoderNoise`).

    Raises
    ------
    DataError
        A joint never stands.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.statistics import position_noise
    >>> q = 1e-3 * np.random.default_rng(0).standard_normal((2000, 1))
    >>> bool(abs(position_noise(Trial(np.arange(2000) * 0.01, q, tau=q))[0] / 1e-3 - 1) < 0.1)
    True
    """
    q = trial.q[trial.valid]
    pieces = len(q) // WINDOW
    found = np.zeros(trial.n)
    for j in range(trial.n):
        x = q[: pieces * WINDOW, j].reshape(pieces, WINDOW)
        power, variance = np.mean(np.diff(x, axis=1) ** 2, axis=1) / 2, np.var(x, axis=1, ddof=1)
        standing = power[power >= WHITE * variance]
        if not len(standing):
            name = trial.joint_names[j] if trial.joint_names else f"joint {j + 1}"
            hint = "Record a second before the motion, or state the noise yourself."
            raise DataError(sentence(f"noise of {name} in trial {trial.name!r}", "no standstill", f"{WINDOW} samples of it", hint))
        count = float(np.min(np.diff(np.unique(q[:, j])), initial=np.inf))
        found[j] = np.sqrt(max(float(np.median(standing)), count**2 / 12 if np.isfinite(count) else 0.0))
    return found


def speed_noise(trial: Trial, preprocessing: Any = None) -> Array:
    """Standard deviation (n,) of what the positions' noise at rest leaves in the speed after the preprocessing's low-pass [rad/s or m/s].

    A measured speed is taken to be made of the same positions: a controller that shows exact zeros at rest knows it no better.

    Raises
    ------
    DataError
        A joint never stands, or cycles are averaged.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.statistics import speed_noise
    >>> q = 1e-3 * np.random.default_rng(0).standard_normal((2000, 1))
    >>> bool(speed_noise(Trial(np.arange(2000) * 0.01, q, tau=q))[0] > 0)
    True
    """
    from optid.signals import Preprocessing
    from optid.signals.cleaning import clean, pieces
    from optid.signals.conditioning import Conditioning

    options = preprocessing if preprocessing is not None else Preprocessing()
    if options.periodic is not None:
        raise DataError(sentence("noise of the speed", "averaged cycles", "samples in time", "State the noise yourself."))
    counts: dict[str, int] = {}
    notes: list[str] = []
    longest = max(pieces(clean(trial, options, counts, notes), options, counts, notes), key=lambda piece: len(piece.time))
    filters = Conditioning.of(options, longest)
    cutoffs = [x for x in (filters.position, filters.velocity) if x is not None]
    one = motion_noise(1.0, longest.rate, min(cutoffs, default=None), options.order)
    return np.asarray(position_noise(trial) * np.sqrt(one[0, 1, 1]))


def sign_width(trial: Trial, preprocessing: Any = None) -> tuple[float, ...]:
    """Widths (n) for :class:`optid.DynamicModel` that go with a recording: √(π/2) times :func:`speed_noise`.

    Parameters
    ----------
    trial : Trial
        The recording of the fit, with its standstill before or after the motion.
    preprocessing : Preprocessing, optional
        That of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.statistics import sign_width, speed_noise
    >>> q = 1e-3 * np.random.default_rng(0).standard_normal((2000, 1))
    >>> trial = Trial(np.arange(2000) * 0.01, q, tau=q)
    >>> bool(np.isclose(sign_width(trial)[0], np.sqrt(np.pi / 2) * speed_noise(trial)[0]))
    True
    """
    return tuple(float(x) for x in np.sqrt(np.pi / 2) * speed_noise(trial, preprocessing))
