"""Which bodies may exist: pseudo-inertia cones of all links, with ranges for mass and centre of mass, in scaled parameters.

Source: P. M. Wensing, S. Kim, J.-J. E. Slotine, *Linear matrix inequalities for physically consistent inertial parameter identification*, IEEE RA-L 3 (2018).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, LimitsError, ShapeError, sentence, unknown_name
from optid.model.arguments import real
from optid.robot import Robot
from optid.robot.physical import pseudo_inertia

from .forms import Cone

Array = NDArray[np.float64]

SLACK = 1e-6
"""Scaled bodies keep this distance from the cone's boundary, so that rounding cannot carry them over it."""

PATTERNS: Array = np.stack([pseudo_inertia(row) for row in np.eye(10)])
"""Pseudo-inertia (10, 4, 4) of a unit of each standard parameter."""


class Box(NamedTuple):
    """Where a centre of mass may lie, in the link frame: corners (3,) and (3,) [m]."""

    lower: ArrayLike
    upper: ArrayLike


class Ellipsoid(NamedTuple):
    """Where a centre of mass may lie: ``(c − centre)ᵀ diag(axes)⁻² (c − centre) <= 1``, link frame [m]."""

    centre: ArrayLike
    axes: ArrayLike


@dataclass(frozen=True, eq=False)
class BodyLimits:
    """What is asked of the bodies beyond existing.

    Attributes
    ----------
    margin : float
        Smallest eigenvalue that a pseudo-inertia must have [its SI entries]; tightens, never loosens.
    masses : mapping link name → (least, largest) [kg]
    centres : mapping link name → Box or Ellipsoid
    """

    margin: float = 0.0
    masses: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    centres: Mapping[str, Box | Ellipsoid] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (np.isfinite(real(self.margin, "margin of the bodies")) and self.margin >= 0):
            raise DataError(sentence("margin of the bodies", self.margin, "a finite number >= 0", "It tightens the test; it cannot loosen it."))
        for name, ends in self.masses.items():
            if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
                raise ShapeError(sentence(f"mass range of link {name!r}", repr(ends), "(least, largest) [kg]"))
            low, high = (real(x, f"mass range of link {name!r}", "numbers") for x in ends)
            if not 0 <= low <= high:
                raise LimitsError(sentence(f"mass range of link {name!r}", f"[{low:g}, {high:g}] kg", "0 <= least <= largest"))
        for name, place in self.centres.items():
            if not isinstance(place, Box | Ellipsoid):
                raise DataError(sentence(f"place of the centre of mass of link {name!r}", type(place).__name__, "a Box or an Ellipsoid"))
            first, second = (np.asarray(x, dtype=float) for x in place)
            if first.shape != (3,) or second.shape != (3,):
                raise ShapeError(sentence(f"place of the centre of mass of link {name!r}", f"shapes {first.shape}, {second.shape}", "(3,) and (3,)"))
            if isinstance(place, Box) and (first > second).any():
                raise LimitsError(sentence(f"box of the centre of mass of link {name!r}", f"{first} to {second}", "lower <= upper"))
            if isinstance(place, Ellipsoid) and not (second > 0).all():
                raise LimitsError(sentence(f"ellipsoid of the centre of mass of link {name!r}", f"axes {second}", "positive half axes"))

    def index(self, robot: Robot, name: str) -> int:
        """Link number of a name."""
        names = link_names(robot)
        if name not in names:
            raise unknown_name("link", name, names)
        return names.index(name)


def link_names(robot: Robot) -> list[str]:
    """Names of the links; ``link1``, … where the robot has none."""
    return [link.name or f"link{k + 1}" for k, link in enumerate(robot.links)]


@dataclass(frozen=True, eq=False)
class ScaledBody:
    """One link whose parameters are ``π = scale · z``, scale = m (1, ℓ, ℓ, ℓ, ℓ², …).

    Attributes
    ----------
    scale : (10,)
        Of mass m and length ℓ: :func:`optid.problems.prior.link_scales`.
    margin : float
        See :class:`BodyLimits`.
    """

    scale: Array
    margin: float

    @property
    def congruence(self) -> Array:
        """T (4,) such that the pseudo-inertia of z is diag(T) J(π) diag(T)."""
        length = np.sqrt(self.scale[4] / self.scale[0])
        return np.array([1 / length, 1 / length, 1 / length, 1.0]) / np.sqrt(self.scale[0])

    @property
    def floor(self) -> Array:
        """Matrix (4, 4) that the pseudo-inertia of z must exceed."""
        return np.diag(self.margin * self.congruence**2 + SLACK)


def body_cones(bodies: list[ScaledBody], columns: list[list[int | None]], constants: list[Array], size: int, names: list[str]) -> list[Cone]:
    """One cone per body over ``size`` scaled variables.

    Parameters
    ----------
    columns : per body ten variable numbers; None for a parameter that is known
    constants : per body the known parameters (10,), zero elsewhere, in the body's units
    """
    cones = []
    for body, where, known, name in zip(bodies, columns, constants, names, strict=True):
        slopes = np.zeros((size, 4, 4))
        for k, variable in enumerate(where):
            if variable is not None:
                slopes[variable] = PATTERNS[k]
        cones.append(Cone(pseudo_inertia(known) - body.floor, slopes, f"pseudo-inertia of {name}"))
    return cones


def place_rows(place: Box) -> Array:
    """Rows (6, 10) with ``rows @ π <= 0`` for a centre of mass in a box: lower x, y, z, upper x, y, z."""
    lower, upper = (np.asarray(x, dtype=float) for x in place)
    rows = np.zeros((6, 10))
    rows[:3, 0], rows[3:, 0] = lower, -upper
    rows[:3, 1:4], rows[3:, 1:4] = -np.eye(3), np.eye(3)
    return rows


def place_patterns(place: Ellipsoid) -> Array:
    """Matrices (10, 4, 4) whose combination with π is positive semidefinite when the centre of mass lies in the ellipsoid: [[m I, u], [uᵀ, m]] with
    u = diag(axes)⁻¹ (h − m centre).
    """
    centre, axes = (np.asarray(x, dtype=float) for x in place)
    patterns = np.zeros((10, 4, 4))
    patterns[0] = np.eye(4)
    patterns[0][:3, 3] = patterns[0][3, :3] = -centre / axes
    for k in range(3):
        patterns[1 + k][k, 3] = patterns[1 + k][3, k] = 1 / axes[k]
    return patterns


def check_limits(limits: BodyLimits, robot: Robot) -> dict[int, tuple[float, float]]:
    """Mass ranges by link number, after a look at all names."""
    for name in limits.centres:
        limits.index(robot, name)
    return {limits.index(robot, name): (float(low), float(high)) for name, (low, high) in limits.masses.items()}


def eigenvalues(pi: Any) -> Array:
    """Eigenvalues (n_links, 4) of the pseudo-inertias of the link part of a standard vector (10·n_links or more, only whole links)."""
    vector = np.asarray(pi, dtype=float)
    return np.array([np.linalg.eigvalsh(pseudo_inertia(vector[k : k + 10])) for k in range(0, len(vector), 10)])
