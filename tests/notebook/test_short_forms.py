"""What the prompt prints: one line with what an object is and its key numbers, never its arrays."""

from __future__ import annotations

import dataclasses
import importlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Preprocessing, identify, library
from optid.brief import LONGEST, MOST, brief
from optid.signals import Samples
from optid.trajectory import Fourier, PointToPoint

ROOMS = [name for name in optid.__all__ if not hasattr(getattr(optid, name), "__qualname__")]


@dataclass(frozen=True)
class Everything:
    label: str
    table: Any
    ratio: float = 1.0
    names: tuple[str, ...] = ()
    hidden: Any = field(default=None, repr=False)
    extra: Any = None

    __repr__ = brief


def test_arrays_are_told_by_shape_and_defaults_are_left_out() -> None:
    assert repr(Everything("a", np.zeros((1000, 6)))) == "Everything(label 'a', table (1000, 6))"
    assert repr(Everything("a", 0, ratio=1 / 3, hidden=1)) == "Everything(label 'a', table 0, ratio 0.333333)"


@pytest.mark.parametrize(
    "value", [np.zeros(10**6), "x" * 1000, list(range(1000)), {str(k): k for k in range(99)}, object(), "two\nlines", np.float64(0.1), [np.zeros(3)] * 50]
)
def test_one_line_whatever_is_inside(value: Any) -> None:
    text = repr(Everything("label", value, names=tuple("abcdefghij") * 9, extra=Everything("inner", value)))
    assert "\n" not in text and len(text) <= MOST + LONGEST


def test_main_objects() -> None:
    robot = library.planar_2r()
    model = DynamicModel(robot)
    base = BaseParameters.of(model)
    assert repr(robot) == "Robot('planar 2R', 2 joints: joint1, joint2)"
    assert repr(model) == f"DynamicModel('planar 2R', 2 joints, {model.p} parameters)"
    assert repr(base) == f"BaseParameters('planar 2R', {base.rank} of {model.p} parameters)"
    assert repr(Fourier([0, 0], [[1], [0]], [[0], [1]], period=6.0)) == "Fourier(2 joints, 6 s)"
    assert repr(PointToPoint([0.0], [1.0], 2.0)).startswith("PointToPoint(1 joints, ")
    state = np.random.default_rng(0).standard_normal((3, 500, 2))
    tau = model.inverse_dynamics(model.nominal_parameters(), *state) + 0.1 * np.random.default_rng(1).standard_normal((500, 2))
    samples = Samples.from_arrays(*state, tau, rate=100)
    fit = identify(base, samples)
    for thing in (samples, fit, fit.factors, fit.details, fit.determinacy, fit.solution, fit.physical_report(), fit.errors()):
        text = repr(thing)
        assert text.startswith(type(thing).__name__ + "(") and "\n" not in text and len(text) <= MOST + LONGEST, text


def test_options_show_all_they_are() -> None:
    """Kept results are known by the options' full form (``identify_batch(resume=...)``)."""
    assert repr(Preprocessing(cutoff=5.0)) != repr(Preprocessing(cutoff=6.0))
    assert "cutoff=5.0" in repr(Preprocessing(cutoff=5.0))


def test_public_results_with_arrays_are_short() -> None:
    """A public dataclass that holds arrays has a short form of its own."""
    long = []
    for name in ROOMS:
        room = importlib.import_module(f"optid.{name}")
        for public in getattr(room, "__all__", ()):
            kind = getattr(room, public)
            if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__dataclass_params__.repr:  # type: ignore[attr-defined]
                arrays = sum("Array" in str(f.type) and "ArrayLike" not in str(f.type) for f in dataclasses.fields(kind) if f.repr)
                if arrays > 1 and kind.__repr__.__code__.co_filename in ("<string>", dataclasses.__file__):  # type: ignore[attr-defined]
                    long.append(f"{name}.{public}")
    assert long == []
