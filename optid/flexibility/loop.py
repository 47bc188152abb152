"""The closed loop of a robot with elastic joints, simulated for many Υ and many individuals at once.

Reference → flexible feedforward → diagonal feedback on the **motor** angles → robot. The loop is one CasADi expression, stepped by the classical Runge–Kutta
method at a fixed step for the whole batch; the reference is computed beforehand on the half-step grid. Explicit steps are right: the loop is stiff only through
the steep friction at standstill, and implicit solvers suffer from the sampled reference.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, RobotError, ShapeError, SolveError, sentence, unknown_name
from optid.kernels import Kernel
from optid.kernels.kernel import BACKENDS
from optid.model.arguments import instance, not_negative, real
from optid.model.flexible import FlexibleModel

from .feedforward import SIGNALS, Feedforward, Motion, checked
from .gains import Gains
from .loop_equations import LoopEquations
from .record import LoopRecord

Array = NDArray[np.float64]

STABLE = 2.5
"""Largest |eigenvalue|·step that the Runge–Kutta method of order 4 damps with certainty."""
STEPS = 20_000_000
"""Longest simulation."""
LONGEST = 12_000
"""Operations of one compiled call; more steps at once would keep the compiler busy for seconds."""


@dataclass(frozen=True, eq=False)
class FlexibleLoop:
    """A robot with elastic joints under control.

    Parameters
    ----------
    plant : FlexibleModel
        The robot. It may have joints without a motor (bending links, a soft stand).
    nominal : FlexibleModel, optional
        The controller's model, one joint for each of the plant's motors; the plant itself by default.
    gains : Gains, optional
    law : "frequency" or "stiffness"
        See :class:`~optid.flexibility.feedforward.Feedforward`.
    step : float [s]
    rate : float [Hz]
        Samples of the record.
    backend : str
        Of the :class:`~optid.kernels.Kernel`.

    Examples
    --------
    >>> from optid.flexibility import FlexibleLoop, set_a
    >>> FlexibleLoop(set_a(), backend="interpreter").gears.tolist()
    [150.0, 130.0]
    """

    plant: FlexibleModel
    nominal: FlexibleModel = None  # type: ignore[assignment]
    gains: Gains = None  # type: ignore[assignment]
    law: str = "frequency"
    step: float = 1e-4
    rate: float = 1000.0
    backend: str = "auto"
    feedforward: Feedforward = field(init=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        instance(self.plant, FlexibleModel, "plant of a flexible loop", "FlexibleModel.of(robot, stiffness) makes one.")
        put(self, "nominal", self.plant if self.nominal is None else self.nominal)
        put(self, "feedforward", Feedforward(self.nominal, self.law))
        put(self, "gains", Gains.of(self.nominal) if self.gains is None else self.gains)
        instance(self.gains, Gains, "gains of a flexible loop")
        if self.nominal.n != self.plant.m:
            raise RobotError(sentence("model of the controller", f"{self.nominal.n} axes", f"{self.plant.m}, the motors of the plant"))
        if not np.allclose(self.nominal.coupling, self.plant.coupling):
            raise RobotError(
                sentence("model of the controller", f"coupling {self.nominal.coupling.tolist()}", f"that of the plant's motors, {self.plant.coupling.tolist()}")
            )
        if any(len(k) != self.plant.m for k in (self.gains.kp, self.gains.kd, self.gains.ki)):
            raise ShapeError(sentence("gains", f"{[len(k) for k in (self.gains.kp, self.gains.kd, self.gains.ki)]} values", f"{self.plant.m} of each"))
        if not isinstance(self.backend, str) or self.backend not in BACKENDS:
            raise unknown_name("kernel backend", str(self.backend), BACKENDS)
        self.plant.require_inertia()
        for what in ("step", "rate"):
            put(self, what, real(getattr(self, what), f"{what} of a flexible loop"))
        if not (0 < self.step < np.inf and 0 < self.rate < np.inf) or self.every < 1 or abs(self.every * self.step * self.rate - 1) > 1e-9:
            raise DataError(sentence("step and rate of a simulation", f"{self.step:g} s, {self.rate:g} Hz", "a whole number of steps between samples"))

    def __getstate__(self) -> dict[str, Any]:
        """CasADi expressions do not pickle; they are built again on first use."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @property
    def n(self) -> int:
        """Number of controlled axes."""
        return self.plant.m

    @property
    def every(self) -> int:
        """Steps between samples of the record."""
        return round(1 / (self.step * self.rate))

    @property
    def gears(self) -> Array:
        """Gear ratios (n,); where motors are coupled, the matrix (n, n) of :attr:`~optid.model.flexible.FlexibleModel.gears`."""
        return self.plant.gears

    @cached_property
    def equations(self) -> LoopEquations:
        """What the loop obeys, as CasADi functions."""
        return LoopEquations(self.plant, self.feedforward, tuple(k > 0 for k in self.gains.ki))

    @cached_property
    def _chunk(self) -> int:
        """Steps in one call."""
        operations = 4 * self.equations.rates_beside.n_instructions()
        return max(k for k in range(1, self.every + 1) if self.every % k == 0 and (k == 1 or k * operations <= LONGEST))

    @cached_property
    def _advance(self) -> Kernel:
        return Kernel(self.equations.steps(self._chunk), self.backend)

    @cached_property
    def _outputs(self) -> Kernel:
        return Kernel(self.equations.outputs, self.backend)

    @cached_property
    def _standing(self) -> Kernel:
        return Kernel(self.equations.rest, "interpreter")

    @cached_property
    def _slopes(self) -> Kernel:
        return Kernel(self.equations.slopes, "interpreter")

    def simulate(
        self, motion: Motion, upsilon: ArrayLike = 100.0, tail: float = 0.5, plants: ArrayLike | None = None, reference_tool: bool = True
    ) -> LoopRecord:
        """Run the motion for every Υ, from rest at its start.

        Parameters
        ----------
        motion : Motion
            Reference of the n axes.
        upsilon : (B, n) or (n,) or a number [%]
        tail : float [s]
            Time after the end of the motion.
        plants : (P,) or (B, P), optional
            Parameters of the plant, one row for all or one for each Υ.
        reference_tool : bool
            Record the reference of the tool, too (it is that of the controller's model).

        Returns
        -------
        LoopRecord

        Raises
        ------
        DataError, ShapeError
            A Υ that is not positive; a motion of another number of axes, or one that is not at rest at its start; plants that do not fit.
        SolveError
            The step is too long for the loop, or the simulation left the finite numbers.
        """
        percent = self._percent(upsilon)
        checked(motion, self.n)
        count = int(np.ceil((motion.duration + not_negative(tail, "tail of a simulation", "a time, 0 or longer [s]")) * self.rate - 1e-9)) + 1
        if count * self.every > STEPS:
            raise SolveError(sentence("simulation of the flexible loop", f"{float(count * self.every):.3g} steps", f"at most {STEPS:.3g}", "Shorten it."))
        half = self.step / 2 * np.arange(2 * self.every * (count - 1) + 1)
        rows = self.feedforward.reference(motion, half)
        p = self._plants(plants)
        batch = max(len(percent), len(p) if p.ndim == 2 else 1)
        if len(percent) not in (1, batch) or (p.ndim == 2 and len(p) not in (1, batch)):
            raise ShapeError(sentence("plants of a simulation", f"{len(p)} rows beside {len(percent)} of Υ", "as many, or one"))
        p = np.ascontiguousarray(np.broadcast_to(p, (batch, p.shape[1]))) if p.ndim == 2 else p
        percent = np.ascontiguousarray(np.broadcast_to(percent, (batch, self.n)))
        shared = {"p": p, "c": self.nominal.parameters(), "gains": self.gains.vector}
        scale = self.feedforward.scale(percent)
        states = np.empty((count, batch, self.plant.size + 2 * self.n))
        states[0] = self.rest(rows[0], percent, p)
        self._check_step(states[0], scale, rows[0], shared)
        self._run(states, rows, scale, shared)
        if not np.all(np.isfinite(states[-1])):
            raise SolveError(sentence("simulation of the flexible loop", "numbers that are not finite", "finite ones", "The loop is unstable with this plant."))
        return self._record(motion, states, rows, percent, scale, shared, reference_tool)

    def _percent(self, upsilon: ArrayLike) -> Array:
        """Υ (B, n)."""
        percent = np.atleast_2d(numbers(upsilon, "Υ"))
        percent = np.repeat(percent, self.n, axis=1) if percent.shape == (1, 1) else percent
        if percent.ndim != 2 or percent.shape[1] != self.n or not len(percent) or not np.all((percent > 0) & np.isfinite(percent)):
            raise DataError(sentence("Υ", f"shape {percent.shape}, smallest {percent.min(initial=np.inf):g}", f"(B, {self.n}) percentages above 0"))
        return percent

    def _row(self, row: ArrayLike) -> Array:
        """A row of the reference (6n,)."""
        return finite(row, (SIGNALS * self.n,), "row of a reference")

    def _plants(self, plants: ArrayLike | None) -> Array:
        """Parameters (P,) or (B, P)."""
        if plants is None:
            return self.plant.parameters()
        rows = numbers(plants, "plants of a simulation")
        return finite(rows, (*[None] * (rows.ndim == 2), len(self.plant.parameter_names)), "plants of a simulation")

    def _run(self, states: Array, rows: Array, scale: Array, shared: dict[str, Array]) -> None:
        """Fill the states (N, B, ·) from the first."""
        chunk, z = self._chunk, np.ascontiguousarray(states[0])
        advance = self._advance.prepared(len(states) * self.every // chunk * len(z))
        flat, width = rows.reshape(-1), rows.shape[1]
        h, k = np.array([self.step]), 0
        out = np.empty((len(z), z.shape[1], 1))
        for sample in range(1, len(states)):
            for _ in range(self.every // chunk):
                z = advance(z, scale, rows=flat[k * width : (k + 2 * chunk + 1) * width], h=h, out=out, **shared)[:, :, 0].copy()
                k += 2 * chunk
            states[sample] = z

    def rest(self, row: ArrayLike, upsilon: ArrayLike, plants: ArrayLike | None = None) -> Array:
        """States (B, ·) of the loop standing still under a reference row: the motors yield to what the feedforward does not balance."""
        percent, p = self._percent(upsilon), self._plants(plants)
        row, n, size = self._row(row), self.n, self.plant.size
        delta = self.feedforward.rest(row, percent)
        z = np.zeros((len(percent), size + 2 * n))
        z[:, self.plant.driven] = row[:n]
        z[:, self.plant.n : self.plant.n + n] = row[:n] - delta
        z[:, size : size + n] = delta
        unknown = self.equations.unknown_at_rest
        for _ in range(50):
            system = self._standing(z, self.feedforward.scale(percent), row=row, p=p, c=self.nominal.parameters(), gains=self.gains.vector)
            try:
                move = np.linalg.solve(system[:, :, 1:], system[:, :, :1])[:, :, 0]
            except np.linalg.LinAlgError as error:
                hint = "Is kp zero, or a spring without stiffness?"
                raise SolveError(sentence("posture at rest of the flexible loop", "not determined", "a loop that holds the arm", hint)) from error
            z[:, unknown] -= move
            if np.max(np.abs(move[:, : self.plant.n + n])) < 1e-13:
                return z
        raise SolveError(sentence("posture at rest of the flexible loop", "no solution", "one", "Is gravity too strong for the springs?"))

    def poles(self, row: ArrayLike, upsilon: ArrayLike = 100.0) -> NDArray[np.complex128]:
        """Eigenvalues [1/s] of the loop linearised at rest under a reference row (6n,)."""
        percent = self._percent(upsilon)[:1]
        z = self.rest(row, percent)
        return np.asarray(np.linalg.eigvals(self._matrix(z, self.feedforward.scale(percent), self._row(row), self.plant.parameters())), dtype=complex)

    def _matrix(self, z: Array, scale: Array, row: Array, p: Array) -> Array:
        one = p[0] if p.ndim == 2 else p
        return self._slopes(z[:1], scale[:1], row=row, p=one, c=self.nominal.parameters(), gains=self.gains.vector)[0]

    def _check_step(self, z: Array, scale: Array, row: Array, shared: dict[str, Array]) -> None:
        fastest = float(np.max(np.abs(np.linalg.eigvals(self._matrix(z, scale, row, shared["p"])))))
        if fastest * self.step > STABLE:
            wanted = f"at most {STABLE / fastest:.2g} s: the fastest eigenvalue at rest is {fastest:.3g} 1/s"
            raise SolveError(sentence("step of the flexible simulation", f"{self.step:g} s", wanted))

    def _record(self, motion: Motion, states: Array, rows: Array, percent: Array, scale: Array, shared: dict[str, Array], reference_tool: bool) -> LoopRecord:
        count, batch, _ = states.shape
        n = self.n
        stamps = rows[:: 2 * self.every]
        columns = np.empty((batch, count, 5 * n + 3 + self.plant.n))
        for b in range(batch):
            own = {**shared, "p": shared["p"][b] if shared["p"].ndim == 2 else shared["p"]}
            columns[b] = self._outputs(np.ascontiguousarray(states[:, b]), row=stamps, scale=scale[b], **own)[:, :, 0]
        u, ahead, theta, theta_ref, dtheta, tool, q = np.split(columns, np.cumsum([n] * 5 + [3]), axis=2)
        time = np.arange(count) / self.rate
        wanted = Kernel(self.nominal.functions["tool"])(stamps[:, :n])[:, :, 0] if reference_tool else None
        return LoopRecord(time, percent, u, ahead, theta, theta_ref, dtheta, q, tool, wanted, motion.duration, self.gears)

    def with_law(self, law: str) -> FlexibleLoop:
        """The same loop with another meaning of Υ."""
        return replace(self, law=law)
