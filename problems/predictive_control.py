"""One step of model-predictive control: the accelerations of the next instants, under torque limits, posed as a nonlinear program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, ShapeError, sentence
from optid.model import DynamicModel
from optid.model.arguments import instance, positive, whole
from optid.model.arrays import numbers

from .forms import Nlp
from .nlp import Advice

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the controller means to do.

    Attributes
    ----------
    acceleration : (H, n) [rad/s²]
        Constant over each period.
    q, dq : (H, n) [rad, rad/s]
        Predicted at the ends of the periods.
    tau : (H, n) [N m]
        At their starts; the first one is applied.
    solution : Solution or None

    Examples
    --------
    >>> import optid
    >>> from optid import DynamicModel, library
    >>> from optid.problems import PredictiveControl, PredictiveModel
    >>> predictive = PredictiveModel(DynamicModel(library.planar_2r(), "none"), horizon=3)
    >>> plan = optid.solve(PredictiveControl(predictive, [0, 0], [0, 0], [[0, 0]] * 3, [[0, 0]] * 3, [[0, 0]] * 3))
    >>> plan.tau.shape
    (3, 2)
    """

    acceleration: Array
    q: Array
    dq: Array
    tau: Array
    solution: Solution | None = None

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class PredictiveModel:
    """Prediction and cost over a horizon, as CasADi expressions; what every step of a controller shares.

    The arm is predicted exactly: accelerations that are constant over a period make positions parabolas, and the torque they need is the model's inverse
    dynamics. So torque limits are the only nonlinear rows, and without them the problem is a convex quadratic one.

    Parameters
    ----------
    model : DynamicModel
    pi : (p,), optional
    period : float [s]
    horizon : int
        Periods H that are looked ahead.
    position, speed, effort : scalar or (n,)
        Weights of the squared errors of position and speed at the ends of the periods, and of the squared deviation of the acceleration from the wanted one,
        each as an acceleration: errors count as ``e / T²``, ``ė / T`` and ``a − a_d``, so that the weights are numbers without units.
    torque : scalar or (n,), optional [N m]
        Largest magnitudes; the robot's limits by default (infinite where it has none).

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.problems import PredictiveModel
    >>> PredictiveModel(DynamicModel(library.planar_2r(), "none"), horizon=5, period=0.002).horizon
    5
    """

    model: DynamicModel
    pi: Any = None
    period: float = 1e-3
    horizon: int = 10
    position: ArrayLike = 1.0
    speed: ArrayLike = 1.0
    effort: ArrayLike = 0.01
    torque: ArrayLike | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        instance(self.model, DynamicModel, "model of a predictive controller", "Make one: DynamicModel(robot).")
        n = self.model.n
        put = object.__setattr__
        put(self, "pi", self.model._pi(self.model.nominal_parameters() if self.pi is None else self.pi))
        positive(self.period, "period of a predictive controller")
        whole(self.horizon, "horizon of a predictive controller", 1, "a whole number of periods, 1 or more")
        limits = self.model.robot.limits.torque if self.torque is None else self.torque
        for what, value in (("position", self.position), ("speed", self.speed), ("effort", self.effort), ("torque", limits)):
            array = numbers(value, f"{what} of a predictive controller")
            if array.shape not in ((), (n,)) or np.isnan(array).any() or (array < 0).any():
                raise DataError(sentence(f"{what} of a predictive controller", array.tolist(), f"a number that is not negative, or {n} of them"))
            put(self, what, np.broadcast_to(array, (n,)))
        if not (np.asarray(self.effort) > 0).all():
            raise DataError(sentence("effort of a predictive controller", np.asarray(self.effort).tolist(), "positive weights: they make the answer unique"))

    @property
    def size(self) -> int:
        """Variables: accelerations over the horizon."""
        return self.horizon * self.model.n

    @cached_property
    def expressions(self) -> tuple[ca.SX, ca.SX, ca.SX, ca.SX]:
        """Accelerations a (H n,), parameters p, cost [(rad/s²)²], torques (H n,).

        p holds q, dq (n,) now, then the wanted q, dq (at the ends of the periods) and ddq (over them), (H n,) each, sample by sample.
        """
        n, H, T = self.model.n, self.horizon, self.period
        a = ca.SX.sym("a", H * n)
        p = ca.SX.sym("p", 2 * n + 3 * H * n)
        q, dq = p[:n], p[n : 2 * n]
        wanted = [ca.reshape(p[2 * n + k * H * n : 2 * n + (k + 1) * H * n], n, H) for k in range(3)]
        pi = ca.SX(ca.sparsify(ca.DM(self.pi)))
        torque = self.model.functions["torque"]
        weights = [ca.DM(np.asarray(w)) for w in (self.position, self.speed, self.effort)]
        cost, rows = ca.SX(0), []
        for k in range(H):
            step = a[k * n : (k + 1) * n]
            rows.append(torque(pi, q, dq, step))
            q = q + T * dq + T**2 / 2 * step
            dq = dq + T * step
            errors = ((wanted[0][:, k] - q) / T**2, (wanted[1][:, k] - dq) / T, wanted[2][:, k] - step)
            cost += sum(ca.dot(w, e**2) for w, e in zip(weights, errors, strict=True)) / 2
        return a, p, cost, ca.vertcat(*rows)

    @cached_property
    def function(self) -> ca.Function:
        """CasADi function (a, p) → (cost, torques)."""
        a, p, cost, tau = self.expressions
        return ca.Function("predictive", [a, p], [cost, tau], ["a", "p"], ["cost", "tau"])

    @property
    def limit(self) -> Array:
        """Largest torques (H n,) [N m]."""
        return np.tile(np.asarray(self.torque), self.horizon)

    def parameters(self, q: ArrayLike, dq: ArrayLike, wanted: tuple[Array, Array, Array]) -> Array:
        """The vector p of a state (n,) and a wanted motion of three arrays (H, n)."""
        n, H = self.model.n, self.horizon
        arrays = [np.asarray(x, dtype=float) for x in (q, dq, *wanted)]
        if [x.shape for x in arrays] != [(n,)] * 2 + [(H, n)] * 3:
            found = ", ".join(str(x.shape) for x in arrays)
            raise ShapeError(sentence("state and wanted motion of a predictive controller", found, f"({n},) twice and ({H}, {n}) three times"))
        return np.concatenate([x.ravel() for x in arrays])

    def plan(self, a: Array, p: Array, solution: Any = None) -> Plan:
        """What accelerations (H n,) mean."""
        n, H, T = self.model.n, self.horizon, self.period
        acceleration = np.asarray(a).reshape(H, n)
        dq = p[n : 2 * n] + T * np.cumsum(acceleration, axis=0)
        before = np.vstack([p[n : 2 * n], dq[:-1]])
        q = p[:n] + np.cumsum(T * before + T**2 / 2 * acceleration, axis=0)
        tau = np.asarray(self.function(a, p)[1]).reshape(H, n)
        return Plan(acceleration, q, dq, tau, solution)

    def start(self, p: Array) -> Array:
        """Accelerations (H n,) of the wanted motion: where a solver begins."""
        n, H = self.model.n, self.horizon
        return np.asarray(p[2 * n + 2 * H * n :])


@dataclass(frozen=True, eq=False)
class PredictiveControl:
    """One step: from a state and a wanted motion to a :class:`Plan`. Any solver of nonlinear programs takes it.

    Parameters
    ----------
    predictive : PredictiveModel
    q, dq : (n,)
        State now.
    wanted_q, wanted_dq, wanted_ddq : (H, n)
        Position and speed at the ends of the next H periods, acceleration over them.

    Examples
    --------
    >>> import numpy as np, optid
    >>> from optid.library import emps
    >>> axis = PredictiveModel(optid.DynamicModel(emps(), "viscous"), period=0.01, horizon=20, torque=50.0)
    >>> rest = np.zeros((20, 1))
    >>> plan = optid.solve(PredictiveControl(axis, [0.0], [0.0], rest + 0.1, rest, rest))
    >>> round(float(plan.tau[0, 0]), 6)
    50.0
    """

    predictive: PredictiveModel
    q: ArrayLike
    dq: ArrayLike
    wanted_q: ArrayLike
    wanted_dq: ArrayLike
    wanted_ddq: ArrayLike

    __repr__ = brief

    @cached_property
    def _p(self) -> Array:
        wanted = (np.asarray(self.wanted_q, dtype=float), np.asarray(self.wanted_dq, dtype=float), np.asarray(self.wanted_ddq, dtype=float))
        return self.predictive.parameters(self.q, self.dq, wanted)

    def form(self) -> Nlp:
        """The nonlinear program in the accelerations; torque limits that are infinite have no row."""
        predictive, p = self.predictive, self._p
        a = ca.SX.sym("a", predictive.size)
        cost, tau = predictive.function(a, p)
        limit = predictive.limit
        bound = np.flatnonzero(np.isfinite(limit))
        start = predictive.start(p)
        apart = np.abs(np.asarray(self.wanted_q) - np.asarray(self.q)).max()
        scale = max(float(np.abs(start).max(initial=0.0)), float(apart) / predictive.period**2, 1e-9)
        # costs of order one: what a solver calls a small gradient is one
        rows = tau[bound.tolist()] / ca.DM(limit[bound]) if len(bound) else None
        ones = np.ones(len(bound))
        names = [f"{name}, period {k + 1}" for k in range(predictive.horizon) for name in predictive.model.robot.joint_names]
        return Nlp(
            a,
            cost / scale**2,
            g=rows,
            lbg=-ones if len(bound) else None,
            ubg=ones if len(bound) else None,
            x0=start,
            names=names,
            scales=np.full(predictive.size, scale),
            constraint_names=[f"torque of {names[k]}" for k in bound] if len(bound) else None,
            advice=Advice(tolerance=1e-11),
        )

    def interpret(self, solution: Solution) -> Plan:
        """The plan."""
        return self.predictive.plan(solution.x, self._p, solution)
