"""Experiments that excite one physical effect each: own inertias, inertial couplings, Coriolis and centrifugal forces, gravity.

The alternative to one optimal motion that Gonzalez (elektron 5(2), 2021, section III-B) describes after Vandanjon, Gautier and Desbats (IEEE ICRA 1995): a few
trajectories, each with the best condition number of its own part of the regressor, and one estimate from all of their data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from optid.errors import RankError, sentence, unknown_name
from optid.regressor import BaseParameters

if TYPE_CHECKING:
    from optid.problems import Excitation

EFFECTS = ("inertia", "coupling", "coriolis", "gravity")


def effect(base: BaseParameters, name: str) -> BaseParameters:
    """The parameters that one effect reveals, with that part of the torque as their regressor.

    Parameters
    ----------
    base : BaseParameters
    name : "inertia", "coupling", "coriolis" or "gravity"
        What a joint's own acceleration takes; what the accelerations of the others add; all products of velocities; what holds the arm at rest. They add up to
        the torque of the links and rotors; friction is no part of any.

    Raises
    ------
    UnknownNameError
    RankError
        The robot has no such effect, e.g. gravity on an arm whose axes are all vertical.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> from optid.excitation import effect
    >>> effect(BaseParameters.of(DynamicModel(library.planar_2r())), "gravity").rank  # first moments of two links
    4
    """
    if name not in EFFECTS:
        raise unknown_name("effect", name, EFFECTS)
    model = base.model
    bodies = 10 * model.robot.n_links + (model.n if model.rotor_inertia else 0)
    columns = [k for k in base.independent if k < bodies]
    bare = replace(model, friction=(), rotor_inertia=False, basis=())
    names = [f"{name} of {model.parameter_names[k]}" for k in columns]
    part: Callable[[ca.Function, ca.SX, ca.SX, ca.SX], ca.SX] = {"inertia": _own, "coupling": _coupling, "coriolis": _coriolis, "gravity": _gravity}[name]
    states = [ca.SX.sym(x, model.n) for x in ("q", "dq", "ddq")]
    whole = ca.Function("whole", states, [replace(model, friction=(), basis=()).regressor_expression(*states)[:, columns]])
    own = part(whole, *states)
    size, of_all = _sizes(states, own), _sizes(states, whole(*states))
    seen = [i for i in range(len(columns)) if size[i] > 1e-9 * of_all[i]]
    basis = ca.Function("effect", states, [ca.densify(own[:, seen])])
    found = BaseParameters.of(bare.with_torque_basis([names[i] for i in seen], basis), known=bare.parameter_names) if seen else None
    if found is None:
        raise RankError(sentence(f"effect {name!r} of {model.robot.name!r}", "no torque in any motion", f"another effect than {name}"))
    return found


def by_effect(problem: Excitation) -> dict[str, Excitation]:
    """The design once for each effect that the robot has, everything else alike: solve them all, then estimate from all recordings together.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, Limits, library
    >>> from optid.excitation import by_effect
    >>> from optid.problems import Excitation
    >>> base = BaseParameters.of(DynamicModel(library.planar_2r()))
    >>> list(by_effect(Excitation(base, harmonics=2, period=4.0, limits=Limits.of(2, position=2.0, velocity=3.0, acceleration=9.0))))
    ['inertia', 'coupling', 'coriolis', 'gravity']
    """
    made = {}
    nominal = np.asarray(problem.nominal)[: 10 * problem.base.model.robot.n_links]
    for name in EFFECTS:
        try:
            base = effect(problem.base, name)
        except RankError:
            continue
        values = np.concatenate([nominal, np.zeros(base.model.p - len(nominal))])
        scaling = problem.column_scaling if isinstance(problem.column_scaling, str) else "none"
        made[name] = replace(problem, base=base, nominal=values, information=None, column_scaling=scaling, initial=None)
    return made


def _gravity(whole: ca.Function, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    return whole(q, ca.SX(dq.shape[0], 1), ca.SX(dq.shape[0], 1))


def _own(whole: ca.Function, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    """Linear in accelerations, so derivatives times accelerations: differences would leave rounding where there is nothing."""
    Y = whole(q, ca.SX(dq.shape[0], 1), ddq)
    return ca.vertcat(*(ca.jacobian(Y[j, :], ddq[j]).T * ddq[j] for j in range(q.shape[0])))


def _coupling(whole: ca.Function, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    Y = whole(q, ca.SX(dq.shape[0], 1), ddq)
    others = ((j, [k for k in range(q.shape[0]) if k != j]) for j in range(q.shape[0]))
    return ca.vertcat(*(ca.mtimes(ca.jacobian(Y[j, :], ddq[k]), ddq[k]).T for j, k in others))


def _coriolis(whole: ca.Function, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
    """Quadratic in velocities, so half the derivative along them."""
    return 0.5 * ca.jtimes(whole(q, dq, ca.SX(dq.shape[0], 1)), dq, dq)


def _sizes(states: list[ca.SX], Y: ca.SX) -> np.ndarray:
    """Largest magnitude of every column at random states."""
    function, rng = ca.Function("columns", states, [ca.densify(Y)]), np.random.default_rng(0)
    return np.max([np.abs(np.asarray(function(*rng.standard_normal((3, states[0].numel()))))).max(axis=0) for _ in range(20)], axis=0)
