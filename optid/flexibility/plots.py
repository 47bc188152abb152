"""Plots of surfaces, vibrations and tunings. Each returns a matplotlib ``Figure`` that belongs to no window: ``figure.savefig(path)`` writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import require

from .linear import LinearModel
from .session_report import SessionReport
from .surfaces import Surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

DARK, RED, GREY, BLUE = "#1b2838", "#d1495b", "#8d96a3", "#3572b0"


def _figure(rows: int, columns: int, width: float, height: float) -> Figure:
    figure: Any = require("matplotlib.figure", "app").Figure(figsize=(columns * width, rows * height), layout="constrained", dpi=110)
    return figure


def plot_surfaces(surfaces: Mapping[str, Surface], names: tuple[str, str] = ("axis 2", "axis 3")) -> Figure:
    """Every surface seen from the side, and its level curves below (as in the source's figures 4.3 and 4.4)."""
    figure = _figure(2, len(surfaces), 4.2, 3.6)
    count = len(surfaces)
    for k, (title, surface) in enumerate(surfaces.items()):
        first, second = np.meshgrid(surface.percents, surface.percents, indexing="ij")
        ax: Any = figure.add_subplot(2, count, k + 1, projection="3d")
        ax.plot_surface(first, second, surface.values, cmap="viridis", linewidth=0.3, edgecolor="#ffffff60")
        ax.view_init(elev=28, azim=-128)
        ax.set_title(title, fontsize=10)
        flat = figure.add_subplot(2, count, count + k + 1)
        top = float(surface.values.max()) or 1.0
        flat.contour(first, second, surface.values, levels=top * np.linspace(0.02, 1.0, 14) ** 1.5, cmap="viridis", linewidths=1.0)
        best = surface.minimum
        flat.plot(*best, marker="+", color=RED, markersize=12, markeredgewidth=2)
        flat.annotate(f"{best[0]:g}, {best[1]:g}", best, xytext=(8, 6), textcoords="offset points", color=RED, fontsize=8)
        for target in (ax, flat):
            target.set_xlabel(f"Υ {names[0]} [%]", fontsize=8)
            target.set_ylabel(f"Υ {names[1]} [%]", fontsize=8)
            target.tick_params(labelsize=7)
        flat.set_aspect("equal")
    return figure


def plot_vibrations(time: ArrayLike, tails: Mapping[str, ArrayLike], names: tuple[str, ...]) -> Figure:
    """Vibrations (K, n) of some runs, one panel an axis."""
    figure = _figure(len(names), 1, 8.0, 2.0)
    axes = figure.subplots(len(names), 1, squeeze=False, sharex=True)[:, 0]
    colours = _colours(len(tails))
    for j, ax in enumerate(axes):
        for (label, tail), colour in zip(tails.items(), colours, strict=True):
            ax.plot(np.asarray(time), np.asarray(tail)[:, j], label=label, color=colour, linewidth=1.1)
        ax.set_ylabel(f"{names[j]} [N m]", fontsize=8)
        _plain(ax)
    axes[0].legend(fontsize=8, frameon=False, ncols=min(4, len(tails)), loc="upper right")
    axes[-1].set_xlabel("time after T [s]", fontsize=8)
    return figure


def plot_report(report: SessionReport, tuned: tuple[int, ...] | None = None) -> Figure:
    """Λ of every run, and the Υ that were run; open marks are runs outside the limits."""
    chosen = tuple(range(len(report.names))) if tuned is None else tuned
    figure = _figure(2, 1, 8.0, 2.3)
    top, bottom = figure.subplots(2, 1, sharex=True)
    numbers = np.array([run.number for run in report.runs])
    values = np.array([run.value for run in report.runs])
    safe = np.array([not verdict.unsafe for verdict in report.verdicts], dtype=bool)
    finite = np.isfinite(values)
    top.plot(numbers[finite & safe], values[finite & safe], "o", color=DARK, markersize=5)
    if np.any(finite & ~safe):
        top.plot(numbers[finite & ~safe], values[finite & ~safe], "o", color=RED, markersize=6, markerfacecolor="none", label="outside the limits")
    so_far = np.where(finite & safe, values, np.inf)
    if len(numbers) and np.isfinite(so_far[0]):
        top.step(numbers, np.minimum.accumulate(so_far), where="post", color=BLUE, linewidth=1.2, label="best safe run so far")
    top.set_ylabel("objective", fontsize=8)
    if finite.any() and np.all(values[finite] > 0):
        top.set_yscale("log")
    if top.get_legend_handles_labels()[0]:
        top.legend(fontsize=8, frameon=False)
    points = np.array([run.upsilon for run in report.runs]).reshape(len(report.runs), -1)
    for k, colour in zip(chosen, _colours(len(chosen)), strict=True):
        bottom.plot(numbers, points[:, k] if len(points) else [], "o-", color=colour, markersize=4, linewidth=0.9, label=report.names[k])
        bottom.axhline(report.upsilon[k], color=colour, linewidth=0.8, linestyle=":")
    bottom.set_ylabel("Υ [%]", fontsize=8)
    bottom.set_xlabel("run", fontsize=8)
    bottom.xaxis.get_major_locator().set_params(integer=True)
    bottom.legend(fontsize=8, frameon=False)
    for ax in (top, bottom):
        _plain(ax)
    return figure


def plot_response(linear: LinearModel, frequencies: ArrayLike, names: tuple[str, ...]) -> Figure:
    """Speed of every motor per torque of its own, with resonances and antiresonances marked."""
    f = np.asarray(frequencies, dtype=float)
    response = linear.response(f)
    figure = _figure(1, 1, 8.0, 3.2)
    ax = figure.subplots()
    for k, colour in zip(range(linear.m), _colours(linear.m), strict=True):
        speed = np.abs(2 * np.pi * f * response[:, linear.n + k, k] * linear.B[linear.n + k, k])
        ax.loglog(f, speed, color=colour, linewidth=1.2, label=names[k])
        for zero in linear.antiresonances([k]):
            if f[0] < zero < f[-1]:
                ax.axvline(zero, color=colour, linewidth=0.7, linestyle=":")
    for mode in linear.resonances():
        if f[0] < mode < f[-1]:
            ax.axvline(mode, color=GREY, linewidth=0.7, linestyle="--")
    ax.set_xlabel("frequency [Hz]; dashed: resonances, dotted: antiresonances of a motor", fontsize=8)
    ax.set_ylabel("motor speed per torque [rad/(s N m)]", fontsize=8)
    ax.legend(fontsize=8, frameon=False)
    _plain(ax)
    return figure


def _colours(count: int) -> list[str]:
    palette = [DARK, RED, BLUE, "#e6a03c", "#4d9f6f", GREY]
    return [palette[k % len(palette)] for k in range(count)]


def _plain(ax: Any) -> None:
    ax.grid(True, color="#e5e7eb", linewidth=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(which="both", labelsize=8)
