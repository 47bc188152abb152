"""The dynamic model of a robot: inverse dynamics and the regressor it is linear in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, ShapeError, sentence, unknown_name
from optid.kernels import Kernel
from optid.kinematics.joint_transform import constant
from optid.robot import PARAMETER_STEMS, Robot

from .arguments import real
from .arrays import is_symbolic, numbers, state_arrays
from .drives import from_motor_side, motor_velocity, rotor_inertia_columns
from .friction import friction_columns, friction_stems, friction_terms
from .newton_euler import chain_regressor, chain_torque

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TorqueBasis:
    """User-supplied columns of torque, linear in parameters of their own.

    Attributes
    ----------
    names : k-tuple of str
    function : casadi.Function
        (q, dq, ddq) → (n, k) [N m per unit parameter].

    Examples
    --------
    >>> import casadi as ca
    >>> from optid import DynamicModel, library
    >>> spring = DynamicModel(library.planar_2r(), "none").with_torque_basis(["k"], lambda q, dq, ddq: ca.vertcat(q[0], 0))
    >>> spring.basis[0].names, float(spring.regressor([0.3, 0], [0, 0], [0, 0])[0, -1])
    (('k',), 0.3)
    """

    names: tuple[str, ...]
    function: ca.Function


@dataclass(frozen=True, eq=False)
class DynamicModel:
    """``tau = Y(q, dq, ddq) pi`` for a robot with friction and rotor inertia.

    Parameters
    ----------
    robot : Robot
    friction : sequence of str, or text like "viscous+coulomb", or "none"
        Terms of :mod:`optid.model.friction`: "viscous", "coulomb", "offset", "asymmetric".
    rotor_inertia : bool
        Add one reflected rotor inertia Ia [kg m²] per coordinate. It is a parameter of its own and enters nowhere else.
    sign_width : float or (n,) [rad/s, m/s]
        0: exact sign in the Coulomb column; w > 0: ``tanh(v/w)``.

    Notes
    -----
    Parameter order: ``m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz`` of link 1, 2, …, about link-frame origins; then ``Ia``, ``fv``, ``fc``, ``fo`` (only those
    modelled) for coordinates 1…n; then user-supplied columns. Torques are joint-side [N m], forces [N] for prismatic joints.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import DynamicModel, library
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> model
    DynamicModel('planar 2R', 2 joints, 20 parameters)
    >>> float(model.gravity_torque(model.nominal_parameters(), np.zeros(2))[1].round(6))  # 1.5 kg · 9.81 m/s² · 0.15 m
    2.20725
    """

    robot: Robot
    friction: tuple[str, ...] = ("viscous", "coulomb", "offset")
    rotor_inertia: bool = False
    sign_width: float | tuple[float, ...] = 0.0
    basis: tuple[TorqueBasis, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            hint = "Read it with Robot.load, or take one of optid.library." if isinstance(self.robot, str) else ""
            raise RobotError(sentence("robot of a dynamic model", repr(self.robot), "a Robot", hint))
        object.__setattr__(self, "friction", friction_terms(self.friction))
        numeric = np.asarray(self.sign_width).dtype.kind in "iuf" and np.size(self.sign_width) in (1, self.n)
        widths = np.broadcast_to(np.asarray(self.sign_width, dtype=float), (self.n,)) if numeric else None
        if widths is None or not np.isfinite(widths).all() or (widths < 0).any():
            raise RobotError(sentence("sign_width", repr(self.sign_width), f"a speed >= 0, or {self.n} of them"))
        object.__setattr__(self, "sign_width", float(widths[0]) if np.size(self.sign_width) == 1 else tuple(float(w) for w in widths))

    def __getstate__(self) -> dict[str, Any]:
        """CasADi expressions do not pickle; they are built again on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    # -- names and counts ---------------------------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"DynamicModel({self.robot.name!r}, {self.n} joints, {self.p} parameters)"

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.robot.n

    @property
    def p(self) -> int:
        """Number of standard parameters."""
        return len(self.parameter_names)

    @property
    def widths(self) -> tuple[float, ...]:
        """Smoothing width of the sign per coordinate."""
        return self.sign_width if isinstance(self.sign_width, tuple) else (self.sign_width,) * self.n

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the standard parameters, in order."""
        links = [f"{stem}{i + 1}" for i in range(self.robot.n_links) for stem in PARAMETER_STEMS]
        stems = (("Ia",) if self.rotor_inertia else ()) + friction_stems(self.friction)
        joints = [f"{stem}{j + 1}" for stem in stems for j in range(self.n)]
        return (*links, *joints, *(name for b in self.basis for name in b.names))

    def index(self, name: str) -> int:
        """Position of a parameter in the standard vector."""
        if name not in self.parameter_names:
            raise unknown_name("parameter", name, self.parameter_names)
        return self.parameter_names.index(name)

    def nominal_parameters(self) -> Array:
        """Parameters (p,) that the robot description states: links, reflected rotor inertias, joint friction; zero where it says nothing."""
        robot = self.robot
        by_stem: dict[str, list[float]] = {"Ia": [d.reflected_inertia for d in robot.drives]}
        joints = [robot.joints[i] for i in robot.independent]
        by_stem |= {
            "fv": [j.viscous for j in joints],
            "fc": [j.coulomb for j in joints],
            "fvp": [j.viscous for j in joints],
            "fvn": [j.viscous for j in joints],
        }
        by_stem |= {"fcp": [j.coulomb for j in joints], "fcn": [-j.coulomb for j in joints]}
        stems = (("Ia",) if self.rotor_inertia else ()) + friction_stems(self.friction)
        tail = [by_stem.get(stem, [0.0] * self.n) for stem in stems]
        links = [link.parameters for link in robot.links]
        return np.concatenate([*links, *tail, np.zeros(sum(len(b.names) for b in self.basis))]).astype(float)

    def parameters(self, values: Mapping[str, float], default: ArrayLike | None = None) -> Array:
        """A standard vector (p,) from named values, the rest from ``default`` (zeros)."""
        pi = np.zeros(self.p) if default is None else self._pi(default).copy()
        for name, value in values.items():
            pi[self.index(name)] = real(value, f"value of {name!r}")
        return pi

    # -- changed copies -----------------------------------------------------------------------------------------------------------------------------

    def with_robot(self, robot: Robot) -> DynamicModel:
        """The same terms for another robot."""
        return replace(self, robot=robot)

    def with_sign_width(self, width: float | Sequence[float]) -> DynamicModel:
        """The same model with another smoothing of the Coulomb sign."""
        return replace(self, sign_width=width if isinstance(width, (int, float)) else tuple(width))

    def with_torque_basis(self, names: Sequence[str], function: Callable[[ca.SX, ca.SX, ca.SX], Any] | ca.Function) -> DynamicModel:
        """The model with extra torque columns, e.g. a counterbalance or a coupled wrist's friction.

        Parameters
        ----------
        names : k names of the new parameters
        function : (q, dq, ddq) → (n, k)
            Takes and returns CasADi expressions (a callable, or a casadi.Function).
        """
        names = tuple(names)
        taken = set(names) & set(self.parameter_names)
        if taken or len(set(names)) != len(names):
            raise RobotError(sentence("torque basis", f"the parameter name {sorted(taken or names)[0]!r} twice", "unique names"))
        if not isinstance(function, ca.Function):
            q, dq, ddq = (ca.SX.sym(x, self.n) for x in ("q", "dq", "ddq"))
            function = ca.Function("basis", [q, dq, ddq], [ca.SX(function(q, dq, ddq))])
        if function.size_out(0) != (self.n, len(names)):
            raise ShapeError(sentence("torque basis", f"shape {function.size_out(0)}", f"({self.n}, {len(names)}), coordinates by names"))
        return replace(self, basis=(*self.basis, TorqueBasis(names, function)))

    # -- expressions --------------------------------------------------------------------------------------------------------------------------------

    def _chain(self, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> tuple[tuple[ca.SX, ca.SX, ca.SX], ca.SX | None]:
        if not self.robot.mimic:
            return (q, dq, ddq), None
        G, b = self.robot.expansion
        Gx = ca.SX(constant(G))
        return (ca.mtimes(Gx, q) + constant(b), ca.mtimes(Gx, dq), ca.mtimes(Gx, ddq)), Gx.T

    def regressor_expression(self, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
        """Regressor (n, p) of CasADi columns q, dq, ddq (n,)."""
        chain, reduce = self._chain(q, dq, ddq)
        Y = chain_regressor(self.robot, *chain)
        Y = Y if reduce is None else ca.mtimes(reduce, Y)
        motor = motor_velocity(self.robot, dq)
        extra = [rotor_inertia_columns(self.robot, ddq)] if self.rotor_inertia else []
        extra += [from_motor_side(self.robot, column) for column in friction_columns(self.friction, motor, self.widths)]
        extra += [b.function(q, dq, ddq) for b in self.basis]
        return ca.horzcat(Y, *extra)

    def torque_expression(self, pi: ca.SX, q: ca.SX, dq: ca.SX, ddq: ca.SX) -> ca.SX:
        """Torque (n,) of CasADi columns: parameters pi (p,), motion q, dq, ddq (n,)."""
        chain, reduce = self._chain(q, dq, ddq)
        rigid = 10 * self.robot.n_links
        tau = chain_torque(self.robot, *chain, pi[:rigid])
        tau = tau if reduce is None else ca.mtimes(reduce, tau)
        at = rigid
        if self.rotor_inertia:
            tau = tau + ca.mtimes(rotor_inertia_columns(self.robot, ddq), pi[at : at + self.n])
            at += self.n
        for column in friction_columns(self.friction, motor_velocity(self.robot, dq), self.widths):
            tau = tau + ca.mtimes(from_motor_side(self.robot, column), pi[at : at + self.n])
            at += self.n
        for b in self.basis:
            tau = tau + ca.mtimes(b.function(q, dq, ddq), pi[at : at + len(b.names)])
            at += len(b.names)
        return tau

    @cached_property
    def functions(self) -> dict[str, ca.Function]:
        """CasADi functions: ``torque(pi, q, dq, ddq)``, ``regressor(q, dq, ddq)``, ``mass_matrix(pi, q)``, ``coriolis(pi, q, dq)``, ``gravity(pi, q)``."""
        pi = ca.SX.sym("pi", self.p)
        q, dq, ddq = (ca.SX.sym(name, self.n) for name in ("q", "dq", "ddq"))
        zero = ca.SX(self.n, 1)
        rigid = replace(self, friction=(), basis=())
        tau = rigid.torque_expression(pi[: rigid.p], q, dq, ddq)
        M = ca.jacobian(tau, ddq)
        C = ca.SX(self.n, self.n)
        slopes = [ca.reshape(ca.jacobian(M[:, j], q), self.n, self.n) for j in range(self.n)]  # slopes[j][i, k] = dM_ij/dq_k
        for j in range(self.n):
            for k in range(self.n):
                # Christoffel symbols of the first kind make Mdot - 2C skew
                C[:, j] += 0.5 * (slopes[j][:, k] + slopes[k][:, j] - slopes[j][k, :].T) * dq[k]
        return {
            "torque": ca.Function("torque", [pi, q, dq, ddq], [self.torque_expression(pi, q, dq, ddq)], ["pi", "q", "dq", "ddq"], ["tau"]),
            "regressor": ca.Function("regressor", [q, dq, ddq], [self.regressor_expression(q, dq, ddq)], ["q", "dq", "ddq"], ["Y"]),
            "mass_matrix": ca.Function("mass_matrix", [pi, q], [M], ["pi", "q"], ["M"]),
            "coriolis": ca.Function("coriolis", [pi, q, dq], [C], ["pi", "q", "dq"], ["C"]),
            "gravity": ca.Function("gravity", [pi, q], [rigid.torque_expression(pi[: rigid.p], q, zero, zero)], ["pi", "q"], ["g"]),
        }

    # -- numbers ------------------------------------------------------------------------------------------------------------------------------------

    @cached_property
    def _kernels(self) -> dict[str, Kernel]:
        return {}

    def kernel(self, name: str) -> Kernel:
        """Batch kernel of one of :attr:`functions`."""
        if name not in self._kernels:
            self._kernels[name] = Kernel(self.functions[name])
        return self._kernels[name]

    def _pi(self, pi: Any) -> Array:
        vector = numbers(pi.full() if isinstance(pi, ca.DM) else pi, "pi").reshape(-1)
        if vector.shape != (self.p,):
            raise ShapeError(
                sentence(
                    "pi", f"{vector.size} values", f"the {self.p} standard parameters", "A base vector goes with a base regressor (BaseParameters.regressor)."
                )
            )
        return vector

    def inverse_dynamics(self, pi: Any, q: Any, dq: Any, ddq: Any) -> Any:
        """Joint torques.

        Parameters
        ----------
        pi : (p,)
            Standard parameters.
        q, dq, ddq : (n,) or (N, n)
            Arrays, lists or DM; CasADi expressions give an expression.

        Returns
        -------
        (n,) or (N, n) [N m, N]
        """
        if is_symbolic(pi, q, dq, ddq):
            return self.functions["torque"](pi, q, dq, ddq)
        arrays, single = state_arrays((q, dq, ddq), self.n, ("q", "dq", "ddq"))
        tau = self.kernel("torque")(*arrays, pi=self._pi(pi))[:, :, 0]
        return tau[0] if single else tau

    def regressor(self, q: Any, dq: Any, ddq: Any) -> Any:
        """Stacked regressor: (n, p) of one state, (N·n, p) of N states; row k·n + j is joint j at sample k, so ``(W @ pi).reshape(N, n)`` is the torque."""
        if is_symbolic(q, dq, ddq):
            return self.functions["regressor"](q, dq, ddq)
        arrays, _ = state_arrays((q, dq, ddq), self.n, ("q", "dq", "ddq"))
        return self.kernel("regressor")(*arrays).reshape(-1, self.p)

    def motor_regressor(self, theta: Any, dtheta: Any, ddtheta: Any) -> Array:
        """Stacked regressor (N·n, p) of motor torques in motor coordinates, ``Cᵀ Y(Cθ, Cθ̇, Cθ̈)``; its parameters are those of :meth:`regressor`."""
        arrays, _ = state_arrays((theta, dtheta, ddtheta), self.n, ("theta", "dtheta", "ddtheta"))
        Y = self.kernel("regressor")(*(self.robot.joint_from_motor(x) for x in arrays))
        return np.einsum("ji,kjp->kip", self.robot.C, Y).reshape(-1, self.p)

    def mass_matrix(self, pi: Any, q: Any) -> Any:
        """Mass matrix (n, n), or (N, n, n); rotor inertia included when it is modelled."""
        if is_symbolic(pi, q):
            return self.functions["mass_matrix"](pi, q)
        (array,), single = state_arrays((q,), self.n, ("q",))
        M = self.kernel("mass_matrix")(array, pi=self._pi(pi))
        return M[0] if single else M

    def coriolis_matrix(self, pi: Any, q: Any, dq: Any) -> Any:
        """Coriolis and centrifugal matrix C(q, dq) (n, n), or (N, n, n), in Christoffel form: Ṁ − 2C is skew."""
        if is_symbolic(pi, q, dq):
            return self.functions["coriolis"](pi, q, dq)
        arrays, single = state_arrays((q, dq), self.n, ("q", "dq"))
        C = self.kernel("coriolis")(*arrays, pi=self._pi(pi))
        return C[0] if single else C

    def gravity_torque(self, pi: Any, q: Any) -> Any:
        """Gravity torque (n,), or (N, n)."""
        if is_symbolic(pi, q):
            return self.functions["gravity"](pi, q)
        (array,), single = state_arrays((q,), self.n, ("q",))
        g = self.kernel("gravity")(array, pi=self._pi(pi))[:, :, 0]
        return g[0] if single else g
