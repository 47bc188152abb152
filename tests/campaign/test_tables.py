"""A TOML table becomes a dataclass, and everything that does not fit is told with its place."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest

from optid.campaign.documentation import described, entries
from optid.campaign.schema import RecordingPart
from optid.campaign.tables import Place, table
from optid.campaign.wording import in_toml
from optid.errors import DataError, UnknownNameError, sentence


@dataclass(frozen=True)
class Inner:
    """A table inside.

    Attributes
    ----------
    size : float [m]
    """

    size: float


@dataclass(frozen=True)
class Outer:
    """Every kind of value.

    Attributes
    ----------
    angle : float or numbers [rad]
        One for all, or one each.
    count, other : int
        How many.
    name : str or None
    kind : "a" or "b"
    inner : table
    several : array of tables
    named : tables
    free : table
    """

    angle: float | tuple[float, ...] = 0.0
    count: int = 1
    other: int | None = None
    name: str | None = None
    kind: Literal["a", "b"] = "a"
    inner: Inner | None = None
    several: tuple[Inner, ...] = ()
    named: dict[str, Inner] = field(default_factory=dict)
    free: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.count < 0:
            raise DataError(sentence("count", self.count, "0 or more"))


PLACE = Place("f.toml")


def test_values_of_every_kind() -> None:
    values = {"angle_deg": [90, 45.0], "count": 3, "name": "none", "kind": "b", "inner": {"size": 2}, "several": [{"size": 1}], "named": {"x": {"size": 3}}}
    made = table(Outer, values, PLACE)
    assert made == Outer((math.radians(90), math.radians(45)), 3, None, None, "b", Inner(2.0), (Inner(1.0),), {"x": Inner(3.0)})
    assert isinstance(made.inner.size, float)
    assert table(Outer, {"free": {"a": [1, {"b": 2}]}}, PLACE).free == {"a": [1, {"b": 2}]}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"angel": 1}, "key of f.toml: 'angel': unknown name, .* Did you mean 'angle'?"),
        ({"angle": "90"}, "angle of f.toml: '90', expected a number [rad] or a list of numbers [rad]. Write angle = 90, without quotes, in rad."),
        ({"angle": True}, "angle of f.toml: true, expected a number [rad]"),
        ({"angle": [1, "x"]}, "angle of f.toml: [1, 'x'], expected"),
        ({"angle": math.nan}, "angle of f.toml: nan, expected a number"),
        ({"angle": 10**400}, "angle of f.toml: 1000"),
        ({"angle_deg": {}}, "angle_deg of f.toml: {}, expected a number [deg] or a list of numbers [deg]."),
        ({"angle": 1, "angle_deg": 57}, "f.toml: both angle and angle_deg, expected one of them."),
        ({"count": 1.0}, "count of f.toml: 1.0, expected a whole number."),
        ({"count": True}, "count of f.toml: true, expected a whole number."),
        ({"count": -1}, "f.toml: count: -1, expected 0 or more."),
        ({"other": "many"}, "other of f.toml: 'many', expected a whole number or none."),
        ({"kind": "c"}, "kind of f.toml: 'c': unknown name, expected one of a, b."),
        ({"kind": 3}, 'kind of f.toml: 3, expected "a" or "b".'),
        ({"inner": {}}, "[inner] of f.toml: no size, expected size = a number [m]."),
        ({"inner": {"size": 1, "colour": 2}}, "key of [inner] of f.toml: 'colour': unknown name, expected one of size."),
        ({"inner": 3}, "inner of f.toml: 3, expected a table or none."),
        ({"several": [{"size": 1}, {"size": "x"}]}, "size of [[several]] 2 of f.toml: 'x', expected a number [m]."),
        ({"several": {"size": 1}}, "several of f.toml: {'size': 1}, expected an array of tables."),
        ({"named": {"x": {"size": "y"}}}, "size of [named.x] of f.toml: 'y'"),
        ({"named": {"x": 1}}, "named of f.toml: {'x': 1}, expected named tables."),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(values: dict[str, Any], said: str) -> None:
    with pytest.raises((DataError, UnknownNameError)) as caught:
        table(Outer, values, PLACE)
    first, _, last = said.partition(" .* ")
    assert str(caught.value).startswith(first) and str(caught.value).endswith(last)


def test_units_and_meanings_come_from_the_docstring() -> None:
    known = entries(Outer)
    assert (known["angle"].unit, known["angle"].text, known["angle"].in_degrees) == ("rad", "One for all, or one each.", True)
    assert known["count"].text == known["other"].text == "How many." and known["inner"].unit == ""
    assert described(known["angle"].hint, "rad") == "a number [rad] or a list of numbers [rad]"


def test_none_is_a_choice_where_it_is_one() -> None:
    """The effort of a ROS recording may be "none": that is not the absence of a choice."""
    assert table(RecordingPart, {"files": "x", "effort": "none", "role": "none"}, PLACE) == RecordingPart("x", effort="none")
    assert table(RecordingPart, {"files": "x"}, PLACE).effort is None


def test_messages_speak_toml() -> None:
    assert in_toml("Say effort='none', or pass partial=True; q = 3 stays.") == 'Say effort = "none", or pass partial = true; q = 3 stays.'
