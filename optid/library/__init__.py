"""Robots of the sources and of the tests; every docstring names where its numbers come from."""

from .classic import puma560, stanford
from .emps import emps
from .irb140 import irb140_lower_arm
from .kuka import iiwa, kr300, lwr4
from .panda import panda
from .planar import planar_2r
from .scara import scara, scara_er14, scara_v08
from .staubli import tx40
from .universal_robots import ur5, ur10, ur10e

__all__ = [
    "emps",
    "iiwa",
    "irb140_lower_arm",
    "kr300",
    "lwr4",
    "panda",
    "planar_2r",
    "puma560",
    "scara",
    "scara_er14",
    "scara_v08",
    "stanford",
    "tx40",
    "ur5",
    "ur10",
    "ur10e",
]
