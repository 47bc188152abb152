"""What may be wrong with a recording that reads without an error: units, signs and order of its columns. Suspicions are said; nothing is ever corrected."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .samples import column_name
from .trial import Trial

if TYPE_CHECKING:
    from optid.robot import Robot

Array = NDArray[np.float64]

_DEG = math.pi / 180
_STILL = 1e-6
_SURE = 0.8
_OUTSIDE = 0.02
_GAP = 5.0
_RATIOS = (
    ("degrees", _DEG, "the position looks like degrees beside rad/s"),
    ("degrees", 1 / _DEG, "the velocity looks like deg/s beside radians"),
    ("rpm", 30 / math.pi, "the velocity looks like revolutions per minute"),
    ("time", 1e3, "the stamps look like milliseconds"),
    ("time", 1e6, "the stamps look like microseconds"),
    ("time", 1e9, "the stamps look like nanoseconds"),
    ("length", 1e-3, "the position looks like millimetres beside m/s"),
)


@dataclass(frozen=True)
class Suspicion:
    """Something that may be wrong.

    Attributes
    ----------
    kind : "degrees", "rpm", "time", "length", "velocity", "sign", "order", "gravity", "limits" or "torque"
    text : str
        One sentence: what, and what speaks for it.

    Examples
    --------
    >>> from optid.experiment import Suspicion
    >>> Suspicion("sign", "joint 2: the torque is turned over").kind
    'sign'
    """

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def suspect(trial: Trial, robot: Robot | None = None) -> tuple[Suspicion, ...]:
    """What may be wrong with a trial.

    Parameters
    ----------
    trial : Trial
        As it was imported: SI units, as far as its units were stated right.
    robot : Robot, optional
        Whose joints these are, by name, or in its order where the trial has other names or none. With it positions are compared with its limits, and torque (or
        current) with what its own parameters need for the motion, as the columns stand and with columns exchanged or turned over.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial, library
    >>> from optid.experiment import suspect
    >>> t = np.arange(0, 10, 0.01)
    >>> q = np.column_stack([90 * np.sin(t), 60 * np.cos(0.7 * t)] * 3)  # degrees that were said to be radians
    >>> trial = Trial(t, q, tau=np.ones((1000, 6)), joint_names=library.ur5().joint_names)
    >>> suspect(trial, library.ur5())[0].kind
    'degrees'
    """
    found = [*_time(trial), *_rates(trial)]
    if robot is not None and robot.n == trial.n and trial.n_samples > 1:
        from .torque_fit import torque_suspicions

        if set(trial.joint_names) == set(robot.joint_names):
            trial = trial.reordered(robot.joint_names)
        found += [*_limits(trial, robot), *torque_suspicions(trial, robot)]
    return tuple(found)


def _time(trial: Trial) -> Iterator[Suspicion]:
    step = np.diff(trial.time)
    step = step[step > 0]
    if len(step) == 0:
        return
    median = float(np.median(step))
    unit = next((name for low, name in ((5e5, "nanoseconds"), (5e2, "microseconds"), (0.5, "milliseconds")) if median >= low), None)
    if unit is not None:
        yield Suspicion("time", f"{median:.6g} s between samples: the stamps look like {unit}.")
    elif median < 2e-6:
        yield Suspicion("time", f"{median:.6g} s between samples: the stamps look like seconds that were taken for something smaller.")


def _rates(trial: Trial) -> Iterator[Suspicion]:
    """Positions beside the integrals of the velocities: robust against noise, and against a bias of the velocity."""
    if trial.dq is None or trial.n_samples < 8:
        return
    good = np.isfinite(trial.q).all(axis=1) & np.isfinite(trial.dq).all(axis=1) & np.isfinite(trial.time)
    t, q, dq = trial.time[good], trial.q[good], trial.dq[good]
    if len(t) < 8 or not t[-1] > t[0]:
        return
    step = np.diff(t)
    whole = (step <= _GAP * np.median(step))[:, None]  # what happens in a gap is not known
    ways = np.stack([np.diff(q, axis=0), 0.5 * (dq[1:] + dq[:-1]) * step[:, None]]) * whole
    q, travelled = np.concatenate([np.zeros((2, 1, trial.n)), np.cumsum(ways, axis=1)], axis=1)
    line = np.stack([np.ones_like(t), (t - t[0]) / (t[-1] - t[0])], axis=1)
    q, travelled = (x - line @ np.linalg.lstsq(line, x, rcond=None)[0] for x in (q, travelled))
    size, reach = np.linalg.norm(q, axis=0), np.linalg.norm(travelled, axis=0)
    moves = (size > _STILL * math.sqrt(len(t))) & (reach > _STILL * math.sqrt(len(t)))
    likeness = q.T @ travelled / (np.outer(size, reach) + np.finfo(float).tiny)
    said: dict[tuple[str, str], list[str]] = {}
    for j in np.flatnonzero(moves):
        name = column_name(trial.joint_names, int(j))
        own = float(likeness[j, j])
        best = int(np.argmax(np.abs(np.where(moves, likeness[j], 0.0))))
        if own**2 < 0.5 and likeness[j, best] ** 2 > _SURE**2 and best != j:
            text = f"the velocity of {column_name(trial.joint_names, best)} is that of the position of {name}: their orders differ."
            yield Suspicion("order", text[0].upper() + text[1:])
        elif own < -_SURE:
            yield Suspicion("sign", f"The velocity of {name} runs against its position.")
        elif own > _SURE:
            ratio = own * reach[j] / size[j]  # travelled over q
            if not 0.8 < ratio < 1.25:
                kind, text = next(((kind, text) for kind, value, text in _RATIOS if 0.8 < ratio / value < 1.25), ("velocity", "their units differ"))
                said.setdefault((kind, text), []).append(f"{name} {ratio:.4g}")
    for (kind, text), names in said.items():
        yield Suspicion(kind, f"{text[0].upper()}{text[1:]}: velocity over slope of position of {', '.join(names)}, expected 1.")


def _limits(trial: Trial, robot: Robot) -> Iterator[Suspicion]:
    lower, upper = np.array(robot.limits.lower), np.array(robot.limits.upper)
    finite = trial.q[np.isfinite(trial.q).all(axis=1)]
    if len(finite) == 0:
        return
    least, most = finite.min(axis=0), finite.max(axis=0)

    def outside(low: Array, high: Array) -> NDArray[np.bool_]:
        room = _OUTSIDE * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
        return (low < lower - room) | (high > upper + room)

    wrong = outside(least, most)
    if wrong.any():
        revolute = np.array([robot.joints[i].revolute for i in robot.independent])
        names = ", ".join(f"{robot.joint_names[j]!r} ({least[j]:.4g} to {most[j]:.4g})" for j in np.flatnonzero(wrong))
        text = f"Positions outside the robot's limits: {names}"
        factor = np.where(revolute, _DEG, 1e-3)
        if not outside(factor * least, factor * most).any() and (np.maximum(-least, most)[wrong] > 1.5 * np.maximum(-lower, upper)[wrong]).any():
            yield Suspicion("degrees" if revolute[wrong].any() else "length", f"{text}; as {'degrees' if revolute[wrong].any() else 'mm'} all are inside.")
        else:
            order = np.argsort(np.argsort(robot.joint_names))
            if trial.n > 1 and not outside(least[order], most[order]).any():
                yield Suspicion("order", f"{text}; if the columns stand sorted by name, all are inside.")
            else:
                yield Suspicion("limits", f"{text}.")
    if trial.tau is not None:
        most = np.nanmax(np.abs(trial.tau), axis=0, initial=0.0)
        above = np.flatnonzero(most > 1.5 * np.array(robot.limits.torque))
        if len(above):
            names = ", ".join(f"{robot.joint_names[j]!r} ({most[j]:.4g} of {robot.limits.torque[j]:.4g})" for j in above)
            yield Suspicion("torque", f"Torque far above the robot's limits: {names}; look at its unit and order.")
