"""How a controller counts its joints, and in which units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError, ShapeError, sentence
from optid.robot import Robot
from optid.trajectory.arrays import Array


@dataclass(frozen=True)
class Convention:
    """``controller_j = signs_j · q_j + offsets_j``, then in the controller's units.

    Parameters
    ----------
    signs : n-tuple of +1 or -1, optional
    offsets : n-tuple, optional [rad or m]
    prismatic : n-tuple of bool, optional
        True for a joint in metres.
    """

    signs: tuple[int, ...] = ()
    offsets: tuple[float, ...] = ()
    prismatic: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "signs", tuple(int(x) for x in self.signs))
        object.__setattr__(self, "offsets", tuple(float(x) for x in self.offsets))
        object.__setattr__(self, "prismatic", tuple(bool(x) for x in self.prismatic))
        if any(x not in (1, -1) for x in self.signs):
            raise DataError(sentence("signs of a joint convention", self.signs, "+1 or -1"))
        if not np.isfinite(self.offsets).all():
            raise DataError(sentence("offsets of a joint convention", self.offsets, "finite numbers"))

    @classmethod
    def of(cls, robot: Robot, signs: ArrayLike = (), offsets: ArrayLike = ()) -> Convention:
        """The convention of a robot: its prismatic joints, with signs and offsets to its controller where they differ."""
        prismatic = tuple(not robot.joints[i].revolute for i in robot.independent)
        return cls(tuple(np.ravel(signs)), tuple(np.ravel(offsets)), prismatic)


@dataclass(frozen=True, eq=False)
class Units:
    """A convention for n joints in the units of one controller."""

    sign: Array
    offset: Array
    scale: Array
    prismatic: tuple[bool, ...]

    @classmethod
    def of(cls, convention: Convention | None, n: int, degrees: bool, millimetres: bool) -> Units:
        """Fill a convention up for n joints; raises ShapeError when it is for another number of them."""
        given = convention or Convention()
        for what in ("signs", "offsets", "prismatic"):
            if len(getattr(given, what)) not in (0, n):
                raise ShapeError(sentence(f"{what} of a joint convention", f"{len(getattr(given, what))} values", f"{n}, one a joint"))
        prismatic = given.prismatic or (False,) * n
        scale = np.where(prismatic, 1000.0 if millimetres else 1.0, 180.0 / np.pi if degrees else 1.0)
        return cls(np.array(given.signs or (1,) * n, dtype=float), np.array(given.offsets or (0.0,) * n), scale, prismatic)

    def to_controller(self, values: Array, order: int = 0) -> Array:
        """Positions (order 0) or derivatives (N, n) in the controller's numbers."""
        return (self.sign * values + (self.offset if order == 0 else 0.0)) * self.scale

    def from_controller(self, values: Array, order: int = 0) -> Array:
        """Inverse of :meth:`to_controller`."""
        return self.sign * (values / self.scale - (self.offset if order == 0 else 0.0))
