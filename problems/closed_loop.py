"""The closed loop a recording came from: reference and controller known, so that parameters alone predict motion and torque.

Smooth enough to differentiate: Coulomb friction is ``tanh(v / sign_width)``, one fixed step of classical Runge–Kutta (order 4) a sample, or several. For
simulating robots that stand and stick, see :class:`optid.simulation.Plant`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, OptidError, ShapeError, SolveError, sentence
from optid.model.arguments import found, per_axis, whole
from optid.model.arrays import numbers
from optid.model.symmetric import solve_symmetric
from optid.regressor import BaseParameters
from optid.signals import Samples

from .loop_sensitivity import Steps, sensitivities, stage_kernel

Array = NDArray[np.float64]

SLOW = 0.01
"""Default width of the smooth sign, over the largest speed of each joint in the data."""


class LoopMotion(NamedTuple):
    """Simulated q, dq, ddq and drive torque tau, (N, n) each; ``sensitivity`` of the outputs asked for, (N, n, r), or None."""

    q: Array
    dq: Array
    ddq: Array
    tau: Array
    sensitivity: Array | None = None


@dataclass(frozen=True, eq=False)
class CommandedMotion:
    """The wanted motion in place of a simulated one: needs no controller, and goes along with the real motion as far as the robot follows.

    Parameters
    ----------
    trajectory : Trajectory, or mapping trial name → Trajectory
        Anything with ``derivative(time, order)``.
    offset : float [s]
        Time of the recording at which the trajectory begins.

    Examples
    --------
    >>> from optid.problems import CommandedMotion
    >>> from optid.trajectory import PointToPoint
    >>> CommandedMotion(PointToPoint([0.0], [1.0], 1.0)).offset
    0.0
    """

    trajectory: Any
    offset: float = 0.0

    def motion(self, base: BaseParameters, beta: Array, samples: Samples, known: Array | None = None) -> LoopMotion:
        """Wanted motion at the samples, and the torque it takes."""
        source = self.trajectory[samples.name] if isinstance(self.trajectory, Mapping) else self.trajectory
        q, dq, ddq = (np.asarray(source.derivative(samples.time - self.offset, order)) for order in range(3))
        values = None if known is None else {name: float(known[base.model.index(name)]) for name in base.known}
        return LoopMotion(q, dq, ddq, base.torque(beta, q, dq, ddq, values))

    def base(self, base: BaseParameters, samples: Samples) -> BaseParameters:
        """The model that this motion obeys: the fit's own."""
        return base


@dataclass(frozen=True, eq=False)
class ClosedLoop:
    """Controller and reference of recorded trials.

    Parameters
    ----------
    controller : callable
        (q, dq, r) → drive torque (n,) [N m or N] as CasADi expressions, with r the m reference signals of that instant.
    reference : callable, or mapping trial name → callable
        time (N,) [s] → signals (N, m): wanted positions, feedforward, pulses; whatever the controller reads.
    held : bool
        The controller runs once a sample and its output is held; else it runs in continuous time, the reference interpolated linearly.
    speed_lag : int
        Samples by which the speed that the controller reads is late: 1 for one made of differences ``(q_k − q_{k−2}) / 2T``. Needs ``held``.
    substeps : int
        Integration steps a sample.
    sign_width : float or (n,), optional [rad/s, m/s]
        Width of the smooth sign in simulation; default 1 % of each joint's largest speed. It must exceed fc·step/inertia, else the steps do not follow it.

    Examples
    --------
    >>> from optid.problems import ClosedLoop
    >>> ClosedLoop(lambda q, dq, r: 100 * (r - q) - 10 * dq, lambda time: time[:, None]).held
    True
    """

    controller: Callable[[Any, Any, Any], Any]
    reference: Callable[[Array], Any] | Mapping[str, Callable[[Array], Any]]
    held: bool = True
    speed_lag: int = 0
    substeps: int = 1
    sign_width: Any = None

    def __post_init__(self) -> None:
        if not callable(self.controller):
            raise DataError(sentence("controller of a closed loop", found(self.controller), "a function (q, dq, r) → torque"))
        if not callable(self.reference) and not isinstance(self.reference, Mapping):
            raise DataError(sentence("reference of a closed loop", found(self.reference), "a function time → signals, or a mapping trial name → function"))
        whole(self.substeps, "substeps of a closed loop", 1, "a whole number >= 1")
        if whole(self.speed_lag, "speed_lag of a closed loop", 0, "a whole number of samples, 0 or more") and not self.held:
            raise DataError(sentence("speed_lag of a closed loop", self.speed_lag, "a whole number of samples, 0 for a controller in continuous time"))

    def signals(self, samples: Samples) -> Array:
        """Reference signals (N, m) at the samples."""
        source = self.reference
        if isinstance(source, Mapping):
            if samples.name not in source:
                raise DataError(sentence("reference of the closed loop", f"none for trial {samples.name!r}", f"one of {', '.join(source) or '(none)'}"))
            source = source[samples.name]
        try:
            values = numbers(source(samples.time), f"reference of trial {samples.name!r}")
        except OptidError:
            raise
        except Exception as error:  # whatever the caller's own function raises
            raise DataError(sentence(f"reference of trial {samples.name!r}", f"{type(error).__name__}: {error}", "signals (N, m)")) from error
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or len(values) != samples.n_samples or not np.isfinite(values).all():
            raise ShapeError(sentence(f"reference of trial {samples.name!r}", f"shape {values.shape}", f"finite numbers ({samples.n_samples}, m)"))
        return values

    def motion(self, base: BaseParameters, beta: Array, samples: Samples, known: Array | None = None, sensitivity: str | None = None) -> LoopMotion:
        """Simulate what a recording shows, each uninterrupted piece from its first measured state.

        Parameters
        ----------
        beta : (r,)
        known : (p,), optional
            Standard vector of the known parameters; the robot's nominal ones by default.
        sensitivity : "position" or "torque", optional
            Outputs whose derivatives to beta are wanted as well.

        Raises
        ------
        SolveError
            The simulated loop is unstable.
        """
        signals = self.signals(samples)
        known = base.known_vector(known)
        pieces = [self._piece(base, beta, samples, signals, part, known, sensitivity) for part in samples.parts()]
        joined = [None if x[0] is None else np.concatenate(x) for x in zip(*pieces, strict=True)]
        return LoopMotion(*joined)  # type: ignore[arg-type]

    def base(self, base: BaseParameters, samples: Samples) -> BaseParameters:
        """The model that the simulated motion obeys: with the smooth sign."""
        return _smooth(base, self._widths(samples))

    def _widths(self, samples: Samples) -> tuple[float, ...]:
        if self.sign_width is not None:
            widths = per_axis(self.sign_width, samples.n, "sign_width of a closed loop")
            if not (np.isfinite(widths) & (widths > 0)).all():
                raise DataError(sentence("sign_width of a closed loop", widths.tolist(), "speeds above 0"))
            return tuple(float(x) for x in widths)
        return tuple(float(x) for x in SLOW * np.maximum(np.abs(samples.dq).max(axis=0), 1e-12))

    def _piece(
        self, base: BaseParameters, beta: Array, samples: Samples, signals: Array, part: slice, known: Array | None, sensitivity: str | None
    ) -> LoopMotion:
        n, count = base.model.n, part.stop - part.start
        steps = Steps(self.held, self.speed_lag, self.substeps)
        smooth, constants = self.base(base, samples), np.append(1.0 / samples.rate, [] if known is None else known)
        step, output = _functions(smooth, self.controller, signals.shape[1], steps, known is not None)
        start = np.concatenate([samples.q[part.start], *[samples.dq[part.start]] * (1 + self.speed_lag)])
        now = signals[part].T
        later = np.hstack([now[:, 1:], now[:, -1:]])
        fixed = np.tile(np.concatenate([beta, constants])[:, None], (1, count))
        ends = np.asarray(_chain(step, count)(start, now, later, fixed))
        states = np.hstack([start[:, None], ends[:, :-1]])
        if not np.isfinite(states).all() or np.abs(states[:n]).max() > 1e3 * (1 + np.abs(samples.q).max()):
            raise SolveError(
                sentence(
                    f"simulated closed loop of trial {samples.name!r}",
                    "a motion that runs away",
                    "a stable loop",
                    "Check the controller, widen sign_width, or raise substeps.",
                )
            )
        ddq, tau = (np.asarray(x).T for x in output.map(count)(states, now, fixed))
        slopes = None
        if sensitivity is not None:
            gains = np.asarray(_gains(self.controller, n, len(now), self.speed_lag).map(count)(states, now)).reshape(n, count, len(start)).swapaxes(0, 1)
            law = None if self.held else _law(self.controller, n, len(now))
            stage = stage_kernel(_acceleration(smooth, known is not None), law, base.backend)
            inputs = (tau, tau) if self.held else (now.T, later.T)
            moved = sensitivities(stage, steps, states.T, inputs, gains, beta, constants)
            slopes = moved[:, :n] if sensitivity == "position" else gains @ moved
        return LoopMotion(states[:n].T, states[n : 2 * n].T, ddq, tau, slopes)


@lru_cache(maxsize=16)
def _chain(step: ca.Function, count: int) -> ca.Function:
    """``count`` steps one after another."""
    return step.mapaccum(count)


@lru_cache(maxsize=16)
def _law(controller: Any, n: int, m: int) -> ca.Function:
    """(q, dq, r) → drive torque."""
    q, dq, signal = ca.SX.sym("q", n), ca.SX.sym("dq", n), ca.SX.sym("r", m)
    return ca.Function("law", [q, dq, signal], [_torque(controller, q, dq, signal)])


@lru_cache(maxsize=16)
def _smooth(base: BaseParameters, widths: tuple[float, ...]) -> BaseParameters:
    return replace(base, model=base.model.with_sign_width(widths))


@lru_cache(maxsize=16)
def _gains(controller: Any, n: int, m: int, lag: int) -> ca.Function:
    x, signal = ca.SX.sym("x", (2 + lag) * n), ca.SX.sym("r", m)
    return ca.Function("gains", [x, signal], [ca.densify(ca.jacobian(_torque(controller, x[:n], x[(1 + lag) * n :], signal), x))])


def _torque(controller: Any, q: ca.SX, dq: ca.SX, signal: ca.SX) -> ca.SX:
    """The controller's torque (n,) as an expression."""
    wanted = f"{q.numel()} CasADi expressions of (q, dq, r)"
    try:
        torque = ca.vertcat(controller(q, dq, signal))
    except Exception as error:  # whatever the caller's own function raises
        raise DataError(sentence("controller of the closed loop", f"{type(error).__name__}: {str(error).splitlines()[0]}", wanted)) from error
    if torque.shape != q.shape or not isinstance(torque, ca.SX | ca.DM):
        raise ShapeError(sentence("controller of the closed loop", f"a torque of shape {torque.shape}", wanted))
    return ca.densify(ca.SX(torque))


@lru_cache(maxsize=16)
def _acceleration(base: BaseParameters, with_known: bool) -> ca.Function:
    """(q, dq, torque, beta, constants) → ddq; the constants are the time of a step and the known parameters."""
    n, model = base.model.n, base.model
    q, dq, ddq, beta, drive = (ca.SX.sym(name, size) for name, size in (("q", n), ("dq", n), ("ddq", n), ("beta", base.rank), ("tau", n)))
    constants = ca.SX.sym("c", 1 + (model.p if with_known else 0))
    load = ca.mtimes(base.function(q, dq, ddq), beta)
    if with_known:
        load = load + model.functions["torque"](constants[1:], q, dq, ddq)
    zero = ca.SX.zeros(n, 1)
    M, rest = ca.substitute(ca.jacobian(load, ddq), ddq, zero), ca.substitute(load, ddq, zero)
    return ca.Function("acceleration", [q, dq, drive, beta, constants], [solve_symmetric(M, drive - rest)])


@lru_cache(maxsize=16)
def _functions(base: BaseParameters, controller: Any, m: int, steps: Steps, with_known: bool) -> tuple[ca.Function, ca.Function]:
    """One sample's step of (q, dq, earlier dq), and acceleration and torque of a state; fixed are beta, the time of a sample and the known parameters."""
    n, (held, lag, substeps) = base.model.n, steps
    forward = _acceleration(base, with_known)
    law = _law(controller, n, m)
    size = (2 + lag) * n
    state, now, then = ca.MX.sym("x", size), ca.MX.sym("r", m), ca.MX.sym("s", m)
    fixed = ca.MX.sym("fixed", base.rank + forward.size1_in(4))
    x, parameters, c = state[: 2 * n], fixed[: base.rank], fixed[base.rank :]
    h = c[0] / substeps
    kept = law(state[:n], state[size - n : size], now)

    def rates(x: ca.MX, share: float) -> ca.MX:
        torque = kept if held else law(x[:n], x[n:], now + share * (then - now))
        return ca.vertcat(x[n:], forward(x[:n], x[n:], torque, parameters, c))

    for k in range(substeps):
        first, half = k / substeps, 0.5 / substeps
        k1 = rates(x, first)
        k2 = rates(x + h / 2 * k1, first + half)
        k3 = rates(x + h / 2 * k2, first + half)
        k4 = rates(x + h * k3, first + 2 * half)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    step = ca.Function("step", [state, now, then, fixed], [ca.vertcat(x, state[n : size - n])]).expand()
    output = ca.Function("output", [state, now, fixed], [forward(state[:n], state[n : 2 * n], kept, parameters, c), kept])
    return step, output
