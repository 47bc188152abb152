"""What the help says arrives: brackets around lower case would be taken for markup and swallowed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import typer

from optid.cli.app import app


def commands(command: click.Command, path: str = "optid") -> Iterator[tuple[str, click.Command]]:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}")


def test_no_help_text_is_taken_for_markup() -> None:
    texts = {path: [command.help or "", *(getattr(p, "help", None) or "" for p in command.params)] for path, command in commands(typer.main.get_command(app))}
    assert {"optid", "optid identify", "optid tune report"} <= set(texts)
    assert [(path, text) for path, those in texts.items() for text in those if re.search(r"\[[a-z#/@]", text)] == []
