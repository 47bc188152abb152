"""Can a body with these parameters exist? Checks of given inertial parameters, one sentence a fault."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import RobotError

from .link import PARAMETER_STEMS, Link, inertia_matrix

_ROUNDING = 1e-9  # relative to the largest moment: what sums and parallel-axis shifts of floats may leave


def pseudo_inertia(pi: ArrayLike) -> NDArray[np.float64]:
    """Pseudo-inertia (4, 4) of one body: second moments ``∫ x xᵀ dm``, first moments and mass.

    It is positive (semi)definite exactly when a mass distribution with these parameters exists (Wensing, Kim & Slotine, *Linear matrix inequalities for
    physically consistent inertial parameter identification*, 2018). Its entries carry mixed units (kg m², kg m, kg), so its eigenvalues depend on the unit of
    length; their signs do not.

    Parameters
    ----------
    pi : (10,)
        Standard parameters (m, mx, my, mz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) about the frame's origin.

    Examples
    --------
    >>> from optid import Link
    >>> from optid.robot import pseudo_inertia
    >>> pseudo_inertia(Link.from_com(2.0, (0, 0, 0), (3, 4, 5)).parameters)  # Σ m x² = (−3 + 4 + 5) / 2, …
    array([[3., 0., 0., 0.],
           [0., 2., 0., 0.],
           [0., 0., 1., 0.],
           [0., 0., 0., 2.]])
    """
    values = np.asarray(pi, dtype=float)
    if values.shape != (10,):
        raise RobotError(f"parameters of a body: shape {values.shape}, expected (10,) in the order {', '.join(PARAMETER_STEMS)}.")
    inertia = inertia_matrix(values[4:])
    J = np.empty((4, 4))
    J[:3, :3] = np.trace(inertia) / 2 * np.eye(3) - inertia
    J[:3, 3] = J[3, :3] = values[1:4]
    J[3, 3] = values[0]
    return J


def check_link(link: Link) -> list[str]:
    """Faults of a body as sentences that name the link, the broken inequality and the amount; empty for a body that can exist.

    A body exists when its mass is positive and its inertia **about the centre of mass** has principal moments ``0 <= e1 <= e2 <= e3 <= e1 + e2``
    (equivalently: its :func:`pseudo_inertia` is positive semidefinite). A tensor about the link origin can look fine while the central one is not. A link
    without mass, first moments and inertia (a frame) is fine, and so are a point and a thin rod.

    Examples
    --------
    >>> from optid import Link
    >>> from optid.robot import check_link
    >>> check_link(Link.from_com(1.0, (0, 0, 0), (0.1, 0.1, 0.1)))
    []
    >>> len(check_link(Link.from_com(1.0, (0, 0, 0), (0.1, 0.1, 0.3))))  # 0.1 + 0.1 < 0.3: no body has that
    1
    """
    where = f"link {link.name!r}"
    if link.mass < 0:
        return [f"mass of {where}: {link.mass:g} kg, expected a mass >= 0."]
    central = link.inertia_about_com
    if central is None:
        moments = [f"{stem} = {value:g}" for stem, value in zip(PARAMETER_STEMS[1:], link.parameters[1:], strict=True) if value]
        return [f"mass of {where}: 0 kg with {', '.join(moments)}, expected no moments without mass."] if moments else []
    e1, e2, e3 = (float(e) for e in np.linalg.eigvalsh(central))
    slack = _ROUNDING * max(abs(e1), abs(e3), float(np.abs(link.inertia_about_origin).max()))
    principal = f"principal moments about the centre of mass {e1:.6g}, {e2:.6g}, {e3:.6g} kg m²"
    if e1 < -slack:
        return [f"inertia of {where}: not positive definite, {principal}, expected none below zero (short by {-e1:.5g} kg m²)."]
    if e1 + e2 - e3 < -slack:
        return [f"inertia of {where}: triangle inequality e1 + e2 >= e3 broken by {e3 - e1 - e2:.5g} kg m², {principal}."]
    return []
