"""Plain mistakes in the arguments of the main calls: one sentence of optid's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Robot, Trial, identify, identify_batch, validate
from optid.errors import DataError, OptidError, RobotError, UnsuitableSolverError
from optid.identification.arguments import batch_paths
from optid.signals import Samples

ROBOT = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0))
MODEL: Any = DynamicModel(ROBOT)
ANY: Any = ROBOT  # the wrong type, on purpose
STATE = np.random.default_rng(0).standard_normal((60, 2))
SAMPLES = Samples.from_arrays(STATE, STATE, STATE, STATE)
MASKED = np.ma.masked_array(STATE, mask=STATE > 2)
NO_MODEL = r"model: Robot, expected a DynamicModel\. Pass DynamicModel\(robot\)\."
NO_NAMES = r"known: the text 'm1', expected a sequence of names, or a mapping from name to value\. Write \['m1'\]\."

MISUSE: dict[str, tuple[Callable[[], object], type[OptidError], str]] = {
    "base of a robot": (lambda: BaseParameters.of(ANY), RobotError, NO_MODEL),
    "identify a robot": (lambda: identify(ANY, SAMPLES), RobotError, NO_MODEL),
    "validate a model": (lambda: validate(MODEL, SAMPLES), DataError, "fit: DynamicModel, expected the result of optid.identify"),
    "text for a number": (lambda: identify(MODEL, SAMPLES, known={"m1": "a"}), DataError, "known value of 'm1': 'a', expected a finite number"),  # type: ignore[dict-item]
    "NaN": (lambda: identify(MODEL, SAMPLES, known={"Izz2": np.nan}), DataError, "known value of 'Izz2': nan, expected a finite number"),
    "one name": (lambda: identify(MODEL, SAMPLES, known="m1"), DataError, NO_NAMES),
    "one name of a base": (lambda: BaseParameters.of(MODEL, known="m1"), DataError, NO_NAMES),
    "one preferred name": (lambda: BaseParameters.of(MODEL, preferred="m1"), DataError, "preferred: the text 'm1'"),
    "no names": (lambda: identify(MODEL, SAMPLES, known=ANY), DataError, "known: Robot.*, expected a sequence of names"),
    "method": (lambda: identify(MODEL, SAMPLES, method=None), UnsuitableSolverError, "method: None, expected a name of optid.identification.METHODS"),
    "method class": (lambda: identify(MODEL, SAMPLES, method=int), UnsuitableSolverError, "method: <class 'int'>, expected a name"),
    "solver": (lambda: identify(MODEL, SAMPLES, solver=5), UnsuitableSolverError, "solver: 5, expected a name of optid.available_solvers"),  # type: ignore[arg-type]
    "masked": (lambda: Samples.from_arrays(STATE, MASKED, STATE, STATE), DataError, "dq of samples 'samples': a masked array, expected a plain array"),
    "masked trial": (lambda: Trial(np.arange(60.0), STATE, tau=MASKED), DataError, "tau of trial 'trial': a masked array, expected a plain array. Fill the"),
    "masked time": (lambda: Trial(MASKED[:, 0], STATE), DataError, "time of trial 'trial': a masked array"),
    "swapped in a batch": (lambda: identify_batch(MODEL, ["a.h5"]), DataError, "paths: DynamicModel, expected a list of paths"),  # type: ignore[arg-type]
    "one path of a batch": (lambda: identify_batch("a.h5", MODEL), DataError, "paths: 'a.h5', expected a list of paths"),
    "swapped": (lambda: batch_paths(MODEL), DataError, r"paths: DynamicModel, expected a list of paths\. The order is identify_batch\(paths, model\)\."),
    "one path": (lambda: batch_paths("a.h5"), DataError, r"paths: 'a.h5', expected a list of paths\. Write \['a.h5'\]\."),
    "no paths": (lambda: batch_paths(None), DataError, "paths: None, expected a list of paths"),
    "no path": (lambda: batch_paths(["a.h5", 3]), DataError, "paths: 3, expected a path"),
}


@pytest.mark.parametrize("case", MISUSE)
def test_misuse_is_named(case: str) -> None:
    call, kind, message = MISUSE[case]
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize("seed", [-1, "a", 1.5, None])
def test_seed_is_a_whole_number(seed: Any) -> None:
    """Also where the base parameters are at hand and nothing random is left to do."""
    for call in (lambda: BaseParameters.of(MODEL, seed=seed), lambda: identify(MODEL, SAMPLES, seed=seed), lambda: identify(BASE, SAMPLES, seed=seed)):
        with pytest.raises(DataError, match=f"seed: {seed!r}, expected a whole number ≥ 0"):
            call()


BASE = BaseParameters.of(MODEL)


def test_paths_become_text() -> None:
    assert batch_paths((Path("a.h5"), "b.h5")) == ["a.h5", "b.h5"]
