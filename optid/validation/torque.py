"""How well a fitted model predicts torque on other data, beside what a constant and the noise floor give."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence
from optid.kernels.blas import one_thread
from optid.problems.fit_errors import FitErrors
from optid.problems.identification_result import IdentificationResult
from optid.signals import Preprocessing, Samples

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = NDArray[np.float64]


@dataclass(frozen=True)
class JointScore:
    """One joint's errors, over all samples of the trial: standstill counts too.

    Attributes
    ----------
    name : str
    rms : float [N m or N]
        Root mean square of the prediction error against torque filtered like the model.
    largest : float [N m or N]
    relative, relative_raw : float
        ‖τ − τ̂‖ / ‖τ‖ against filtered and against raw torque.
    r_squared : float
        1 − ‖τ − τ̂‖² / ‖τ − mean τ‖²: against the best constant.
    constant : float [N m or N]
        RMS error of that constant: what a joint that hardly moves is worth.
    noise_floor : float or None [N m or N]
        Standard deviation of one measurement over repeated cycles; a mean of cycles is quieter.
    moving : float
        ``relative`` over the samples in which the joint moves (NaN when it never does).
    moving_share : float
        Their share of all samples.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.testing import example_fit, example_samples
    >>> score = validate(example_fit(), example_samples()).joints[0]
    >>> score.name, float(score.r_squared)
    ('joint1', 1.0)
    """

    name: str
    rms: float
    largest: float
    relative: float
    relative_raw: float
    r_squared: float
    constant: float
    noise_floor: float | None
    moving: float
    moving_share: float


@dataclass(frozen=True, eq=False)
class ValidationResult:
    """Prediction of one trial.

    Attributes
    ----------
    joints : tuple of JointScore
    errors, errors_raw : FitErrors
        Stacked, per joint and mean per joint; against torque filtered like the model, and raw torque.
    time : (N,) [s]
    tau, tau_raw, predicted : (N, n) [N m or N]
    moving : (N, n) bool
        Samples in which the joint moves.
    tau_band : (N, n) or None
        Half width of the 95 % band of one measurement, where there are cycles.
    trial : str
    notes : tuple of str
    states : three (N, n), or None
        Position, velocity and acceleration behind the prediction.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.testing import example_fit, example_samples
    >>> samples = example_samples()
    >>> result = validate(example_fit(), samples)
    >>> result
    ValidationResult('samples', stacked 0.00%, mean per joint 0.00%)
    >>> bool(result.errors.stacked < 1e-9)
    True
    """

    joints: tuple[JointScore, ...]
    errors: FitErrors
    errors_raw: FitErrors
    time: Array
    tau: Array
    tau_raw: Array
    predicted: Array
    moving: NDArray[np.bool_]
    trial: str
    rate: float
    tau_band: Array | None = None
    notes: tuple[str, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    states: tuple[Array, Array, Array] | None = field(default=None, repr=False)

    @property
    def residual(self) -> Array:
        """Filtered torque minus prediction (N, n)."""
        return self.tau - self.predicted

    def summary(self) -> str:
        """A readable table, one line a joint."""
        head = f"{'joint':<16} {'RMS':>10} {'largest':>10} {'relative':>9} {'raw':>9} {'R2':>8} {'constant':>10} {'noise':>10} {'moving':>9}"
        lines = [f"validation on {self.trial!r}", head]
        for j in self.joints:
            noise = f"{j.noise_floor:>10.4g}" if j.noise_floor is not None else f"{'-':>10}"
            errors = f"{j.relative:>9.2%} {j.relative_raw:>9.2%} {j.r_squared:>8.4f}"
            lines.append(f"{j.name:<16} {j.rms:>10.4g} {j.largest:>10.4g} {errors} {j.constant:>10.4g} {noise} {j.moving:>9.2%}")
        lines.append(f"stacked {self.errors.stacked:.2%}, mean per joint {self.errors.mean_per_joint:.2%} against filtered torque")
        lines.append(f"stacked {self.errors_raw.stacked:.2%}, mean per joint {self.errors_raw.mean_per_joint:.2%} against raw torque")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Scores as plain numbers, for JSON."""
        from dataclasses import asdict

        def shown(errors: FitErrors) -> dict[str, Any]:
            return {"stacked": errors.stacked, "per_joint": errors.per_joint.tolist(), "mean_per_joint": errors.mean_per_joint}

        return {
            "trial": self.trial,
            "joints": [asdict(j) for j in self.joints],
            "filtered": shown(self.errors),
            "raw": shown(self.errors_raw),
            "notes": list(self.notes),
            "counts": dict(self.counts),
        }

    def _repr_html_(self) -> str:
        from optid.notebook import validation_html

        return validation_html(self)

    def __repr__(self) -> str:
        return f"ValidationResult({self.trial!r}, stacked {self.errors.stacked:.2%}, mean per joint {self.errors.mean_per_joint:.2%})"


def score(samples: Samples, predicted: Array, names: Sequence[str] = ()) -> ValidationResult:
    """Compare a prediction (N, n) with the torque of samples.

    Examples
    --------
    >>> from optid.validation import score
    >>> from optid.testing import example_samples
    >>> samples = example_samples()
    >>> score(samples, 0.9 * samples.tau).errors.per_joint.round(12)
    array([0.1, 0.1])
    """
    labels = tuple(names) or samples.joint_names or tuple(f"joint {j + 1}" for j in range(samples.n))
    squares = np.zeros((4, samples.n))  # residual, residual raw, torque, torque raw
    joints = []
    count = max(samples.n_samples, 1)
    for j in range(samples.n):
        tau, raw, hat, moves = samples.tau[:, j], samples.tau_raw[:, j], predicted[:, j], samples.use[:, j]
        squares[:, j] = [np.sum((tau - hat) ** 2), np.sum((raw - hat) ** 2), np.sum(tau**2), np.sum(raw**2)]
        about_mean = float(np.sum((tau - tau.mean()) ** 2)) if len(tau) else 0.0
        joints.append(
            JointScore(
                labels[j],
                float(np.sqrt(squares[0, j] / count)),
                float(np.abs(tau - hat).max(initial=0.0)),
                _ratio(squares[0, j], squares[2, j]),
                _ratio(squares[1, j], squares[3, j]),
                1 - squares[0, j] / about_mean if about_mean > 0 else float("nan"),
                float(np.sqrt(about_mean / count)),
                None if samples.noise_floor is None else float(samples.noise_floor[j]),
                _ratio(float(np.sum((tau - hat)[moves] ** 2)), float(np.sum(tau[moves] ** 2))),
                float(moves.sum()) / count,
            )
        )
    return ValidationResult(
        tuple(joints),
        FitErrors.of(squares[0], squares[2]),
        FitErrors.of(squares[1], squares[3]),
        samples.time,
        samples.tau,
        samples.tau_raw,
        predicted,
        samples.use,
        samples.name,
        samples.rate,
        samples.tau_band,
        samples.notes,
        dict(samples.counts),
        (samples.q, samples.dq, samples.ddq),
    )


def _decimated(samples: Samples) -> Samples:
    """The samples decimated as they ask to be."""
    instants = np.concatenate([samples.time[part][:: samples.decimation] for part in samples.parts()])
    q, dq, ddq, tau, raw = (samples.decimated(x) for x in (samples.q, samples.dq, samples.ddq, samples.tau, samples.tau_raw))
    segment = np.concatenate([samples.segment[part][:: samples.decimation] for part in samples.parts()])
    rate = samples.rate / samples.decimation
    use = samples.decimated_use()
    return replace(samples, time=instants, q=q, dq=dq, ddq=ddq, tau=tau, tau_raw=raw, use=use, rate=rate, resting=None, segment=segment, decimation=1)


def _ratio(part: float, whole: float) -> float:
    return float(np.sqrt(part / whole)) if whole > 0 else float("nan")


@one_thread()
def validate(fit: IdentificationResult, trial: Any, *, preprocessing: Preprocessing | None = None) -> ValidationResult:
    """Predict the torque of a trial and compare.

    Parameters
    ----------
    fit : IdentificationResult
    trial : Trial, Samples, Experiment or path of an experiment file
        Of a file the one trial with role "validation".
    preprocessing : Preprocessing, optional
        Default: that of the fit.

    Raises
    ------
    DataError
        When a file holds several validation trials; pick one.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.testing import example_fit, example_samples
    >>> bool(validate(example_fit(), example_samples()).errors.stacked < 1e-9)
    True
    """
    from optid.identification.prepare import collect, prepare

    if not hasattr(fit, "predict_samples"):
        raise DataError(
            sentence("fit", type(fit).__name__, "the result of optid.identify, or of optid.load_result", "A model has no estimates yet: identify it.")
        )
    items = collect(trial, "validation")
    if len(items) != 1:
        raise DataError(sentence("validate", f"{len(items)} trials ({', '.join(i.name for i in items)})", "one", "Call it for each of them."))
    options = preprocessing or fit.preprocessing or Preprocessing()
    samples = prepare(items[0], fit.base.model.robot, options)
    predicted = fit.predict_samples(samples)
    if samples.decimation > 1:
        predicted = samples.decimated(predicted)
        samples = _decimated(samples)
    elif samples.band_limited:
        predicted = samples.in_band(predicted)
    return score(samples, predicted, fit.base.model.robot.joint_names)
