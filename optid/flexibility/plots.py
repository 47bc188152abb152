"""Plots of surfaces, vibrations and tunings. Each returns a matplotlib ``Figure`` that belongs to no window: ``figure.savefig(path)`` writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, require, sentence

from .linear import LinearModel
from .session_report import SessionReport
from .surfaces import Surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

DARK, RED, GREY, BLUE = "#1b2838", "#d1495b", "#8d96a3", "#3572b0"
PALETTE = (DARK, RED, BLUE, "#e6a03c", "#56b4e9", GREY)
"""Told apart without red and green, too."""
MARKS = (("+", RED), ("o", DARK), ("x", BLUE), ("s", "#e6a03c"))


def _figure(rows: int, columns: int, width: float, height: float) -> Figure:
    figure: Any = require("matplotlib.figure", "app").Figure(figsize=(columns * width, rows * height), layout="constrained", dpi=110)
    return figure


def plot_surfaces(
    surfaces: Mapping[str, Surface], names: tuple[str, str] = ("axis 2", "axis 3"), marks: Mapping[str, tuple[float, float]] | None = None
) -> Figure:
    """Every surface seen from the side, and its level curves below (as in the source's figures 4.3 and 4.4).

    The level curves are those of a spline through the squares of the values, which are smooth where the values have an edge; dots are the points of the grid.

    Parameters
    ----------
    surfaces : titles and surfaces
    names : of the two axes
    marks : labels and Υ [%], optional
        Points to show among the level curves besides the smallest value, such as the true optimum.

    Raises
    ------
    DataError
        No surface, fewer than two values of Υ, or another number of names than two.
    """
    count = _checked(surfaces, names)
    figure = _figure(2, count, 4.0, 3.9)
    shared: dict[str, Any] = {}
    for k, (title, surface) in enumerate(surfaces.items()):
        values, label = _shown(surface)
        first, second = np.meshgrid(surface.percents, surface.percents, indexing="ij")
        side: Any = figure.add_subplot(2, count, k + 1, projection="3d")
        side.plot_surface(first, second, values, cmap="viridis", linewidth=0.3, edgecolor="#ffffff60", vmin=np.nanmin(values), vmax=np.nanmax(values))
        side.view_init(elev=28, azim=-128)
        side.set_box_aspect(None, zoom=0.86)
        side.set_title(title, fontsize=10, pad=-8)
        side.zaxis.set_rotate_label(False)
        side.set_zlabel(label, fontsize=8, labelpad=3, rotation=90)
        flat = figure.add_subplot(2, count, count + k + 1)
        _level_curves(flat, surface.percents, values)
        flat.plot(first.ravel(), second.ravel(), ".", color=GREY, markersize=2)
        points = {"smallest value": surface.minimum, **(marks or {})}
        for (what, point), (marker, colour) in zip(points.items(), cycle(MARKS)):
            style: dict[str, Any] = {"linestyle": "none", "markersize": 11, "markeredgewidth": 2.0, "markerfacecolor": "none"}
            shared.setdefault(what, flat.plot(*point, marker=marker, color=colour, zorder=5, **style)[0])
        flat.set_title(f"level curves of {label}; smallest at {surface.minimum[0]:g}, {surface.minimum[1]:g} %", fontsize=8)
        for target in (side, flat):
            target.set_xlabel(f"Υ of {names[0]} [%]", fontsize=8)
            target.set_ylabel(f"Υ of {names[1]} [%]", fontsize=8)
            target.tick_params(labelsize=7)
            target.locator_params(nbins=5)
        flat.set_aspect("equal")
    figure.legend(shared.values(), shared, loc="outside lower center", ncols=len(shared), fontsize=8, frameon=False)
    return figure


def _checked(surfaces: Mapping[str, Surface], names: tuple[str, str]) -> int:
    """The number of surfaces to draw."""
    if not isinstance(surfaces, Mapping) or not surfaces or not all(isinstance(surface, Surface) for surface in surfaces.values()):
        raise DataError(sentence("surfaces to plot", type(surfaces).__name__ if surfaces else "none", "a mapping of titles and surfaces"))
    small = [title for title, surface in surfaces.items() if len(surface.percents) < 2]
    if small:
        raise DataError(sentence(f"surface {small[0]!r}", "one value of Υ", "two at least to plot"))
    axis_names(names, 2)
    return len(surfaces)


def axis_names(names: Any, count: int) -> tuple[str, ...]:
    """Names of the axes of a plot.

    Raises
    ------
    DataError
        Not so many.
    """
    if isinstance(names, str) or not isinstance(names, Sequence) or len(names) != count:
        raise DataError(sentence("names of the axes of a plot", repr(names), f"{count} of them"))
    return tuple(map(str, names))


def _shown(surface: Surface) -> tuple[Array, str]:
    """Values and label, lengths in mm."""
    return (1e3 * surface.values, surface.label.replace("[m]", "[mm]")) if surface.label.endswith("[m]") else (surface.values, surface.label)


def _level_curves(ax: Any, percents: Array, values: Array) -> None:
    """Level curves with their values; the plain grid where a value is missing."""
    fine = percents
    if np.all(np.isfinite(values)):
        from scipy.interpolate import RectBivariateSpline

        order = min(3, len(percents) - 1)
        fine = np.linspace(percents[0], percents[-1], 161)
        values = np.sqrt(np.maximum(RectBivariateSpline(percents, percents, values**2, kx=order, ky=order)(fine, fine), 0.0))
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if high - low <= 1e-9 * high:
        ax.annotate("the same everywhere", (0.5, 0.6), xycoords="axes fraction", ha="center", fontsize=8)
        return
    levels = low + (high - low) * np.linspace(0.1, 0.97, 12) ** 1.5
    drawn = ax.contour(*np.meshgrid(fine, fine, indexing="ij"), values, levels=levels, colors=[DARK], linewidths=np.linspace(0.5, 1.1, 12))
    margin = 0.04 * (fine[-1] - fine[0])
    for text in ax.clabel(drawn, drawn.levels[1::2], fmt=lambda level: f"{level:.2g}", fontsize=6.5, inline_spacing=2):
        text.set_visible(all(fine[0] + margin < at < fine[-1] - margin for at in text.get_position()))
    ax.contourf(*np.meshgrid(fine, fine, indexing="ij"), values, levels=[low, *levels, high], cmap="viridis", alpha=0.35)


def plot_vibrations(time: ArrayLike, tails: Mapping[str, ArrayLike], names: tuple[str, ...]) -> Figure:
    """Vibrations (K, n) of some runs at the times (K,) [s] after T, one panel an axis.

    Raises
    ------
    DataError, ShapeError
        No run, or one of another shape.
    """
    clock = np.atleast_1d(numbers(time, "time of a plot"))
    if not isinstance(tails, Mapping) or not tails or isinstance(names, str) or not names:
        raise DataError(sentence("vibrations to plot", "none", "a mapping of labels and vibrations (K, n), and n names"))
    runs = {str(label): finite(tail, (len(clock), len(names)), f"vibration {label!r}") for label, tail in tails.items()}
    figure = _figure(len(names), 1, 8.0, 2.0)
    axes = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    for j, ax in enumerate(axes):
        for (label, tail), colour, style in zip(runs.items(), _colours(len(runs)), cycle(("-", "--", "-.", ":"))):
            ax.plot(clock, tail[:, j], style, label=label, color=colour, linewidth=1.1)
        ax.set_ylabel(f"{names[j]} [N m]", fontsize=8)
        _plain(ax)
    axes[0].set_title("Torque that is left after the move", fontsize=10)
    axes[0].legend(fontsize=8, frameon=False, ncols=min(4, len(runs)), loc="upper right")
    axes[-1].set_xlabel("time after T [s]", fontsize=8)
    return figure


def plot_report(report: SessionReport, tuned: tuple[int, ...] | None = None, label: str = "objective", truth: Sequence[float] | None = None) -> Figure:
    """The objective of every run, and the Υ that were run.

    Parameters
    ----------
    report : SessionReport
    tuned : indices of the axes to show; all by default
    label : str
        Of the objective, with its unit: ``rule.label``.
    truth : (n,) [%], optional
        Υ that are known to be right, as in a simulation.
    """
    if not isinstance(report, SessionReport):
        raise DataError(sentence("report of a tuning to plot", type(report).__name__, "a SessionReport"))
    chosen = tuple(range(len(report.names))) if tuned is None else tuned
    figure = _figure(2, 1, 8.0, 2.5)
    top, bottom = figure.subplots(2, 1, sharex=True)
    count = np.arange(1, len(report.runs) + 1)
    values = np.array([run.value for run in report.runs], dtype=float)
    safe = np.array([not verdict.unsafe for verdict in report.verdicts], dtype=bool)
    given = np.isfinite(values)
    if np.any(given) and np.all(values[given] > 0):
        top.set_yscale("log")
        top.yaxis.set_major_locator(require("matplotlib.ticker", "app").LogLocator(subs=(1.0, 2.0, 5.0)))
        top.yaxis.set_major_formatter(lambda value, position: f"{value:g}")
        top.yaxis.set_minor_formatter(lambda value, position: "")
    top.plot(count[given & safe], values[given & safe], "o", color=DARK, markersize=5, label="run")
    if np.any(given & ~safe):
        top.plot(count[given & ~safe], values[given & ~safe], "s", color=RED, markersize=7, markerfacecolor="none", label="outside the limits")
    if np.any(~given):
        low = top.get_xaxis_transform()
        top.plot(count[~given], np.full((~given).sum(), 0.05), "x", color=RED, markersize=7, transform=low, label="without a value")
    so_far = np.minimum.accumulate(np.where(given & safe, values, np.inf)) if len(values) else values
    seen = np.isfinite(so_far)
    if np.any(seen):
        top.step(count[seen], so_far[seen], where="post", color=BLUE, linewidth=1.2, label="best safe run so far")
        top.legend(fontsize=8, frameon=False)
    points = np.array([run.upsilon for run in report.runs]).reshape(len(report.runs), len(report.names))
    for k, colour, style in zip(chosen, _colours(len(chosen)), cycle(("o-", "s--", "^-.", "v:"))):
        bottom.plot(count, points[:, k], style, color=colour, markersize=4, linewidth=0.9, label=report.names[k])
        bottom.axhline(report.upsilon[k], color=colour, linewidth=0.8, linestyle=":")
        if truth is not None:
            bottom.plot(1.0, truth[k], marker="<", color=colour, markersize=9, transform=bottom.get_yaxis_transform(), clip_on=False)
    top.set_title("What every run left" + ("" if np.isfinite(report.value) else ": no safe run yet"), fontsize=10)
    bottom.set_title("Υ of every run; dotted: the best safe one" + (", at the right edge: the truth" if truth is not None else ""), fontsize=10)
    top.set_ylabel(label, fontsize=8)
    bottom.set_ylabel("Υ [%]", fontsize=8)
    bottom.set_xlabel("run", fontsize=8)
    bottom.xaxis.get_major_locator().set_params(integer=True)
    bottom.legend(fontsize=8, frameon=False)
    for ax in (top, bottom):
        _plain(ax)
    return figure


def plot_response(linear: LinearModel, frequencies: ArrayLike, names: tuple[str, ...]) -> Figure:
    """Speed of every motor per torque of its own, with resonances and antiresonances marked.

    Parameters
    ----------
    linear : LinearModel
    frequencies : (F,) [Hz]
        Rising, above 0.
    names : m names of the motors
    """
    f = np.atleast_1d(numbers(frequencies, "frequencies of a plot"))
    if f.ndim != 1 or len(f) < 2 or not np.all(np.isfinite(f) & (f > 0)) or np.any(np.diff(f) <= 0):
        raise DataError(sentence("frequencies of a plot", np.array2string(f, threshold=6), "two or more that rise, above 0 [Hz]"))
    names = axis_names(names, linear.m)
    response = linear.response(f)
    figure = _figure(1, 1, 8.0, 3.6)
    ax = figure.subplots()
    for k, colour in zip(range(linear.m), _colours(linear.m), strict=True):
        speed = np.abs(2 * np.pi * f * (response[:, linear.n :, k] @ linear.B[linear.n :, k]))
        ax.loglog(f, speed, color=colour, linewidth=1.4, linestyle=("-", "--", "-.")[k % 3], label=names[k])
        for zero in linear.antiresonances([k]):
            if f[0] < zero < f[-1]:
                ax.axvline(zero, color=colour, linewidth=0.9, linestyle=":")
    for mode in linear.resonances():
        if f[0] < mode < f[-1]:
            ax.axvline(mode, color=GREY, linewidth=0.9)
    # empty lines that only stand in the legend
    ax.plot([], [], color=GREY, linewidth=0.9, label="resonances")
    ax.plot([], [], color=DARK, linewidth=0.9, linestyle=":", label="antiresonances (with the motor's colour)")
    ax.set_title("How fast a motor moves for a torque of its own", fontsize=10)
    ax.set_xlabel("frequency [Hz]", fontsize=8)
    ax.set_ylabel("motor speed per torque [rad/(s N m)]", fontsize=8)
    ax.set_xlim(f[0], f[-1])
    ticks = [tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500) if f[0] <= tick <= f[-1]]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    ax.xaxis.set_minor_formatter(lambda value, position: "")
    ax.legend(fontsize=8, frameon=False)
    _plain(ax)
    return figure


def _colours(count: int) -> list[str]:
    return [PALETTE[k % len(PALETTE)] for k in range(count)]


def _plain(ax: Any) -> None:
    ax.grid(True, color="#e5e7eb", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(which="both", labelsize=8)
