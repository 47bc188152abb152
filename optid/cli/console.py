"""Where text goes: results to stdout, progress and notes to stderr."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer


def show_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], left: int = 1) -> None:
    """Print a table; the first ``left`` columns are text, the others numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    console = Console(soft_wrap=True, highlight=False)
    table = Table(title=_cell(title), title_justify="left", box=box.SIMPLE_HEAD)
    for k, column in enumerate(columns):
        table.add_column(_cell(column), justify="left" if k < left else "right", overflow="fold", no_wrap=k >= left)
    for row in rows:
        table.add_row(*(_cell(x) for x in row))
    # a table that does not fit is not cut: the terminal, or what reads the pipe, gets all of it
    console.width = max(console.width, console.measure(table, options=console.options.update(max_width=10_000)).maximum)
    console.print(table)


def _cell(value: object) -> str:
    from rich.markup import escape

    text = f"{value:.5g}" if isinstance(value, float) else str(value)
    return escape(printable(text))


def printable(text: str) -> str:
    """Text without control characters: names in files come from strangers, and a terminal obeys what it is sent."""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in text)


def say(text: str = "") -> None:
    """One line of the result."""
    typer.echo(printable(text))


def note(text: str) -> None:
    """One line beside the result, on stderr."""
    typer.echo(printable(text), err=True)


def show_json(value: Any) -> None:
    """The result for machines."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def save_figure(figure: Any, path: Path, quiet: bool = False) -> None:
    """Write a plot, and say so.

    Raises
    ------
    FileError
        The file cannot be written, or its kind is none that plots have.
    """
    from optid.errors import FileError, sentence

    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise FileError(sentence(f"plot {path}", str(error), "a file that can be written, .png, .svg or .pdf")) from error
    if not quiet:
        say(f"plot: {path}")


@contextmanager
def progress(text: str, quiet: bool = False) -> Iterator[Any]:
    """A progress bar on stderr; yields ``update(done, total)``."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
