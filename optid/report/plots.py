"""Plots of a fit and of a validation. Each returns a matplotlib ``Figure`` that belongs to no window: ``figure.savefig(path)`` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import ShapeError, sentence

from .chart import BAND, GUIDE, MEASURED, PREDICTED
from .still import draw, draw_panel, finish, new_figure, shortened
from .torque_charts import residual_chart, spectrum_chart, torque_chart, whiteness_chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from optid.problems import IdentificationResult
    from optid.robot import Robot
    from optid.validation import ValidationResult

Array = NDArray[np.float64]


def plot_torque(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Measured and predicted torque of every joint, with the 95 % band of one measurement where cycles gave it.

    Parameters
    ----------
    robot : Robot, optional
        For the units; N m without it.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import plot_torque
    >>> from optid.testing import example_fit, example_samples
    >>> len(plot_torque(validate(example_fit(), example_samples())).axes)
    2
    """
    return draw(torque_chart(validation, robot), title, 1.9)


def plot_comparison(validations: Sequence[ValidationResult], labels: Sequence[str], robot: Robot | None = None, title: str | None = None) -> Figure:
    """Torque of every joint, one column for each validation of the same robot (other options, other models), with a common scale.

    Parameters
    ----------
    labels : one for each validation

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import plot_comparison
    >>> from optid.testing import example_fit, example_samples
    >>> score = validate(example_fit(), example_samples())
    >>> len(plot_comparison([score, score], ["a", "b"]).axes)  # two joints, two columns
    4
    """
    n = {len(v.joints) for v in validations}
    if len(n) != 1 or len(labels) != len(validations):
        raise ShapeError(sentence("validations to compare", f"{len(validations)} of {sorted(n)} joints, {len(labels)} labels", "equal numbers, one label each"))
    figure, axes = new_figure(n.pop(), 1.9, columns=len(validations), width=max(9.0, 5.5 * len(validations)), sharex="col", sharey="row")
    for k, (validation, label) in enumerate(zip(validations, labels, strict=True)):
        chart = torque_chart(validation, robot).thinned()
        for j, panel in enumerate(chart.panels):
            draw_panel(axes[j, k], panel, chart)
            if k:
                axes[j, k].set(ylabel="")
                axes[j, k].set_title("", loc="left")
        axes[0, k].annotate(label, (0.5, 1.22), xycoords="axes fraction", ha="center", fontsize=9, fontweight="bold", parse_math=False)
        axes[-1, k].set_xlabel("time [s]", fontsize=9)
    finish(figure, axes, title or f"Torque on {validations[0].trial!r}")
    return figure


def plot_residuals(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Measured minus predicted torque of every joint, beside the noise floor where it is known.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import plot_residuals
    >>> from optid.testing import example_fit, example_samples
    >>> len(plot_residuals(validate(example_fit(), example_samples())).axes)
    2
    """
    return draw(residual_chart(validation, robot), title, 1.6)


def plot_residual_spectrum(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Amplitude spectrum of the residual of every joint, against filtered and unfiltered torque.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import plot_residual_spectrum
    >>> from optid.testing import example_fit, example_samples
    >>> len(plot_residual_spectrum(validate(example_fit(), example_samples())).axes)
    2
    """
    return draw(spectrum_chart(validation, robot), title, 1.6)


def plot_whiteness(validation: ValidationResult, title: str | None = None) -> Figure:
    """Autocorrelation of the residual of every joint, with the bounds of white noise.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import plot_whiteness
    >>> from optid.testing import example_fit, example_samples
    >>> len(plot_whiteness(validate(example_fit(), example_samples())).axes)
    2
    """
    return draw(whiteness_chart(validation), title, 1.6)


def plot_parameters(fit: IdentificationResult, truth: ArrayLike | None = None, title: str | None = None) -> Figure:
    """Estimates with their 95 % intervals, and their relative standard deviations.

    Parameters
    ----------
    truth : (r,), optional
        True values, of a simulated robot: a third panel shows each error in standard deviations.

    Examples
    --------
    >>> from optid.report import plot_parameters
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> len(plot_parameters(fit, fit.beta).axes)
    3
    """
    r = fit.base.rank
    true = None if truth is None else np.asarray(truth, dtype=float)
    if true is not None and true.shape != (r,):
        raise ShapeError(sentence("truth", f"shape {true.shape}", f"({r},), one value a base parameter"))
    figure, axes = new_figure(1, 0.9 + 0.23 * r, columns=2 if true is None else 3, width=11.0, sharey=True)
    at = np.arange(r)
    value, sigma = np.where(fit.determinacy.determined, fit.beta, np.nan), fit.sigma
    ends = fit.interval()
    panel = axes[0, 0]
    panel.barh(at, value, color=BAND, height=0.6)
    panel.errorbar(value, at, xerr=np.abs(ends.T - value), fmt="none", ecolor=MEASURED, elinewidth=1.2, capsize=2.5)
    if true is not None:
        panel.plot(true, at, "x", color=PREDICTED, markersize=5, label="truth")
        panel.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    _symmetric_log(panel, value)
    panel.set_yticks(at, [shortened(formula) for formula in fit.formulas], fontsize=8, parse_math=False)
    panel.set_ylim(r - 0.4, -0.6)
    panel.set_xlabel("estimate and 95 % interval (symmetric log scale)", fontsize=8)
    for k in np.flatnonzero(~fit.determinacy.determined):
        panel.annotate("undetermined", (0, k), fontsize=8, va="center", color=PREDICTED)
    panel = axes[0, 1]
    relative = np.where(np.isfinite(fit.relative_sigma), 100 * fit.relative_sigma, np.nan)
    panel.barh(at, relative, color=np.where(relative > 30, PREDICTED, BAND), height=0.6)
    panel.set_xscale("log")
    panel.axvline(30, color=GUIDE, linewidth=0.8, linestyle=":")
    panel.set_xlabel("relative standard deviation [%]; dotted: 30 %", fontsize=8)
    if true is not None:
        from optid.statistics import t_interval

        panel = axes[0, 2]
        half = float(t_interval(0.0, 1.0, fit.degrees_of_freedom)[1])
        panel.axvspan(-half, half, color=BAND, alpha=0.45, linewidth=0)
        panel.axvline(0, color=GUIDE, linewidth=0.6)
        known = sigma > 0
        panel.plot((value - true)[known] / sigma[known], at[known], "o", color=MEASURED, markersize=4)
        panel.set_xlabel("(estimate − truth) / σ; shaded: 95 % interval", fontsize=8)
    figure.suptitle(title or f"Base parameters of {fit.base.model.robot.name}", fontsize=10, parse_math=False)
    return figure


def plot_singular_values(fit: IdentificationResult, title: str | None = None) -> Figure:
    """Singular values of the weighted regressor with columns of unit norm: what the data determine.

    Examples
    --------
    >>> from optid.report import plot_singular_values
    >>> from optid.testing import example_fit
    >>> len(plot_singular_values(example_fit()).axes)
    1
    """
    figure, axes = new_figure(1, 2.8)
    s = fit.determinacy.singular_values
    ax = axes[0, 0]
    at = np.arange(1, len(s) + 1)
    good = at <= fit.determinacy.rank
    ax.plot(at[good], s[good], "o-", color=MEASURED, markersize=4, linewidth=0.8, label="determined")
    if not good.all():
        ax.plot(at[~good], np.maximum(s[~good], 1e-17), "x", color=PREDICTED, label="left open")
    ax.set_yscale("log")
    largest, least = (float(x) if x > 0 else 1.0 for x in (np.max(s, initial=0.0), np.min(s[good], initial=np.inf)))
    ax.set_ylim(min(10 ** np.floor(np.log10(min(least, largest))), largest / 100) * 0.9, largest * 1.5)
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_xlabel("number", fontsize=8)
    ax.set_ylabel("singular value", fontsize=9)
    ax.legend(fontsize=8, frameon=False)
    condition = f"condition {fit.condition_number:.4g} as it is, {fit.determinacy.scaled_condition_number:.4g} with columns of unit norm"
    figure.suptitle(title or f"Singular values: rank {fit.determinacy.rank} of {fit.base.rank}, {condition}", fontsize=10)
    return figure


def _symmetric_log(panel: Axes, values: Array) -> None:
    """A logarithmic scale on both sides of zero, with a tick at zero and at a few decades."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    low, high = (float(np.log10(x)) for x in (sizes.min(), sizes.max())) if len(sizes) else (0.0, 0.0)
    low = max(low, high - 6)
    panel.set_xscale("symlog", linthresh=10**low)
    marks = [m * 10.0**d for d in range(int(np.floor(low)), int(np.floor(high)) + 1) for m in (1, 3) if low <= np.log10(m) + d <= high + 0.1]
    marks = marks[::-1][:: 1 + len(marks) // 4]
    ticks = [*(-m for m in marks if (values < 0).any()), 0.0, *(m for m in marks if (values > 0).any())]
    panel.set_xticks(ticks, [f"{x:g}" for x in ticks])
    panel.minorticks_off()
