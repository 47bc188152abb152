"""Forward dynamics: accelerations from torques, for any arm."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np

from optid.errors import SingularError, sentence
from optid.kernels import Kernel
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.model.arrays import is_symbolic, state_arrays
from optid.model.symmetric import solve_symmetric


@lru_cache(maxsize=32)
def _kernel(model: DynamicModel) -> Kernel:
    pi = ca.SX.sym("pi", model.p)
    q, dq, tau = (ca.SX.sym(name, model.n) for name in ("q", "dq", "tau"))
    load = tau - model.functions["torque"](pi, q, dq, ca.SX(model.n, 1))
    ddq = solve_symmetric(model.functions["mass_matrix"](pi, q), load)
    return Kernel(ca.Function("forward_dynamics", [pi, q, dq, tau], [ddq], ["pi", "q", "dq", "tau"], ["ddq"]))


def forward_dynamics(model: DynamicModel, pi: Any, q: Any, dq: Any, tau: Any) -> Any:
    """Accelerations that torques give, the inverse of ``model.inverse_dynamics``.

    Parameters
    ----------
    model : DynamicModel
    pi : (p,)
        Standard parameters.
    q, dq, tau : (n,) or (N, n) [rad, rad/s, N m]
        CasADi expressions give an expression.

    Returns
    -------
    (n,) or (N, n) [rad/s²]

    Raises
    ------
    SingularError
        When a mass matrix cannot be inverted: a coordinate moves no inertia.

    Notes
    -----
    A standing joint has no Coulomb friction here (sign(0) = 0). Whether it stays is a question of time stepping: :class:`~optid.simulation.Plant`.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import forward_dynamics
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> pi, q, dq, ddq = model.nominal_parameters(), [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    >>> forward_dynamics(model, pi, q, dq, model.inverse_dynamics(pi, q, dq, ddq)).round(12).tolist()
    [0.5, 0.6]
    """
    instance(model, DynamicModel, "model of forward dynamics", "Make one: DynamicModel(robot).")
    kernel = _kernel(model)
    if is_symbolic(pi, q, dq, tau):
        return kernel.function(pi, q, dq, tau)
    arrays, single = state_arrays((q, dq, tau), model.n, ("q", "dq", "tau"))
    values = np.asarray(model._pi(pi))
    ddq = kernel(*arrays, pi=values)[:, :, 0]
    bad = ~np.isfinite(ddq).all(axis=1) & np.isfinite(np.hstack(arrays)).all(axis=1)
    if bad.any() or not _invertible(model, values, arrays[0]):
        raise SingularError(
            sentence(f"mass matrix of robot {model.robot.name!r}", "singular", "positive definite", "Give every moving link, or its drive, an inertia.")
        )
    return ddq[0] if single else ddq


def _invertible(model: DynamicModel, pi: Any, q: Any) -> bool:
    """Whether the mass matrix of the first finite state is positive definite beyond rounding."""
    finite = q[np.isfinite(q).all(axis=1)][:1]
    if not len(finite):
        return True
    M = model.mass_matrix(pi, finite)[0]
    d = np.sqrt(np.abs(np.diag(M)))
    if not (np.diag(M) > 0).all():
        return False
    return bool(np.linalg.eigvalsh(M / np.outer(d, d))[0] > 1e-13)
