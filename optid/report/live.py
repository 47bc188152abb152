"""Charts that are zoomed in a browser: Bokeh documents as JSON, small and the same in every run."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from optid.errors import require

from .chart import BAND, GUIDE, LOOKS, Chart, Curve, Panel

HEIGHT = 190
"""Of a panel [px]."""
INK, GRID = "#3b4654", "#e5e7eb"


@cache
def library() -> str:
    """BokehJS, the core bundle alone: it draws, and loads nothing."""
    folder = Path(require("bokeh", "app").__file__).parent
    return (folder / "server" / "static" / "js" / "bokeh.min.js").read_text(encoding="utf-8")


def live(chart: Chart, most: int) -> dict[str, Any]:
    """A chart as ``{"document": …, "root": id}`` for ``Bokeh.embed``, its panels thinned to about ``most`` points."""
    require("bokeh", "app")
    models: Any = require("bokeh.models", "app")
    shown = chart.thinned(most).panels
    finite = [panel.x[np.isfinite(panel.x)] for panel in shown]
    ends = [(float(x.min()), float(x.max())) for x in finite if len(x)] or [(0.0, 1.0)]
    low, high = min(a for a, _ in ends), max(b for _, b in ends)
    shared = models.Range1d(low, high if high > low else low + 1.0)
    figures = [_figure(panel, chart, shared, k == len(shown) - 1) for k, panel in enumerate(shown)]
    grid = require("bokeh.layouts", "app").gridplot(
        [[each] for each in figures], toolbar_location="above", sizing_mode="stretch_width", merge_tools=True, toolbar_options={"logo": None}
    )
    document = require("bokeh.document", "app").Document()
    document.add_root(grid)
    return _renumbered({"document": document.to_json(deferred=False), "root": grid.id})


def _figure(panel: Panel, chart: Chart, x_range: Any, last: bool) -> Any:
    models: Any = require("bokeh.models", "app")
    made: Any = require("bokeh.plotting", "app").figure(
        height=HEIGHT + (22 if last else 0),
        sizing_mode="stretch_width",
        x_range=x_range,
        x_axis_type="log" if chart.log_x else "linear",
        y_axis_type="log" if chart.log_y else "linear",
        tools="xpan,box_zoom,xwheel_zoom,reset,save",
        active_drag="box_zoom",
        min_border_left=56,
        background_fill_color="#ffffff",
        border_fill_color="#ffffff",
        outline_line_color=None,
    )
    # names come from files: plain text, or Bokeh would typeset what looks like a formula
    for text, size, color in ((panel.note, "11px", GUIDE), (panel.name, "13px", INK)):
        if text:
            made.add_layout(
                models.Title(text=models.PlainText(text=text), text_font_size=size, text_color=color, text_font_style="normal", standoff=2), "above"
            )
    for axis in (made.xaxis[0], made.yaxis[0]):
        axis.update(axis_line_color=GUIDE, major_tick_line_color=GUIDE, minor_tick_line_color=None, major_label_text_color=INK, axis_label_text_color=INK)
        axis.update(axis_label_text_font_style="normal")
    made.yaxis[0].axis_label = panel.unit or None
    made.xaxis[0].axis_label = chart.abscissa if last else None
    made.grid.grid_line_color = GRID
    data = {"x": panel.x.astype(np.float32)} | {f"y{k}": curve.y.astype(np.float32) for k, curve in enumerate(panel.curves)}
    if panel.band is not None:
        data |= {"low": panel.band.low.astype(np.float32), "high": panel.band.high.astype(np.float32)}
    source = models.ColumnDataSource(data)
    if panel.band is not None:
        made.varea("x", "low", "high", source=source, fill_color=BAND, fill_alpha=0.55)
    look = LOOKS["edge"]
    for level in panel.levels:
        made.add_layout(models.Span(location=level, dimension="width", line_color=look.color, line_dash=_dash(look.dash), line_width=1.2))
    drawn = [_line(made, source, k, curve) for k, curve in enumerate(panel.curves)]
    if drawn:
        _hover(made, panel, chart, drawn[-1])
    if chart.log_y and panel.floor is not None:
        top = max((float(np.nanmax(curve.y, initial=0.0)) for curve in panel.curves), default=1.0)
        made.y_range.update(start=panel.floor, end=2 * top)
    return made


def _line(made: Any, source: Any, k: int, curve: Curve) -> Any:
    look = LOOKS[curve.look]
    if look.stem:
        return made.segment("x", 0, "x", f"y{k}", source=source, line_color=look.color, line_width=2)
    options: dict[str, Any] = {"line_dash": _dash(look.dash)} if look.dash else {}
    return made.line("x", f"y{k}", source=source, line_color=look.color, line_width=1.4 * look.width, **options)


def _hover(made: Any, panel: Panel, chart: Chart, renderer: Any) -> None:
    """The values under the pointer."""
    # the panel's name and unit stay out of this: Bokeh reads tooltips as templates
    rows = [
        (chart.abscissa, "@x{0.[0000]}"),
        *((curve.label, f"@y{k}{{0.0000}}" if not chart.log_y else f"@y{k}{{0.00e+0}}") for k, curve in enumerate(panel.curves)),
    ]
    made.add_tools(
        require("bokeh.models", "app").HoverTool(tooltips=rows, mode="mouse" if LOOKS[panel.curves[-1].look].stem else "vline", renderers=[renderer])
    )


def _dash(dash: tuple[float, ...]) -> list[int]:
    return [round(2 * x) for x in dash]


def _renumbered(value: Any) -> Any:
    """With identifiers counted from one: Bokeh counts through the whole process."""
    known: dict[str, str] = {}

    def name(old: str) -> str:
        return known.setdefault(old, f"m{len(known) + 1}")

    def walk(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: name(item) if key in ("id", "root") and isinstance(item, str) else walk(item) for key, item in part.items()}
        return [walk(item) for item in part] if isinstance(part, list) else part

    return walk(value)
