"""The power model: a second route to the same parameters, without accelerations.

The work of the drives over an interval is the gain of kinetic and potential energy plus what friction took::

    ∫ dqᵀ τ dt = [T + U] + ∫ dqᵀ f(dq) dt

Energies are linear in the standard parameters, as torques are, and so is the work of friction: one equation an interval, with positions, velocities and
torques only (M. Gautier, *Dynamic identification of robots with power model*, ICRA 1997; named by G21 as a check). Columns of dependent parameters are the
same combinations as in the torque's regressor, so that the base parameters are the same numbers. One equation for all joints together tells less than n of
them; where both routes disagree by more than their intervals, accelerations, filters or the model deserve a look.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, RobotError, sentence
from optid.kernels import Kernel
from optid.kernels.blas import one_thread
from optid.kinematics.joint_transform import constant
from optid.model import DynamicModel
from optid.model.arguments import positive
from optid.model.lagrange import energies
from optid.problems.regression import Regression, RegressionResult
from optid.regressor import BaseParameters
from optid.signals import Samples

from .pipeline import base_of
from .prepare import checked_options, collect, prepare

if TYPE_CHECKING:
    from optid.problems.identification_result import IdentificationResult
    from optid.signals import Preprocessing

Array = NDArray[np.float64]


@lru_cache(maxsize=16)
def _kernels(model: DynamicModel) -> tuple[Kernel, Kernel]:
    """Energy (1, p) and dissipated power (1, p) per unit of each standard parameter, from q and dq."""
    n, links = model.n, 10 * model.robot.n_links
    q, dq, pi = ca.SX.sym("q", n), ca.SX.sym("dq", n), ca.SX.sym("pi", links)
    kinetic, potential = energies(model.robot, q, dq, pi)
    energy = [ca.jacobian(kinetic + potential, pi)]
    rotor = n if model.rotor_inertia else 0
    if rotor:
        speed = ca.mtimes(constant(np.linalg.inv(model.robot.C)), dq)
        energy.append(speed.T**2 / 2)
    basis = sum(len(b.names) for b in model.basis)
    zero = ca.SX.zeros(n, 1)
    Y = model.regressor_expression(q, dq, zero)
    ddq = ca.SX.sym("ddq", n)
    if basis and any(ca.which_depends(model.regressor_expression(q, dq, ddq)[:, model.p - basis :], ddq, 1)):
        raise RobotError(sentence("power model", "user-supplied torque columns that depend on accelerations", "columns of positions and velocities"))
    lost = ca.mtimes(dq.T, Y)
    lost[:, : links + rotor] = 0.0
    stored = ca.horzcat(*energy, ca.SX(1, model.p - links - rotor))
    rows = {"energy": stored, "loss": lost}
    return tuple(Kernel(ca.Function(name, [q, dq], [ca.densify(row)], ["q", "dq"], [name])) for name, row in rows.items())  # type: ignore[return-value]


def power_equations(base: BaseParameters, samples: Samples, interval: float, known: Array | None = None) -> tuple[Array, Array]:
    """Rows (M, r) and work (M,) [J] of consecutive intervals of one trial.

    Parameters
    ----------
    interval : float [s]
        Long intervals average noise, short ones give more equations; about the period of the fastest motion is a good start.
    known : (p,), optional
        Standard vector of the known parameters, whose energy and losses are taken off the work; the robot's nominal ones by default.

    Notes
    -----
    Integrals by Simpson's rule on the samples; intervals do not cross the ends of segments.
    """
    from scipy.integrate import cumulative_simpson

    width = 2 * max(1, round(interval * samples.rate / 2))
    energy, loss = _kernels(base.model)
    rows, work = [], []
    for part in samples.parts():
        count = part.stop - part.start
        if count <= width:
            continue
        q, dq, tau = samples.q[part], samples.dq[part], samples.tau[part]
        edges = np.arange(0, count, width)
        stored, lost = energy(q[edges], dq[edges])[:, 0], loss(q, dq)[:, 0]
        integral = cumulative_simpson(np.column_stack([lost, np.sum(dq * tau, axis=1)]), dx=1 / samples.rate, axis=0, initial=0.0)[edges]
        rows.append(np.diff(stored, axis=0) + np.diff(integral[:, :-1], axis=0))
        work.append(np.diff(integral[:, -1]))
    if not rows:
        raise DataError(sentence(f"power model of trial {samples.name!r}", f"no piece longer than {interval:g} s", "at least one", "Use shorter intervals."))
    W, e = np.concatenate(rows), np.concatenate(work)
    vector = base.known_vector(known)
    if vector is not None:
        e = e - W @ vector
    return W[:, list(base.independent)], e


@dataclass(frozen=True, eq=False)
class PowerFit:
    """Base parameters by the power model.

    Attributes
    ----------
    base : BaseParameters
    regression : RegressionResult
        Values, sigmas and intervals for white residuals of the intervals' energy balance; ``names`` are the base parameters' formulas.
    interval : float [s]
    error : float
        ‖work − predicted‖ / ‖work‖.

    Examples
    --------
    >>> from optid.identification import identify_power
    >>> from optid.testing import example_model, example_recording
    >>> identify_power(example_model(), example_recording(cycles=3), interval=0.5).interval
    0.5
    """

    base: BaseParameters
    regression: RegressionResult
    interval: float
    error: float

    @property
    def beta(self) -> Array:
        """(r,) estimates; NaN for a parameter that the energy balance does not determine."""
        return self.regression.values

    @property
    def sigma(self) -> Array:
        """(r,) standard deviations."""
        return self.regression.sigma

    def disagreement(self, fit: IdentificationResult) -> Array:
        """(r,) difference to a fit of torques, in standard deviations of both; NaN where one of them is undetermined."""
        variance = self.sigma**2 + np.diag(fit.covariance(fit.reliable_kind))
        found: Array = (self.beta - fit.beta) / np.sqrt(np.where(np.isfinite(variance), variance, np.nan))
        return found


@one_thread()
def identify_power(
    model: DynamicModel | BaseParameters,
    trials: Any,
    *,
    interval: float,
    known: Any = (),
    preprocessing: Preprocessing | None = None,
    seed: int = 0,
) -> PowerFit:
    """Identify base parameters from energy balances.

    Parameters
    ----------
    model, trials, known, preprocessing, seed
        As for :func:`optid.identify`. Every sample is used, slow ones too: what friction took is integrated over all of them.
    interval : float [s]
        See :func:`power_equations`.

    Raises
    ------
    DataError, RankError

    Examples
    --------
    >>> from optid.identification import identify_power
    >>> from optid.testing import example_model, example_recording
    >>> power = identify_power(example_model(), example_recording(cycles=3), interval=0.5)
    >>> power.regression.names[:2]
    ('mx1 + 0.5*m2', 'my1')
    """
    from optid.solvers import solve

    positive(interval, "interval of the power model")
    base, values = base_of(model, known, seed)
    vector = base.known_vector(values)
    options = checked_options(preprocessing)
    pairs = [power_equations(base, prepare(item, base.model.robot, options), interval, vector) for item in collect(trials, "identification")]
    if not pairs:
        raise DataError(sentence("trials", "none", "at least one"))
    W, e = np.concatenate([a for a, _ in pairs]), np.concatenate([b for _, b in pairs])
    regression: RegressionResult = solve(Regression(W, e, base.formulas))
    size = float(np.linalg.norm(e))
    return PowerFit(base, regression, interval, float(np.linalg.norm(regression.residual)) / size if size > 0 else float("nan"))
