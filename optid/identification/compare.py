"""Several estimators on the same data, judged by data they have not seen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.errors import DataError, OptidError, require, sentence, unknown_name
from optid.kernels import JointFactors
from optid.kernels.blas import one_thread
from optid.model import DynamicModel
from optid.model.arguments import whole
from optid.problems.fit_errors import FitErrors
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters, accumulate
from optid.signals import Preprocessing, Samples
from optid.validation import validate

from .methods import Job, make_method
from .pipeline import base_of
from .prepare import checked_options, collect, prepare

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

DEFAULT_METHODS = ("ols", "wls", "essential", "damped", "physical")
JUDGES = ("cross", "validation", "training")


@dataclass(frozen=True, eq=False)
class Contestant:
    """One estimator's row.

    Attributes
    ----------
    label : str
    result : IdentificationResult or None
        Fit to all data; None when it failed.
    training : FitErrors or None
        On the data of the fit, filtered torque.
    cross : FitErrors or None
        On each fold by a fit to the others; None without folds.
    validation : FitErrors or None
        On the validation trials together, filtered torque; None without any.
    validation_raw : FitErrors or None
        The same against raw torque.
    n_effective : float
        Parameters that the data paid for.
    unphysical : tuple of str
        Links that cannot exist, as read out.
    seconds : float
        Of the fit to all data.
    error : str
        Why there is no result.
    """

    label: str
    result: IdentificationResult | None
    training: FitErrors | None = None
    cross: FitErrors | None = None
    validation: FitErrors | None = None
    validation_raw: FitErrors | None = None
    n_effective: float = float("nan")
    unphysical: tuple[str, ...] = ()
    seconds: float = float("nan")
    error: str = ""

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Comparison:
    """Estimators side by side.

    Attributes
    ----------
    rows : tuple of Contestant
    folds : int
        Parts of the cross-validation; 0: none.
    folds_are : str
        "trials", or "pieces" of the only trial, which share its motion: they hardly show over-fit to that motion.
    joint_names : n-tuple of str

    Examples
    --------
    >>> from optid.identification import compare
    >>> from optid.testing import example_model, example_samples
    >>> compare(example_model(), [example_samples()], methods=["ols", "wls"], folds=0)
    Comparison(ols, wls)
    """

    rows: tuple[Contestant, ...]
    folds: int
    folds_are: str
    joint_names: tuple[str, ...]

    def __getitem__(self, label: str) -> Contestant:
        for row in self.rows:
            if row.label == label:
                return row
        raise unknown_name("estimator", label, [row.label for row in self.rows])

    def best(self, by: str = "cross") -> Contestant:
        """The row with the least stacked error on "cross" folds, "validation" trials or the "training" data.

        Raises
        ------
        DataError
            When no row has that error.
        """
        if by not in JUDGES:
            raise unknown_name("judge", by, JUDGES)
        found = [(row, errors.stacked) for row in self.rows if (errors := getattr(row, by)) is not None]
        if not found:
            raise DataError(sentence(f"errors by {by}", "none", "some", "Give validation trials, or more than one fold."))
        return min(found, key=lambda pair: pair[1])[0]

    def summary(self) -> str:
        """One line per estimator."""
        columns = ("training", "cross", "validation", "raw", "mean raw")
        head = f"{'estimator':<18}" + "".join(f"{name:>11}" for name in columns) + f"{'parameters':>12}{'condition':>11}{'no bodies':>11}{'time':>9}"
        lines = [head]
        for row in self.rows:
            if row.result is None:
                lines.append(f"{row.label:<18} failed: {row.error}")
                continue
            shares = [row.training, row.cross, row.validation, row.validation_raw]
            told = "".join(f"{'-':>11}" if e is None else f"{e.stacked:>11.2%}" for e in shares)
            told += f"{'-':>11}" if row.validation_raw is None else f"{row.validation_raw.mean_per_joint:>11.2%}"
            lines.append(f"{row.label:<18}{told}{row.n_effective:>12.1f}{row.result.condition_number:>11.3g}{len(row.unphysical):>11}{row.seconds:>7.2f} s")
        if self.folds:
            lines.append(
                f"cross: each of {self.folds} {self.folds_are} predicted by a fit to the others; errors are stacked, against torque filtered like the model"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"Comparison({', '.join(row.label for row in self.rows)})"

    def _repr_html_(self) -> str:
        from optid.notebook import comparison_html

        return comparison_html(self)

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers, for JSON."""

        def plain(errors: FitErrors | None) -> Any:
            return None if errors is None else {"stacked": errors.stacked, "per_joint": errors.per_joint.tolist(), "mean_per_joint": errors.mean_per_joint}

        names = ("training", "cross", "validation", "validation_raw")
        rows = [
            {
                "label": row.label,
                **{name: plain(getattr(row, name)) for name in names},
                "n_effective": row.n_effective,
                "unphysical": list(row.unphysical),
                "seconds": row.seconds,
                "error": row.error,
            }
            for row in self.rows
        ]
        return {"folds": self.folds, "folds_are": self.folds_are, "joint_names": list(self.joint_names), "rows": rows}

    def plot(self) -> Figure:
        """Errors per joint of every estimator, on what it has not seen: validation trials, else folds, else the data of the fit."""
        figure = require("matplotlib.figure", "app").Figure(figsize=(9.0, 3.6), layout="constrained", dpi=110)
        axes = figure.subplots()
        what = next((name for name in ("validation", "cross", "training") if any(getattr(row, name) is not None for row in self.rows)), "training")
        shown = [row for row in self.rows if getattr(row, what) is not None]
        width = 0.8 / max(len(shown), 1)
        places = np.arange(len(self.joint_names) + 1)
        for k, row in enumerate(shown):
            errors: FitErrors = getattr(row, what)
            axes.bar(places + (k - (len(shown) - 1) / 2) * width, 100 * np.append(errors.per_joint, errors.stacked), width, label=row.label)
        axes.set_xticks(places, [*self.joint_names, "stacked"])
        axes.set_ylabel("relative torque error [%]")
        axes.set_title({"validation": "other motion", "cross": "left-out folds", "training": "data of the fit"}[what])
        axes.legend(ncols=min(len(shown), 4), frameon=False)
        return figure


@one_thread()
def compare(
    model: DynamicModel | BaseParameters,
    trials: Any,
    *,
    methods: Sequence[Any] | Mapping[str, Any] = DEFAULT_METHODS,
    validation: Any = None,
    folds: int = 5,
    known: Mapping[str, float] | Sequence[str] = (),
    prior: Any = None,
    preprocessing: Preprocessing | None = None,
    solver: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Run several estimators on the same data and judge them on data they have not seen.

    With several trials each is left out in turn; a single one is cut into ``folds`` consecutive pieces. An estimator that fails gets a row that says why.

    Parameters
    ----------
    model, trials, known, prior, preprocessing, solver, seed
        See :func:`optid.identify`.
    methods : names, method objects, or mapping label → name, object or (name, mapping of options)
    validation : trials, optional
        Another motion: what decides.
    folds : int
        Pieces of a single trial; fewer than 2: no cross-validation.
    progress : callable, optional
        Called with (estimators done, estimators in all).

    Raises
    ------
    DataError, UnknownNameError

    Examples
    --------
    >>> from optid.identification import compare
    >>> from optid.testing import example_model, example_samples
    >>> bool(compare(example_model(), [example_samples()], methods=["ols", "wls"], folds=3).best().cross.stacked < 1e-9)
    True
    """
    whole(folds, "folds", 0, "a whole number, 0 or more")
    chosen = _labelled(methods)
    base, values = base_of(model, known, seed)
    options = checked_options(preprocessing)
    items = collect(trials, "identification")
    if not items:
        raise DataError(sentence("trials", "none", "at least one"))
    samples = [prepare(item, base.model.robot, options) for item in items]
    pieces, kind = (samples, "trials") if len(samples) > 1 else (_cut(samples[0], folds), "pieces")
    vector = base.known_vector(values)
    parts = [accumulate(base, piece, vector) for piece in pieces]
    tests = [] if validation is None else collect(validation, "validation")
    raw_options = None if all(isinstance(item, Samples) for item in items) else options

    def job(which: Sequence[int], given: list[Samples], factors: list[JointFactors]) -> Job:
        def again() -> Iterator[Samples]:
            return iter([given[k] for k in which])

        names = tuple(given[k].name for k in which)
        context = {"preprocessing": raw_options, "trials": names, "notes": ()}
        share = float(np.mean([given[k].independent_share for k in which]))
        return Job(base, tuple(factors[k] for k in which), values, context, prior, solver, seed, again, share)

    together = job(range(len(samples)), samples, parts if kind == "trials" else [JointFactors.merge(parts)])
    several = range(len(pieces)) if len(pieces) > 1 else ()
    rest = [job([i for i in several if i != k], pieces, parts) for k in several]
    rows = []
    for done, (label, method) in enumerate(chosen.items(), 1):
        rows.append(_contestant(label, method, together, rest, parts, tests))
        if progress is not None:
            progress(done, len(chosen))
    return Comparison(tuple(rows), len(rest), kind, base.model.robot.joint_names)


def _labelled(methods: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any]:
    """Method objects by label."""
    if isinstance(methods, Mapping):
        given = dict(methods)
    else:
        if isinstance(methods, str) or not isinstance(methods, Iterable):
            raise DataError(sentence("methods to compare", repr(methods), 'a list, such as ["wls", "physical"], or a mapping label → method'))
        given = {}
        for entry in methods:
            if not isinstance(entry, str | tuple) and not hasattr(entry, "name"):
                entry = make_method(entry, {})
            name = entry if isinstance(entry, str) else entry[0] if isinstance(entry, tuple) else entry.name
            label, count = name, 1
            while label in given:
                count += 1
                label = f"{name} {count}"
            given[label] = entry
    if not given:
        raise DataError(sentence("methods to compare", "none", "at least one"))
    return {label: make_method(*(entry if isinstance(entry, tuple) else (entry, {}))) for label, entry in given.items()}


def _cut(samples: Samples, folds: int) -> list[Samples]:
    """Consecutive pieces of about equal length; the whole where it may not be cut."""
    if folds < 2 or samples.harmonics is not None or samples.n_samples < 2 * folds:
        return [samples]
    edges = np.linspace(0, samples.n_samples, folds + 1).astype(int)
    arrays = [name for name in ("time", "q", "dq", "ddq", "tau", "tau_raw", "use", "segment", "resting", "tau_band") if getattr(samples, name) is not None]
    return [replace(samples, **{name: getattr(samples, name)[a:b] for name in arrays}) for a, b in pairwise(edges.tolist())]


def _contestant(label: str, method: Any, whole: Job, rest: list[Job], parts: list[JointFactors], tests: list[Any]) -> Contestant:
    begun = perf_counter()
    try:
        result: IdentificationResult = method.fit(whole)
        seconds = perf_counter() - begun
        cross = None
        if rest:
            fits = [method.fit(job) for job in rest]
            squares = np.sum([part.squares[:, 0] for part in parts], axis=0)
            misses = np.sum([part.residual_sum_of_squares(fit.minimum_norm) for part, fit in zip(parts, fits, strict=True)], axis=0)
            cross = FitErrors.of(misses, squares)
        filtered = raw = None
        if tests:
            scores = [validate(result, test) for test in tests]
            filtered, raw = (
                FitErrors.of(
                    np.sum([np.sum((getattr(s, what) - s.predicted) ** 2, axis=0) for s in scores], axis=0),
                    np.sum([np.sum(getattr(s, what) ** 2, axis=0) for s in scores], axis=0),
                )
                for what in ("tau", "tau_raw")
            )
        return Contestant(
            label,
            result,
            result.errors(),
            cross,
            filtered,
            raw,
            result.equations.n_effective,
            result.physical_report().unphysical,
            seconds,
        )
    except OptidError as error:
        return Contestant(label, None, error=str(error))
