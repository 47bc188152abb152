"""An identified model as functions: what a controller or an optimiser needs of it, with the estimates as numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from optid.problems import IdentificationResult

FUNCTIONS = {
    "inverse_dynamics": (("q", "dq", "ddq"), "tau"),
    "gravity": (("q",), "g"),
    "friction": (("dq",), "f"),
    "mass_matrix": (("q",), "M"),
}
"""Functions of an identified model: name → (arguments, result)."""


def baked_parameters(fit: IdentificationResult) -> NDArray[np.float64]:
    """A standard vector (p,) that gives the torque of the fit: its base parameters in their independent columns, known parameters in theirs, zeros elsewhere.

    It needs no full set of standard parameters; a single entry of it says nothing about a link.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.export import baked_parameters
    >>> from optid.testing import example_fit, example_model, example_samples
    >>> samples, model = example_samples(), example_model()
    >>> bool(np.allclose(model.inverse_dynamics(baked_parameters(example_fit()), samples.q, samples.dq, samples.ddq), samples.tau))
    True
    """
    pi = fit.base.known_parameters(dict(fit.known))
    pi[list(fit.base.independent)] = fit.minimum_norm
    return pi


def identified_functions(fit: IdentificationResult) -> dict[str, ca.Function]:
    """CasADi functions of an identified model, see :data:`FUNCTIONS`.

    ``inverse_dynamics(q, dq, ddq)`` is all of the torque (n,), friction and user-supplied columns included, so that it equals ``fit.predict``;
    ``gravity(q)`` and ``friction(dq)`` are those parts of it, ``mass_matrix(q)`` (n, n) multiplies the acceleration. Arguments are columns (n,), SI units.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.export import identified_functions
    >>> from optid.testing import example_fit, example_samples
    >>> samples = example_samples()
    >>> functions = identified_functions(example_fit())
    >>> q, dq, ddq = samples.q[0], samples.dq[0], samples.ddq[0]
    >>> bool(np.allclose(functions["inverse_dynamics"](q, dq, ddq).full().ravel(), samples.tau[0]))
    True
    """
    model, n = fit.base.model, fit.base.model.n
    pi = ca.sparsify(ca.SX(baked_parameters(fit)))  # zeros vanish instead of being multiplied
    q, dq, ddq = (ca.SX.sym(name, n) for name in ("q", "dq", "ddq"))
    zero = ca.SX(n, 1)
    rigid = replace(model, friction=(), basis=())
    links = 10 * model.robot.n_links
    rotors = n if model.rotor_inertia else 0
    fixed = replace(model, rotor_inertia=False, basis=())
    rub = ca.vertcat(ca.SX(links, 1), pi[links + rotors : links + rotors + fixed.p - links])
    expressions = {
        "inverse_dynamics": model.torque_expression(pi, q, dq, ddq),
        "gravity": rigid.torque_expression(pi[: rigid.p], q, zero, zero),
        "friction": fixed.torque_expression(rub, zero, dq, zero),
        "mass_matrix": ca.jacobian(rigid.torque_expression(pi[: rigid.p], q, zero, ddq), ddq),
    }
    symbols = {"q": q, "dq": dq, "ddq": ddq}
    return {
        name: ca.Function(name, [symbols[a] for a in arguments], [expressions[name]], list(arguments), [result])
        for name, (arguments, result) in FUNCTIONS.items()
    }
