"""The command line ``optid`` (also ``python -m optid``)."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code: 0 good, 1 refused by the user, 2 wrong call or data, 130 interrupted."""
    try:
        import rich  # noqa: F401
        import typer  # noqa: F401
    except ImportError as error:
        print(f"optid: {error.name} is not installed: install it with  pip install 'optid[app]'.", file=sys.stderr)
        sys.exit(2)
    from .app import app

    app(args=None if arguments is None else list(arguments), prog_name="optid")


__all__ = ["main"]
