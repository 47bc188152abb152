"""One rigid body: mass, first moments, inertia about the link frame's origin."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError

from .transform import Transform, Vector3, finite_number, real_array, vector3

PARAMETER_STEMS = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
"""The ten standard parameters of a link, in the one order used everywhere."""

Inertia6 = tuple[float, float, float, float, float, float]


def skew(v: ArrayLike) -> NDArray[np.float64]:
    """Cross-product matrix (3, 3) of a vector (3,)."""
    x, y, z = np.asarray(v, dtype=float)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def inertia_matrix(elements: ArrayLike) -> NDArray[np.float64]:
    """Symmetric matrix (3, 3) from the elements (Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
    xx, xy, xz, yy, yz, zz = np.asarray(elements, dtype=float)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def inertia_elements(inertia: ArrayLike, what: str = "inertia") -> Inertia6:
    """Elements (Ixx, Ixy, Ixz, Iyy, Iyz, Izz) from a symmetric (3, 3) matrix, a diagonal (3,) or the six elements themselves."""
    array = real_array(inertia, what)
    if array.shape == (3,):
        array = np.diag(array)
    if array.shape == (3, 3):
        if not np.allclose(array, array.T, rtol=1e-9, atol=1e-12 * max(1.0, float(np.abs(array).max()))):
            raise RobotError(f"{what}: {array.tolist()}, expected a symmetric matrix (products of inertia are matrix elements, Ixy = -∫xy dm).")
        array = array[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
    if array.shape != (6,) or not np.isfinite(array).all():
        raise RobotError(f"{what}: {inertia!r}, expected a 3x3 matrix, a diagonal of three or the six elements Ixx, Ixy, Ixz, Iyy, Iyz, Izz.")
    return tuple(float(x) for x in array)  # type: ignore[return-value]


@dataclass(frozen=True)
class Link:
    """A rigid body, described in its link frame.

    Attributes
    ----------
    name : str
    mass : float [kg]
    first_moment : 3-tuple [kg m]
        Mass times centre of mass.
    inertia : 6-tuple [kg m²]
        (Ixx, Ixy, Ixz, Iyy, Iyz, Izz) about the frame's **origin**; products are matrix elements, Ixy = −∫xy dm.

    Examples
    --------
    >>> from optid import Link
    >>> rod = Link.from_com(3.0, (0.5, 0, 0), (0, 0.25, 0.25), "rod")
    >>> rod.first_moment
    (1.5, 0.0, 0.0)
    >>> rod.inertia[5]  # about the frame: 0.25 + 3 · 0.5²
    1.0
    """

    name: str = ""
    mass: float = 0.0
    first_moment: Vector3 = (0.0, 0.0, 0.0)
    inertia: Inertia6 = (0.0,) * 6

    def __post_init__(self) -> None:
        where = f"link {self.name!r}"
        object.__setattr__(self, "mass", finite_number(self.mass, f"mass of {where}", " [kg]"))
        object.__setattr__(self, "first_moment", vector3(self.first_moment, f"first moment of {where}"))
        object.__setattr__(self, "inertia", inertia_elements(self.inertia, f"inertia of {where}"))

    @classmethod
    def from_com(cls, mass: float, com: ArrayLike, inertia: ArrayLike, name: str = "") -> Link:
        """From mass [kg], centre of mass (3,) [m] and inertia **about the centre of mass** [kg m²], axes parallel to the link frame.

        ``inertia`` is a (3, 3) matrix, a diagonal (3,), or (Ixx, Ixy, Ixz, Iyy, Iyz, Izz).
        """
        mass = finite_number(mass, f"mass of link {name!r}", " [kg]")
        c = np.array(vector3(com, f"centre of mass of link {name!r}"))
        central = inertia_matrix(inertia_elements(inertia, f"inertia of link {name!r}"))
        about_origin = central + mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
        return cls(name, mass, tuple(mass * c), inertia_elements(about_origin))

    @classmethod
    def from_parameters(cls, pi: ArrayLike, name: str = "") -> Link:
        """From the ten standard parameters (m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz)."""
        array = real_array(pi, f"parameters of link {name!r}")
        if array.shape != (10,):
            raise RobotError(f"parameters of link {name!r}: shape {array.shape}, expected (10,) in the order {', '.join(PARAMETER_STEMS)}.")
        return cls(name, float(array[0]), tuple(array[1:4]), tuple(array[4:]))

    @property
    def parameters(self) -> NDArray[np.float64]:
        """The ten standard parameters (10,)."""
        return np.array([self.mass, *self.first_moment, *self.inertia])

    @property
    def com(self) -> NDArray[np.float64] | None:
        """Centre of mass (3,) [m]; None for a link without mass."""
        return None if self.mass == 0.0 else np.array(self.first_moment) / self.mass

    @property
    def inertia_about_origin(self) -> NDArray[np.float64]:
        """Inertia matrix (3, 3) about the frame's origin [kg m²]."""
        return inertia_matrix(self.inertia)

    @property
    def inertia_about_com(self) -> NDArray[np.float64] | None:
        """Inertia matrix (3, 3) about the centre of mass [kg m²]; None for a link without mass."""
        c = self.com
        if c is None:
            return None
        return self.inertia_about_origin - self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))

    def placed(self, frame: Transform) -> Link:
        """The same body described in the parent of ``frame`` (``frame`` is the pose of this link's frame in that parent)."""
        R, p = frame.R, frame.p
        h = R @ np.array(self.first_moment)
        turned = R @ self.inertia_about_origin @ R.T
        moved = h + self.mass * p
        # parallel-axis theorem for first moments, valid without dividing by the mass
        inertia = turned - skew(p) @ skew(h) - skew(h) @ skew(p) - self.mass * skew(p) @ skew(p)
        return replace(self, first_moment=tuple(moved), inertia=inertia_elements((inertia + inertia.T) / 2))

    def lumped(self, other: Link) -> Link:
        """This body and another one described in the same frame, as one body under this name."""
        return Link.from_parameters(self.parameters + other.parameters, self.name)
