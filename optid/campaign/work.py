"""What each step of a campaign does: from checked inputs to files in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError
from optid.experiment import Experiment, RobotInfo, Trial, read_experiment, write_experiment
from optid.report.numbers import plain
from optid.robot import robot_to_toml

from .folder import PIECES, Hashes

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.report import Table
    from optid.validation import ValidationResult

    from .checked import CheckedCampaign, Estimator
    from .recordings import Recording

Array = NDArray[np.float64]

DRAWN = 2**18
"""Samples of a trial of the fit that are predicted for the report."""


@dataclass(frozen=True)
class Work:
    """Where a task works.

    Attributes
    ----------
    folder : Path
        Empty; the files that are made go there, under their names in the folder of results.
    results : Path
        The folder of results, to read what other tasks made.
    inputs : mapping file → SHA-256
    progress : callable
        Called with (done, total).
    hashes : Hashes
    """

    folder: Path
    results: Path
    inputs: Mapping[str, str]
    progress: Callable[[int, int], None]
    hashes: Hashes = field(default_factory=Hashes)

    def target(self, name: str) -> Path:
        """Path of a file to make."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def write(self, name: str, value: Any) -> None:
        """Write a value as JSON."""
        text = json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        self.target(name).write_text(text, encoding="utf-8", newline="\n")


def design(checked: CheckedCampaign, work: Work) -> None:
    """The motion to record: plan, files for controllers, plots, figures."""
    from optid.solvers import solve
    from optid.trajectory.export import to_csv, to_rapid, to_urscript

    part = checked.campaign.design
    assert part is not None
    export = part.export
    failed = "return" if export.override else "raise"
    problem = checked.excitation
    result = solve(problem, part.solver, starts=part.starts, seed=checked.campaign.seed, budget=part.budget, on_failure=failed, **part.options)  # type: ignore[arg-type]
    _finished(result.solution)
    info = RobotInfo.of(checked.robot, description=robot_to_toml(checked.robot))
    title = f"Excitation of {checked.robot.name}"
    write_experiment(Experiment(title=title, robot=info, design=result.to_design(), created=""), work.target("design/plan.h5"))
    jobs: tuple[tuple[str | None, Any, dict[str, Any]], ...] = (
        (export.csv, to_csv, {"rate": export.rate}),
        (export.rapid, to_rapid, {"hold": export.hold}),
        (export.urscript, to_urscript, {"hold": export.hold, "rest": part.rest}),
    )
    for name, writer, options in jobs:
        if name is not None:
            result.export(writer, override=export.override, **options).write(work.target(f"design/{name}"))
    if export.report:
        from optid.report import write_design_report

        write_design_report(work.target("design/report/report.html").parent, result, title=title, provenance=_origin(checked, work))
    quality = result.quality
    work.write(
        "design/design.json",
        {
            "condition_number": quality.condition_number,
            "scaled_condition_number": quality.scaled_condition_number,
            "base_parameters": result.base.formulas,
            "predicted_sigma": quality.sigma,
            "proven": result.proven,
            "converged": result.converged,
            "status": result.solution.status,
            "checks": [str(report) for report in (*result.checks, *result.path_reports)],
        },
    )


def bring_in(checked: CheckedCampaign, recording: Recording, work: Work) -> None:
    """An experiment file of one recording."""
    trials = recording.trials(checked.robot)
    info = RobotInfo.of(checked.robot, description=robot_to_toml(checked.robot))
    experiment = Experiment(title=recording.name, trials={trial.name: trial for trial in trials}, robot=info, created="")
    write_experiment(experiment, work.target(f"recordings/{recording.name}.h5"))


def identify(checked: CheckedCampaign, estimator: Estimator, paths: Sequence[Path], work: Work) -> None:
    """One fitted model."""
    from dataclasses import replace

    from optid.identification import identify_batch, save_result

    batch = identify_batch(
        paths,
        checked.base,
        method=estimator.method,
        known=checked.known,
        preprocessing=checked.campaign.preprocessing,
        solver=estimator.solver,
        seed=checked.campaign.seed,
        workers=checked.campaign.workers,
        resume=work.results / PIECES,
        progress=work.progress,
    )
    _finished(batch.result.solution)
    for bad in batch.failed:
        more = f" ({len(batch.failed) - 1} more recordings cannot be used.)" if len(batch.failed) > 1 else ""
        raise DataError(f"recording {bad.path}: {bad.error} Repair it, or leave it out.{more}")
    save_result(replace(batch.result, provenance=_origin(checked, work)), work.target(f"fits/{estimator.label}.h5"), created="")


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
    from optid.problems.identification_result import FitErrors

    found = scores(fitted(checked, label, work.results), tests, work.progress)
    together = {}
    for what, measured in (("filtered", "tau"), ("raw", "tau_raw")):
        misses = np.sum([_squares(getattr(s, measured) - s.predicted) for s in found], axis=0)
        squares = np.sum([_squares(getattr(s, measured)) for s in found], axis=0)
        together[what] = _shown(FitErrors.of(misses, squares))
    work.write(f"validation/{label}.json", {"method": label, "together": together, "trials": [s.to_dict() for s in found]})


def payload(checked: CheckedCampaign, name: str, bare: Sequence[tuple[Path, str]], loaded: Sequence[tuple[Path, str]], work: Work) -> None:
    """A payload from recordings with and without it."""
    from optid.identification import identify_payload
    from optid.robot import PARAMETER_STEMS

    part = checked.campaign.payloads[name]
    runs: list[list[Trial]] = [[read_experiment(path)[trial] for path, trial in group] for group in (bare, loaded)]
    result = identify_payload(
        checked.base,
        *runs,
        known=part.known,
        method=part.method,
        physical=part.physical,
        known_robot=checked.known,
        preprocessing=checked.campaign.preprocessing,
        seed=checked.campaign.seed,
    )
    _finished(result.solution)
    rows = zip(PARAMETER_STEMS, result.parameters, result.sigma, result.interval(), strict=True)
    work.write(
        f"payloads/{name}.json",
        {
            "payload": name,
            "parameters": [{"name": stem, "value": value, "sigma": sigma, "lower": ends[0], "upper": ends[1]} for stem, value, sigma, ends in rows],
            "undetermined": result.undetermined,
            "faults": result.faults,
            "notes": result.notes,
        },
    )
    work.target(f"payloads/{name}.txt").write_text(result.summary() + "\n", encoding="utf-8", newline="\n")


def compare(checked: CheckedCampaign, tests: Sequence[tuple[Path, str]], work: Work) -> None:
    """All models side by side: a page, figures, a table of text."""
    from optid.report import write_side_by_side

    rows = _rows(checked, work.results, bool(tests))
    best = best_of(checked, work.results, bool(tests))
    fits = {label: fitted(checked, label, work.results) for label in checked.estimators}
    judged = {label: scores(fit, tests, work.progress) for label, fit in fits.items()} if tests else None
    title = f"{checked.campaign.title or checked.robot.name}: {len(fits)} methods"
    write_side_by_side(work.target("comparison/report.html").parent, fits, judged, title=title, provenance=_origin(checked, work))
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
    from optid.report import recordings_in, verdict, write_report
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
    work.target("report/verdict.txt").write_text(f"{label}: {verdict(fit, found)}\n", encoding="utf-8", newline="\n")


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


def _origin(checked: CheckedCampaign, work: Work) -> dict[str, Any]:
    """Where a result comes from: the command that repeats it, the seed, the inputs with their hashes."""
    return {"command": f"optid run {checked.file.name}", "seed": checked.campaign.seed, "inputs": dict(work.inputs)}


def _squares(values: Array) -> Array:
    """Sums of squares of the columns, each summed as :func:`optid.validation.validate` does."""
    return np.array([np.sum(column**2) for column in values.T])


def _finished(solution: Any) -> None:
    """A solver gives what it has when it is interrupted; a campaign keeps only what is finished."""
    if solution.status == "stopped":
        raise KeyboardInterrupt
