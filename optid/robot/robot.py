"""The robot: a serial chain of joints and links, its drives, limits and mounting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError, sentence

from .joint import Drive, Joint
from .limits import Limits
from .link import Link
from .transform import Transform, Vector3, real_array, vector3

if TYPE_CHECKING:
    from os import PathLike

    from .dh import DHRow, DHTable

Matrix = tuple[tuple[float, ...], ...]

STANDARD_GRAVITY: Vector3 = (0.0, 0.0, -9.81)


@dataclass(frozen=True)
class Mimic:
    """Joint ``joint`` follows coordinate ``source``: ``q_joint = multiplier · q_source + offset`` (indices of chain joints).

    Examples
    --------
    >>> from optid.robot import Mimic
    >>> finger = Mimic(joint=3, source=2, multiplier=-1.0)
    >>> finger.multiplier * 0.02 + finger.offset
    -0.02
    """

    joint: int
    source: int
    multiplier: float = 1.0
    offset: float = 0.0


def _matrix(value: ArrayLike, n: int, what: str) -> Matrix:
    array = np.asarray(value, dtype=float)
    if array.shape != (n, n) or not np.isfinite(array).all():
        raise RobotError(sentence(what, f"shape {array.shape}", f"a finite matrix ({n}, {n})"))
    if abs(np.linalg.det(array / max(1e-300, float(np.abs(array).max())))) < 1e-12:
        raise RobotError(sentence(what, "a singular matrix", "an invertible one"))
    return tuple(tuple(float(x) for x in row) for row in array)


@dataclass(frozen=True)
class Robot:
    """A serial arm. Joint i moves link i; coordinates are the joints that follow no other (``n`` of them).

    Attributes
    ----------
    joints, links : tuples of equal length
    gravity : 3-tuple [m/s²]
        Acceleration vector in the base frame: (0, 0, −9.81) for a floor-mounted arm. A controller's "up" vector is its negative.
    drives : n-tuple of Drive
    limits : Limits of the n coordinates
    coupling : (n, n) nested tuple or None
        Joint coordinates from motor coordinates, ``q = C θ``; torques map as ``tau_motor = Cᵀ tau_joint`` (power is kept). None: every motor drives its own
        joint.
    mimic : tuple of Mimic
    base, tool : Transform
        Pose of the first joint's parent frame in the base frame (gravity is given in the base frame), and of the tool in the last link frame.
    name, source : str
        ``source`` is the text the robot was read from (kept for provenance), empty for a robot made in code.
    dh : DHTable or None
        The rows a robot in DH form was made from, so that it is saved in them; not compared, and ignored where the joints have been changed since.

    Examples
    --------
    >>> from optid import DHRow, Link, Robot
    >>> links = [Link.from_com(2.0, (0.2, 0, 0), (0, 0.01, 0.01)), Link.from_com(1.0, (0.1, 0, 0), (0, 0.01, 0.01))]
    >>> Robot.from_dh([DHRow(), DHRow(a=0.4)], "modified", links=links, name="arm")
    Robot('arm', 2 joints: joint1, joint2)
    """

    joints: tuple[Joint, ...]
    links: tuple[Link, ...]
    gravity: Vector3 = STANDARD_GRAVITY
    drives: tuple[Drive, ...] = ()
    limits: Limits = field(default=None)  # type: ignore[assignment]
    coupling: Matrix | None = None
    mimic: tuple[Mimic, ...] = ()
    base: Transform = field(default_factory=Transform)
    tool: Transform = field(default_factory=Transform)
    name: str = "robot"
    source: str = field(default="", repr=False, compare=False)
    dh: DHTable | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "joints", tuple(self.joints))
        put(self, "links", tuple(self.links))
        put(self, "mimic", tuple(self.mimic))
        if not self.joints:
            raise RobotError(sentence(f"robot {self.name!r}", "no joint", "at least one moving joint"))
        if len(self.joints) != len(self.links):
            raise RobotError(sentence(f"robot {self.name!r}", f"{len(self.joints)} joints and {len(self.links)} links", "as many links as joints"))
        names = [j.name for j in self.joints]
        if len(set(names)) < len(names):
            repeated = next(name for i, name in enumerate(names) if name in names[:i])
            raise RobotError(sentence(f"robot {self.name!r}", f"the joint name {repeated!r} twice", "unique joint names"))
        chain = range(len(self.joints))
        followers = [m.joint for m in self.mimic]
        if any(m.joint not in chain or m.source not in chain or m.source in followers for m in self.mimic) or len(set(followers)) < len(followers):
            raise RobotError(sentence(f"mimic of robot {self.name!r}", self.mimic, "chain joints that each follow one independent chain joint"))
        put(self, "gravity", vector3(self.gravity, f"gravity of robot {self.name!r}"))
        drives = tuple(self.drives) or tuple(Drive() for _ in range(self.n))
        if len(drives) != self.n:
            raise RobotError(sentence(f"drives of robot {self.name!r}", len(drives), f"{self.n}, one per coordinate"))
        put(self, "drives", drives)
        limits = self.limits if self.limits is not None else Limits.of(self.n, names=self.joint_names)
        if limits.n != self.n:
            raise RobotError(sentence(f"limits of robot {self.name!r}", f"{limits.n} joints", f"{self.n}"))
        put(self, "limits", replace(limits, names=self.joint_names))
        if self.coupling is not None:
            put(self, "coupling", _matrix(self.coupling, self.n, f"coupling of robot {self.name!r}"))

    # -- constructors -------------------------------------------------------------------------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        rows: Iterable[DHRow | Sequence[float | str]],
        convention: str,
        gravity: ArrayLike = STANDARD_GRAVITY,
        *,
        links: Sequence[Link] | None = None,
        drives: Sequence[Drive] = (),
        limits: Limits | None = None,
        coupling: ArrayLike | None = None,
        base: Transform | None = None,
        tool: Transform | None = None,
        joint_names: Sequence[str] | None = None,
        name: str = "robot",
    ) -> Robot:
        """A robot from DH rows; see :func:`optid.robot.dh.robot_from_dh`."""
        from .dh import robot_from_dh

        return robot_from_dh(
            rows,
            convention,
            gravity,
            links=links,
            drives=drives,
            limits=limits,
            coupling=coupling,
            base=base,
            tool=tool,
            joint_names=joint_names,
            name=name,
        )

    @classmethod
    def from_urdf(cls, path_or_text: str | PathLike[str], tip: str | None = None, **options: object) -> Robot:
        """A robot from a URDF file or text; see :func:`optid.robot.urdf.robot_from_urdf`."""
        from .urdf import robot_from_urdf

        return robot_from_urdf(path_or_text, tip, **options)  # type: ignore[arg-type]

    @classmethod
    def from_mjcf(cls, path_or_text: str | PathLike[str], tip: str | None = None, **options: object) -> Robot:
        """A robot from an MJCF file or text; see :func:`optid.robot.mjcf.robot_from_mjcf`."""
        from .mjcf import robot_from_mjcf

        return robot_from_mjcf(path_or_text, tip, **options)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Robot:
        """Read a robot from a TOML file in DH form (``.toml``), a URDF (``.urdf``, ``.xml``) or an MJCF file (``.xml``)."""
        from .files import load_robot

        return load_robot(path)

    def save(self, path: str | PathLike[str]) -> None:
        """Write a TOML file that :meth:`load` reads back to an equal robot."""
        from .files import save_robot

        save_robot(self, path)

    # -- looks --------------------------------------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {self.n} joints: {', '.join(self.joint_names)})"

    def _repr_html_(self) -> str:
        from optid.notebook import robot_html

        return robot_html(self)

    # -- counts and names ---------------------------------------------------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Number of independent coordinates."""
        return len(self.joints) - len(self.mimic)

    @property
    def n_links(self) -> int:
        """Number of moving links (and of joints of the chain)."""
        return len(self.links)

    @property
    def independent(self) -> tuple[int, ...]:
        """Indices of the chain joints that are coordinates."""
        followers = {m.joint for m in self.mimic}
        return tuple(i for i in range(len(self.joints)) if i not in followers)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the n coordinates."""
        return tuple(self.joints[i].name for i in self.independent)

    @property
    def expansion(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Matrix G (n_links, n) and offset b (n_links,) with ``q_chain = G q + b``; torques map as ``tau = Gᵀ tau_chain``."""
        column = {joint: k for k, joint in enumerate(self.independent)}
        G = np.zeros((self.n_links, self.n))
        b = np.zeros(self.n_links)
        for joint, k in column.items():
            G[joint, k] = 1.0
        for m in self.mimic:
            G[m.joint, column[m.source]] = m.multiplier
            b[m.joint] = m.offset
        return G, b

    @property
    def C(self) -> NDArray[np.float64]:
        """Coupling matrix (n, n), ``q = C θ``; the identity when no coupling is given."""
        return np.eye(self.n) if self.coupling is None else np.array(self.coupling)

    # -- changed copies -----------------------------------------------------------------------------------------------------------------------------

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """The same robot under another gravity vector (3,) [m/s²] in the base frame (zeros switch gravity off)."""
        return replace(self, gravity=vector3(gravity, "gravity"))

    def mounted(self, orientation: Transform, gravity: ArrayLike = STANDARD_GRAVITY) -> Robot:
        """The same robot with its base turned in the world.

        Parameters
        ----------
        orientation : Transform
            Pose of the base in the world (only its rotation matters).
        gravity : (3,) [m/s²]
            Gravity in the **world** frame.
        """
        return self.with_gravity(orientation.R.T @ np.array(vector3(gravity, "gravity")))

    def with_links(self, links: Sequence[Link]) -> Robot:
        """The same kinematics with other bodies."""
        return replace(self, links=tuple(links))

    def with_limits(self, limits: Limits) -> Robot:
        """The same robot with other limits."""
        return replace(self, limits=limits)

    def with_drives(self, drives: Sequence[Drive]) -> Robot:
        """The same robot with other drives."""
        return replace(self, drives=tuple(drives))

    def with_friction(self, viscous: ArrayLike = 0.0, coulomb: ArrayLike = 0.0) -> Robot:
        """The same robot with other nominal joint friction: viscous [N m s/rad] and Coulomb [N m] of the joints of the chain, scalars or (n_links,)."""
        given = [real_array(x, f"{what} friction of robot {self.name!r}") for x, what in ((viscous, "viscous"), (coulomb, "coulomb"))]
        for what, value in zip(("viscous", "coulomb"), given, strict=True):
            if value.shape not in ((), (self.n_links,)):
                raise RobotError(sentence(f"{what} friction of robot {self.name!r}", f"shape {value.shape}", f"a scalar or ({self.n_links},)"))
        fv, fc = (np.broadcast_to(x, (self.n_links,)) for x in given)
        return replace(self, joints=tuple(replace(j, viscous=float(v), coulomb=float(c)) for j, v, c in zip(self.joints, fv, fc, strict=True)))

    def with_coupling(self, coupling: ArrayLike | None) -> Robot:
        """The same robot with another motor-to-joint coupling, ``q = C θ``."""
        return replace(self, coupling=None if coupling is None else _matrix(coupling, self.n, f"coupling of robot {self.name!r}"))

    # -- motors and joints --------------------------------------------------------------------------------------------------------------------------

    def joint_from_motor(self, theta: ArrayLike) -> NDArray[np.float64]:
        """Joint positions, velocities or accelerations (..., n) from the motors': ``q = C θ``."""
        return np.asarray(theta, dtype=float) @ self.C.T

    def motor_from_joint(self, q: ArrayLike) -> NDArray[np.float64]:
        """Motor positions, velocities or accelerations (..., n) from the joints': ``θ = C⁻¹ q``."""
        return np.asarray(q, dtype=float) @ np.linalg.inv(self.C).T

    def motor_torque(self, tau: ArrayLike) -> NDArray[np.float64]:
        """Motor torques (..., n) from joint torques: ``tau_motor = Cᵀ tau``."""
        return np.asarray(tau, dtype=float) @ self.C

    def joint_torque(self, tau_motor: ArrayLike) -> NDArray[np.float64]:
        """Joint torques (..., n) from motor torques: ``tau = C⁻ᵀ tau_motor``."""
        return np.asarray(tau_motor, dtype=float) @ np.linalg.inv(self.C)
