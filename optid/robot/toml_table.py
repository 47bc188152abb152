"""A TOML table that knows where it stands, so that a wrong value is reported with its place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from optid.errors import LimitsError, RobotError, sentence, unknown_name


@contextmanager
def at(place: str) -> Iterator[None]:
    """Put the place before an error of the robot's own checks."""
    try:
        yield
    except (RobotError, LimitsError) as error:
        raise error if place in str(error) else type(error)(f"{place}: {error}") from None


@dataclass(frozen=True, eq=False)
class Table:
    """A TOML table that knows where it stands."""

    values: Mapping[str, Any]
    place: str

    def only(self, known: tuple[str, ...]) -> None:
        for key in self.values:
            if key not in known:
                raise unknown_name(f"key of {self.place}:", key, known)

    def wrong(self, key: str, expected: str) -> RobotError:
        return RobotError(sentence(f"{key} of {self.place}", repr(self.values[key]), expected))

    def number(self, key: str, default: float, infinite: bool = False) -> float:
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or (isinstance(value, int) and abs(value) > 2**1000):
            raise self.wrong(key, "a number")
        if math.isnan(value) or (math.isinf(value) and not infinite):
            raise self.wrong(key, "a number" if infinite else "a finite number")
        return float(value)

    def angle(self, key: str, default: float, infinite: bool = False) -> float:
        """Radians from ``key``, or from ``key_deg`` in degrees."""
        degrees = f"{key}_deg"
        if key in self.values and degrees in self.values:
            raise RobotError(sentence(self.place, f"both {key} and {degrees}", "one of them"))
        return math.radians(self.number(degrees, 0.0, infinite)) if degrees in self.values else self.number(key, default, infinite)

    def text(self, key: str, default: str) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self.wrong(key, "text in quotes")
        return value

    def vector(self, key: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
        value = self.values.get(key, default)
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise self.wrong(key, f"{count} numbers")
        entries = Table({f"{key}[{i}]": x for i, x in enumerate(value)}, self.place)
        return tuple(entries.number(name, 0.0) for name in entries.values)

    def matrix(self, key: str, n: int) -> tuple[tuple[float, ...], ...] | None:
        if key not in self.values:
            return None
        value = self.values[key]
        if not isinstance(value, list) or len(value) != n:
            raise self.wrong(key, f"{n} rows of {n} numbers")
        rows = Table({f"{key}[{i}]": row for i, row in enumerate(value)}, self.place)
        return tuple(rows.vector(name, n, ()) for name in rows.values)

    def table(self, key: str) -> Table:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.wrong(key, "a table")
        return Table(value, f"{key} of {self.place}")
