"""``optid validate``: how well a fitted model predicts the torque of recordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .arguments import Json, Report
from .console import note, progress, say, show_json
from .guard import command_line, kept
from .provenance import file_hash

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.problems import IdentificationResult


def validate(
    ctx: typer.Context,
    result: Annotated[Path, typer.Argument(metavar="RESULT.h5", help="A fitted model, as optid identify writes it.")],
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Experiment files; their trials with the role validation are used.")],
    trial: Annotated[list[str] | None, typer.Option(help="Use the trial of this name instead, whatever its role. Repeatable.")] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Predict the torque of other recordings and compare, beside what a constant gives and what the noise allows."""
    from dataclasses import replace

    from optid.identification.result_file import load_result
    from optid.report import Recording, assess, to_dict, verdict, write_report
    from optid.validation import validate as score

    fit = load_result(result)
    scores, own, recordings = [], [], []
    with progress("files", quiet=json) as update:
        for k, file in enumerate(files):
            trials = _trials(file, trial)
            seen = _fitted(fit, file, trials)
            scores += [score(fit, each) for each in trials if each.name not in seen]
            own += [score(fit, each) for each in trials if each.name in seen]
            recordings += [Recording.of(each, file.name) for each in trials]
            update(k + 1, len(files))
    origin = {"command": command_line(ctx), "inputs": {path.name: file_hash(path) for path in (result, *files)}}
    fit, page = replace(fit, provenance={**fit.provenance, "validation": origin}), None
    if report is not None:
        page = write_report(report, fit, scores, training=own, recordings=recordings, kind="validate")
        kept(ctx, page)
    if json:
        show_json(to_dict(fit, scores, training=own, recordings=recordings, kind="validate"))
        return
    for each in (*own, *scores):
        say(each.summary())
        say()
    say(assess(fit, scores).headline)
    say(verdict(fit, scores))
    if page is not None:
        say(f"report: {page}")


def _trials(file: Path, names: list[str] | None) -> list[Trial]:
    """The trials of a file to predict."""
    from optid.errors import DataError, sentence
    from optid.experiment import read_experiment

    experiment = read_experiment(file)
    if names:
        chosen = [experiment[name] for name in names]
    else:
        chosen = list(experiment.with_role("validation"))
        if not chosen and experiment.trials:
            note(f"optid: note: no trial of {file} has the role validation; all {len(experiment.trials)} are used.")
            chosen = list(experiment.trials.values())
    if not chosen:
        raise DataError(sentence(f"file {file}", "no trial", "a recording to predict"))
    return chosen


def _fitted(fit: IdentificationResult, file: Path, trials: list[Trial]) -> list[str]:
    """Names of the trials that the fit was made from; they are pointed out."""
    used = dict(fit.provenance).get("inputs")
    seen = [t.name for t in trials if t.role == "identification" and isinstance(used, dict) and file_hash(file) in used.values()]
    if seen:
        note(f"optid: note: the model was fitted to {', '.join(seen)} of {file}: this is no validation of it.")
    return seen
