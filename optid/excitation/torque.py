"""Torque limits of the drives as a path constraint, with everything the robot is known to have: gravity, inertia, friction, rotors."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, sentence
from optid.model import DynamicModel
from optid.robot import Limits

from .paths import Path

Array = NDArray[np.float64]

SOFT = 1e-4
"""Rounding of magnitudes in robust limits, as a share of the torque limit; it errs on the safe side."""


def torque_model(model: DynamicModel, widths: tuple[float, ...]) -> DynamicModel:
    """The model with rotor inertia and with friction, for a limit of the whole drive torque."""
    friction = model.friction if set(model.friction) - {"offset"} else ("viscous", "coulomb", *model.friction)
    return replace(model, friction=friction, rotor_inertia=True, sign_width=widths)


def carried_parameters(values: Array, source: DynamicModel, target: DynamicModel) -> Array:
    """Parameters of ``target``: those of ``source`` by name, else what the robot states."""
    known = dict(zip(source.parameter_names, values, strict=True))
    return target.parameters({name: value for name, value in known.items() if name in target.parameter_names}, target.nominal_parameters())


def torque_path(model: DynamicModel, parameters: Array, limits: Limits, uncertainty: ArrayLike | None = None) -> Path:
    """Limits of the torque of parameters, or of all parameters within a stated uncertainty.

    Parameters
    ----------
    model : DynamicModel
        With a smooth friction sign.
    parameters : (p,)
    limits : Limits
    uncertainty : float or (p,), optional
        Half widths of the parameters; a float is a share of their magnitudes. The limit then holds for every parameter vector within them: the worst case
        ``|Y pi| + |Y| delta`` is limited, with magnitudes rounded upwards by ``SOFT`` of the limit at most.

    Raises
    ------
    DataError
        When nothing is known about the robot's dynamics.
    """
    if not np.any(parameters):
        hint = "Give nominal=, or torque=False."
        raise DataError(sentence("torque limits of a design", "a robot whose description states no masses, inertias or friction", "nominal parameters", hint))
    chosen = [j for j in range(limits.n) if np.isfinite(limits.torque[j])]
    names = tuple(limits.names[j] for j in chosen)
    size = np.array([limits.torque[j] for j in chosen])
    q, dq, ddq = (ca.SX.sym(name, model.n) for name in ("q", "dq", "ddq"))
    torque = model.torque_expression(ca.SX(ca.DM(parameters)), q, dq, ddq)[chosen] / ca.DM(size)
    if uncertainty is None:
        function = ca.Function("torque_shares", [q, dq, ddq], [ca.densify(torque)], ["q", "dq", "ddq"], ["shares"])
        return Path("torque", function, names, -np.ones(len(chosen)), np.ones(len(chosen)), size)
    delta = half_widths(uncertainty, parameters)
    varied = [int(i) for i in np.flatnonzero(delta)]
    Y = model.regressor_expression(q, dq, ddq)[chosen, varied] / ca.DM(size)
    soft = SOFT / max(1, len(varied))
    spread = ca.SX(len(chosen), 1)
    for column, i in enumerate(varied):
        for row in range(len(chosen)):
            if not Y[row, column].is_zero():
                spread[row] += ca.sqrt((Y[row, column] * float(delta[i])) ** 2 + soft**2)
    both = ca.densify(ca.vertcat(torque + spread, -torque + spread))
    function = ca.Function("torque_shares", [q, dq, ddq], [both], ["q", "dq", "ddq"], ["shares"])
    free = np.full(2 * len(chosen), -np.inf)
    return Path("torque", function, (*names, *names), free, np.ones(2 * len(chosen)), np.tile(size, 2))


def half_widths(uncertainty: ArrayLike, parameters: Array) -> Array:
    """Half widths (p,) of the parameters.

    Raises
    ------
    ShapeError
    """
    given = np.asarray(uncertainty, dtype=float)
    if given.ndim == 0:
        given = float(given) * np.abs(parameters)
    if given.shape != parameters.shape or not np.isfinite(given).all() or (given < 0).any():
        raise ShapeError(sentence("torque_uncertainty", repr(uncertainty), f"a share of the parameters, or {len(parameters)} half widths, not negative"))
    return np.asarray(given)
