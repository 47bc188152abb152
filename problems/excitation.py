"""Excitation design: the motion from which the base parameters can be estimated best, within the limits of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.brief import brief
from optid.errors import DataError, LimitsError, ShapeError, sentence, unknown_name
from optid.excitation.criteria import Criterion, criterion
from optid.excitation.earlier import earlier_information
from optid.excitation.families import named_family
from optid.excitation.family import Family
from optid.excitation.information import Information, noise_vector
from optid.excitation.motion import Motion
from optid.excitation.path_rows import PathRows
from optid.excitation.paths import Path
from optid.excitation.regions import Region
from optid.excitation.rows import Rows
from optid.excitation.sampling import Sampling
from optid.excitation.starts import random_start
from optid.excitation.torque import carried_parameters, torque_model, torque_path
from optid.kernels import Kernel
from optid.regressor import BaseParameters
from optid.robot import Limits
from optid.trajectory.arrays import whole

from .excitation_checks import (
    check_limits,
    checked_kinds,
    friction_widths,
    initial_variables,
    jerk_limits,
    named_limits,
    nominal_parameters,
    period_range,
    smooth_base,
)
from .excitation_form import ExcitationNlp
from .excitation_result import ExcitationResult
from .excitation_stage import Stage

if TYPE_CHECKING:
    from optid.solvers import Solution

Array = NDArray[np.float64]


EVALUATIONS = 2000
"""Regressors that a design costs a sample: some hundred iterations, each with derivatives of several times the size."""


@dataclass(frozen=True, eq=False)
class Excitation:
    """Find the motion whose samples determine the base parameters best.

    Parameters
    ----------
    base : BaseParameters
        What is to be estimated.
    harmonics : int
        Of a Fourier trajectory (G21, eq. 30).
    period : float, or (n,) [s]
        One period for all joints, or one a joint.
    limits : Limits, optional
        Those of the robot when omitted. Position, velocity and acceleration hold at every instant of the result, not only at its samples.
    criterion : str
        "condition", "e", "d", "a" or "combined"; see :data:`optid.excitation.CRITERIA`.
    samples : int
        Equally spaced samples over the motion.
    sign_width : float or (n,), optional [rad/s, m/s]
        Width w of the friction sign tanh(v/w) in the design; the model's own when omitted (1/20 of the velocity limit when that is sharp).
    noise : float or (n,), optional [N m, N]
        Standard deviation of each joint's torque noise: rows of the regressor are divided by it.
    column_scaling : "none", "unit" or (r,)
        Scaling of the columns in the criterion: none, each to unit norm, or by given factors (a priori parameter sizes).
    jerk : float or (n,), optional [rad/s³, m/s³]
    rest : bool
        Start and end with zero velocity and acceleration.
    start : (n,), optional [rad, m]
        Posture at the start.
    information : (r, r), Trajectory, ExcitationResult, IdentificationResult, or a sequence of these, optional
        What earlier trajectories or recordings already told; the design adds to it (sequential design).
    trajectories : int
        Number of motions designed together, ``samples`` samples each.
    period_range : (shortest, longest), optional [s]
        Makes the (longest) period a variable; ``period`` then only fixes the ratios between joints.
    nominal : (p,), optional
        Standard parameters that predicted errors (and torques) refer to; the robot's own when omitted.
    torque : bool, optional
        Keep the drive torques of ``nominal`` within the torque limits, with gravity, inertia, rotors and friction; omitted: when any torque limit is finite.
        A proof comes with the result (:attr:`ExcitationResult.path_reports`).
    torque_uncertainty : float or (p,), optional
        Keep them for all parameters within these half widths (a float: share of each nominal magnitude) of the torque model's parameters.
    regions : sequence of KeepIn, KeepOut, SelfCollision
        Where points of the arm must stay, or stay away from (:mod:`optid.excitation.regions`), and capsules of the arm that must not touch one another
        (:mod:`optid.excitation.capsules`); proven like torques.
    initial : Trajectory or coefficients, optional
        Where the first start of the solver begins; otherwise every start is random and seeded. One for each of several trajectories.
    family : "fourier", "bspline", "point_to_point" or Family
        Motions to choose from, by name with as many coefficients a joint as the Fourier trajectory of ``harmonics`` has (2·harmonics + 1): coefficients, free
        points of a B-spline at rest at both ends, or way-points at each of which the robot stands still.
    compiled : bool, optional
        Compile the regressor and its derivatives with the C compiler of the machine: about ten seconds once for a robot with six joints (kept in the user's
        cache), then iterations take half the time. By default where that pays, by the size of the design. Without a compiler it has no effect.

    Raises
    ------
    LimitsError
        When the limits leave nothing to move in, or nothing bounds the motion; names joint and limit.

    Examples
    --------
    >>> import optid
    >>> from optid import BaseParameters, DynamicModel, Limits, library
    >>> from optid.problems import Excitation
    >>> base = BaseParameters.of(DynamicModel(library.planar_2r(), friction="none"))
    >>> limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    >>> plan = optid.solve(Excitation(base, harmonics=2, period=2.0, limits=limits, samples=40))
    >>> plan.proven, plan.condition_number < 10
    (True, True)
    """

    base: BaseParameters
    harmonics: int = 5
    period: Any = 10.0
    limits: Limits | None = None
    criterion: str | Criterion = "condition"
    samples: int = 100
    sign_width: ArrayLike | None = None
    noise: ArrayLike | None = None
    column_scaling: Any = "none"
    jerk: ArrayLike | None = None
    rest: bool = False
    start: ArrayLike | None = None
    information: Any = None
    trajectories: int = 1
    period_range: tuple[float, float] | None = None
    nominal: ArrayLike | None = None
    torque: bool | None = None
    torque_uncertainty: ArrayLike | None = None
    regions: Sequence[Region] = ()
    initial: Any = None
    family: Family | str = "fourier"
    compiled: bool | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_kinds(self)
        n = self.base.model.n
        limits = self.base.model.robot.limits if self.limits is None else self.limits
        if limits.n != n:
            raise LimitsError(sentence("limits of an excitation", f"{limits.n} joints", f"{n}, the joints of the model"))
        limits = named_limits(limits, self.base.model.robot.joint_names)
        check_limits(limits, self.start)
        put = object.__setattr__
        put(self, "limits", limits)
        put(self, "criterion", criterion(self.criterion))
        put(self, "noise", noise_vector(self.noise, n))
        put(self, "jerk", jerk_limits(self.jerk, limits))
        put(self, "base", smooth_base(self.base, limits, self.sign_width))
        period = np.asarray(self.period, dtype=float)
        if not np.isfinite(period).all() or not (period > 0).all() or period.size not in (1, n):
            raise DataError(sentence("period of an excitation", self.period, f"a number of seconds above 0, or {n}: one per joint"))
        known = 0 if self.information is None else self.base.rank
        if whole(self.samples, "samples of an excitation", 1) * n * self.trajectories + known < self.base.rank:
            least = -(-self.base.rank // (n * self.trajectories))
            raise DataError(sentence("samples of an excitation", self.samples, f"at least {least}, for {self.base.rank} parameters of {n} joints"))
        period_range(self.period_range, period)
        put(self, "nominal", nominal_parameters(self.nominal, self.base))
        put(self, "information", earlier_information(self.information, self.base, self.noise, self.samples))  # type: ignore[arg-type]
        _ = self.paths
        _ = self.motion.free  # refuses too few coefficients for the end conditions
        _ = self._given
        if isinstance(self.column_scaling, str) and self.column_scaling not in ("none", "unit"):
            raise unknown_name("column_scaling", self.column_scaling, ("none", "unit"))
        if not isinstance(self.column_scaling, str) and np.shape(self.column_scaling) != (self.base.rank,):
            raise ShapeError(sentence("column_scaling", f"shape {np.shape(self.column_scaling)}", f"'none', 'unit' or ({self.base.rank},) factors"))

    @cached_property
    def motion(self) -> Motion:
        """The motion to be designed (each of several)."""
        start = None if self.start is None else tuple(float(v) for v in np.asarray(self.start, dtype=float))
        period = np.asarray(self.period, dtype=float)
        family = named_family(self.family, self.limits.n, self.harmonics, period, self.limits.names)  # type: ignore[union-attr]
        return Motion(family, period_range(self.period_range, period), self.limits, self.jerk, self.rest, start)  # type: ignore[arg-type]

    @cached_property
    def backend(self) -> str:
        """Backend of all kernels of the design."""
        if self.compiled is None:
            return Kernel(self.base.function).prepared(EVALUATIONS * self.samples * self.trajectories).backend
        return "simd" if self.compiled else "interpreter"

    @cached_property
    def design(self) -> Information:
        """Information as a function of the variables."""
        sampling = Sampling(self.motion, self.motion.family.phases(self.samples))
        columns = self.column_scaling if isinstance(self.column_scaling, str) else tuple(float(c) for c in self.column_scaling)
        return Information(self.base, (sampling,) * self.trajectories, self.noise, self.information, columns, self.backend)  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    def form(self) -> ExcitationNlp:
        """The first nonlinear program of the sequence."""
        return ExcitationNlp.of(self.stage, self._first(), self.random_start)

    @cached_property
    def stage(self) -> Stage:
        """The first stage of the sequence."""
        rows = [Rows.grid(self.motion), *(PathRows.none(path, self.motion) for path in self.paths)]
        groups = tuple((k, each) for k in range(self.trajectories) for each in rows)
        return Stage(self.design, self.criterion, groups)  # type: ignore[arg-type]

    @cached_property
    def paths(self) -> tuple[Path, ...]:
        """Limits that are not linear in the coefficients."""
        limits: Any = self.limits
        robot = replace(self.base.model.robot, limits=limits)
        regions = tuple(replace(region.path(robot), backend=self.backend) for region in self.regions)
        wanted = bool(np.isfinite(limits.torque).any()) if self.torque is None else self.torque
        if not wanted and self.torque_uncertainty is not None:
            raise LimitsError(sentence("torque_uncertainty of an excitation", "no torque limits", "a finite torque limit that it could bring nearer"))
        if not wanted:
            return regions
        for name, torque in zip(limits.names, limits.torque, strict=True):
            if not torque > 0:
                raise LimitsError(sentence(f"torque limit of {name!r}", f"{torque:g}", "a number above 0", "Nothing can be moved."))
        if not np.isfinite(limits.torque).any():
            raise LimitsError(sentence("torque limits of an excitation", "none", "a finite limit of at least one joint"))
        source = self.base.model
        widths = friction_widths(source, limits, self.sign_width)
        model = torque_model(source, widths)
        path = torque_path(model, carried_parameters(np.asarray(self.nominal), source, model), limits, self.torque_uncertainty)
        return (replace(path, backend=self.backend), *regions)

    def random_start(self, rng: np.random.Generator) -> Array:
        """Variables of random motions inside the limits."""
        x = np.concatenate([random_start(self.motion, rng) for _ in range(self.trajectories)])
        return self.stage.inside(x) if self.paths else x

    @cached_property
    def _given(self) -> tuple[Array, ...]:
        """Variables of the given starts, one a motion; empty when there are none."""
        if self.initial is None:
            return ()
        given = [self.initial] if self.trajectories == 1 else list(self.initial)
        if len(given) != self.trajectories:
            raise ShapeError(sentence("initial trajectories", len(given), f"{self.trajectories}"))
        return tuple(initial_variables(self.motion, each) for each in given)

    def _first(self) -> Array | None:
        """The given start; one that carries no information is mixed with a random one, for the criterion has no slope there."""
        if not self._given:
            return None
        x = np.concatenate(self._given)
        if np.isinf(self.design.quality(x).condition_number):
            x = 0.5 * (x + self.random_start(np.random.default_rng(0)))
        return x

    def interpret(self, solution: Solution) -> ExcitationResult:
        """The designed motion with its figures and its proof."""
        return ExcitationResult(self, np.asarray(solution.x, dtype=float), solution)
