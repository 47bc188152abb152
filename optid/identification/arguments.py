"""Arguments of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike, fspath
from typing import Any

from optid.errors import DataError, sentence
from optid.model import DynamicModel
from optid.regressor import BaseParameters


def batch_paths(paths: Any) -> list[str]:
    """Paths as text; one path alone, and a model in their place, are refused."""
    if isinstance(paths, (DynamicModel, BaseParameters)):
        raise DataError(sentence("paths", type(paths).__name__, "a list of paths", "The order is identify_batch(paths, model)."))
    if isinstance(paths, (str, bytes, PathLike)):
        raise DataError(sentence("paths", repr(paths), "a list of paths", f"Write [{paths!r}]."))
    if not isinstance(paths, Iterable):
        raise DataError(sentence("paths", repr(paths), "a list of paths"))
    given = list(paths)
    for path in given:
        if not isinstance(path, (str, PathLike)):
            raise DataError(sentence("paths", repr(path), "a path"))
    return [fspath(path) for path in given]
