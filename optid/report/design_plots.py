"""Plots of a designed excitation. Each returns a matplotlib ``Figure`` that belongs to no window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .chart import GUIDE, MEASURED, PREDICTED
from .still import new_figure
from .units import torque_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.problems import ExcitationResult

Array = NDArray[np.float64]

POINTS = 1000


def design_figures(result: ExcitationResult) -> dict[str, Figure]:
    """All plots of a design by name."""
    return {
        "motion": plot_motion(result),
        "convergence": plot_convergence(result),
        "singular_values": plot_singular_values(result),
        "swept_volume": plot_swept_volume(result),
    }


def plot_motion(result: ExcitationResult, which: int = 0) -> Figure:
    """Position, velocity and acceleration of every joint with their limits (dashed)."""
    trajectory, limits = result.trajectories[which], result.limits
    t = np.linspace(0.0, trajectory.duration, POINTS)
    bounds = (limits.position, *(np.column_stack([-np.array(x), x]) for x in (limits.velocity, limits.acceleration)))
    figure, axes = new_figure(trajectory.n, 1.5, columns=3, width=12.0, sharex=True)
    for k, (values, bound, what) in enumerate(zip(trajectory.evaluate(t), bounds, ("position", "velocity, per s", "acceleration, per s²"), strict=True)):
        for j in range(trajectory.n):
            axes[j, k].plot(t, values[:, j], color=MEASURED, linewidth=1.0)
            for level in bound[j]:
                if np.isfinite(level):
                    axes[j, k].axhline(level, color=PREDICTED, linewidth=0.8, linestyle="--")
        axes[0, k].set_title(what, fontsize=9)
        axes[-1, k].set_xlabel("time [s]", fontsize=9)
    for j, name in enumerate(limits.names):
        unit = "m" if torque_unit(result.problem.base.model.robot, j) == "N" else "rad"
        axes[j, 0].set_ylabel(f"{name} [{unit}]", fontsize=8, parse_math=False)
    return figure


def convergence(result: ExcitationResult) -> tuple[NDArray[np.int64], Array]:
    """Start numbers and condition numbers (or exp of another criterion) of all iterates, as they were before being shrunk into the limits."""
    design, criterion = result.problem.design, result.problem.criterion
    history = result.solution.history
    values = np.array([np.exp(design.value(np.array(point.x), criterion)) for point in history])  # type: ignore[arg-type]
    return np.array([point.start for point in history], dtype=np.int64), values


def plot_convergence(result: ExcitationResult) -> Figure:
    """The criterion over the iterations of every start."""
    figure, axes = new_figure(1, 3.2)
    starts, values = convergence(result)
    for start in np.unique(starts):
        mine = values[starts == start]
        axes[0, 0].semilogy(np.arange(1, len(mine) + 1), mine, linewidth=1.0, label=f"start {start + 1}")
    axes[0, 0].set_xlabel("iteration or evaluation", fontsize=9)
    axes[0, 0].set_ylabel(f"exp(criterion {result.problem.criterion.name!r})", fontsize=9)  # type: ignore[union-attr]
    if len(np.unique(starts)) <= 10:
        axes[0, 0].legend(fontsize=7)
    return figure


def plot_singular_values(result: ExcitationResult) -> Figure:
    """Singular values of the base regressor, largest first."""
    figure, axes = new_figure(1, 3.2)
    values: Any = result.quality.singular_values
    axes[0, 0].semilogy(np.arange(1, len(values) + 1), values, "o-", color=MEASURED, markersize=4, linewidth=0.8)
    axes[0, 0].set_xlabel("number", fontsize=9)
    axes[0, 0].xaxis.get_major_locator().set_params(integer=True)
    axes[0, 0].set_ylabel("singular value", fontsize=9)
    axes[0, 0].set_title(f"condition number {result.condition_number:.4g}", fontsize=9, color=GUIDE)
    return figure


def plot_swept_volume(result: ExcitationResult, which: int = 0) -> Figure:
    """Origins of the link frames and of the tool during the motion, from above and from the side."""
    from optid.kinematics.motion import forward_kinematics

    trajectory, robot = result.trajectories[which], result.base.model.robot
    q = trajectory.derivative(np.linspace(0.0, trajectory.duration, POINTS))
    figure, axes = new_figure(1, 5.0, columns=2, width=11.0)
    for frame in (*range(robot.n_links), None):
        points = np.asarray(forward_kinematics(robot, q, frame))[:, :3, 3]
        label = "tool" if frame is None else robot.links[frame].name or f"link {frame + 1}"
        for k, (a, b) in enumerate(((0, 1), (0, 2))):
            axes[0, k].plot(points[:, a], points[:, b], linewidth=0.8, label=label)
    for k, names in enumerate((("x", "y"), ("x", "z"))):
        axes[0, k].set_xlabel(f"{names[0]} [m]", fontsize=9)
        axes[0, k].set_ylabel(f"{names[1]} [m]", fontsize=9)
        axes[0, k].set_aspect("equal", adjustable="datalim")
    axes[0, 0].legend(fontsize=7)
    return figure
