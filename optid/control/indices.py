"""How well a motion was followed: IAE, ISE and peaks, joint by joint and along the Cartesian axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence, unknown_name
from optid.kinematics import forward_kinematics
from optid.model.arguments import instance
from optid.model.arrays import numbers
from optid.robot import Robot

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Indices:
    """Indices of several signals of error.

    Attributes
    ----------
    names : m-tuple of str
    iae : (m,) [unit · s]
        ∫|e| dt, trapezoidal.
    ise : (m,) [unit² · s]
        ∫e² dt.
    rms : (m,) [unit]
    peak : (m,) [unit]
        The error of largest magnitude, with its sign.
    peak_time : (m,) [s]

    Examples
    --------
    >>> import numpy as np
    >>> from optid.control import Indices
    >>> Indices.of(np.array([0.0, 1.0, 2.0]), np.array([[1.0], [1.0], [1.0]]), ("e",)).iae
    array([2.])
    """

    names: tuple[str, ...]
    iae: Array
    ise: Array
    rms: Array
    peak: Array
    peak_time: Array

    __repr__ = brief

    @classmethod
    def of(cls, time: ArrayLike, error: ArrayLike, names: tuple[str, ...] = ()) -> Indices:
        """From errors (N, m) at increasing times (N,) [s]."""
        t, e = numbers(time, "times of the errors"), numbers(error, "errors to sum")
        e = e[:, None] if e.ndim == 1 else e
        if t.ndim != 1 or e.ndim != 2 or len(t) != len(e):
            raise ShapeError(sentence("errors to sum", f"time {t.shape}, error {e.shape}", "(N,) and (N, m)"))
        if len(t) < 2 or not (np.diff(t) > 0).all() or not np.isfinite(e).all():
            raise DataError(sentence("errors to sum", "fewer than two samples, times that do not increase, or NaN", "finite errors at increasing times"))
        labels = tuple(names) or tuple(f"e{j + 1}" for j in range(e.shape[1]))
        if len(labels) != e.shape[1]:
            raise ShapeError(sentence("names of the errors", f"{len(labels)}", f"{e.shape[1]}, one a column"))
        at = np.abs(e).argmax(axis=0)
        squares = np.asarray(np.trapezoid(e**2, t, axis=0))
        return cls(labels, np.asarray(np.trapezoid(np.abs(e), t, axis=0)), squares, np.sqrt(squares / (t[-1] - t[0])), e[at, np.arange(e.shape[1])], t[at])

    def __getitem__(self, name: str) -> dict[str, float]:
        """All indices of one signal."""
        if name not in self.names:
            raise unknown_name("signal", name, self.names)
        j = self.names.index(name)
        return {what: float(getattr(self, what)[j]) for what in ("iae", "ise", "rms", "peak", "peak_time")}


@dataclass(frozen=True)
class TrackingIndices:
    """Indices of a simulated motion: per joint, and of the tool's position along x, y and z of the base.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, OuterLoop, Reference, simulate, tracking_indices
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = GravityPD(model, OuterLoop.pd([100.0] * 2, [20.0] * 2))
    >>> run = simulate(Plant(model), law, Reference(PointToPoint([0.3, 0.3], [0.3, 0.3], 0.01)))
    >>> tracking_indices(run).cartesian.names
    ('x', 'y', 'z')
    """

    joint: Indices
    cartesian: Indices

    def table(self) -> str:
        """A readable table."""
        lines = [f"{'signal':<10} {'IAE':>12} {'ISE':>12} {'rms':>12} {'peak':>12} {'at [s]':>8}"]
        for part in (self.joint, self.cartesian):
            for j, name in enumerate(part.names):
                lines.append(f"{name:<10} {part.iae[j]:>12.5g} {part.ise[j]:>12.5g} {part.rms[j]:>12.5g} {part.peak[j]:>12.5g} {part.peak_time[j]:>8.4f}")
        return "\n".join(lines)


def cartesian_error(robot: Robot, q: ArrayLike, wanted: ArrayLike) -> Array:
    """Wanted minus actual position (N, 3) of the tool [m], from joint positions (N, n).

    Examples
    --------
    >>> from optid import library
    >>> from optid.control import cartesian_error
    >>> float(cartesian_error(library.scara_er14(), [[0, 0, 0, 0]], [[0, 0, 0.01, 0]])[0, 2].round(12))  # q3 > 0 is down
    -0.01
    """
    return np.asarray(forward_kinematics(robot, np.asarray(wanted))[:, :3, 3] - forward_kinematics(robot, np.asarray(q))[:, :3, 3])


def tracking_indices(simulation: Simulation, robot: Robot | None = None) -> TrackingIndices:
    """Indices of a simulated motion against the motion that was wanted.

    Parameters
    ----------
    simulation : Simulation
    robot : Robot, optional
        For the tool's position; the simulated plant's by default.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, OuterLoop, Reference, simulate, tracking_indices
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = GravityPD(model, OuterLoop.pd([100.0] * 2, [20.0] * 2))
    >>> run = simulate(Plant(model), law, Reference(PointToPoint([0.3, 0.3], [0.3, 0.3], 0.01)))
    >>> bool(tracking_indices(run).joint.peak.max() < 1e-12)
    True
    """
    from .simulate import Simulation

    instance(simulation, Simulation, "motion to judge", "simulate makes one.")
    arm = robot if robot is not None else simulation.robot
    tool = cartesian_error(arm, simulation.q, simulation.wanted.q)
    return TrackingIndices(Indices.of(simulation.time, simulation.error, arm.joint_names), Indices.of(simulation.time, tool, ("x", "y", "z")))
