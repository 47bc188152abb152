"""What ``optid tune new`` judges runs by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from optid.flexibility.objectives import PathRule, TailRule

Signal = Annotated[
    str,
    typer.Option(
        help="What is judged: torque of the motors; or tool, its path seen by a laser tracker, or acceleration, seen by an accelerometer at it. "
        "These two are attributes of that name (N, k) of the trial in an experiment file."
    ),
]
Wanted = Annotated[
    Path | None,
    typer.Option(
        "--path",
        metavar="PATH.csv",
        help="Judge the error of the tool's path instead, from --tail-start on (0: the whole way): the path wanted, with the first line time,x,… in s and m, "
        "in the axes of the laser tracker.",
    ),
]


def rule_of(start: float, cutoff: float, norm: str, signal: str, path: Path | None) -> TailRule | PathRule:
    """Λ of a signal, or Ω about the path in a file."""
    from optid.flexibility.objectives import PathRule, TailRule

    tail = TailRule(start, cutoff, norm, signal)
    return tail if path is None else PathRule(*_table(path), start=start or None)


def _table(path: Path) -> tuple[Any, Any]:
    """Times (R,) and coordinates (R, k) in a table with one line of titles."""
    import numpy as np

    from optid.errors import FileError, MissingFileError, sentence

    wanted = "a table of numbers with commas in between and a first line of titles: time,x,…"
    if not path.exists():
        raise MissingFileError(sentence(f"file {path}", "not found", wanted))
    try:
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        table = np.loadtxt(lines, delimiter=",", ndmin=2) if any(line.strip() for line in lines) else np.zeros((0, 0))
    except (OSError, ValueError) as error:
        raise FileError(sentence(f"file {path}", str(error).partition(";")[0], wanted)) from None
    if table.shape[0] < 2 or table.shape[1] < 2:
        raise FileError(sentence(f"file {path}", f"{table.shape[0]} rows of {table.shape[1]} numbers", wanted))
    return table[:, 0], table[:, 1:]
