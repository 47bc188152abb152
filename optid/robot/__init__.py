"""Robot descriptions: frozen data, no dynamics."""

from .dh import DHRow, DHTable
from .files import load_robot, save_robot
from .joint import Drive, Joint
from .limits import Limits
from .link import PARAMETER_STEMS, Link
from .mass import masses_from_volumes
from .mjcf import robot_from_mjcf
from .physical import check_link, pseudo_inertia
from .robot import STANDARD_GRAVITY, Mimic, Robot
from .toml_read import robot_from_toml
from .toml_write import robot_to_toml
from .transform import Transform
from .urdf import robot_from_urdf
from .urdf_write import robot_to_urdf

__all__ = [
    "PARAMETER_STEMS",
    "STANDARD_GRAVITY",
    "DHRow",
    "DHTable",
    "Drive",
    "Joint",
    "Limits",
    "Link",
    "Mimic",
    "Robot",
    "Transform",
    "check_link",
    "load_robot",
    "masses_from_volumes",
    "pseudo_inertia",
    "robot_from_mjcf",
    "robot_from_toml",
    "robot_from_urdf",
    "robot_to_toml",
    "robot_to_urdf",
    "save_robot",
]
