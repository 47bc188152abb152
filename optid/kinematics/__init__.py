"""Forward and inverse kinematics, Jacobians, velocities and accelerations, frames."""

from .chain import frame_acceleration, frame_transform, frame_velocity, geometric_jacobian, link_transforms
from .frames import (
    Frames,
    euler_from_quaternion,
    euler_from_rotation,
    gimbal_locked,
    quaternion_from_euler,
    quaternion_from_rotation,
    rotation_from_euler,
    rotation_from_quaternion,
)
from .inverse import inverse_two_axis, two_axis_position
from .inverse_scara import ScaraInverse
from .joint_transform import joint_transform
from .motion import acceleration, forward_kinematics, jacobian, velocity

__all__ = [
    "Frames",
    "ScaraInverse",
    "acceleration",
    "euler_from_quaternion",
    "euler_from_rotation",
    "forward_kinematics",
    "frame_acceleration",
    "frame_transform",
    "frame_velocity",
    "geometric_jacobian",
    "gimbal_locked",
    "inverse_two_axis",
    "jacobian",
    "joint_transform",
    "link_transforms",
    "quaternion_from_euler",
    "quaternion_from_rotation",
    "rotation_from_euler",
    "rotation_from_quaternion",
    "two_axis_position",
    "velocity",
]
