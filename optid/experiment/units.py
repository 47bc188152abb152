"""Units a recording may come in, and their factors to SI."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

_DEG = math.pi / 180
_TURN = 2 * math.pi
_ANGLE = {"rad": 1.0, "deg": _DEG, "mrad": 1e-3, "rev": _TURN}
_LENGTH = {"m": 1.0, "mm": 1e-3}
_SECOND = {"": 1.0}
_POSITION = {**_ANGLE, **_LENGTH}

FACTORS: dict[str, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "q": _POSITION,
    "dq": {**{f"{unit}/s": factor for unit, factor in _POSITION.items()}, "rpm": _TURN / 60, "rev/min": _TURN / 60},
    "ddq": {f"{unit}/s^2": factor for unit, factor in _POSITION.items()},
    "tau": {"Nm": 1.0, "mNm": 1e-3, "kNm": 1e3, "Nmm": 1e-3, "N": 1.0, "kN": 1e3},
    "current": {"A": 1.0, "mA": 1e-3},
}
"""Factor to SI of every accepted unit, per signal (spaces and dots left out)."""

_SAME = (
    ("²", "^2"),
    ("**2", "^2"),
    ("s2", "s^2"),
    ("/s/s", "/s^2"),
    ("s-2", "s^2"),
    ("degrees", "deg"),
    ("degree", "deg"),
    ("°", "deg"),
    ("radians", "rad"),
    ("radian", "rad"),
    ("µ", "u"),
    ("μ", "u"),
    ("newton", "N"),
    ("degps", "deg/s"),
)


def _plain(unit: str) -> str:
    text = "".join(c for c in unit.strip() if c not in " ·⋅.*_") if "**" not in unit else unit.replace(" ", "")
    for spelling, plain in _SAME:
        text = text.replace(spelling, plain)
    return {"seconds": "s", "second": "s", "sec": "s", "amp": "A", "ampere": "A"}.get(text, text)


def factor_to_si(signal: str, unit: str, where: str) -> float:
    """Factor that turns a number of ``signal`` ("time", "q", …) in ``unit`` into SI.

    Raises
    ------
    DataError
        When the unit does not belong to the signal. Ampere for a torque gets its own advice: a current is never taken for a torque.
    """
    plain, table = _plain(str(unit)), FACTORS[signal]
    if plain in table:
        return table[plain]
    if signal == "tau" and plain in FACTORS["current"]:
        hint = "Import it as the signal 'current' and give gains [N m/A], or call Trial.with_torque_from_current(gains)."
        raise DataError(sentence(f"unit of tau in {where}", f"{unit!r}, which is a motor current", "a torque unit such as 'N m'", hint))
    raise DataError(sentence(f"unit of {signal} in {where}", repr(str(unit)), f"one of {', '.join(table)}"))


def factors_to_si(signal: str, units: object, n: int, where: str) -> NDArray[np.float64]:
    """Factors (n,) for one unit, or for a list with one unit a joint (arms with prismatic joints)."""
    if not isinstance(units, (list, tuple)):
        return np.full(n, factor_to_si(signal, str(units), where))
    if len(units) != n:
        raise DataError(sentence(f"units of {signal} in {where}", f"{len(units)} units", f"{n}, one per joint"))
    return np.array([factor_to_si(signal, str(unit), where) for unit in units])
