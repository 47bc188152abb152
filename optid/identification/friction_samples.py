"""What a fitted model leaves for friction: pairs of velocity and friction torque, joint by joint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optid.model.friction import friction_stems

if TYPE_CHECKING:
    from optid.problems.identification_result import IdentificationResult
    from optid.signals import Samples

Array = NDArray[np.float64]


class FrictionSamples(NamedTuple):
    """Used samples of one joint.

    Attributes
    ----------
    velocity : (N,) [rad/s]
    torque : (N,) [N m]
        Measured torque less that of inertia and gravity.
    load : (N,) [N m]
        The torque of inertia and gravity: what the drive passes on.
    independent_share : float
    """

    velocity: Array
    torque: Array
    load: Array
    independent_share: float


def friction_samples(fit: IdentificationResult, samples: Samples) -> tuple[FrictionSamples, ...]:
    """Friction torque of every joint, for :class:`optid.problems.FrictionCurve` and :func:`optid.problems.compare_friction`.

    Parameters
    ----------
    fit : IdentificationResult
        With viscous and Coulomb friction in the model, so that inertia and gravity do not stand in for it.
    samples : Samples
    """
    base, model = fit.base, fit.base.model
    pi = base.standard(fit.minimum_norm, base.known_vector(dict(fit.known)), how="independent")
    for stem in friction_stems(model.friction):
        at = model.index(f"{stem}1")
        pi[at : at + model.n] = 0.0
    rigid = model.inverse_dynamics(pi, samples.q, samples.dq, samples.ddq)
    return tuple(
        FrictionSamples(samples.dq[use, j], (samples.tau - rigid)[use, j], rigid[use, j], samples.independent_share) for j, use in enumerate(samples.use.T)
    )
