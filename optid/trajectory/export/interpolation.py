"""What a controller makes of the numbers it is given, as a trajectory of its own; and how far that is from the design."""

from __future__ import annotations

import numpy as np

from optid.trajectory.arrays import Array
from optid.trajectory.base import Trajectory
from optid.trajectory.piecewise import Piecewise

LINEAR, SPLINE, QUINTIC = "linear", "spline", "quintic"
POINTS, MOST = 50_000, 1024


def interpolated(model: str, time: Array, states: tuple[Array, ...], closed: bool = False, joint_names: tuple[str, ...] = ()) -> Piecewise:
    """The motion between targets.

    Parameters
    ----------
    model : "linear", "spline" or "quintic"
        Straight lines in joint space; the cubic spline through the positions (periodic when ``closed``, at rest at both ends otherwise); or quintics through
        positions, velocities and accelerations.
    time : (N,) [s]
    states : positions (N, n), and for "quintic" velocities and accelerations
    """
    if model == LINEAR:
        return Piecewise.linear(time, states[0], joint_names)
    if model == QUINTIC:
        return Piecewise.hermite(time, states, joint_names)
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(time, states[0], bc_type="periodic" if closed else "clamped")
    powers = np.moveaxis(spline.c[::-1], 0, 2) * np.diff(time)[:, None, None] ** np.arange(4)
    return Piecewise(time, powers, joint_names)


def deviation(design: Trajectory, run: Piecewise) -> Array:
    """Proven bound (n,) of the distance between a design and what a controller makes of it, over the whole run.

    Both are compared on a grid that contains the targets; between grid points ``h`` apart the distance exceeds the larger of its neighbours by at most
    ``h² / 8`` times the largest second derivatives.
    """
    count = int(np.clip(POINTS // (len(run.breaks) - 1), 2, MOST))
    grid = np.unique(np.concatenate([np.linspace(a, b, count + 1) for a, b in zip(run.breaks[:-1], run.breaks[1:], strict=True)]))
    inside = np.minimum(grid, design.duration) if not design.periodic else grid
    found = np.abs(design.derivative(inside) - run.derivative(grid)).max(axis=0)
    bend = design.extremes(2).magnitude + (0.0 if run.degree == 1 else run.extremes(2).magnitude)
    return found + bend * np.diff(grid).max() ** 2 / 8
