"""What surrounds every command: errors become one sentence, warnings one line, an interruption says what was kept."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from optid.errors import OptidError, OptidWarning

from .console import note

EXIT_WRONG = 2
EXIT_INTERRUPTED = 130

_KEPT, _COMMAND = "optid.kept", "optid.command"


def kept(ctx: typer.Context, path: Path) -> None:
    """Note a file that is complete, so that an interruption can name it."""
    ctx.meta.setdefault(_KEPT, []).append(path)


def command_line(ctx: typer.Context) -> str:
    """The command as it was typed."""
    return str(ctx.meta.get(_COMMAND, "optid"))


class Commands(TyperGroup):
    """The group of all commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """``--debug`` may stand anywhere."""
        ctx.meta[_COMMAND] = shlex.join(["optid", *args])
        if "--debug" in args:
            args = ["--debug", *(x for x in args if x != "--debug")]
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with told():
            try:
                return super().invoke(ctx)
            except KeyboardInterrupt:
                files = ", ".join(map(str, ctx.meta.get(_KEPT, ())))
                note(f"optid: interrupted. {f'Complete and kept: {files}.' if files else 'Nothing was written.'}")
                raise typer.Exit(EXIT_INTERRUPTED) from None
            except OptidError as error:
                if ctx.params.get("debug"):
                    raise
                note(f"optid: {spoken(error)}")
                raise typer.Exit(EXIT_WRONG) from None


def spoken(message: object) -> str:
    """A message on one line, with arguments of functions as options of the command line."""
    text = re.sub(r"\b(partial|overwrite)=True", r"--\1", " ".join(str(message).split()))
    text = text.replace("with import_csv", "with  optid import").replace("link= or antiresonances=", "--link or --antiresonance")
    return re.sub(r"\b(clock|effort|method)='(\w+)'", r"--\1 \2", re.sub(r"\b(effort|topic)=(?=[.,;])", r"--\1", text))


@contextmanager
def told(words: Callable[[object], str] = spoken) -> Iterator[None]:
    """Print optid's warnings as one line each on stderr, every one once, in these words."""
    seen: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        text = words(message)
        if text not in seen:
            seen.add(text)
            note(f"optid: note: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("always", OptidWarning)
        warnings.showwarning = show
        yield
