"""``optid run``: a whole campaign from one file."""

from __future__ import annotations

import shlex
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import Json
from .console import note, progress, say, show_json, show_table
from .guard import EXIT_INTERRUPTED, EXIT_WRONG, kept, told

if TYPE_CHECKING:
    from optid.campaign import CampaignResult, Plan


def _schema(wanted: bool) -> None:
    if wanted:
        from optid.campaign import schema_text

        typer.echo(schema_text(), nl=False)
        raise typer.Exit()


def run(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="CAMPAIGN.toml", help="The campaign; optid new writes one to begin with.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and print the plan; write nothing.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(metavar="STEP[,STEP]", help="Only these: design, import, identify, validate, payload, compare, report; or identify:wls.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume/--fresh", help="Keep what is up to date, or do everything again.")] = True,
    schema: Annotated[bool, typer.Option("--schema", callback=_schema, is_eager=True, help="Print every key of a campaign file with its meaning.")] = False,
    json: Json = False,
) -> None:
    """Work through a campaign file: design, import, identify, validate, compare, report. What is finished is kept; run it again to go on."""
    from optid.campaign import plan_campaign, run_campaign

    steps = [name.strip() for text in only or () for name in text.split(",") if name.strip()]
    if dry_run:
        with _notes():
            plan = plan_campaign(file, steps, fresh=not resume, missing_ok=True)
        _print_plan(plan, json)
        return
    with _Told(json) as shown, _notes():
        try:
            result = run_campaign(file, steps, fresh=not resume, progress=shown)
        except KeyboardInterrupt:
            shown.close()
            again = shlex.join(["optid", "run", str(file), *(part for step in steps for part in ("--only", step))])
            note(f"optid: interrupted. {_finished(shown.finished)} To go on:  {again}")
            raise typer.Exit(EXIT_INTERRUPTED) from None
    if result.report is not None:
        kept(ctx, result.report)
    _print_result(result, json)


def _notes() -> AbstractContextManager[None]:
    """Warnings as one line each, once, in the words of a campaign file."""
    from optid.campaign.wording import in_toml

    return told(lambda message: in_toml(" ".join(str(message).split())))


def _finished(tasks: list[str]) -> str:
    return f"Finished and kept: {', '.join(tasks)}." if tasks else "No step was finished."


class _Told:
    """Progress of a run on stderr: a line a task, a bar while it works."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.finished: list[str] = []
        self._bar = ExitStack()
        self._update: Any = None

    def __enter__(self) -> _Told:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._bar.close()

    def __call__(self, task: str, what: str, done: int, total: int) -> None:
        if what == "begun":
            self._update = self._bar.enter_context(progress(task, self.quiet))
        elif what == "at work":
            self._update(done, total)
        else:
            self._bar.close()
            if what != "failed":
                self.finished.append(task)
            if not self.quiet:
                note(f"{task}: {'up to date' if what == 'kept' else what}")


def _print_plan(plan: Plan, json: bool) -> None:
    states = plan.states()
    tasks = [task for task in plan.tasks if task.name in plan.chosen]
    if json:
        listed = [{"task": t.name, "state": states[t.name], "inputs": [plan.label(path) for path in t.inputs], "outputs": list(t.makes)} for t in tasks]
        show_json(
            {"campaign": str(plan.checked.file.path), "output": str(plan.folder.path), "tasks": listed, "missing": [str(error) for error in plan.missing]}
        )
    else:
        robot = plan.checked.robot
        say(f"{plan.checked.file.path}: robot {robot.name!r}, {robot.n} joint{'s' if robot.n > 1 else ''}; results go to {plan.folder.path}")
        rows = [(t.name, _few([plan.label(path) for path in t.inputs]), _few(list(t.makes)), states[t.name]) for t in tasks]
        if rows:
            show_table("plan", ("step", "from", "makes", "state"), rows, left=4)
    if plan.missing:
        for error in plan.missing if not json else ():
            note(f"optid: {error}")
        raise typer.Exit(EXIT_WRONG)


def _few(names: list[str]) -> str:
    return ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "") or "-"


def _print_result(result: CampaignResult, json: bool) -> None:
    if json:
        report = None if result.report is None else str(result.report)
        show_json({"output": str(result.folder), "done": list(result.done), "kept": list(result.kept), "verdict": result.verdict, "report": report})
        return
    compared = "compare" in (*result.done, *result.kept)
    if compared:
        say((result.folder / "comparison/comparison.txt").read_text(encoding="utf-8"))
    if result.verdict:
        say(f"verdict: {result.verdict}")
    if compared:
        say(f"comparison: {result.folder / 'comparison/report.html'}")
    say(f"report: {result.report}" if result.report is not None else f"results: {result.folder}")
