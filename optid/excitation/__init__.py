"""What excitation design is made of: families of motions, information, criteria, limits that hold at every instant."""

from .bspline_family import BSplineFamily
from .capsules import Capsule, SelfCollision
from .criteria import CRITERIA, Criterion
from .effects import EFFECTS, by_effect, effect
from .family import Family, FourierFamily
from .information import assess
from .one_after_another import OneAfterAnother, simple_motions
from .point_to_point_family import PointToPointFamily
from .quality import Quality
from .regions import KeepIn, KeepOut

__all__ = [
    "CRITERIA",
    "EFFECTS",
    "BSplineFamily",
    "Capsule",
    "Criterion",
    "Family",
    "FourierFamily",
    "KeepIn",
    "KeepOut",
    "OneAfterAnother",
    "PointToPointFamily",
    "Quality",
    "SelfCollision",
    "assess",
    "by_effect",
    "effect",
    "simple_motions",
]
