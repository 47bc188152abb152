"""The whole way on the simulated IRB140: recordings, cycles, two pairs of cut-offs, estimates beside the truth, prediction of another motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .irb140 import CUTOFFS, KNOWN, inverted_u, irb140_experiment, irb140_model

if TYPE_CHECKING:
    from optid.experiment import Experiment
    from optid.problems import IdentificationResult
    from optid.regressor import BaseParameters
    from optid.signals import Preprocessing, Samples
    from optid.validation import ValidationResult

Array = NDArray[np.float64]
STEP = 0.010
"""Time between resampled samples [s], the source's."""


@dataclass(frozen=True, eq=False)
class Chapter:
    """What one pair of cut-offs gives.

    Attributes
    ----------
    position_cutoff, torque_cutoff : float [Hz]
    fit : IdentificationResult
    training, validation : ValidationResult
        Prediction of the excitation that was fitted, and of the inverted U.
    inside : (r,) bool
        Whether the truth lies in the 95 % interval.
    true_error : float
        Root mean square over joints and time of predicted minus **true** torque on the inverted U's true motion [N m]: what only a simulation knows.
    """

    position_cutoff: float
    torque_cutoff: float
    fit: IdentificationResult
    training: ValidationResult
    validation: ValidationResult
    inside: NDArray[np.bool_]
    true_error: float

    @property
    def label(self) -> str:
        """``2.4 / 4.8 Hz``."""
        return f"{self.position_cutoff:g} / {self.torque_cutoff:g} Hz"


@dataclass(frozen=True, eq=False)
class Story:
    """The experiment and its chapters, one for each pair of cut-offs; the first is the source's first choice."""

    experiment: Experiment
    base: BaseParameters
    truth: Array
    period: float
    chapters: tuple[Chapter, ...]


def preprocessing(position_cutoff: float, torque_cutoff: float) -> Preprocessing:
    """The source's treatment: resampled to 10 ms, true period, outer cycles dropped, mean cycle limited in frequency; every sample is used."""
    from optid.signals import PeriodicOptions, Preprocessing

    periodic = PeriodicOptions(position_cutoff=position_cutoff, torque_cutoff=torque_cutoff)
    return Preprocessing(clock="stamps", rate=1 / STEP, min_speed=0.0, periodic=periodic)


def irb140_base() -> BaseParameters:
    """The 18 base parameters, masses, rotor inertias and viscous friction known."""
    from optid.regressor import BaseParameters

    return BaseParameters.of(irb140_model(), known=KNOWN)


def fit_cycle(base: BaseParameters, samples: Samples, options: Preprocessing) -> IdentificationResult:
    """Weighted least squares on a mean cycle, every joint weighted by the variance of its torque **over the cycles**.

    That variance is independent of the fit. Weights from the residuals of 25 equations a joint would make the intervals too narrow.
    """
    from optid.problems.identification import Identification
    from optid.regressor import accumulate
    from optid.solvers import solve

    assert samples.noise_floor is not None
    values = base.known_parameters()
    known = {name: float(values[base.model.index(name)]) for name in base.known}
    context: dict[str, Any] = {"preprocessing": options, "trials": (samples.name,), "notes": tuple(f"{samples.name}: {note}" for note in samples.notes)}
    problem = Identification(base, accumulate(base, samples, values), 1 / samples.noise_floor**2, known, "wls", context)
    result: IdentificationResult = solve(problem, solver="lstsq")
    return result


def irb140_story(seed: int = 0, progress: Callable[[int, int], None] | None = None) -> Story:
    """Simulate, identify and validate; the same seed gives the same bits.

    Parameters
    ----------
    progress : callable, optional
        Called with (steps done, steps in all).
    """
    from optid.validation import validate

    total = 2 + len(CUTOFFS)

    def told(done: int) -> None:
        if progress is not None:
            progress(done, total)

    experiment = irb140_experiment(seed)
    told(1)
    base = irb140_base()
    truth = base.beta(base.model.nominal_parameters())
    told(2)
    chapters = []
    samples: Samples
    for k, (position, torque) in enumerate(CUTOFFS):
        options = preprocessing(position, torque)
        samples = options.apply(experiment["excitation"])
        fit = fit_cycle(base, samples, options)
        ends = fit.interval()
        inside = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        training, task = (validate(fit, experiment[name]) for name in ("excitation", "inverted U"))
        chapters.append(Chapter(position, torque, fit, training, task, inside, true_error(fit)))
        told(3 + k)
    return Story(experiment, base, truth, len(samples.time) / samples.rate, tuple(chapters))


def true_error(fit: IdentificationResult) -> float:
    """Root mean square of predicted minus true torque on the exact motion of one inverted U, there and back [N m]."""
    model = fit.base.model
    motion = inverted_u(model.robot, cycles=1)
    time = np.arange(0.0, motion.duration, STEP)
    states = [motion.derivative(time, order) for order in range(3)]
    return float(np.sqrt(np.mean((fit.predict(*states) - model.inverse_dynamics(model.nominal_parameters(), *states)) ** 2)))
