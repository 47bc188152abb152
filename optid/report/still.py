"""Charts as pictures: matplotlib figures that belong to no window, and PNG files of few colours."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import require

from .chart import BAND, GUIDE, LOOKS, Chart, Look, Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABEL = 34
"""Longer formulas are cut in plots."""
SHADES = 64
"""Colours of a picture: lines and their soft edges need no more, and the file is a third."""


def new_figure(rows: int, height: float, columns: int = 1, width: float = 9.0, fixed: bool = False, **options: Any) -> tuple[Figure, NDArray[Any]]:
    """A figure with a grid of quiet axes; ``fixed`` margins instead of fitted ones take half the time."""
    inches = max(2.2, rows * height) + 0.9 * fixed
    figure = require("matplotlib.figure", "app").Figure(figsize=(width, inches), layout="none" if fixed else "constrained", dpi=110)
    if fixed:
        figure.subplots_adjust(left=0.75 / width, right=1 - 0.15 / width, top=1 - 0.6 / inches, bottom=0.75 / inches, hspace=0.42)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        ax.grid(True, color="#e5e7eb", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure, axes


def draw(chart: Chart, title: str | None = None, height: float = 1.75) -> Figure:
    """The chart as a figure."""
    figure, axes = new_figure(len(chart.panels), height, fixed=True, sharex=True)
    for ax, panel in zip(axes[:, 0], chart.thinned().panels, strict=True):
        draw_panel(ax, panel, chart)
    finish(figure, axes, title or chart.title, chart.abscissa)
    return figure


def draw_panel(ax: Axes, panel: Panel, chart: Chart) -> None:
    """One panel into one pair of axes."""
    if panel.band is not None:
        ax.fill_between(panel.x, panel.band.low, panel.band.high, color=BAND, alpha=0.55, linewidth=0, label=panel.band.label)
    for level in panel.levels:
        line(ax, [0.0, 1.0], [level, level], LOOKS["edge"], chart.level_label, transform=ax.get_yaxis_transform())
    for curve in panel.curves:
        look = LOOKS[curve.look]
        if look.stem:
            ax.vlines(panel.x, 0.0, curve.y, color=look.color, linewidth=look.width, label=curve.label)
        else:
            line(ax, panel.x, curve.y, look, curve.label)
    if chart.log_x:
        ax.set_xscale("log")
        ax.xaxis.minorticks_off()
    if chart.log_y:
        ax.set_yscale("log")
        ax.yaxis.minorticks_off()
        if panel.floor is not None:
            top = max((float(np.nanmax(curve.y, initial=0.0)) for curve in panel.curves), default=1.0)
            ax.set_ylim(panel.floor, top * 2)
    named(ax, panel.name, panel.unit)
    ax.set_title(panel.note, fontsize=8, loc="right", y=1.0, color=GUIDE, parse_math=False)


def line(ax: Axes, x: Any, y: Any, look: Look, label: str, **options: Any) -> None:
    """One line with its look."""
    style: Any = (0, look.dash) if look.dash else "-"
    ax.plot(x, y, color=look.color, linewidth=look.width, linestyle=style, label=label, **options)


def named(ax: Axes, name: str, unit: str) -> None:
    """The joint above its panel, where any name has room; its unit at the side."""
    # a place that is given is not searched for, which would take half of the time
    ax.set_title(shortened(name, 40), fontsize=9, loc="left", y=1.0, parse_math=False)
    ax.set_ylabel(f"[{unit}]" if unit else "", fontsize=9)


def shortened(text: str, most: int = LABEL) -> str:
    """Text of at most ``most`` characters, cut between words of a formula."""
    if len(text) <= most:
        return text
    head = text[: most - 2]
    cut = max(head.rfind(" + "), head.rfind(" - "))
    return f"{head[:cut] if cut > most // 3 else head} …"


def finish(figure: Figure, axes: NDArray[Any], title: str, abscissa: str = "time [s]") -> None:
    """Title, abscissa and one legend for all panels."""
    last: Axes = axes[-1, 0]
    last.set_xlabel(abscissa, fontsize=9)
    entries: dict[str, Any] = {}
    for ax in axes[:, 0]:
        handles, labels = ax.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.suptitle(title, fontsize=10, parse_math=False)
    if len(entries) > 1:
        size = 8 if len(entries) < 5 else 7
        place: Any = "lower center" if figure.get_layout_engine() is None else "outside lower center"
        figure.legend(list(entries.values()), list(entries), loc=place, ncols=len(entries), fontsize=size, handlelength=1.6, columnspacing=1.3, frameon=False)


def png(figure: Figure) -> bytes:
    """A figure as PNG of few colours, without anything that differs from run to run."""
    canvas = require("matplotlib.backends.backend_agg", "app").FigureCanvasAgg(figure)
    canvas.draw()
    image = require("PIL.Image", "app").fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy()).quantize(SHADES, dither=0)
    buffer = io.BytesIO()
    image.save(buffer, format="PNG")
    return buffer.getvalue()
