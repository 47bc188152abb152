"""Where a result comes from."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import file_digest
from pathlib import Path
from typing import Any


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with open(path, "rb") as raw:
        return file_digest(raw, "sha256").hexdigest()


def provenance(command: str, seed: int, inputs: Iterable[Path]) -> dict[str, Any]:
    """Command, seed, and the inputs with their hashes."""
    return {"command": command, "seed": seed, "inputs": {path.name: file_hash(path) for path in inputs}}
