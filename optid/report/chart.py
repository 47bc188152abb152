"""What a chart shows, apart from what draws it: one description for the picture on paper (:mod:`.still`) and for the one that is zoomed (:mod:`.live`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MEASURED, PREDICTED, RAW, BAND = "#1b2838", "#d1495b", "#8d96a3", "#9ec1e6"
GUIDE = "#6b7280"
MOST_POINTS = 3000
"""Longer curves of a picture are drawn by the extremes of equal pieces: nothing that stands out is lost, and files stay small."""


@dataclass(frozen=True)
class Look:
    """How a curve looks; told apart by shade and dashes, not by colour alone.

    Attributes
    ----------
    color : str
    width : float [points]
    dash : tuple of float
        Lengths of dash and gap in line widths; empty for a full line.
    stem : bool
        One vertical line a value, from zero.
    """

    color: str
    width: float = 1.1
    dash: tuple[float, ...] = ()
    stem: bool = False


LOOKS = {
    "measured": Look(MEASURED),
    "predicted": Look(PREDICTED, dash=(5, 2)),
    "raw": Look(RAW, 0.8),
    "residual": Look(PREDICTED, 0.8),
    "edge": Look(GUIDE, 0.8, dash=(1, 2)),
    "stem": Look(MEASURED, 1.6, stem=True),
    "best": Look(MEASURED, 1.3, dash=(5, 2)),
}


@dataclass(frozen=True, eq=False)
class Curve:
    """One line over the abscissa of its panel.

    Attributes
    ----------
    label : str
        The same in all panels of a chart.
    y : (N,)
    look : str
        Of :data:`LOOKS`.
    """

    label: str
    y: Array
    look: str = "measured"


@dataclass(frozen=True, eq=False)
class Band:
    """The area between two lines."""

    label: str
    low: Array
    high: Array


@dataclass(frozen=True, eq=False)
class Panel:
    """One joint's, or one axis's, part of a chart.

    Attributes
    ----------
    name, unit : str
    x : (N,)
        Increasing; NaN where the lines break.
    curves : tuple of Curve
    band : Band or None
    levels : tuple of float
        Horizontal lines: limits, bounds.
    note : str
        Shown beside the name.
    floor : float or None
        Lower end of a logarithmic ordinate; None: as the curves need.
    """

    name: str
    unit: str
    x: Array
    curves: tuple[Curve, ...]
    band: Band | None = None
    levels: tuple[float, ...] = ()
    note: str = ""
    floor: float | None = None

    def columns(self) -> list[Array]:
        """Ordinates of all lines, the band's edges last."""
        return [curve.y for curve in self.curves] + ([] if self.band is None else [self.band.low, self.band.high])

    def thinned(self, most: int, gap: float) -> Panel:
        """With at most about ``most`` points: the extremes of equal pieces of every line, and a break where x jumps by more than ``gap``."""
        x, found = thinned(self.x, *self.columns(), gap=gap, most=most)
        curves = tuple(replace(curve, y=y) for curve, y in zip(self.curves, found, strict=False))
        band = None if self.band is None else replace(self.band, low=found[-2], high=found[-1])
        return replace(self, x=x, curves=curves, band=band)


@dataclass(frozen=True, eq=False)
class Chart:
    """Panels one below the other with one abscissa: zooming one zooms all.

    Attributes
    ----------
    name : str
        Of its file, and of its place in a page.
    title : str
    alt : str
        What there is to see, for who cannot see it.
    panels : tuple of Panel
    abscissa : str
    log_x, log_y : bool
    level_label : str
        Meaning of the panels' horizontal lines.
    gap : float
        Steps of x above this break the lines.
    """

    name: str
    title: str
    alt: str
    panels: tuple[Panel, ...]
    abscissa: str = "time [s]"
    log_x: bool = False
    log_y: bool = False
    level_label: str = ""
    gap: float = np.inf

    @property
    def n_points(self) -> int:
        """Points of its longest panel."""
        return max((len(panel.x) for panel in self.panels), default=0)

    def thinned(self, most: int = MOST_POINTS) -> Chart:
        """With panels of at most about ``most`` points."""
        return replace(self, panels=tuple(panel.thinned(most, self.gap) for panel in self.panels))

    def legend(self) -> list[tuple[str, Look | None]]:
        """Label and look of every kind of line, the band's with None; levels with the look of an edge."""
        found: dict[str, Look | None] = {}
        for panel in self.panels:
            if panel.band is not None:
                found.setdefault(panel.band.label, None)
            for curve in panel.curves:
                found.setdefault(curve.label, LOOKS[curve.look])
            if panel.levels and self.level_label:
                found.setdefault(self.level_label, LOOKS["edge"])
        return list(found.items())


def thinned(time: Array, *curves: Array, gap: float, most: int = MOST_POINTS) -> tuple[Array, list[Array]]:
    """At most about ``most`` points that keep every extreme of the curves (N,), with a NaN where ``time`` jumps by more than ``gap``."""
    index = np.arange(len(time))
    if len(time) > most:
        pieces = max(1, most // (2 * max(len(curves), 1)))
        picked = [extremes(curve, pieces) for curve in curves]
        index = np.unique(np.concatenate([[0, len(time) - 1], *picked]))
    breaks = np.flatnonzero(np.diff(time) > gap)
    at = np.searchsorted(index, breaks, side="right")
    return np.insert(time[index], at, np.nan), [np.insert(c[index].astype(float), at, np.nan) for c in curves]


def extremes(curve: Array, pieces: int) -> NDArray[np.int64]:
    """Where the least and the largest value of each of ``pieces`` equal parts of a curve (N,) are."""
    size = -(-len(curve) // pieces)
    starts = np.arange(0, len(curve), size)
    found = []
    for sign in (1.0, -1.0):
        table = np.full(len(starts) * size, np.inf)
        table[: len(curve)] = np.where(np.isnan(curve), np.inf, sign * curve)
        found.append(starts + np.argmin(table.reshape(-1, size), axis=1))
    return np.asarray(np.concatenate(found), dtype=np.int64)


def per_panel(charts: Sequence[Chart], total: int, most: int) -> int:
    """Points a panel may have so that all charts together have at most about ``total``: short panels leave theirs to long ones."""
    lengths = sorted(len(panel.x) for chart in charts for panel in chart.panels)
    for k, length in enumerate(lengths):
        share = total // (len(lengths) - k)
        if length > share:
            return max(200, min(most, share))
        total -= length
    return most
