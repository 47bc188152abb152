"""Energies of an arm, from its pseudo-inertias: a check of every simulation that shares nothing with the recursion it integrates."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.kernels import Kernel
from optid.kinematics.joint_transform import constant
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.model.arrays import state_arrays
from optid.model.lagrange import energies

Array = NDArray[np.float64]


@lru_cache(maxsize=32)
def _kernel(model: DynamicModel) -> Kernel:
    pi = ca.SX.sym("pi", model.p)
    q, dq = ca.SX.sym("q", model.n), ca.SX.sym("dq", model.n)
    links = 10 * model.robot.n_links
    kinetic, potential = energies(model.robot, q, dq, pi[:links])
    if model.rotor_inertia:
        speed = ca.mtimes(constant(np.linalg.inv(model.robot.C)), dq)
        kinetic += ca.dot(pi[links : links + model.n], speed**2) / 2
    return Kernel(ca.Function("energies", [pi, q, dq], [ca.vertcat(kinetic, potential)], ["pi", "q", "dq"], ["E"]))


def mechanical_energy(model: DynamicModel, pi: Any, q: Any, dq: Any) -> tuple[Any, Any]:
    """Kinetic energy, rotors included, and potential energy of states (N, n): two arrays (N,) [J], or two numbers of one state (n,).

    Energy of user-supplied torque columns is not counted.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import mechanical_energy
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> up, down = (mechanical_energy(model, model.nominal_parameters(), [angle, 0.0], [0.0, 0.0])[1] for angle in (np.pi / 2, -np.pi / 2))
    >>> round(float(up - down), 6)  # 2 · 9.81 · (2 · 0.2 + 1.5 · 0.65)
    26.9775
    """
    instance(model, DynamicModel, "model of an energy", "Make one: DynamicModel(robot).")
    (positions, speeds), single = state_arrays((q, dq), model.n, ("q", "dq"))
    E = _kernel(model)(positions, speeds, pi=model._pi(pi))[:, :, 0]
    return (float(E[0, 0]), float(E[0, 1])) if single else (E[:, 0], E[:, 1])
