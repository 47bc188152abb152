"""The page of several estimators on the same data, judged by data they have not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .chart import BAND, GUIDE, MEASURED, PREDICTED, RAW
from .folder import fill
from .numbers import plain
from .page import Picture, render
from .still import named, new_figure, shortened
from .units import listed, percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.identification.compare import Comparison

Array = NDArray[np.float64]

JUDGES = {
    "validation": "other motion",
    "cross": "left-out folds",
    "training": "the data of the fit",
}
CLOSE = 1.1
"""Errors within this factor of the least are called as good."""
MARKS = "osD^vPX*<>"
SHADES = (MEASURED, PREDICTED, "#e69f00", "#0072b2", "#009e73", RAW, "#cc79a7", "#56b4e9", GUIDE, BAND)


def write_comparison(path: str | PathLike[str], comparison: Comparison, *, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> Path:
    """Write the comparison of estimators into a folder: ``report.html``, ``results.json``, ``results.h5`` (all the fits, by label) and a plot.

    Parameters
    ----------
    path : folder, made when it is not there
    comparison : Comparison
        Of :func:`optid.identification.compare`.
    title : str, optional
    provenance : mapping, optional
        Command, seed and inputs; default: those of the first fit.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    FileError

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.identification import compare
    >>> from optid.report import write_comparison
    >>> from optid.testing import example_model, example_samples
    >>> with TemporaryDirectory() as folder:
    ...     print(write_comparison(folder, compare(example_model(), [example_samples()], methods=["ols", "wls"], folds=0)).name)
    report.html
    """
    facts = comparison_facts(comparison, title, provenance)
    judge = facts["judge"]
    shown = {row.label: np.append(getattr(row, judge).per_joint, getattr(row, judge).stacked) for row in comparison.rows if getattr(row, judge) is not None}
    figure = plot_errors(shown, (*comparison.joint_names, "stacked"), f"Relative torque error on {JUDGES[judge]}")
    pictures = {"errors": Picture.of(figure, f"Relative torque error of every estimator on {JUDGES[judge]}, joint by joint.")}
    page = render("compare.html", facts, {}, pictures, what="comparison of estimators", judges=JUDGES)
    fits = {row.label: row.result for row in comparison.rows if row.result is not None}
    return fill(path, page, facts, {name: each.image for name, each in pictures.items()}, fits)


def comparison_facts(comparison: Comparison, title: str | None = None, provenance: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the page shows, as plain values: ``kind, title, headline, statements, judge, comparison, provenance``."""
    from optid.identification.result_file import versions

    judge = next((name for name in JUDGES if any(getattr(row, name) is not None for row in comparison.rows)), "training")
    fits = [row.result for row in comparison.rows if row.result is not None]
    robot = fits[0].base.model.robot.name if fits else "a robot"
    headline, statements = _said(comparison, judge)
    told = comparison.to_dict()
    for row, entry in zip(comparison.rows, told["rows"], strict=True):
        entry["condition_number"] = None if row.result is None else row.result.condition_number
    origin = dict(provenance) if provenance is not None else dict(fits[0].provenance) if fits else {}
    return plain(
        {
            "kind": "compare",
            "title": title or f"Estimators for {robot}",
            "headline": headline,
            "statements": [{"topic": topic, "text": text} for topic, text in statements],
            "judge": judge,
            "comparison": told,
            "provenance": {**origin, "versions": versions()},
        }
    )


def _said(comparison: Comparison, judge: str) -> tuple[str, list[tuple[str, str]]]:
    rows = [(row, getattr(row, judge)) for row in comparison.rows if getattr(row, judge) is not None]
    failed = [row.label for row in comparison.rows if row.result is None]
    statements = []
    if not rows:
        return "No estimator gave a result.", [("Failed", listed(failed))]
    rows.sort(key=lambda pair: pair[1].stacked)
    best, least = rows[0][0], rows[0][1].stacked
    headline = f"Least error on {JUDGES[judge]}: {best.label}, {percent(least)} of the torque."
    near = [row.label for row, errors in rows[1:] if errors.stacked <= CLOSE * least]
    if near:
        statements.append(("As good", f"{listed(near)}: within {percent(CLOSE - 1)} of that error; no reason to prefer one by these data."))
    worst, most = rows[-1][0], rows[-1][1].stacked
    if worst.label not in (best.label, *near):
        statements.append(("Worst", f"{worst.label}, {percent(most)}."))
    if judge == "training":
        statements.append(("Mind", "Judged by the data of the fit, where the most flexible estimator always wins: give validation trials."))
    elif judge == "cross" and comparison.folds_are == "pieces":
        statements.append(("Mind", f"The {comparison.folds} folds are pieces of one trial and share its motion: they hardly show over-fit to that motion."))
    odd = [row.label for row in comparison.rows if row.result is not None and row.unphysical]
    sound = [row.label for row in comparison.rows if row.result is not None and not row.unphysical]
    statements.append(("Physical", f"Bodies that can exist: {listed(sound) or 'none'}." + (f" Not by {listed(odd)}." if odd else "")))
    if failed:
        statements.append(("Failed", listed(failed)))
    return headline, statements


def plot_errors(errors: Mapping[str, Array], places: Sequence[str], title: str) -> Figure:
    """One mark for every label and place: told apart by shape and shade.

    Parameters
    ----------
    errors : mapping label → (k,)
        Relative.
    places : k names
    """
    figure, axes = new_figure(1, 3.6)
    ax = axes[0, 0]
    at = np.arange(len(places))
    for k, (label, values) in enumerate(errors.items()):
        shift = (k - (len(errors) - 1) / 2) * min(0.12, 0.7 / max(len(errors), 1))
        ax.plot(at + shift, 100 * np.asarray(values), MARKS[k % len(MARKS)], color=SHADES[k % len(SHADES)], markersize=6, label=shortened(label, 40))
    ax.set_xticks(at, [shortened(place, 18) for place in places], fontsize=8, parse_math=False)
    ax.set_ylim(bottom=0.0)
    named(ax, "", "%")
    figure.suptitle(title, fontsize=10, parse_math=False)
    if errors:
        legend = figure.legend(loc="outside lower center", ncols=min(5, len(errors)), fontsize=8, frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)
    return figure
