"""The equations of motion of an arm as named expressions: mass matrix, Coriolis, gravity and friction apart."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import casadi as ca
import numpy as np

from optid.errors import RobotError, sentence, unknown_name
from optid.model import DynamicModel
from optid.model.arguments import instance
from optid.model.newton_euler import chain_torque

from .lengths import LengthJoints

PARTS = ("torque", "mass_matrix", "coriolis", "gravity", "friction")
"""What can be exported; "coriolis" is the vector C(q, dq) dq."""

MOST_JOINTS = 7

LETTERS = {"torque": "tau", "mass_matrix": "M", "coriolis": "v", "gravity": "g", "friction": "f"}
"""How the elements of the parts are called in exports."""


def parts_of(equations: Equations, parts: Sequence[str] | str) -> tuple[str, ...]:
    """The parts that an export was asked for, one name alone included.

    Raises
    ------
    DataError, UnknownNameError
        For something that is not the equations of an arm, or has no such part.
    """
    instance(equations, Equations, "equations to export", "Make them: Equations(model).")
    asked = (parts,) if isinstance(parts, str) else tuple(parts)
    for part in asked:
        if part not in PARTS:
            raise unknown_name("part of the equations", part, PARTS)
    return asked


@dataclass(frozen=True, eq=False)
class Equations:
    """``tau = M(q) ddq + C(q, dq) dq + g(q) + friction(dq)`` in symbols.

    Parameters
    ----------
    model : DynamicModel
        Of at most seven coordinates.
    values : mapping name → number
        Symbols that become numbers; zeros make terms vanish. :meth:`numbers` gives the robot's own.
    lengths : bool
        The constant lengths of the joints become symbols as well (``a2``, ``d1``, …), instead of numbers.
    names : mapping name → name
        Other names for parameters, such as ``{"Izz1": "ZZ1R"}``.

    Attributes
    ----------
    symbols : mapping name → SX
        Every free symbol by its printed name: ``q1 …``, ``dq1 …``, ``ddq1 …``, parameters, lengths.

    Examples
    --------
    >>> from optid.library import planar_2r
    >>> eq = Equations(DynamicModel(planar_2r(vertical=False), "none"), {"my1": 0, "my2": 0})
    >>> [name for name in eq.used("mass_matrix")]
    ['q2', 'Izz1', 'm2', 'mx2', 'Izz2']
    """

    model: DynamicModel
    values: Mapping[str, float] = field(default_factory=dict)
    lengths: bool = False
    names: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        instance(self.model, DynamicModel, "model of the equations", "Make one: DynamicModel(robot).")
        if self.model.n > MOST_JOINTS:
            raise RobotError(sentence(f"equations of robot {self.model.robot.name!r}", f"{self.model.n} coordinates", f"at most {MOST_JOINTS}"))
        if self.lengths and self.model.robot.mimic:
            raise RobotError(sentence(f"equations of robot {self.model.robot.name!r}", "mimic joints", "none, with lengths as symbols"))
        known = (*self.model.parameter_names, *self.length_names)
        for mapping in (self.values, self.names):
            for name in mapping:
                if name not in known:
                    raise unknown_name("symbol", name, known)
        printed = [self.names.get(name, name) for name in known]
        for name in printed:
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
                raise RobotError(sentence("name of a symbol", repr(name), "letters, digits and underscores", "Rename it with names=."))
        repeated = [name for i, name in enumerate(printed) if name in printed[:i] or name in self._coordinates]
        if repeated:
            raise RobotError(sentence("names of the equations", f"{repeated[0]!r} twice", "one name a symbol"))

    @classmethod
    def numbers(cls, model: DynamicModel, pi: Sequence[float] | np.ndarray | None = None) -> dict[str, float]:
        """All parameters of a model as numbers: ``pi`` (p,), or the robot's own."""
        vector = model._pi(model.nominal_parameters() if pi is None else pi)
        return dict(zip(model.parameter_names, map(float, vector), strict=True))

    # -- symbols ------------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def _lengths(self) -> LengthJoints | None:
        return LengthJoints.of(self.model.robot) if self.lengths else None

    @property
    def length_names(self) -> tuple[str, ...]:
        """Names of the lengths."""
        return () if self._lengths is None else self._lengths.names

    @property
    def _coordinates(self) -> tuple[str, ...]:
        return tuple(f"{stem}{j + 1}" for stem in ("q", "dq", "ddq") for j in range(self.model.n))

    @cached_property
    def symbols(self) -> dict[str, ca.SX]:
        """Free symbols by their printed names."""
        free = [name for name in (*self.model.parameter_names, *self.length_names) if name not in self.values]
        return {name: ca.SX.sym(name) for name in (*self._coordinates, *(self.names.get(name, name) for name in free))}

    def _symbol(self, name: str) -> ca.SX:
        if name in self.values:
            number = float(self.values[name])
            return ca.SX(number) if number else ca.SX(1, 1)
        return self.symbols[self.names.get(name, name)]

    def _vector(self, stem: str) -> ca.SX:
        return ca.vertcat(*[self.symbols[f"{stem}{j + 1}"] for j in range(self.model.n)])

    # -- expressions --------------------------------------------------------------------------------------------------------------------------------

    def _torque(self, model: DynamicModel, pi: ca.SX, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
        """Torque (n,) of the rigid arm with rotors and user-supplied columns."""
        if self._lengths is None:
            return model.torque_expression(pi, q, dq, ddq)
        wide = self._lengths
        count = len(wide.robot.joints)
        place, speed, change = ca.SX(count, 1), ca.SX(count, 1), ca.SX(count, 1)
        parameters = ca.SX(10 * count, 1)
        for j, at in enumerate(wide.joints):
            place[at], speed[at], change[at] = q[j], dq[j], ddq[j]
            body = wide.bodies[j]
            parameters[10 * body : 10 * body + 10] = pi[10 * j : 10 * j + 10]
        for name, at in zip(wide.names, wide.slides, strict=True):
            place[at] = self._symbol(name)
        tau = chain_torque(wide.robot.with_gravity(model.robot.gravity), place, speed, change, parameters)[list(wide.joints)]
        own = 10 * model.robot.n_links
        return tau + model.torque_expression(ca.vertcat(ca.SX(own, 1), pi[own:]), q, dq, ddq)

    @cached_property
    def expressions(self) -> dict[str, ca.SX]:
        """The expressions of :data:`PARTS`: vectors (n, 1), the mass matrix (n, n). Terms that are structurally zero stay so."""
        model = self.model
        pi = ca.vertcat(*[self._symbol(name) for name in model.parameter_names])
        q, dq, ddq = (self._vector(stem) for stem in ("q", "dq", "ddq"))
        rigid = replace(model, friction=(), basis=())
        own = pi[: rigid.p]
        zero = ca.SX(model.n, 1)
        M = ca.jacobian(self._torque(rigid, own, q, dq, ddq), ddq)
        gravity = self._torque(rigid, own, q, zero, zero)
        still = replace(rigid, robot=model.robot.with_gravity((0.0, 0.0, 0.0)))
        coriolis = self._torque(still, own, q, dq, zero)
        friction = model.torque_expression(ca.vertcat(ca.SX(10 * model.robot.n_links, 1), pi[10 * model.robot.n_links :]), q, dq, zero)
        torque = ca.mtimes(M, ddq) + coriolis + gravity + friction
        return {"torque": torque, "mass_matrix": M, "coriolis": coriolis, "gravity": gravity, "friction": friction}

    def used(self, part: str) -> tuple[str, ...]:
        """Names of the symbols that an expression depends on, in the order of :attr:`symbols`."""
        expression = self.part(part)
        names = list(self.symbols)
        stacked = ca.vertcat(*self.symbols.values())
        return tuple(name for name, here in zip(names, ca.which_depends(expression, stacked, 1, False), strict=True) if here)

    def part(self, part: str) -> ca.SX:
        """One of the expressions, by name."""
        if part not in PARTS:
            raise unknown_name("part of the equations", part, PARTS)
        return self.expressions[part]

    def function(self, part: str) -> ca.Function:
        """CasADi function of the symbols an expression depends on, each a scalar input of its own name."""
        names = self.used(part)
        return ca.Function(part, [self.symbols[name] for name in names], [self.part(part)], list(names), [LETTERS[part]])
