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
    from .checked import CheckedCampaign, Estimator
    from .recordings import Recording

Array = NDArray[np.float64]


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

        write_design_report(work.target("design/report/report.html").parent, result, title=title, provenance=origin(checked, work))
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
    save_result(replace(batch.result, provenance=origin(checked, work)), work.target(f"fits/{estimator.label}.h5"), created="")


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


def origin(checked: CheckedCampaign, work: Work) -> dict[str, Any]:
    """Where a result comes from: the command that repeats it, the seed, the inputs with their hashes."""
    return {"command": f"optid run {checked.file.name}", "seed": checked.campaign.seed, "inputs": dict(work.inputs)}


def _finished(solution: Any) -> None:
    """A solver gives what it has when it is interrupted; a campaign keeps only what is finished."""
    if solution.status == "stopped":
        raise KeyboardInterrupt
