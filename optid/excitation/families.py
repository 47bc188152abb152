"""Families of motions by name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence, unknown_name

from .bspline_family import BSplineFamily
from .family import Family, FourierFamily
from .point_to_point_family import PointToPointFamily

FAMILIES = ("fourier", "bspline", "point_to_point")


def named_family(given: Family | str, n: int, harmonics: int, period: NDArray[np.float64], joint_names: tuple[str, ...]) -> Family:
    """The given family, or the one of that name with the number of coefficients of ``harmonics`` harmonics.

    Raises
    ------
    UnknownNameError
    ShapeError
        For another number of joints, or periods of joints where there is one duration only.
    """
    if isinstance(given, Family):
        if given.n != n:
            raise ShapeError(sentence("family of an excitation", f"{given.n} joints", f"{n}, the joints of the model"))
        return given
    if given not in FAMILIES:
        raise unknown_name("family of an excitation", given, FAMILIES)
    fourier = FourierFamily.of(n, harmonics, period, joint_names)
    if given == "fourier":
        return fourier
    if period.size > 1:
        raise ShapeError(sentence(f"period of a {given} excitation", f"{period.size} periods", "one: all joints move over the same duration"))
    if given == "bspline":
        return BSplineFamily(n, fourier.m, joint_names=joint_names)
    return PointToPointFamily(n, fourier.m, joint_names=joint_names)
