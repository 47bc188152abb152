"""Frames of a work cell, and what orientations are written as: ZYX Euler angles and unit quaternions (A09, section 3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, RobotError, ShapeError, sentence, unknown_name
from optid.model.arrays import numbers
from optid.robot import Transform

Array = NDArray[np.float64]

LOCK = 1e-12
"""Cosine of the middle angle below which the other two turn about one axis."""


def rotation_from_euler(angles: ArrayLike) -> Array:
    """Rotations (..., 3, 3) from ZYX Euler angles (..., 3) = (α, β, γ) [rad]: ``Rz(α) Ry(β) Rx(γ)`` (A09, eq. 3.4).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kinematics import rotation_from_euler
    >>> rotation_from_euler([np.pi / 2, 0, 0]).round(12) @ [1, 0, 0]
    array([0., 1., 0.])
    """
    from scipy.spatial.transform import Rotation

    a = _last(angles, 3, "Euler angles")
    return np.asarray(Rotation.from_euler("ZYX", a.reshape(-1, 3)).as_matrix()).reshape(*a.shape[:-1], 3, 3)


def euler_from_rotation(rotation: ArrayLike) -> Array:
    """ZYX Euler angles (..., 3) = (α, β, γ) [rad] of rotations (..., 3, 3), β in [−π/2, π/2].

    At β = ±π/2 (gimbal lock, :func:`gimbal_locked`) only γ ∓ α is determined; α is then 0, and the angles still give the same rotation.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kinematics import euler_from_rotation, rotation_from_euler
    >>> euler_from_rotation(rotation_from_euler([0.3, -0.2, 0.1])).round(12)
    array([ 0.3, -0.2,  0.1])
    """
    R = _rotations(rotation)
    alpha = np.where(gimbal_locked(R), 0.0, np.arctan2(R[..., 1, 0], R[..., 0, 0]))
    c, s = np.cos(alpha), np.sin(alpha)
    # β and γ from the rotation with α undone: accurate next to the lock too
    beta = np.arctan2(-R[..., 2, 0], c * R[..., 0, 0] + s * R[..., 1, 0])
    gamma = np.arctan2(s * R[..., 0, 2] - c * R[..., 1, 2], c * R[..., 1, 1] - s * R[..., 0, 1])
    return np.stack([alpha, beta, gamma], axis=-1) + 0.0


def gimbal_locked(rotation: ArrayLike) -> NDArray[np.bool_]:
    """Whether the first and the last Euler angle of rotations (..., 3, 3) turn about one axis.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kinematics import gimbal_locked, rotation_from_euler
    >>> gimbal_locked(rotation_from_euler([[0.3, np.pi / 2, 0.0], [0.3, 1.0, 0.0]]))
    array([ True, False])
    """
    R = np.asarray(rotation, dtype=float)
    return np.asarray(np.hypot(R[..., 0, 0], R[..., 1, 0]) < LOCK)


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Unit quaternions (..., 4) = (ε0, ε1, ε2, ε3), scalar first, of rotations (..., 3, 3); of the two signs the one with ε0 ≥ 0.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kinematics import quaternion_from_rotation
    >>> quaternion_from_rotation(np.diag([1.0, -1.0, -1.0]))  # half a turn about x
    array([0., 1., 0., 0.])
    """
    from scipy.spatial.transform import Rotation

    R = _rotations(rotation)
    q = np.asarray(Rotation.from_matrix(R.reshape(-1, 3, 3)).as_quat())[:, [3, 0, 1, 2]]
    return np.where(q[:, :1] < 0, -q, q).reshape(*R.shape[:-2], 4)


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Rotations (..., 3, 3) from quaternions (..., 4), scalar first; they are brought to unit length.

    Examples
    --------
    >>> from optid.kinematics import rotation_from_quaternion
    >>> rotation_from_quaternion([0, 0, 0, 2]) @ [1, 0, 0]  # half a turn about z
    array([-1.,  0.,  0.])
    """
    from scipy.spatial.transform import Rotation

    q = _last(quaternion, 4, "quaternions")
    if not (np.linalg.norm(q, axis=-1) > 0).all():
        raise DataError(sentence("quaternion", "zero", "a length other than zero"))
    return np.asarray(Rotation.from_quat(q.reshape(-1, 4)[:, [1, 2, 3, 0]]).as_matrix()).reshape(*q.shape[:-1], 3, 3)


def quaternion_from_euler(angles: ArrayLike) -> Array:
    """Unit quaternions (..., 4), scalar first, of ZYX Euler angles (..., 3) (A09, eq. 3.29).

    Examples
    --------
    >>> from optid.kinematics import quaternion_from_euler
    >>> quaternion_from_euler([0.0, 0.0, 0.0])
    array([1., 0., 0., 0.])
    """
    return quaternion_from_rotation(rotation_from_euler(angles))


def euler_from_quaternion(quaternion: ArrayLike) -> Array:
    """ZYX Euler angles (..., 3) of quaternions (..., 4), scalar first (A09, eq. 3.30).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.kinematics import euler_from_quaternion
    >>> euler_from_quaternion([np.cos(0.1), 0, 0, np.sin(0.1)]).round(12)  # 0.2 rad about z
    array([0.2, 0. , 0. ])
    """
    return euler_from_rotation(rotation_from_quaternion(quaternion))


def _last(values: ArrayLike, size: int, what: str) -> Array:
    array = numbers(values, what)
    if array.shape[-1:] != (size,):
        raise ShapeError(sentence(what, f"shape {array.shape}", f"(..., {size})"))
    if not np.isfinite(array).all():
        raise DataError(sentence(what, "NaN or infinite values", "finite numbers"))
    return array


def _rotations(values: ArrayLike) -> Array:
    R = numbers(values, "rotation")
    if R.shape[-2:] != (3, 3):
        raise ShapeError(sentence("rotation", f"shape {R.shape}", "(..., 3, 3)"))
    if not np.isfinite(R).all() or np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0) > 1e-6 or (np.linalg.det(R) < 0).any():
        raise DataError(sentence("rotation", "a matrix that is not one", "orthonormal, right-handed 3x3 matrices"))
    return R


@dataclass(frozen=True)
class Frames:
    """Frames that hang on one another, from one root.

    Attributes
    ----------
    root : str
    parents : mapping frame → (parent, pose in the parent)

    Examples
    --------
    >>> from optid.robot import Transform
    >>> cell = Frames.work_cell(base=Transform.trans(x=1.0), tool=Transform.trans(z=0.2), user=Transform.trans(y=0.5))
    >>> cell = cell.with_frame("target", "displacement", Transform.trans(z=0.3))
    >>> cell.wrist_for("target").translation
    (-1.0, 0.5, 0.09999999999999998)
    """

    root: str = "world"
    parents: Mapping[str, tuple[str, Transform]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        parents = dict(self.parents)
        for name, (parent, pose) in parents.items():
            if parent != self.root and parent not in parents:
                raise unknown_name(f"parent frame of {name!r}", parent, (self.root, *parents))
            if not isinstance(pose, Transform):
                raise RobotError(sentence(f"pose of frame {name!r}", type(pose).__name__, "a Transform"))
        object.__setattr__(self, "parents", parents)
        for name in parents:
            self.path(name)

    @classmethod
    def work_cell(
        cls,
        base: Transform | None = None,
        tool: Transform | None = None,
        user: Transform | None = None,
        object: Transform | None = None,
        displacement: Transform | None = None,
        wrist: Transform | None = None,
    ) -> Frames:
        """The frames of A09, section 2.1; those left out coincide with the ones they are given in.

        Parameters
        ----------
        base : of the robot, in the world
        tool : of the tool (its centre point), in the wrist
        user : of the surface that is worked on, in the world
        object : of the workpiece, in user
        displacement : within the workpiece, in object; targets are given in it
        wrist : of the flange, in base: where the robot is now
        """
        parents = {"base": "world", "wrist": "base", "tool": "wrist", "user": "world", "object": "user", "displacement": "object"}
        given = {"base": base, "wrist": wrist, "tool": tool, "user": user, "object": object, "displacement": displacement}
        poses = {name: Transform() if pose is None else pose for name, pose in given.items()}
        return cls("world", {name: (parent, poses[name]) for name, parent in parents.items()})

    def with_frame(self, name: str, parent: str, pose: Transform) -> Frames:
        """The same frames with one added or moved."""
        if name == self.root:
            raise RobotError(sentence(f"frame {name!r}", "the root", "a frame with a parent"))
        return Frames(self.root, {**self.parents, name: (parent, pose)})

    def path(self, name: str) -> list[str]:
        """Frames from ``name`` to the root."""
        if name != self.root and name not in self.parents:
            raise unknown_name("frame", name, (self.root, *self.parents))
        found = [name]
        while found[-1] != self.root:
            parent = self.parents[found[-1]][0]
            if parent in found:
                raise RobotError(sentence(f"frame {name!r}", " → ".join([*found, parent]), "a path to the root without circles"))
            found.append(parent)
        return found

    def pose(self, frame: str, seen_from: str | None = None) -> Transform:
        """Pose of a frame in another one (in the root by default)."""
        result = Transform()
        for name in self.path(frame)[:-1]:
            result = self.parents[name][1] @ result
        return result if seen_from is None else self.pose(seen_from).inverse() @ result

    def wrist_for(self, target: str = "target", *, wrist: str = "wrist", tool: str = "tool", base: str = "base") -> Transform:
        """Pose of the wrist in the base that puts the tool's frame on the target's: what inverse kinematics is asked for."""
        return self.pose(target, base) @ self.pose(wrist, tool)
