"""The commands. Each imports what it needs when it runs, so that ``optid --help`` is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from .base import base
from .compare import compare
from .demo import demo
from .design import design
from .doctor import doctor
from .drives import drives
from .export import export
from .guard import Commands
from .identify import identify
from .import_ import import_
from .info import info
from .new import new
from .run import run
from .surface import surface
from .tune import tune
from .tune_stiffness import plan, stiffness
from .validate import validate

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Find a robot's dynamic model from measurements.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from optid import __version__

        typer.echo(f"optid {__version__}")
        raise typer.Exit()


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Find a robot's dynamic model from measurements."""


app.command("demo")(demo)
app.command("info")(info)
app.command("import")(import_)
app.command("identify")(identify)
app.command("validate")(validate)
app.command("compare")(compare)
app.command("base")(base)
app.command("design")(design)
app.command("new")(new)
app.command("run")(run)
app.command("doctor")(doctor)
app.command("drives")(drives)
app.command("export")(export)
tune.command("surface")(surface)
tune.command("stiffness")(stiffness)
tune.command("plan")(plan)
app.add_typer(tune, name="tune")
