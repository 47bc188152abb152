"""Saved results side by side: parameters with their differences in standard deviations, errors joint by joint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

from .comparison import MARKS, SHADES, plot_errors
from .folder import fill
from .numbers import plain
from .page import Picture, render
from .still import new_figure, shortened
from .units import listed, percent, torque_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult

Array = NDArray[np.float64]

FAR = 3.0
"""Standard deviations above which two estimates are called different."""


def write_side_by_side(
    path: str | PathLike[str],
    fits: Mapping[str, IdentificationResult],
    validations: Mapping[str, Sequence[ValidationResult]] | None = None,
    *,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Path:
    """Write several results side by side into a folder: ``report.html``, ``results.json``, ``results.h5`` and plots.

    Parameters
    ----------
    path : folder, made when it is not there
    fits : mapping label → result
        Two or more of one robot; the first is what the others are compared with.
    validations : mapping label → validations, optional
        On the same trials for each; without them the errors are those on each fit's own data.
    title : str, optional
    provenance : mapping, optional
        Command and inputs of the comparison.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    DataError
        Fewer than two results, or of robots with other joints.
    FileError

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.report import write_side_by_side
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> with TemporaryDirectory() as folder:
    ...     print(write_side_by_side(folder, {"a": fit, "b": fit}).name)
    report.html
    """
    facts = side_by_side(fits, validations, title=title, provenance=provenance)
    shown = {row["label"]: np.array([*row["errors"]["per_joint"], row["errors"]["stacked"]], dtype=float) for row in facts["results"]}
    places = (*facts["joints"], "stacked")
    figure = plot_errors(shown, places, f"Relative torque error on {facts['errors_on']}")
    pictures = {
        "errors": Picture.of(figure, f"Relative torque error of every result on {facts['errors_on']}, joint by joint."),
        "differences": Picture.of(_plot_differences(facts), "Differences of the parameters from those of the first result, in standard deviations."),
    }
    page = render("side_by_side.html", facts, {}, pictures, what="results side by side")
    return fill(path, page, facts, {name: each.image for name, each in pictures.items()}, fits)


def side_by_side(
    fits: Mapping[str, IdentificationResult],
    validations: Mapping[str, Sequence[ValidationResult]] | None = None,
    *,
    title: str | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the page of :func:`write_side_by_side` shows, as plain values.

    Keys: ``kind, title, headline, statements, level, joints, units, errors_on, far, results`` (label, method, rows, condition, errors, bodies, intervals),
    ``parameters`` (formula, ``estimates`` with value and sigma per result, ``differences`` from the first in standard deviations), ``provenance``.

    Examples
    --------
    >>> from optid.report import side_by_side
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> isinstance(side_by_side({"a": fit, "b": fit}), dict)
    True
    """
    from optid.identification.result_file import versions

    labels = list(fits)
    if len(labels) < 2:
        raise DataError(sentence("results to compare", f"{len(labels)}", "two or more"))
    robot = fits[labels[0]].base.model.robot
    for label in labels[1:]:
        other = fits[label].base.model.robot
        if other.joint_names != robot.joint_names:
            found, wanted = (f"joints {', '.join(each.joint_names)}" for each in (other, robot))
            raise DataError(sentence(f"result {label!r} to compare with {labels[0]!r}", found, f"{wanted}: one robot"))
    rows = _parameters(fits)
    on, errors = _errors(fits, validations)
    far = {label: [row["formula"] for row in rows if (d := row["differences"][k]) is not None and abs(d) > FAR] for k, label in enumerate(labels)}
    count = len({formula for formulas in far.values() for formula in formulas})
    least = min(labels, key=lambda label: errors[label]["stacked"])
    statements = [(label, _difference(label, labels[0], rows, k, far[label])) for k, label in enumerate(labels) if k]
    statements.append(("Least error", f"{least}, {percent(errors[least]['stacked'])} of the torque on {on}."))
    headline = (
        f"The results agree: no parameter differs by more than {FAR:g} standard deviations."
        if not count
        else f"{count} of {len(rows)} parameters differ by more than {FAR:g} standard deviations from {labels[0]}."
    )
    origin = dict(provenance or {}) | {"results": {label: dict(fit.provenance) for label, fit in fits.items()}, "versions": versions()}
    return plain(
        {
            "kind": "compare",
            "title": title or f"{len(labels)} results for {robot.name}",
            "headline": headline,
            "level": "partly" if count else "good",
            "statements": [{"topic": topic, "text": text} for topic, text in statements],
            "joints": robot.joint_names,
            "units": [torque_unit(robot, j) for j in range(robot.n)],
            "errors_on": on,
            "far": FAR,
            "results": [_summary(label, fits[label], errors[label]) for label in labels],
            "parameters": rows,
            "provenance": origin,
        }
    )


def _parameters(fits: Mapping[str, IdentificationResult]) -> list[dict[str, Any]]:
    """One row for every formula of any result; standard deviations are those that hold for the residuals of each fit."""
    found: dict[str, list[tuple[float, float] | None]] = {}
    for k, fit in enumerate(fits.values()):
        sigma = np.sqrt(np.diag(fit.covariance(fit.reliable_kind)))
        for formula, value, spread in zip(fit.formulas, fit.beta, sigma, strict=True):
            row = found.setdefault(formula, [None] * len(fits))
            row[k] = (float(value), float(spread)) if np.isfinite(value) else None
    return [
        {
            "formula": formula,
            "estimates": [{"value": None, "sigma": None} if each is None else {"value": each[0], "sigma": each[1]} for each in row],
            "differences": [_apart(row[0], each) for each in row],
        }
        for formula, row in found.items()
    ]


def _apart(first: tuple[float, float] | None, other: tuple[float, float] | None) -> float | None:
    if first is None or other is None:
        return None
    spread = float(np.hypot(first[1], other[1]))
    return (other[0] - first[0]) / spread if spread > 0 else 0.0 if other[0] == first[0] else None


def _errors(fits: Mapping[str, IdentificationResult], validations: Mapping[str, Sequence[ValidationResult]] | None) -> tuple[str, dict[str, dict[str, Any]]]:
    """On what, and stacked, per joint and mean errors of every result against filtered torque."""
    from optid.problems.fit_errors import FitErrors

    def told(errors: FitErrors) -> dict[str, Any]:
        return {"stacked": errors.stacked, "per_joint": errors.per_joint.tolist(), "mean_per_joint": errors.mean_per_joint}

    if not validations:
        return "each fit's own data", {label: told(fit.errors()) for label, fit in fits.items()}
    found = {}
    for label in fits:
        tests = validations[label]
        misses = np.sum([np.sum((v.tau - v.predicted) ** 2, axis=0) for v in tests], axis=0)
        found[label] = told(FitErrors.of(misses, np.sum([np.sum(v.tau**2, axis=0) for v in tests], axis=0)))
    return listed([repr(v.trial) for v in next(iter(validations.values()))]), found


def _difference(label: str, first: str, rows: Sequence[Mapping[str, Any]], k: int, far: Sequence[str]) -> str:
    known = [(abs(row["differences"][k]), row["formula"]) for row in rows if row["differences"][k] is not None]
    if not known:
        return f"No parameter in common with {first}."
    largest, formula = max(known)
    text = f"{len(far)} of {len(known)} parameters in common with {first} differ by more than {FAR:g} standard deviations; most: {formula}, by {largest:.3g}."
    alone = sum(row["estimates"][k]["value"] is not None for row in rows) - len(known)
    return text + (f" {alone} are in this result alone." if alone else "")


def _summary(label: str, fit: IdentificationResult, errors: Mapping[str, Any]) -> dict[str, Any]:
    report = fit.physical_report()
    return {
        "label": label,
        "method": fit.method,
        "trials": list(fit.trials),
        "rows": fit.n_rows,
        "base_parameters": fit.base.rank,
        "rank": fit.determinacy.rank,
        "condition_number": fit.condition_number,
        "errors": dict(errors),
        "unphysical": list(report.unphysical),
        "intervals": fit.reliable_kind,
    }


def _plot_differences(facts: Mapping[str, Any]) -> Figure:
    """Every parameter's differences from the first result."""
    rows = facts["parameters"]
    figure, axes = new_figure(1, 1.2 + 0.2 * len(rows))
    ax = axes[0, 0]
    ax.axvspan(-FAR, FAR, color="#eef1f5")
    for k, result in enumerate(facts["results"][1:], start=1):
        x = [np.nan if row["differences"][k] is None else row["differences"][k] for row in rows]
        ax.plot(x, np.arange(len(rows)), MARKS[k % len(MARKS)], color=SHADES[k % len(SHADES)], markersize=5, label=shortened(result["label"], 40))
    ax.set_yticks(np.arange(len(rows)), [shortened(row["formula"]) for row in rows], fontsize=8, parse_math=False)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    known = [abs(d) for row in rows for d in row["differences"] if d is not None]
    if max(known, default=0.0) > 20:
        ax.set_xscale("symlog", linthresh=10.0)
        ax.xaxis.minorticks_off()
    ax.set_xlabel("difference from the first result / standard deviation", fontsize=8)
    legend = ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=4)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure
