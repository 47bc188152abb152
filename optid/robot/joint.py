"""A joint: two constant transforms with one motion about or along an axis between them; and its drive."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from optid.errors import RobotError, sentence

from .transform import Transform, Vector3, finite_number, vector3

REVOLUTE, PRISMATIC = "R", "P"


@dataclass(frozen=True)
class Joint:
    """Joint i places link frame i in link frame i−1: ``T = before · motion(q) · after``.

    Attributes
    ----------
    name : str
    kind : "R" or "P"
        Revolute (q in rad) or prismatic (q in m).
    before, after : Transform
        Constant transforms on either side of the motion. (Standard DH has its twist in ``after``, modified DH and URDF have theirs in ``before``.)
    axis : 3-tuple
        Unit axis of the motion, in the frame reached by ``before``.
    viscous, coulomb : float
        Nominal friction [N m s/rad, N m] or [N s/m, N] (URDF ``<dynamics>``).

    Examples
    --------
    >>> from optid import Joint
    >>> Joint("lift", "P", axis=(0, 0, 2)).axis
    (0.0, 0.0, 1.0)
    """

    name: str
    kind: str = REVOLUTE
    before: Transform = field(default_factory=Transform)
    axis: Vector3 = (0.0, 0.0, 1.0)
    after: Transform = field(default_factory=Transform)
    viscous: float = 0.0
    coulomb: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in (REVOLUTE, PRISMATIC):
            raise RobotError(sentence(f"kind of joint {self.name!r}", repr(self.kind), '"R" (revolute) or "P" (prismatic)'))
        for what in ("before", "after"):
            if not isinstance(getattr(self, what), Transform):
                raise RobotError(sentence(f"transform {what} the motion of joint {self.name!r}", repr(getattr(self, what)), "a Transform"))
        for what in ("viscous", "coulomb"):
            finite_number(getattr(self, what), f"{what} friction of joint {self.name!r}")
        axis = np.array(vector3(self.axis, f"axis of joint {self.name!r}"))
        norm = float(np.linalg.norm(axis))
        if norm == 0.0:
            raise RobotError(f"axis of joint {self.name!r}: zero length, expected a direction.")
        if abs(norm - 1.0) > 1e-15:  # a unit vector keeps its digits, so that a saved robot reads back equal
            axis = axis / norm
        object.__setattr__(self, "axis", vector3(axis, "axis"))

    @property
    def revolute(self) -> bool:
        """True for a revolute joint."""
        return self.kind == REVOLUTE


@dataclass(frozen=True)
class Drive:
    """The motor and gear that move one coordinate.

    Attributes
    ----------
    gear : float
        Motor speed divided by joint speed, N.
    rotor_inertia : float [kg m²]
        Motor-side inertia J; the joint feels ``reflected_inertia`` = N² J.
    torque_constant : float or None [N m/A]
        Motor-side torque per ampere; joint torque = gear · torque_constant · current.
    current_gain : float or None [N m/A]
        Joint-side torque per ampere, gear included. Give this or ``torque_constant``, not both.

    Examples
    --------
    >>> from optid import Drive
    >>> Drive(gear=100, rotor_inertia=2e-4).reflected_inertia
    2.0
    """

    gear: float = 1.0
    rotor_inertia: float = 0.0
    torque_constant: float | None = None
    current_gain: float | None = None

    def __post_init__(self) -> None:
        for what in ("gear", "rotor_inertia", "torque_constant", "current_gain"):
            value = getattr(self, what)
            if what in ("gear", "rotor_inertia") or value is not None:
                finite_number(value, f"{what.replace('_', ' ')} of a drive")
        if self.gear == 0.0:
            raise RobotError(sentence("gear of a drive", self.gear, "a finite ratio other than zero"))
        if self.torque_constant is not None and self.current_gain is not None:
            raise RobotError("drive: both torque_constant and current_gain are given, expected one. current_gain already contains the gear.")

    @classmethod
    def reflected(cls, inertia: float, gear: float = 1.0, current_gain: float | None = None) -> Drive:
        """From the **joint-side** (reflected) rotor inertia N² J [kg m²]."""
        drive = cls(gear=gear, current_gain=current_gain)
        return replace(drive, rotor_inertia=finite_number(inertia, "reflected rotor inertia of a drive", " [kg m²]") / gear**2)

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia felt at the joint, N² J [kg m²]."""
        return self.gear**2 * self.rotor_inertia

    @property
    def gain(self) -> float | None:
        """Joint torque per ampere [N m/A], or None when it is not known."""
        if self.current_gain is not None:
            return self.current_gain
        return None if self.torque_constant is None else self.gear * self.torque_constant
