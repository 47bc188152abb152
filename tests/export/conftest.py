"""Fitted models to export: a slide on an inclined arm with friction, base parameters alone and with bodies."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from optid import DynamicModel, IdentificationResult, Link, Robot, identify, library
from optid.signals import Samples


@cache
def fitted(model: DynamicModel, method: str = "wls", known: tuple[str, ...] = ()) -> IdentificationResult:
    """A fit to 300 random states of the model's own torque with 1 % noise."""
    rng = np.random.default_rng(11)
    q, dq, ddq = rng.standard_normal((3, 300, model.n))
    pi = model.nominal_parameters()
    for k, name in enumerate(model.parameter_names):
        pi[k] += {"fv": 0.8, "fc": 1.3, "fo": -0.2, "fvp": 0.6, "fvn": 0.9, "fcp": 1.2, "fcn": -1.1, "Ia": 0.3}.get(name.rstrip("0123456789"), 0.0)
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    tau = tau + 0.01 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape)
    values = {name: float(pi[model.index(name)]) for name in known}
    return identify(model, Samples.from_arrays(q, dq, ddq, tau, rate=100), method=method, known=values)


def crane() -> Robot:
    """R-P-R on a wall: names with blanks, other scripts and what would end a C comment."""
    bodies = [
        Link.from_com(4.0, (0.1, 0.02, 0.05), (0.1, 0.2, 0.15), "mast"),
        Link.from_com(2.0, (0.0, 0.1, -0.1), (0.02, 0.03, 0.02), "boom"),
        Link.from_com(1.0, (0.05, 0.01, 0.02), (0.01, 0.01, 0.015), "hook"),
    ]
    rows = [(0.2, np.pi / 2, 0.3, 0.0), (0.0, -np.pi / 2, 0.1, 0.3, "P"), (0.2, 0.0, 0.1, 0.0)]
    names = ("base */ joint", "Schub ü", 'wrist\\\n"3" ??/')
    return Robot.from_dh(rows, "standard", (0.0, -9.81, 0.5), links=bodies, joint_names=names, name="1 Kran */ #error ü")


@pytest.fixture(scope="session")
def crane_model() -> DynamicModel:
    return DynamicModel(crane(), "viscous+coulomb+offset", rotor_inertia=True, sign_width=0.01)


@pytest.fixture(scope="session")
def panda_model() -> DynamicModel:
    return DynamicModel(library.panda(), "viscous+coulomb")
