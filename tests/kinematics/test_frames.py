"""Orientations and frames: sources' formulas, gimbal lock, chains."""

from __future__ import annotations

import numpy as np
import pytest

from optid import Transform
from optid.errors import DataError, RobotError, ShapeError, UnknownNameError
from optid.kinematics import (
    Frames,
    euler_from_quaternion,
    euler_from_rotation,
    gimbal_locked,
    quaternion_from_euler,
    quaternion_from_rotation,
    rotation_from_euler,
    rotation_from_quaternion,
)


def angles(N: int = 500) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.stack([rng.uniform(-np.pi, np.pi, N), rng.uniform(-np.pi / 2, np.pi / 2, N), rng.uniform(-np.pi, np.pi, N)], axis=1)


def test_rotation_matrix_by_the_source() -> None:
    """A09, eq. 3.4, element by element."""
    a, b, g = 0.3, -0.7, 1.1
    ca, sa, cb, sb, cg, sg = np.cos(a), np.sin(a), np.cos(b), np.sin(b), np.cos(g), np.sin(g)
    expected = [
        [ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg],
        [sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg],
        [-sb, cb * sg, cb * cg],
    ]
    assert rotation_from_euler([a, b, g]) == pytest.approx(np.array(expected), abs=1e-15)
    assert pytest.approx(np.array(expected), abs=1e-15) == Transform.from_xyz_rpy((0, 0, 0), (g, b, a)).R


def test_quaternion_by_the_source() -> None:
    """A09, eqs. 3.28 and 3.29: scalar first."""
    a, b, g = 0.3, -0.7, 1.1
    (ca, sa), (cb, sb), (cg, sg) = ((np.cos(x / 2), np.sin(x / 2)) for x in (a, b, g))
    e = [cg * cb * ca + sg * sb * sa, sg * cb * ca - cg * sb * sa, cg * sb * ca + sg * cb * sa, cg * cb * sa - sg * sb * ca]
    assert quaternion_from_euler([a, b, g]) == pytest.approx(e, abs=1e-15)
    assert rotation_from_quaternion(e) == pytest.approx(rotation_from_euler([a, b, g]), abs=1e-15)


def test_round_trips() -> None:
    a = angles()
    R = rotation_from_euler(a)
    assert euler_from_rotation(R) == pytest.approx(a, abs=1e-9)
    assert rotation_from_euler(euler_from_rotation(R)) == pytest.approx(R, abs=1e-14)
    e = quaternion_from_rotation(R)
    assert (e[:, 0] >= 0).all()
    assert rotation_from_quaternion(-3 * e) == pytest.approx(R, abs=1e-14)
    assert rotation_from_euler(euler_from_quaternion(e)) == pytest.approx(R, abs=1e-14)


@pytest.mark.parametrize("side", [1, -1])
def test_gimbal_lock(side: int) -> None:
    """A09, eq. 3.20: at β = ±π/2 the rotation depends on γ ∓ α alone; the angles found have α = 0 and give the same rotation, next to the lock too."""
    one = rotation_from_euler([0.4, side * np.pi / 2, 0.9])
    other = rotation_from_euler([1.0, side * np.pi / 2, 0.9 + side * 0.6])
    assert one == pytest.approx(other, abs=1e-15)
    assert gimbal_locked(one)
    found = euler_from_rotation(one)
    assert found == pytest.approx([0.0, side * np.pi / 2, 0.9 - side * 0.4], abs=1e-15)
    for short in (1e-12, 1e-10, 1e-8, 1e-6):
        R = rotation_from_euler([0.4, side * (np.pi / 2 - short), 0.9])
        assert rotation_from_euler(euler_from_rotation(R)) == pytest.approx(R, abs=3e-12)
    assert not gimbal_locked(rotation_from_euler([0.4, side * 1.5, 0.9]))


def test_chain_from_world_to_target() -> None:
    """A09, section 2.1: the wrist is where the tool meets the target, by hand with matrices."""
    poses = {
        name: Transform.from_xyz_rpy(np.random.default_rng(k).uniform(-1, 1, 3), np.random.default_rng(k + 9).uniform(-1, 1, 3))
        for k, name in enumerate(("base", "tool", "user", "object", "displacement", "target"))
    }
    target = poses.pop("target")
    cell = Frames.work_cell(**poses).with_frame("target", "displacement", target)
    m = {name: pose.matrix for name, pose in {**poses, "target": target}.items()}
    wanted = np.linalg.inv(m["base"]) @ m["user"] @ m["object"] @ m["displacement"] @ m["target"] @ np.linalg.inv(m["tool"])
    wrist = cell.wrist_for("target")
    assert wrist.matrix == pytest.approx(wanted, abs=1e-14)
    there = cell.with_frame("wrist", "base", wrist)
    assert there.pose("tool", "target").matrix == pytest.approx(np.eye(4), abs=1e-14)
    assert cell.pose("world", "base").matrix == pytest.approx(np.linalg.inv(m["base"]), abs=1e-14)
    assert cell.path("target") == ["target", "displacement", "object", "user", "world"]


def test_wrong_frames_and_rotations_are_named() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'tool'"):
        Frames.work_cell().pose("tol")
    with pytest.raises(RobotError, match="a → b → a"):
        Frames("world", {"a": ("b", Transform()), "b": ("a", Transform())})
    with pytest.raises(UnknownNameError, match="parent frame of 'a' 'wordl'"):
        Frames("world", {"a": ("wordl", Transform())})
    with pytest.raises(RobotError, match="the root"):
        Frames.work_cell().with_frame("world", "base", Transform())
    with pytest.raises(DataError, match="a matrix that is not one"):
        euler_from_rotation(np.eye(3) * 1.1)
    with pytest.raises(DataError, match="zero"):
        rotation_from_quaternion([0, 0, 0, 0])
    with pytest.raises(ShapeError, match=r"\(\.\.\., 4\)"):
        rotation_from_quaternion([1, 0, 0])
