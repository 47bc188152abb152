"""``optid demo``: the whole way on a simulated robot whose true parameters are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Seed
from .console import progress, say, show_table
from .guard import kept

if TYPE_CHECKING:
    from optid.report import Table
    from optid.simulation.irb140_story import Chapter, Story


def demo(
    ctx: typer.Context,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for report, plots, numbers and files; made when it is not there.")] = Path("optid-demo"),
    seed: Seed = 0,
) -> None:
    """Identify a simulated ABB IRB140 (axes 1 to 3) from seven noisy cycles of a published trajectory, and compare with the truth."""
    from dataclasses import replace

    from optid.experiment import write_experiment
    from optid.identification.result_file import check_target, result_mapping, save_result
    from optid.report import Recording, verdict, write_report
    from optid.simulation.irb140_story import irb140_story

    with _folder(out):
        check_target(out / "model.h5", overwrite=True)
        with progress("simulate, identify, validate") as update:
            story = irb140_story(seed, update)
        origin = {"command": f"optid demo --seed {seed}", "seed": seed}
        chapters = [replace(c, fit=replace(c.fit, provenance=origin)) for c in story.chapters]
        first = chapters[0]
        results = {f"cut-offs {c.position_cutoff:g}-{c.torque_cutoff:g} Hz": result_mapping(c.fit) for c in chapters}
        write_experiment(replace(story.experiment, results=results), out / "experiment.h5", overwrite=True)
    kept(ctx, out / "experiment.h5")
    save_result(first.fit, out / "model.h5", overwrite=True, created="")
    kept(ctx, out / "model.h5")
    tables = [_comparison(chapters)]
    title = "A simulated ABB IRB140, axes 1 to 3, identified from seven noisy cycles"
    shown: dict[str, Any] = {"training": [first.training], "recordings": [Recording.of(trial, "experiment.h5") for trial in story.experiment.trials.values()]}
    extra = {"demo": _numbers(story, chapters)}
    page = write_report(out, first.fit, [first.validation], truth=story.truth, tables=tables, title=title, extra=extra, kind="demo", **shown)
    kept(ctx, page)
    columns = ("base parameter", "truth", "estimate", "sigma", "95 % from", "to", "")
    marks = ["" if ok else "outside" for ok in first.inside]
    rows = [
        (row["formula"], float(true), row["value"], f"{row['sigma']:.2g}", row["lower"], row["upper"], mark)
        for row, true, mark in zip(first.fit.rows(), story.truth, marks, strict=True)
    ]
    show_table(f"estimates with cut-offs at {first.label}, beside the truth", columns, rows)
    show_table(tables[0].title, tables[0].columns, tables[0].rows)
    say(f"true period found: {story.period:.4f} s (5 s were asked for)")
    say(f"verdict: {verdict(first.fit, [first.validation])} {_inside(first)}")
    say(f"report: {page}")


@contextmanager
def _folder(out: Path) -> Iterator[None]:
    """The folder ``out`` for what the body writes; folders that were made and stay empty are removed when the body is interrupted."""
    from optid.errors import FileError, sentence

    made = [folder for folder in (out, *out.parents) if not folder.exists()]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(sentence(f"folder {out}", error.strerror or str(error), "a folder that can be written")) from error
    try:
        yield
    except BaseException:
        with suppress(OSError):  # not empty
            for folder in made:
                folder.rmdir()
        raise


def _inside(chapter: Chapter) -> str:
    return f"The truth lies in {int(chapter.inside.sum())} of {len(chapter.inside)} intervals of 95 %."


def _comparison(chapters: list[Chapter]) -> Table:
    from optid.report import Table, plot_comparison

    columns = (
        "cut-offs",
        "equations",
        "truth inside",
        "excitation",
        "raw",
        "inverted U",
        "raw",
        "true torque",
    )
    rows = []
    for c in chapters:
        errors = (c.training.errors, c.training.errors_raw, c.validation.errors, c.validation.errors_raw)
        shown = [f"{100 * e.stacked:.2f} %" for e in errors]
        rows.append((c.label, str(c.fit.n_rows), f"{int(c.inside.sum())} of {len(c.inside)}", *shown, f"{c.true_error:.4f}"))
    robot = chapters[0].fit.base.model.robot
    return Table(
        "The source's two pairs of cut-offs, side by side",
        columns,
        rows,
        "Cut-offs of position and torque; how many true values lie in their 95 % intervals; stacked errors on the excitation (fitted) and on the inverted U "
        "(not fitted), each against torque filtered like the prediction and against the unfiltered mean of the cycles. The last column, which only a "
        "simulation knows, is the rms difference [N m] of predicted and true torque on the true motion of the U. A cut-off below what a task contains takes "
        "accelerations away from what is predicted there; it biases no parameter, because torque and model are limited alike.",
        plot_comparison([c.validation for c in chapters], [c.label for c in chapters], robot, "Torque on the inverted U, predicted from the excitation"),
    )


def _numbers(story: Story, chapters: list[Chapter]) -> dict[str, Any]:
    return {
        "period": story.period,
        "truth": story.truth,
        "cutoffs": [
            {
                "position_cutoff": c.position_cutoff,
                "torque_cutoff": c.torque_cutoff,
                "values": c.fit.beta,
                "sigmas": c.fit.sigma,
                "inside": c.inside,
                "training": c.training.to_dict(),
                "validation": c.validation.to_dict(),
                "true_error": c.true_error,
            }
            for c in chapters
        ],
    }
