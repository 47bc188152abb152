"""Arguments that many calls share, checked with one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from typing import Any

from optid.errors import DataError, RobotError, sentence
from optid.model import DynamicModel
from optid.robot import Robot


def checked_model(model: Any) -> DynamicModel:
    """The model, or an error that says how to make one of a robot."""
    if not isinstance(model, DynamicModel):
        hint = "Pass DynamicModel(robot)." if isinstance(model, Robot) else ""
        raise RobotError(sentence("model", type(model).__name__, "a DynamicModel", hint))
    return model


def checked_seed(seed: Any) -> int:
    """A seed: the same one must give the same answer, so there is no ``None``."""
    if not isinstance(seed, Integral) or seed < 0:
        raise DataError(sentence("seed", repr(seed), "a whole number ≥ 0"))
    return int(seed)


def checked_names(names: Any, what: str) -> tuple[str, ...]:
    """Names of parameters from a sequence or the keys of a mapping; one text is no sequence of names."""
    if isinstance(names, str):
        raise DataError(sentence(what, f"the text {names!r}", "a sequence of names, or a mapping from name to value", f"Write [{names!r}]."))
    if not isinstance(names, Iterable):
        raise DataError(sentence(what, repr(names), "a sequence of names, or a mapping from name to value"))
    return tuple(names)


def checked_values(values: Any, what: str) -> dict[str, float]:
    """Values of parameters from a mapping; none from names alone."""
    given = dict(values) if isinstance(values, Mapping) else {}
    for name, value in given.items():
        if not isinstance(value, Real) or not isfinite(value):
            raise DataError(sentence(f"{what} {name!r}", repr(value), "a finite number"))
    return given
