"""What a campaign does with its fitted models: judge them on other recordings, compare them, report the best."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.experiment import read_experiment

from .work import Work, origin

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.report import Table
    from optid.validation import ValidationResult

    from .checked import CheckedCampaign

Array = NDArray[np.float64]

DRAWN = 2**18
"""Samples of a trial of the fit that are predicted for the report."""


def fitted(checked: CheckedCampaign, label: str, results: Path) -> IdentificationResult:
    """A fitted model of this campaign."""
    from optid.identification import load_result

    return load_result(results / f"fits/{label}.h5")


def scores(fit: IdentificationResult, tests: Sequence[tuple[Path, str]], progress: Callable[[int, int], None]) -> list[ValidationResult]:
    """Predictions of the validation recordings."""
    from optid.validation import validate

    found = []
    for k, (path, name) in enumerate(tests, start=1):
        found.append(validate(fit, read_experiment(path)[name]))
        progress(k, len(tests))
    return found


def judge(checked: CheckedCampaign, label: str, tests: Sequence[tuple[Path, str]], work: Work) -> None:
    """Errors of one model on the validation recordings, each and together."""
    from optid.problems.fit_errors import FitErrors

    found = scores(fitted(checked, label, work.results), tests, work.progress)
    together = {}
    for what, measured in (("filtered", "tau"), ("raw", "tau_raw")):
        misses = np.sum([_squares(getattr(s, measured) - s.predicted) for s in found], axis=0)
        squares = np.sum([_squares(getattr(s, measured)) for s in found], axis=0)
        together[what] = _shown(FitErrors.of(misses, squares))
    work.write(f"validation/{label}.json", {"method": label, "together": together, "trials": [s.to_dict() for s in found]})


def compare(checked: CheckedCampaign, tests: Sequence[tuple[Path, str]], work: Work) -> None:
    """All models side by side: a page, figures, a table of text."""
    from optid.report import write_side_by_side

    rows = _rows(checked, work.results, bool(tests))
    best = best_of(checked, work.results, bool(tests))
    fits = {label: fitted(checked, label, work.results) for label in checked.estimators}
    judged = {label: scores(fit, tests, work.progress) for label, fit in fits.items()} if tests else None
    title = f"{checked.campaign.title or checked.robot.name}: {len(fits)} methods"
    write_side_by_side(work.target("comparison/report.html").parent, fits, judged, title=title, provenance=origin(checked, work))
    work.write("comparison/comparison.json", {"best": best, "judge": checked.campaign.report.judge if tests else None, "methods": rows})
    lines = [f"{'method':<20}{'training':>10}{'validation':>12}{'raw':>10}{'parameters':>12}{'condition':>12}  links that cannot exist"]
    for row in rows:
        told = "".join(f"{share:>{width}}" for share, width in zip(_percents(row), (10, 12, 10), strict=True))
        lines.append(f"{row['label']:<20}{told}{row['n_effective']:>12.1f}{row['condition_number']:>12.4g}  {_links(row)}")
    work.target("comparison/comparison.txt").write_text("\n".join([*lines, f"reported: {best}"]) + "\n", encoding="utf-8", newline="\n")


def _rows(checked: CheckedCampaign, results: Path, tested: bool) -> list[dict[str, Any]]:
    """The figures of every model."""
    rows: list[dict[str, Any]] = []
    for label in checked.estimators:
        fit = fitted(checked, label, results)
        judged = _read(results / f"validation/{label}.json")["together"] if tested else {}
        rows.append(
            {
                "label": label,
                "method": fit.method,
                "training": _shown(fit.errors()),
                "training_raw": _shown(fit.errors("raw")),
                "validation": judged.get("filtered"),
                "validation_raw": judged.get("raw"),
                "n_effective": fit.equations.n_effective,
                "condition_number": fit.condition_number,
                "undetermined": fit.undetermined,
                "unphysical": fit.physical_report().unphysical,
            }
        )
    return rows


def _percents(row: Mapping[str, Any]) -> list[str]:
    """Errors on the data of the fit, and on other data against filtered and raw torque."""
    errors = [None if row[what] is None else row[what]["stacked"] for what in ("training", "validation", "validation_raw")]
    return ["-" if error is None else f"{error:.2%}" for error in errors]


def _links(row: Mapping[str, Any]) -> str:
    return ", ".join(row["unphysical"]) or "none"


def report(checked: CheckedCampaign, train: Sequence[tuple[Path, str]], tests: Sequence[tuple[Path, str]], work: Work) -> None:
    """The report of the chosen model, and its verdict as one line of text."""
    from optid.report import assess, recordings_in, verdict, write_report
    from optid.validation import validate

    label = best_of(checked, work.results, bool(tests))
    fit = fitted(checked, label, work.results)
    found = scores(fit, tests, work.progress)
    own = [read_experiment(path)[name].window(0, DRAWN) for path, name in train[: 1 if tests else 2]]
    seen = [each for path, name in (*train, *tests) for each in recordings_in([path], names=[name])]
    write_report(
        work.target("report/report.html").parent,
        fit,
        found,
        title=checked.campaign.title or None,
        training=[validate(fit, trial) for trial in own],
        recordings=seen,
        tables=[_table(checked, work.results, bool(tests))] if len(checked.estimators) > 1 else [],
    )
    work.target("report/verdict.txt").write_text(f"{label}: {assess(fit, found).headline} {verdict(fit, found)}\n", encoding="utf-8", newline="\n")


def _table(checked: CheckedCampaign, results: Path, tested: bool) -> Table:
    """The models side by side, for the report."""
    from optid.report import Table

    columns = ("method", "training", "validation", "validation, raw", "parameters paid for", "condition", "links that cannot exist")
    rows = [(row["label"], *_percents(row), f"{row['n_effective']:.1f}", row["condition_number"], _links(row)) for row in _rows(checked, results, tested)]
    text = f"Stacked torque errors. This page is about {best_of(checked, results, tested)}."
    return Table("The methods of this campaign, side by side", columns, rows, text)


def best_of(checked: CheckedCampaign, results: Path, tested: bool) -> str:
    """Label of the model that is reported."""
    part = checked.campaign.report
    if part.method is not None:
        return part.method
    if not tested or len(checked.estimators) == 1:
        return next(iter(checked.estimators))
    errors = {label: _read(results / f"validation/{label}.json")["together"][part.judge]["stacked"] for label in checked.estimators}
    return min(errors, key=lambda label: float("inf") if errors[label] is None else errors[label])


def _read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def _shown(errors: Any) -> dict[str, Any]:
    return {"stacked": errors.stacked, "per_joint": errors.per_joint, "mean_per_joint": errors.mean_per_joint}


def _squares(values: Array) -> Array:
    """Sums of squares of the columns, each summed as :func:`optid.validation.validate` does."""
    return np.array([np.sum(column**2) for column in values.T])
