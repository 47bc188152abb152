"""Examples in docstrings are run, and no public name lacks one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import optid

MODULES = sorted(m.name for m in pkgutil.walk_packages(optid.__path__, "optid.") if not m.name.endswith("__main__"))


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert results.failed == 0


def public_names() -> Iterator[tuple[str, object]]:
    """Classes and functions of optid itself, and of every room: those it lists, or those it defines."""
    for name in optid.__all__:
        thing = getattr(optid, name)
        if not inspect.ismodule(thing):
            yield f"optid.{name}", thing
            continue
        listed = getattr(thing, "__all__", None)
        for public in listed if listed is not None else sorted(vars(thing)):
            inner = getattr(thing, public)
            its_own = listed is not None or str(getattr(inner, "__module__", "")).startswith(thing.__name__)
            if its_own and not public.startswith("_"):
                yield f"{thing.__name__}.{public}", inner


def test_every_public_name_has_an_example() -> None:
    lacking = [name for name, thing in public_names() if (inspect.isclass(thing) or inspect.isfunction(thing)) and ">>>" not in (thing.__doc__ or "")]
    assert lacking == []
