"""Where a design begins: seeded motions that are well inside the limits and move every joint."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .motion import Motion

Array = NDArray[np.float64]

SHARE = 0.8
"""Part of the limits that a start uses."""


def random_start(motion: Motion, rng: np.random.Generator) -> Array:
    """Variables of a random motion about the centre that uses ``SHARE`` of the limits of every joint.

    Coefficients are drawn in proportion to what each may be within the limits (for Fourier trajectories like 1/k or 1/k² in the harmonic k), so that no start
    consists of fast components alone.
    """
    family = motion.family
    T = float(rng.uniform(*motion.duration)) if motion.timed else motion.duration[1]
    C = rng.standard_normal((family.n, family.m)) * motion.coefficient_scales
    mean = np.einsum("jNm,jm->j", family.basis(family.phases(4 * family.density), 0), C) / (4 * family.density)
    C = C - np.outer(mean, family.still)
    middle = motion.vector(np.outer(motion.centre, family.still), T)
    swing = motion.vector(np.outer(motion.centre, family.still) + C, T) - middle
    touching = motion.inside(middle + 1e3 * swing)
    return np.asarray(middle + SHARE * (touching - middle))
