"""Robots from Denavit-Hartenberg rows, in the standard or the modified (Craig) convention; the convention is always named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import RobotError, sentence

from .joint import PRISMATIC, REVOLUTE, Drive, Joint
from .limits import Limits
from .link import Link
from .robot import STANDARD_GRAVITY, Robot, _matrix
from .transform import Transform, finite_number, vector3

STANDARD, MODIFIED = "standard", "modified"


@dataclass(frozen=True)
class DHRow:
    """One row: lengths ``a``, ``d`` [m], angles ``alpha``, ``theta`` [rad], ``joint`` "R" or "P".

    ``theta`` is the constant added to a revolute joint's coordinate, ``d`` the constant added to a prismatic one's.

    Examples
    --------
    >>> from optid import DHRow
    >>> DHRow(a=0.4, alpha=1.5)
    DHRow(a=0.4, alpha=1.5, d=0.0, theta=0.0, joint='R')
    """

    a: float = 0.0
    alpha: float = 0.0
    d: float = 0.0
    theta: float = 0.0
    joint: str = REVOLUTE

    def __post_init__(self) -> None:
        for what in ("a", "alpha", "d", "theta"):
            object.__setattr__(self, what, finite_number(getattr(self, what), f"{what} of a DH row"))
        if self.joint not in (REVOLUTE, PRISMATIC):
            raise RobotError(sentence("joint of a DH row", repr(self.joint), '"R" (revolute) or "P" (prismatic)'))
        if max(abs(self.alpha), abs(self.theta)) > 2 * np.pi + 1e-6:
            raise RobotError(
                sentence("angle of a DH row", f"alpha {self.alpha:g}, theta {self.theta:g}", "radians within ±2π", "Convert degrees with radians().")
            )


def _row(row: DHRow | Sequence[float | str]) -> DHRow:
    if isinstance(row, DHRow):
        return row
    if not isinstance(row, (list, tuple, np.ndarray)) or not 1 <= len(row) <= 5:
        raise RobotError(
            sentence("DH row", f"{len(row)} values" if isinstance(row, (list, tuple, np.ndarray)) else repr(row), 'a, alpha, d, theta and "R" or "P"')
        )
    return DHRow(*row)


@dataclass(frozen=True)
class DHTable:
    """The rows of a robot and their convention, ``"standard"`` or ``"modified"``.

    Examples
    --------
    >>> from optid.robot import DHRow, DHTable
    >>> table = DHTable("modified", (DHRow(), DHRow(a=0.5)))
    >>> [joint.before.p.tolist() for joint in table.joints(["shoulder", "elbow"])]
    [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """

    convention: str
    rows: tuple[DHRow, ...]

    def __post_init__(self) -> None:
        if self.convention not in (STANDARD, MODIFIED):
            raise RobotError(sentence("DH convention", repr(self.convention), '"standard" or "modified"'))

    def joints(self, names: Sequence[str]) -> tuple[Joint, ...]:
        """The joints these rows describe, in order."""
        return tuple(_joint(row, label, self.convention) for row, label in zip(self.rows, names, strict=True))


def _joint(row: DHRow, name: str, convention: str) -> Joint:
    """``Rz(theta) Tz(d) Tx(a) Rx(alpha)`` (standard) or ``Rx(alpha) Tx(a) Rz(theta) Tz(d)`` (modified), with the motion in its place."""
    twist = Transform.trans(x=row.a) @ Transform.rot("x", row.alpha)
    screw = Transform.rot("z", row.theta) @ Transform.trans(z=row.d)
    before = Transform() if convention == STANDARD else twist
    if row.joint == REVOLUTE:
        # the coordinate turns about the same z axis as theta, so the constants may stand behind the motion
        after = screw if convention == MODIFIED else screw @ twist
    else:
        before = before @ Transform.rot("z", row.theta)
        after = Transform.trans(z=row.d) if convention == MODIFIED else Transform.trans(z=row.d) @ twist
    return Joint(name, row.joint, before, (0.0, 0.0, 1.0), after)


def robot_from_dh(
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
    """A robot from DH rows.

    Parameters
    ----------
    rows : DHRow, or sequences (a, alpha, d, theta[, "R" or "P"])
    convention : "standard" or "modified"
        Standard: ``T = Rz(theta) Tz(d) Tx(a) Rx(alpha)``, link frame i at the far end of link i. Modified (Craig): ``T = Rx(alpha) Tx(a) Rz(theta) Tz(d)``,
        link frame i on joint i. There is no default: the two give different link frames, so other parameters.
    gravity : (3,) [m/s²]
        In the base frame.
    links : sequence of Link, optional
        Bodies in their link frames; massless when omitted.

    Raises
    ------
    RobotError
        For an unknown convention or rows that are not finite.
    """
    if not isinstance(rows, Iterable):
        raise RobotError(sentence("rows", repr(rows), "one DH row per joint"))
    table = DHTable(convention, tuple(_row(row) for row in rows))
    n = len(table.rows)
    names = list(joint_names) if joint_names is not None else [f"joint{i + 1}" for i in range(n)]
    if len(names) != n:
        raise RobotError(sentence("joint_names", f"{len(names)} names", f"{n}, one per row"))
    joints = table.joints(names)
    bodies = tuple(links) if links is not None else tuple(Link(f"link{i + 1}") for i in range(n))
    return Robot(
        joints,
        bodies,
        vector3(gravity, "gravity"),
        tuple(drives),
        limits,  # type: ignore[arg-type]
        None if coupling is None else _matrix(coupling, len(joints), f"coupling of robot {name!r}"),
        base=base or Transform(),
        tool=tool or Transform(),
        name=name,
        dh=table,
    )
