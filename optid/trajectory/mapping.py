"""Trajectories as plain arrays, numbers and strings, for a file's design group."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from optid.errors import FileError, OptidError, sentence, unknown_name

from .base import Trajectory


def families() -> dict[str, type[Trajectory]]:
    """Trajectory classes by the ``kind`` that files hold."""
    from .bspline import BSpline
    from .fourier import Fourier
    from .piecewise import Piecewise
    from .point_to_point import PointToPoint
    from .ramped import RampedFourier
    from .sampled import Sampled
    from .sequence import Sequence, Window

    return {c.kind: c for c in (Fourier, RampedFourier, BSpline, PointToPoint, Sampled, Piecewise, Sequence, Window)}


def to_mapping(trajectory: Trajectory) -> dict[str, Any]:
    """``kind`` and every field; joint names as a JSON text, a part that is a trajectory as a nested mapping, None left out.

    A Fourier trajectory is stored as ``coefficients`` (n, 2H+1) in the order of :attr:`Fourier.matrix`, ``harmonics``, ``period`` and ``cycles``.
    """
    result: dict[str, Any] = {"kind": trajectory.kind}
    for name, value in _values(trajectory).items():
        if value is None:
            continue
        if name == "joint_names":
            result[name] = json.dumps(list(value))
        elif isinstance(value, Trajectory):
            result[name] = to_mapping(value)
        elif isinstance(value, tuple):
            result[name] = {f"{k:06d}": to_mapping(part) for k, part in enumerate(value)}
        else:
            result[name] = value
    return result


def _values(trajectory: Trajectory) -> dict[str, Any]:
    from .fourier import Fourier

    values = {f.name: getattr(trajectory, f.name) for f in fields(trajectory)}  # type: ignore[arg-type]
    if isinstance(trajectory, Fourier):
        values = {"coefficients": trajectory.matrix, "harmonics": trajectory.harmonics} | {k: v for k, v in values.items() if k not in ("q0", "a", "b")}
    return values


def from_mapping(mapping: Mapping[str, Any]) -> Trajectory:
    """The trajectory that :meth:`Trajectory.to_mapping` wrote.

    Raises
    ------
    UnknownNameError
        For an unknown kind.
    FileError
        When the mapping does not describe such a trajectory.

    Examples
    --------
    >>> from optid.trajectory import PointToPoint, from_mapping
    >>> move = PointToPoint([0.0], [1.0], 2.0)
    >>> from_mapping(move.to_mapping()) == move
    True
    """
    known = families()
    kind = _text(mapping.get("kind", ""))
    if kind not in known:
        raise unknown_name("trajectory kind", kind, known)
    try:
        return _build(known[kind], {str(k): _plain(str(k), v) for k, v in mapping.items() if k != "kind"})
    except OptidError:
        raise
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise FileError(sentence(f"stored trajectory of kind {kind!r}", f"{type(error).__name__}: {error}", "the fields written by to_mapping")) from error


def _build(family: type[Trajectory], values: dict[str, Any]) -> Trajectory:
    from .fourier import Fourier

    if issubclass(family, Fourier):
        cycles = values.pop("cycles", 1)
        made = Fourier.from_coefficients(values.pop("coefficients"), values.pop("harmonics"), values.pop("period"), values.pop("joint_names", ()))
        if values:
            raise KeyError(", ".join(values))
        return Fourier(made.q0, made.a, made.b, made.period, made.joint_names, cycles)
    return family(**values)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _plain(name: str, value: Any) -> Any:
    if name == "joint_names":
        listed = json.loads(_text(value))
        if not isinstance(listed, list):
            raise TypeError(f"joint_names holds a {type(listed).__name__}, not a JSON list")
        return tuple(map(str, listed))
    if isinstance(value, Mapping):
        return from_mapping(value) if "kind" in value else tuple(from_mapping(value[k]) for k in sorted(value))
    if isinstance(value, (bytes, str, np.str_)):
        return _text(value)
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else array


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """True when two mappings hold equal values."""
    if one.keys() != other.keys():
        return False
    pairs = ((one[k], other[k]) for k in one)
    return all(same(a, b) if isinstance(a, Mapping) and isinstance(b, Mapping) else bool(np.array_equal(a, b)) for a, b in pairs)
