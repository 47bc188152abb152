"""Constant rigid transforms with exact quarter turns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import is_real, numbers
from optid.errors import RobotError, ShapeError, sentence

Vector3 = tuple[float, float, float]
Matrix3 = tuple[Vector3, Vector3, Vector3]

_IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def exact_cos_sin(angle: float) -> tuple[float, float]:
    """Cosine and sine of ``angle`` [rad], exact where the angle is a quarter turn to the last few bits.

    ``math.cos(math.pi / 2)`` is 6e-17; such leftovers cost rank decisions, speed and readable formulas.
    """
    turns = angle / (math.pi / 2)
    nearest = round(turns)
    if abs(turns - nearest) <= 4e-15 * max(1.0, abs(turns)):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[nearest % 4]
    return math.cos(angle), math.sin(angle)


def real_array(value: Any, what: str) -> NDArray[np.float64]:
    """An array of real numbers, or a RobotError that names ``what``."""
    try:
        return numbers(value, what)
    except ShapeError as error:
        raise RobotError(str(error)) from None


def finite_number(value: Any, what: str, unit: str = "") -> float:
    """One finite real number, or a RobotError that names ``what``."""
    if not is_real(value) or not np.isfinite(value):
        raise RobotError(sentence(what, str(value) if isinstance(value, float) else repr(value), f"a finite number{unit}"))
    return float(value)


def vector3(value: ArrayLike, what: str) -> Vector3:
    """Three finite floats, or a clear error that names ``what``."""
    try:
        array = numbers(value, what)
    except ShapeError:
        array = np.empty(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise RobotError(f"{what}: {value!r}, expected three finite numbers.")
    return (float(array[0]), float(array[1]), float(array[2]))


def _matrix3(array: NDArray[np.float64]) -> Matrix3:
    return tuple(tuple(float(x) + 0.0 for x in row) for row in array)  # type: ignore[return-value]


@dataclass(frozen=True)
class Transform:
    """A rigid transform: ``x_parent = R x_child + p``.

    Attributes
    ----------
    rotation : 3x3 nested tuple
        Axes of the child frame in the parent frame (columns).
    translation : 3-tuple [m]
        Origin of the child frame in the parent frame.

    Examples
    --------
    >>> from optid import Transform
    >>> import numpy as np
    >>> T = Transform.trans(x=1.0) @ Transform.rot("z", np.pi / 2)
    >>> np.round(T.R @ [1, 0, 0] + T.p, 12)
    array([1., 1., 0.])
    """

    rotation: Matrix3 = _IDENTITY
    translation: Vector3 = (0.0, 0.0, 0.0)

    @property
    def R(self) -> NDArray[np.float64]:
        """Rotation as an array (3, 3)."""
        return np.array(self.rotation)

    @property
    def p(self) -> NDArray[np.float64]:
        """Translation as an array (3,) [m]."""
        return np.array(self.translation)

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Homogeneous matrix (4, 4)."""
        out = np.eye(4)
        out[:3, :3] = self.R
        out[:3, 3] = self.p
        return out

    @classmethod
    def of(cls, rotation: ArrayLike = _IDENTITY, translation: ArrayLike = (0.0, 0.0, 0.0)) -> Transform:
        """From arrays; the rotation must be orthonormal and right-handed to 1e-6."""
        R = np.asarray(rotation, dtype=float)
        if R.shape != (3, 3) or not np.allclose(R @ R.T, np.eye(3), atol=1e-6) or np.linalg.det(R) < 0:
            raise RobotError(f"rotation of a transform: {R.tolist()}, expected an orthonormal right-handed 3x3 matrix.")
        return cls(_matrix3(R), vector3(translation, "translation of a transform"))

    @classmethod
    def rot(cls, axis: str, angle: float) -> Transform:
        """Rotation by ``angle`` [rad] about a coordinate axis, ``"x"``, ``"y"`` or ``"z"``."""
        c, s = exact_cos_sin(angle)
        rows: dict[str, Matrix3] = {
            "x": ((1.0, 0.0, 0.0), (0.0, c, -s), (0.0, s, c)),
            "y": ((c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)),
            "z": ((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)),
        }
        return cls(rows[axis])

    @classmethod
    def trans(cls, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Transform:
        """Pure translation [m]."""
        return cls(_IDENTITY, vector3((x, y, z), "translation of a transform"))

    @classmethod
    def from_xyz_rpy(cls, xyz: ArrayLike = (0, 0, 0), rpy: ArrayLike = (0, 0, 0)) -> Transform:
        """URDF convention: translation [m], then fixed-axis roll, pitch, yaw [rad]: ``R = Rz(yaw) Ry(pitch) Rx(roll)``."""
        roll, pitch, yaw = vector3(rpy, "rpy")
        turned = cls.rot("z", yaw) @ cls.rot("y", pitch) @ cls.rot("x", roll)
        return cls(turned.rotation, vector3(xyz, "xyz"))

    @property
    def rpy(self) -> Vector3:
        """Fixed-axis roll, pitch, yaw [rad] with ``R = Rz(yaw) Ry(pitch) Rx(roll)``; exact for quarter turns, yaw 0 where roll and yaw turn about one axis."""
        R = self.rotation
        yaw = math.atan2(R[1][0], R[0][0])
        c, s = exact_cos_sin(yaw)
        # pitch and roll from the rotation with the yaw undone: accurate next to pitch = ±90° too
        pitch = math.atan2(-R[2][0], c * R[0][0] + s * R[1][0])
        roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
        return (roll + 0.0, pitch + 0.0, yaw + 0.0)

    def __matmul__(self, other: Transform) -> Transform:
        R, p = self.R, self.p
        return Transform(_matrix3(R @ other.R), vector3(R @ other.p + p, "translation of a transform"))

    def inverse(self) -> Transform:
        """The transform from parent to child."""
        return Transform(_matrix3(self.R.T), vector3(-self.R.T @ self.p + 0.0, "translation of a transform"))
