"""The closed loop: an arm, a controller and what it is to follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, UnsuitableSolverError, sentence
from optid.model.arguments import found, instance, positive, whole
from optid.model.arrays import numbers
from optid.robot import Robot
from optid.simulation.plant import Plant, State
from optid.simulation.sampled import Measurement

from .reference import Reference, Target

Array = NDArray[np.float64]
Disturbance = Callable[[float], ArrayLike]


class Program(Protocol):
    """A controller that runs."""

    def command(self, k: int, q: Array, dq: Array) -> Array:
        """Inputs (n,) of the drives at sample k, from measured positions and speeds (n,)."""


class Controller(Protocol):
    """What :func:`simulate` asks of a controller."""

    def start(self, reference: Reference, period: float) -> Program:
        """The controller as a program that runs every ``period`` [s]."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion.

    Attributes
    ----------
    time : (N,) [s]
    q, dq : (N, n) [rad, rad/s]
    wanted, target : Target of (N, n)
        The motion itself, and what the controller saw of it.
    u : (N, n)
        Inputs of the drives: torques [N m], or voltages [V] of a plant with motors.
    tau : (N, n) [N m]
        Drive torques, joint side.
    current : (N, n) [A]
        Motor currents; zeros without motors.
    robot : Robot
    unsolved : int or None
        Samples at which a controller that optimises (:class:`~optid.control.Predictive`) found no solution and applied its last iterate; None of the others.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import GravityPD, OuterLoop, Reference, simulate
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = GravityPD(model, OuterLoop.pd([100.0] * 2, [20.0] * 2))
    >>> simulate(Plant(model), law, Reference(PointToPoint([0.3, 0.3], [0.3, 0.3], 0.01))).q.shape
    (11, 2)
    """

    time: Array
    q: Array
    dq: Array
    wanted: Target
    target: Target
    u: Array
    tau: Array
    current: Array
    robot: Robot
    unsolved: int | None = None

    __repr__ = brief

    @property
    def error(self) -> Array:
        """Wanted minus actual positions (N, n) [rad, m]."""
        return np.asarray(self.wanted.q - self.q)

    @property
    def power(self) -> Array:
        """Mechanical power (N, n) of the drives [W]."""
        return np.asarray(self.tau * self.dq)


def simulate(
    plant: Plant,
    controller: Any,
    reference: Reference,
    *,
    period: float | None = 1e-3,
    duration: float | None = None,
    q0: ArrayLike | None = None,
    dq0: ArrayLike | None = None,
    measurement: Measurement | None = None,
    delay: int = 0,
    disturbance: Disturbance | None = None,
    record: float | None = None,
    seed: int = 0,
    rtol: float = 1e-9,
) -> Simulation:
    """Simulate an arm under control.

    Parameters
    ----------
    plant : Plant
    controller : Controller
        :class:`~optid.control.ComputedTorque` and the like, or anything with ``start(reference, period)``.
    reference : Reference
    period : float [s] or None
        The controller runs this often and its inputs are held in between. None: it runs in continuous time (laws only), integrated adaptively.
    duration : float [s], optional
        That of the reference.
    q0, dq0 : (n,), optional
        Initial state: the first target's position, and **at rest**.
    measurement : Measurement, optional
        What the controller sees of the arm; exactly its state by default. Sampled control only.
    delay : int
        Samples from measuring to acting; until the first command acts, the drives give the torque of gravity (voltage 0 with motors). Sampled control only.
    disturbance : callable, optional
        t → joint torques (n,) from outside [N m].
    record : float [s], optional
        Time between recorded samples in continuous time (1 ms by default). Sampled control records at its samples.
    seed : int
        Of the measurement noise.
    rtol : float
        Relative tolerance in continuous time.

    Raises
    ------
    SolveError
        When the motion does not stay finite.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.control import ComputedTorque, OuterLoop, Reference, critical_gain, simulate
    >>> from optid.simulation import Plant
    >>> from optid.trajectory import PointToPoint
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> law = ComputedTorque(model, OuterLoop.pd([100.0] * 2, critical_gain([100.0] * 2)))
    >>> simulate(Plant(model), law, Reference(PointToPoint([0.0, 0.0], [0.5, 0.5], 0.1))).q[-1].round(2)
    array([0.5, 0.5])
    """
    instance(plant, Plant, "plant to simulate", "Make one: Plant(model).")
    instance(reference, Reference, "reference to follow", "Wrap the motion: Reference(motion).")
    if measurement is not None:
        instance(measurement, Measurement, "measurement of a controller")
    if reference.n != plant.n:
        raise ShapeError(sentence("reference", f"{reference.n} joints", f"{plant.n}, those of robot {plant.model.robot.name!r}"))
    _units_agree(plant, controller)
    length = positive(reference.duration if duration is None else duration, "duration of a simulation")
    if period is not None and positive(period, "period of a controller") > length * (1 + 1e-9):
        raise DataError(sentence("period of a controller", f"{period:g} s", f"at most the duration, {length:g} s"))
    if not callable(getattr(controller, "start", None)):
        raise UnsuitableSolverError(
            sentence("controller", found(controller), "a law, or anything with start(reference, period)", "ComputedTorque(model, outer) is one.")
        )
    first = reference.target([0.0])
    state = plant.state(first.q[0] if q0 is None else q0, dq0)
    push = _outside(disturbance, plant.n)
    if period is None:
        from .continuous import run_continuous

        if measurement is not None or delay:
            raise DataError(sentence("continuous control", "a measurement or a delay", "neither: both belong to samples", "Give a period."))
        return run_continuous(plant, controller, reference, state, length, push, 1e-3 if record is None else record, rtol)
    late = whole(delay, "delay of a controller", wanted="a whole number of samples")
    return _sampled(plant, controller.start(reference, period), reference, state, period, length, measurement, late, push, whole(seed, "seed"))


def _units_agree(plant: Plant, controller: Any) -> None:
    """A law that gives torques must not drive motors, which take volts, nor the other way round."""
    from .laws import Law, VoltageLaw
    from .predictive import Predictive

    if isinstance(controller, VoltageLaw) and not plant.actuators:
        raise DataError(sentence("plant under a voltage law", "no motors", "motors", "Give Plant(..., actuators=...)."))
    if isinstance(controller, (Law, Predictive)) and plant.actuators:
        raise DataError(
            sentence(f"plant under {type(controller).__name__}", "motors, which take volts", "a plant without motors", "Wrap the law in VoltageLaw.")
        )


def _outside(disturbance: Disturbance | None, n: int) -> Callable[[float], Array] | None:
    if disturbance is None:
        return None
    if not callable(disturbance):
        raise DataError(sentence("disturbance", found(disturbance), "a function of time", "Write lambda t: [...]."))

    def push(t: float) -> Array:
        w = numbers(disturbance(t), "disturbance")
        if w.shape not in ((), (n,)):
            raise ShapeError(sentence("disturbance", f"shape {w.shape}", f"({n},) joint torques"))
        if not np.isfinite(w).all():
            raise DataError(sentence(f"disturbance at t = {t:g} s", w.tolist(), "finite joint torques"))
        return np.broadcast_to(w, (n,))

    return push


def _sampled(
    plant: Plant,
    program: Program,
    reference: Reference,
    state: State,
    period: float,
    duration: float,
    measurement: Measurement | None,
    delay: int,
    push: Callable[[float], Array] | None,
    seed: int,
) -> Simulation:
    count = int(np.floor(duration / period + 1e-9)) + 1
    time: Array = np.arange(count, dtype=float) * period
    sense = None if measurement is None else measurement.start(period, seed, plant.n)
    waiting = [np.zeros(plant.n) if plant.actuators else np.asarray(plant.model.gravity_torque(plant.pi, state.q))] * delay
    states, inputs = np.zeros((count, 3, plant.n)), np.zeros((count, plant.n))
    torques, currents = np.zeros((count, plant.n)), np.zeros((count, plant.n))
    for k in range(count):
        q, dq = (state.q, state.dq) if sense is None else sense(state.q, state.dq)
        waiting.append(program.command(k, q, dq))
        u = waiting.pop(0)
        states[k], inputs[k] = state, u
        torques[k], currents[k] = plant.drive(state, u)
        if k + 1 < count:
            state = plant.advance(state, u, period, None if push is None else push(time[k]))
    robot = plant.model.robot
    wanted, target = reference.wanted(time), reference.target(time)
    return Simulation(time, states[:, 0], states[:, 1], wanted, target, inputs, torques, currents, robot, getattr(program, "unsolved", None))
