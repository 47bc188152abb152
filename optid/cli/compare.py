"""``optid compare``: several estimators on the same recordings, or several saved results side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import LIBRARY, Friction, Json, Known, Report, RotorInertia, Seed, SignWidth, Tip, known_of, model_of, robot_of
from .console import progress, say, show_json, show_table
from .guard import command_line, kept
from .preparation import Clock, Cutoff, Cycles, From, MinSpeed, Period, Rate, TorqueCutoff, Until, preprocessing_of
from .provenance import provenance

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult


def compare(
    ctx: typer.Context,
    inputs: Annotated[
        list[str], typer.Argument(metavar="ROBOT FILE... | RESULT.h5 RESULT.h5...", help="A robot and recordings of it, or two or more fitted models.")
    ],
    methods: Annotated[str, typer.Option(help="Estimation methods, with commas in between.")] = "ols,wls,essential,damped,physical",
    validation: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Recordings of another motion, which decide. Repeatable.")] = None,
    folds: Annotated[int, typer.Option(min=0, help="Pieces that a single trial is cut into for cross-validation; 0: none.")] = 5,
    friction: Friction = "viscous+coulomb+offset",
    rotor_inertia: RotorInertia = False,
    sign_width: SignWidth = 0.0,
    known: Known = None,
    solver: Annotated[str | None, typer.Option(help="Solver of the problems that the methods pose.")] = None,
    cutoff: Cutoff = "auto",
    torque_cutoff: TorqueCutoff = "none",
    clock: Clock = "auto",
    rate: Rate = None,
    min_speed: MinSpeed = None,
    start: From = None,
    stop: Until = None,
    cycles: Cycles = False,
    period: Period = None,
    report: Report = None,
    tip: Tip = None,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    """Compare estimators on recordings by data they have not seen, or saved results with each other."""
    from optid.errors import DataError, sentence

    first = inputs[0]
    if not first.startswith(LIBRARY) and Path(first).suffix.lower() in (".h5", ".hdf5"):
        _results(ctx, [Path(x) for x in inputs], validation or [], report, json)
        return
    files = [Path(x) for x in inputs[1:]]
    if not files:
        raise DataError(sentence("recordings to compare estimators on", "none", "a robot and one or more experiment files"))
    from optid.identification import compare as contest
    from optid.report import write_comparison
    from optid.report.comparison import comparison_facts

    model = model_of(robot_of(first, tip), friction, rotor_inertia, sign_width)
    chosen = [name.strip() for name in methods.split(",") if name.strip()]
    with progress("estimators", quiet=json) as update:
        found = contest(
            model,
            files,
            methods=chosen,
            validation=list(validation) if validation else None,
            folds=folds,
            known=known_of(model, known),
            preprocessing=preprocessing_of(cutoff, torque_cutoff, clock, rate, min_speed, start, stop, cycles, period),
            solver=solver,
            seed=seed,
            progress=update,
        )
    origin = provenance(command_line(ctx), seed, [*files, *(validation or [])])
    page = None
    if report is not None:
        page = write_comparison(report, found, provenance=origin)
        kept(ctx, page)
    facts = comparison_facts(found, provenance=origin)
    if json:
        show_json(facts)
        return
    say(found.summary())
    say()
    _say(facts, page)


def _results(ctx: typer.Context, paths: list[Path], validation: list[Path], report: Path | None, json: bool) -> None:
    """Saved results side by side."""
    from optid.identification.result_file import load_result
    from optid.report import side_by_side, write_side_by_side

    fits: dict[str, IdentificationResult] = {}
    for path in paths:
        label, count = path.stem, 1
        while label in fits:
            count += 1
            label = f"{path.stem} ({count})"
        fits[label] = load_result(path)
    tests = {label: _tests(fit, validation) for label, fit in fits.items()} if validation else None
    origin = provenance(command_line(ctx), 0, [*paths, *validation])
    page = None
    if report is not None:
        page = write_side_by_side(report, fits, tests, provenance=origin)
        kept(ctx, page)
    facts = side_by_side(fits, tests, provenance=origin)
    if json:
        show_json(facts)
        return
    show_table("parameters", ("base parameter", *_columns(list(fits))), [_row(row) for row in facts["parameters"]])
    rows = [(r["label"], *(f"{100 * e:.2f} %" for e in (*r["errors"]["per_joint"], r["errors"]["stacked"]))) for r in facts["results"]]
    show_table(f"errors on {facts['errors_on']}", ("result", *facts["joints"], "stacked"), rows)
    _say(facts, page)


def _tests(fit: IdentificationResult, files: list[Path]) -> list[ValidationResult]:
    from optid.identification.prepare import collect
    from optid.validation import validate

    return [validate(fit, trial) for file in files for trial in collect(file, "validation")]


def _columns(labels: list[str]) -> list[str]:
    return [labels[0], *(text for label in labels[1:] for text in (label, "difference / σ"))]


def _row(row: dict[str, Any]) -> tuple[object, ...]:
    def shown(value: float | None) -> object:
        return "–" if value is None else value

    cells = [row["formula"], shown(row["estimates"][0]["value"])]
    for estimate, difference in zip(row["estimates"][1:], row["differences"][1:], strict=True):
        cells += [shown(estimate["value"]), "–" if difference is None else f"{difference:.2f}"]
    return tuple(cells)


def _say(facts: dict[str, Any], page: Path | None) -> None:
    say(facts["headline"])
    for each in facts["statements"]:
        say(f"{each['topic']}: {each['text']}")
    if page is not None:
        say(f"report: {page}")
