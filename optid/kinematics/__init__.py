"""Forward kinematics, Jacobians, velocities and accelerations."""

from .chain import frame_acceleration, frame_transform, frame_velocity, geometric_jacobian, link_transforms
from .joint_transform import joint_transform
from .motion import acceleration, forward_kinematics, jacobian, velocity

__all__ = [
    "acceleration",
    "forward_kinematics",
    "frame_acceleration",
    "frame_transform",
    "frame_velocity",
    "geometric_jacobian",
    "jacobian",
    "joint_transform",
    "link_transforms",
    "velocity",
]
