"""The tables of a campaign file that describe the robot, its model and its limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite, isinf

from optid.errors import DataError, LimitsError, sentence

from .values import check_positive


@dataclass(frozen=True)
class BodyPart:
    """A body that the last link carries in every recording, such as a gripper; nominal values of torque limits and priors include it.

    Attributes
    ----------
    mass : float [kg]
    com : 3 numbers [m]
        Centre of mass in the last link's frame.
    inertia : 3 or 6 numbers [kg m²]
        About the centre of mass, axes parallel to the last link's frame: the diagonal, or xx, xy, xz, yy, yz, zz.
    """

    mass: float
    com: tuple[float, ...] = (0.0, 0.0, 0.0)
    inertia: tuple[float, ...] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        check_positive(mass=self.mass)
        if len(self.com) != 3 or not all(map(isfinite, self.com)):
            raise DataError(sentence("com", list(self.com), "three finite numbers"))
        if len(self.inertia) not in (3, 6) or not all(map(isfinite, self.inertia)):
            raise DataError(sentence("inertia", list(self.inertia), "finite numbers: 3, the diagonal, or 6, xx, xy, xz, yy, yz, zz"))


@dataclass(frozen=True)
class RobotPart:
    """The robot.

    Attributes
    ----------
    source : str
        Robot file (.toml with DH rows or transforms, .urdf) or library:NAME, such as library:panda.
    tip : str
        Last link of the chain in a URDF that branches.
    gravity : 3 numbers [m/s²]
        In the base frame, (0, 0, -9.81) for a robot on the floor; that of the description without it.
    locked : table of numbers [rad or m]
        Moving joints of a URDF that are held still, such as a gripper's fingers, with their positions.
    payload : table
        A body that the last link always carries.
    """

    source: str
    tip: str | None = None
    gravity: tuple[float, ...] | None = None
    locked: dict[str, float] = field(default_factory=dict)
    payload: BodyPart | None = None

    def __post_init__(self) -> None:
        if self.gravity is not None and (len(self.gravity) != 3 or not all(map(isfinite, self.gravity))):
            raise DataError(sentence("gravity", list(self.gravity), "three numbers"))


@dataclass(frozen=True)
class ModelPart:
    """What is modelled beside the links' inertia.

    Attributes
    ----------
    friction : str
        Terms joined by +: viscous, coulomb, offset; or asymmetric; or none.
    rotor_inertia : bool
        One reflected rotor inertia a joint as a parameter of its own.
    sign_width : float or n numbers [rad/s or m/s]
        Width w of tanh(v/w) in place of the sign of Coulomb friction; 0 is the sign.
    known : names
        Parameters that are not fitted and have the robot's own values, such as "m1"; "m" means that of every link or joint.
    known_values : table of numbers
        Parameters that are not fitted, with their values, such as {m1 = 31.5}.
    """

    friction: str | None = "viscous+coulomb+offset"
    rotor_inertia: bool = False
    sign_width: float | tuple[float, ...] = 0.0
    known: tuple[str, ...] = ()
    known_values: dict[str, float] = field(default_factory=dict)


_TURNS = 20.0  # [rad] more than three turns either way: who writes it means degrees
_FAST = 60.0  # [rad/s]


@dataclass(frozen=True)
class JointPart:
    """Limits of one joint, in place of the robot's own.

    Attributes
    ----------
    lower, upper : float [rad or m]
        Ends of the range.
    velocity : float [rad/s or m/s]
        Largest speed either way.
    acceleration : float [rad/s² or m/s²]
        Largest magnitude.
    torque : float [N m or N]
        Largest magnitude of the joint-side drive torque.
    """

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    acceleration: float | None = None
    torque: float | None = None

    def __post_init__(self) -> None:
        for what, most in (("lower", _TURNS), ("upper", _TURNS), ("velocity", _FAST)):
            value = getattr(self, what)
            if value is not None and most < abs(value) and not isinf(value):
                unit = "rad or m" if most == _TURNS else "rad/s or m/s"
                raise LimitsError(sentence(what, f"{value:g}", f"{unit}, at most {most:g}", f"For degrees write {what}_deg = {value:g}."))


@dataclass(frozen=True)
class LimitsPart:
    """Shares of the limits that a design uses, and limits of single joints where the robot's description is silent or wrong.

    Attributes
    ----------
    position, velocity, acceleration, torque : float
        Share of the limits, more than 0 and at most 1.
    joint : tables
        One a joint, by its name: [limits.joint.NAME].
    """

    position: float = 0.8
    velocity: float = 0.7
    acceleration: float = 0.7
    torque: float = 1.0
    joint: dict[str, JointPart] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what in ("position", "velocity", "acceleration", "torque"):
            share = getattr(self, what)
            if not 0 < share <= 1:
                hint = f"For {share:g} % write {share / 100:g}." if 1 < share <= 100 else ""
                raise LimitsError(sentence(what, f"{share:g}", "a share of the limits, above 0 and at most 1", hint))
