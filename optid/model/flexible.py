"""An arm whose joints give way: link side and motor side are two sets of coordinates, with a spring and a damper between them.

``M(q) q̈ + C(q, q̇) + G(q) + τ(Δ) + d Δ̇ = 0`` on the arm, ``Nᵀ Jm N θ̈ − τ(Δ) − d Δ̇ + Nᵀ f(N θ̇) = Nᵀ u`` on the motors (Axelsson 2009, ch. 3.4; Spong 1987), with
θ the motor angles brought to the joints, ``Δ = q − θ`` and u the motors' torques. N holds the gears η on its diagonal; where the robot's motors are coupled
(wrists, parallel rods) it is the full matrix ``diag(η) C⁻¹``, and the springs still sit at the joints. The arm is any :class:`~optid.model.DynamicModel`; a
link that bends or a stand that gives way is one more joint of the arm, with a spring and without a motor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, ShapeError, sentence, unknown_name
from optid.kinematics import frame_transform
from optid.robot import Robot
from optid.robot.transform import finite_number

from .arguments import instance, per_axis
from .dynamic_model import DynamicModel
from .flexible_joint import JOINT_STEMS, ElasticJoint, MotorFriction, Spring, friction_torque, spring_energy, spring_torque
from .lagrange import energies
from .symmetric import solve_symmetric
from .transmission import joint_from_motor, motor_from_joint

Array = NDArray[np.float64]


class JointValues(NamedTuple):
    """Expressions (n,) of the parameters of all joints, see :class:`~optid.model.flexible_joint.ElasticJoint`."""

    klow: ca.SX
    khigh: ca.SX
    knee: ca.SX
    d: ca.SX
    gear: ca.SX
    Jm: ca.SX
    fv: ca.SX
    fc: ca.SX
    mu: ca.SX
    alpha: ca.SX
    beta: ca.SX

    def spring(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Arguments of the spring's laws."""
        return self.klow, self.khigh, self.knee

    def friction(self) -> tuple[ca.SX, ...]:
        """Arguments of the friction's law."""
        return self.fv, self.fc, self.mu, self.alpha, self.beta

    def at(self, rows: list[int]) -> JointValues:
        """Those of some joints."""
        return JointValues(*(value[rows] for value in self))


@dataclass(frozen=True, eq=False)
class FlexibleModel:
    """A robot with elastic joints.

    Parameters
    ----------
    robot : Robot
        Bodies, kinematics and the coupling of the motors; its own drives and joint friction are not used (:meth:`of` takes the drives). n coordinates.
    joints : n ElasticJoints
        m of them driven. With coupled motors, gear, rotor and friction of joint i are those of motor i.

    Notes
    -----
    State ``x = (q, θ, q̇, θ̇)``, (2n + 2m,): arm angles, motor angles brought to the joints, their speeds. Parameters ``p``: standard parameters of the
    links, then :data:`~optid.model.flexible_joint.JOINT_STEMS` of every joint.

    Examples
    --------
    >>> from optid import library
    >>> from optid.flexibility import FlexibleModel, linearise
    >>> model = FlexibleModel.of(library.kr300(), [4.6e6, 7.5e6, 4.1e6, 5e5, 5e5, 3e5])
    >>> model
    FlexibleModel('KR300 R2500 ultra', 6 joints, 6 motors)
    >>> linearise(model, [0, -1, 1, 0, 0, 0]).antiresonances().round(1).tolist()[:2]  # Hz
    [12.4, 20.8]
    """

    robot: Robot
    joints: tuple[ElasticJoint, ...]

    def __post_init__(self) -> None:
        instance(self.robot, Robot, "robot of a flexible model", "Read it with Robot.load, or take one of optid.library.")
        instance(self.joints, (tuple, list), "joints of a flexible model", "Or let FlexibleModel.of(robot, stiffness) make them.")
        for joint in self.joints:
            instance(joint, ElasticJoint, "joint of a flexible model")
        object.__setattr__(self, "joints", tuple(self.joints))
        robot = self.robot
        if len(self.joints) != robot.n:
            raise RobotError(sentence(f"elastic joints of robot {robot.name!r}", len(self.joints), f"{robot.n}, one for each coordinate"))
        passive = np.eye(robot.n)
        for j, joint in enumerate(self.joints):
            if not joint.driven and not (np.array_equal(robot.C[j], passive[j]) and np.array_equal(robot.C[:, j], passive[j])):
                found = f"joint {robot.joint_names[j]!r}, which has no motor, among the coupled ones"
                raise RobotError(sentence(f"coupling of robot {robot.name!r}", found, "a 1 on the diagonal as its only entry"))

    @classmethod
    def of(
        cls,
        robot: Robot,
        stiffness: ArrayLike | Spring | Sequence[Spring],
        damping: ArrayLike = 0.0,
        friction: MotorFriction | Sequence[MotorFriction] | None = None,
        passive: Sequence[str] = (),
    ) -> FlexibleModel:
        """The model of a robot whose drives state gears and rotor inertias.

        Parameters
        ----------
        robot : Robot
            With a rotor inertia in the drive of every joint that has a motor.
        stiffness : one or n, numbers or Springs [N m/rad, N/m]
        damping : a number or n [N m s/rad, N s/m]
        friction : MotorFriction or n of them, optional
            None by default: the robot's own friction is that of rigid joints.
        passive : names of joints without a motor
            Bending links, a soft stand.

        Raises
        ------
        RobotError, ShapeError
            A drive without rotor inertia, naming the joint; a wrong count.
        """
        instance(robot, Robot, "robot of a flexible model", "Read it with Robot.load, or take one of optid.library.")
        n, names = robot.n, robot.joint_names
        if isinstance(stiffness, Spring):
            springs = [stiffness] * n
        elif isinstance(stiffness, (tuple, list)) and any(isinstance(k, Spring) for k in stiffness):
            springs = list(stiffness)
        else:
            springs = [Spring(float(k)) for k in per_axis(stiffness, n, "stiffness of a flexible model")]
        rubs = [friction or MotorFriction()] * n if friction is None or isinstance(friction, MotorFriction) else friction
        instance(rubs, (tuple, list), "friction of a flexible model", "One MotorFriction, or one for each joint.")
        dampers = per_axis(damping, n, "damping of a flexible model")
        for what, items in (("springs", springs), ("friction", rubs)):
            if len(items) != n:
                raise ShapeError(sentence(f"{what} of a flexible model", f"{len(items)}", f"{n}, one for each coordinate"))
        instance(passive, (str, tuple, list, set), "joints without a motor", "Their names.")
        without = [passive] if isinstance(passive, str) else list(passive)
        for name in without:
            if name not in names:
                raise unknown_name("joint without a motor", name, names)
        joints = []
        for j, (name, drive) in enumerate(zip(names, robot.drives, strict=True)):
            if name not in without and not drive.rotor_inertia > 0:
                hint = "Give the robot its drives (with_drives), or name the joint in passive=."
                raise RobotError(sentence(f"drive of joint {name!r}", f"rotor inertia {drive.rotor_inertia:g} kg m²", "one above 0", hint))
            own = (drive.gear, drive.rotor_inertia, rubs[j]) if name not in without else (1.0, 0.0, MotorFriction())
            joints.append(ElasticJoint(springs[j], float(dampers[j]), *own, driven=name not in without))
        return cls(robot, tuple(joints))

    def __getstate__(self) -> dict[str, Any]:
        """CasADi expressions do not pickle; they are built again on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def __repr__(self) -> str:
        return f"FlexibleModel({self.robot.name!r}, {self.n} joints, {self.m} motors)"

    # -- counts, names, numbers ---------------------------------------------------------------------------------------------------------------------

    @cached_property
    def arm(self) -> DynamicModel:
        """The rigid links alone."""
        return DynamicModel(self.robot, ())

    @property
    def n(self) -> int:
        """Number of arm coordinates."""
        return self.robot.n

    @cached_property
    def driven(self) -> list[int]:
        """Coordinates with a motor (m of them)."""
        return [j for j, joint in enumerate(self.joints) if joint.driven]

    @property
    def m(self) -> int:
        """Number of motors."""
        return len(self.driven)

    @cached_property
    def coupling(self) -> Array:
        """C (m, m) of the driven joints, ``θ = C φ`` with φ the motors' angles divided by their gears; the identity unless the robot's motors are coupled."""
        return self.robot.C[np.ix_(self.driven, self.driven)]

    @cached_property
    def gears(self) -> Array:
        """Gear ratios (m,); where motors are coupled, the matrix N (m, m) that gives the motors' speeds from the joints'."""
        ratios = np.array([self.joints[j].gear for j in self.driven])
        return ratios if self.robot.coupling is None else ratios[:, None] * np.linalg.inv(self.coupling)

    def require_inertia(self, parameters: Array | None = None) -> None:
        """Make sure that every joint moves something, with these parameters p or the model's own.

        Raises
        ------
        RobotError
            Naming a joint that does not: its acceleration would be infinite.
        """
        pi = (self.parameters() if parameters is None else parameters)[: self.arm.p]
        values, vectors = np.linalg.eigh(self.arm.mass_matrix(pi, np.full(self.n, 0.3)))
        if not values[0] > 1e-14 * values[-1]:
            joint = self.robot.joint_names[int(np.argmax(np.abs(vectors[:, 0])))]
            raise RobotError(sentence(f"joint {joint!r} of robot {self.robot.name!r}", "it moves no inertia", "links with mass"))

    @property
    def size(self) -> int:
        """Number of states, 2n + 2m."""
        return 2 * (self.n + self.m)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the parameters p: ``m1 … Izz_n``, then ``klow1, khigh1, …, klow2, …``."""
        return (*self.arm.parameter_names, *(f"{stem}{j + 1}" for j in range(self.n) for stem in JOINT_STEMS))

    def parameters(self, factors: Mapping[str, float] | None = None) -> Array:
        """Parameters p, each multiplied by its factor when there is one: an individual that differs from the model.

        Parameters
        ----------
        factors : mapping name → factor, optional
            A bare stem (``klow``) means all joints.
        """
        if factors is not None:
            instance(factors, Mapping, "factors of parameters", "Such as {'khigh': 0.9}.")
        p = np.concatenate([self.arm.nominal_parameters(), *(joint.values for joint in self.joints)])
        for name, factor in (factors or {}).items():
            places = [i for i, known in enumerate(self.parameter_names) if name in (known, known.rstrip("0123456789"))]
            if not places:
                raise unknown_name("parameter", name, self.parameter_names)
            p[places] *= finite_number(factor, f"factor of parameter {name!r}")
        return p

    def with_joints(self, **changes: Any) -> FlexibleModel:
        """The same robot with fields of all its driven joints changed."""
        known = [item.name for item in fields(ElasticJoint)]
        for name in changes.keys() - known:
            raise unknown_name("field of an elastic joint", name, known)
        return replace(self, joints=tuple(replace(joint, **changes) if joint.driven else joint for joint in self.joints))

    # -- expressions --------------------------------------------------------------------------------------------------------------------------------

    def split(self, p: ca.SX) -> tuple[ca.SX, JointValues]:
        """Standard parameters of the links, and the joints' values."""
        own = ca.reshape(p[self.arm.p :], len(JOINT_STEMS), self.n)
        return p[: self.arm.p], JointValues(*(own[k, :].T for k in range(len(JOINT_STEMS))))

    def unpack(self, x: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """q (n,), θ (m,), q̇ (n,), θ̇ (m,) of a state."""
        n, m = self.n, self.m
        return x[:n], x[n : n + m], x[n + m : 2 * n + m], x[2 * n + m :]

    def on_arm(self, motor: ca.SX) -> ca.SX:
        """Motor coordinates (m,) spread over the arm's (n,), zero at passive joints."""
        spread = ca.SX(self.n, 1)
        spread[self.driven] = motor
        return spread

    def accelerations(self, p: ca.SX, x: ca.SX, u: ca.SX) -> tuple[ca.SX, ca.SX]:
        """q̈ (n,) and θ̈ (m,) of a state under motor torques u (m,)."""
        pi, values = self.split(p)
        q, theta, dq, dtheta = self.unpack(x)
        delta, rate = q - self.on_arm(theta), dq - self.on_arm(dtheta)
        pull = spring_torque(delta, *values.spring()) + values.d * rate
        functions = self.arm.functions
        ddq = solve_symmetric(functions["mass_matrix"](pi, q), -pull - functions["torque"](pi, q, dq, ca.SX(self.n, 1)))
        own = values.at(self.driven)
        friction = friction_torque(ca.mtimes(motor_from_joint(self.coupling, own.gear), dtheta), *own.friction())
        to_joint = joint_from_motor(self.coupling, own.gear)
        return ddq, ca.mtimes(to_joint, (u - friction + ca.mtimes(to_joint.T, pull[self.driven])) / own.Jm)

    def rates(self, p: ca.SX, x: ca.SX, u: ca.SX) -> ca.SX:
        """dx/dt."""
        _, _, dq, dtheta = self.unpack(x)
        return ca.vertcat(dq, dtheta, *self.accelerations(p, x, u))

    def energy(self, p: ca.SX, x: ca.SX) -> ca.SX:
        """Kinetic and potential energy of links, rotors and springs [J]."""
        pi, values = self.split(p)
        q, theta, dq, dtheta = self.unpack(x)
        own = values.at(self.driven)
        rotors = ca.sum1(own.Jm * ca.mtimes(motor_from_joint(self.coupling, own.gear), dtheta) ** 2) / 2
        return sum(energies(self.robot, q, dq, pi)) + rotors + ca.sum1(spring_energy(q - self.on_arm(theta), *values.spring()))

    @cached_property
    def functions(self) -> dict[str, ca.Function]:
        """``rates(p, x, u)``, ``energy(p, x)``, and the tool's position ``tool(q)`` (3,) [m]."""
        p, x, u = ca.SX.sym("p", len(self.parameter_names)), ca.SX.sym("x", self.size), ca.SX.sym("u", self.m)
        q = ca.SX.sym("q", self.n)
        return {
            "rates": ca.Function("rates", [p, x, u], [self.rates(p, x, u)], ["p", "x", "u"], ["dx"]),
            "energy": ca.Function("energy", [p, x], [self.energy(p, x)], ["p", "x"], ["E"]),
            "tool": ca.Function("tool", [q], [ca.densify(frame_transform(self.robot, q)[1])], ["q"], ["p"]),
        }
