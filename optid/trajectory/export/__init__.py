"""Trajectories in the languages of controllers, checked before and after printing."""

from .convention import Convention
from .plan import Export
from .rapid import to_rapid
from .ros import to_ros
from .table import to_csv
from .urscript import to_urscript

__all__ = ["Convention", "Export", "to_csv", "to_rapid", "to_ros", "to_urscript"]
