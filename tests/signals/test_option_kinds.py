"""Options of the wrong kind are refused where they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from optid.errors import DataError
from optid.signals import Nyquist, PeriodicOptions, Preprocessing


@pytest.mark.parametrize("value", ["x", np.zeros(3), [1.0], -1.5, float("nan")])
@pytest.mark.parametrize("what", ["order", "every", "decimate", "trim"])
def test_whole_numbers(what: str, value: Any) -> None:
    with pytest.raises(DataError, match=f"^{what} of the preprocessing: .*, expected a whole number, [01] or more"):
        Preprocessing(**{what: value})


@pytest.mark.parametrize(
    ("what", "value", "expected"),
    [
        ("order", None, "a whole number, 1 or more"),
        ("rate", "x", "a positive number, or None"),
        ("max_gap", np.zeros(3), "a positive number, or None"),
        ("start", "x", "a number of seconds, or None"),
        ("stop", np.nan, "a number of seconds, or None"),
        ("cutoff", np.zeros(3), "Hz, Nyquist(fraction), None or 'auto'"),
        ("torque_cutoff", True, "Hz, Nyquist(fraction), None or 'auto'"),
        ("clock", np.zeros(3), "'auto' or 'stamps' or 'nominal' or 'recorded'"),
        ("periodic", "x", "PeriodicOptions, or None"),
        ("use_measured_velocity", "x", "True or False"),
        ("min_speed", "x", "None, a number or one a joint"),
        ("min_speed", ["a", "b"], "None, a number or one a joint"),
    ],
)
def test_other_kinds(what: str, value: Any, expected: str) -> None:
    with pytest.raises(DataError) as caught:
        Preprocessing(**{what: value})
    assert str(caught.value).startswith(f"{what} of the preprocessing: {value!r}, expected {expected}")


def test_nested_options() -> None:
    with pytest.raises(DataError, match=r"^cut-off as a fraction of Nyquist: x, expected"):
        Nyquist("x")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"^drop_first of the periodic options: x, expected a whole number, 0 or more"):
        PeriodicOptions(drop_first="x")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"^period of the periodic options: x, expected a positive number, or None"):
        PeriodicOptions(period="x")  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"^search of the periodic options: x, expected a fraction of the period, 0 or more"):
        PeriodicOptions(search="x")  # type: ignore[arg-type]


def test_right_kinds_are_kept() -> None:
    """NumPy numbers count as numbers, and one speed a joint becomes a tuple."""
    options = Preprocessing(cutoff=np.float64(5.0), every=np.int64(2), min_speed=np.array([0.1, 0.2]), start=0)  # type: ignore[arg-type]
    assert (options.cutoff, options.every, options.min_speed, options.start) == (5.0, 2, (0.1, 0.2), 0)
