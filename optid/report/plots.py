"""Plots of a fit and of a validation. Each returns a matplotlib ``Figure`` that belongs to no window: ``figure.savefig(path)`` writes it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, ShapeError, require, sentence

from .spectrum import residual_spectrum
from .units import percent, torque_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from optid.problems import IdentificationResult
    from optid.robot import Robot
    from optid.validation import ValidationResult

Array = NDArray[np.float64]

MEASURED, PREDICTED, RAW, BAND = "#1b2838", "#d1495b", "#8d96a3", "#9ec1e6"
GUIDE = "#6b7280"
SPECTRUM_DEPTH = 1e-4
"""A spectrum is drawn down to this part of its largest amplitude."""
LABEL = 34
"""Longer formulas are cut in plots."""
MOST_POINTS = 3000
"""Longer curves are drawn by the extremes of equal pieces: nothing that stands out is lost, and files stay small."""


def _figure(rows: int, height: float, columns: int = 1, width: float = 9.0, **options: Any) -> tuple[Figure, NDArray[Any]]:
    figure = require("matplotlib.figure", "app").Figure(figsize=(width, max(2.2, rows * height)), layout="constrained", dpi=110)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        ax.grid(True, color="#e5e7eb", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    return figure, axes


def thinned(time: Array, *curves: Array, gap: float) -> tuple[Array, list[Array]]:
    """At most about :data:`MOST_POINTS` points that keep every extreme of the curves (N,), with a NaN where ``time`` jumps by more than ``gap`` seconds."""
    index = np.arange(len(time))
    if len(time) > MOST_POINTS:
        pieces = np.array_split(index, max(1, MOST_POINTS // (2 * len(curves))))
        picked = [piece[[np.nanargmin(c[piece]), np.nanargmax(c[piece])]] for piece in pieces for c in curves]
        index = np.unique(np.concatenate([[0, len(time) - 1], *picked]))
    breaks = np.flatnonzero(np.diff(time) > gap)
    at = np.searchsorted(index, breaks, side="right")
    return np.insert(time[index], at, np.nan), [np.insert(c[index].astype(float), at, np.nan) for c in curves]


def plot_torque(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Measured and predicted torque of every joint, with the 95 % band of one measurement where cycles gave it.

    Parameters
    ----------
    robot : Robot, optional
        For the units; N m without it.
    """
    figure, axes = _figure(len(validation.joints), 1.9, sharex=True)
    for j, score in enumerate(validation.joints):
        _draw_torque(axes[j, 0], validation, j)
        _name(axes[j, 0], score.name, torque_unit(robot, j))
    _finish(figure, axes, title or f"Torque on {validation.trial!r}")
    return figure


def _draw_torque(ax: Axes, validation: ValidationResult, j: int) -> None:
    score, gap = validation.joints[j], 1.5 / validation.rate
    time, (raw, tau, predicted) = thinned(validation.time, validation.tau_raw[:, j], validation.tau[:, j], validation.predicted[:, j], gap=gap)
    if validation.tau_band is not None:
        center, half = validation.tau_raw[:, j], validation.tau_band[:, j]
        t, (low, high) = thinned(validation.time, center - half, center + half, gap=gap)
        ax.fill_between(t, low, high, color=BAND, alpha=0.55, linewidth=0, label="95 % band of one measurement")
    ax.plot(time, raw, color=RAW, linewidth=0.8, label="measured, unfiltered")
    ax.plot(time, tau, color=MEASURED, linewidth=1.1, label="measured, filtered like the model")
    ax.plot(time, predicted, color=PREDICTED, linewidth=1.1, linestyle=(0, (5, 2)), label="predicted")
    ax.set_title(f"rms error {score.rms:.3g}, {percent(score.relative)} of the torque, R² {score.r_squared:.4f}", fontsize=8, loc="right", color=GUIDE)


def plot_comparison(validations: Sequence[ValidationResult], labels: Sequence[str], robot: Robot | None = None, title: str | None = None) -> Figure:
    """Torque of every joint, one column for each validation of the same robot (other options, other models), with a common scale.

    Parameters
    ----------
    labels : one for each validation
    """
    n = {len(v.joints) for v in validations}
    if len(n) != 1 or len(labels) != len(validations):
        raise ShapeError(sentence("validations to compare", f"{len(validations)} of {sorted(n)} joints, {len(labels)} labels", "equal numbers, one label each"))
    figure, axes = _figure(n.pop(), 1.9, columns=len(validations), width=max(9.0, 5.5 * len(validations)), sharex="col", sharey="row")
    for k, (validation, label) in enumerate(zip(validations, labels, strict=True)):
        for j in range(len(axes)):
            _draw_torque(axes[j, k], validation, j)
        axes[0, k].annotate(label, (0.5, 1.22), xycoords="axes fraction", ha="center", fontsize=9, fontweight="bold", parse_math=False)
        axes[-1, k].set_xlabel("time [s]", fontsize=9)
    for j, score in enumerate(validations[0].joints):
        _name(axes[j, 0], score.name, torque_unit(robot, j))
    _finish(figure, axes, title or f"Torque on {validations[0].trial!r}")
    return figure


def plot_residuals(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Measured minus predicted torque of every joint, beside the noise floor where it is known."""
    figure, axes = _figure(len(validation.joints), 1.6, sharex=True)
    for j, score in enumerate(validation.joints):
        ax = axes[j, 0]
        time, (residual,) = thinned(validation.time, validation.residual[:, j], gap=1.5 / validation.rate)
        if score.noise_floor is not None:
            ax.axhspan(-2 * score.noise_floor, 2 * score.noise_floor, color=BAND, alpha=0.45, linewidth=0, label="±2 σ of one measurement over cycles")
        ax.axhline(0, color=GUIDE, linewidth=0.6)
        ax.plot(time, residual, color=PREDICTED, linewidth=0.8, label="measured (filtered) − predicted")
        _name(ax, score.name, torque_unit(robot, j))
        ax.set_title(f"rms {score.rms:.3g}, largest {score.largest:.3g}", fontsize=8, loc="right", color=GUIDE)
    _finish(figure, axes, title or f"Residual torque on {validation.trial!r}")
    return figure


def plot_residual_spectrum(validation: ValidationResult, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Amplitude spectrum of the residual of every joint, against filtered and unfiltered torque."""
    figure, axes = _figure(len(validation.joints), 1.6, sharex=True)
    for j, score in enumerate(validation.joints):
        ax = axes[j, 0]
        raw = validation.tau_raw - validation.predicted
        top = 0.0
        for residual, color, label in ((raw, RAW, "unfiltered measurement − predicted"), (validation.residual, PREDICTED, "filtered measurement − predicted")):
            frequency, amplitude = residual_spectrum(validation.time, residual[:, [j]], validation.rate)
            f, (a,) = thinned(frequency, np.maximum(amplitude[:, 0], 1e-300), gap=np.inf)
            ax.plot(f, a, color=color, linewidth=0.9, label=label)
            top = max(top, float(a.max(initial=0.0)))
        if top > 1e-290:
            ax.set_ylim(top * SPECTRUM_DEPTH, top * 2)
        ax.set_yscale("log")
        ax.set_xscale("log")
        _name(ax, score.name, torque_unit(robot, j))
    _finish(figure, axes, title or f"Amplitude spectrum of the residual on {validation.trial!r}", "frequency [Hz]")
    return figure


def plot_parameters(fit: IdentificationResult, truth: ArrayLike | None = None, title: str | None = None) -> Figure:
    """Estimates with their 95 % intervals, and their relative standard deviations.

    Parameters
    ----------
    truth : (r,), optional
        True values, of a simulated robot: a third panel shows each error in standard deviations.
    """
    r = fit.base.rank
    true = None if truth is None else np.asarray(truth, dtype=float)
    if true is not None and true.shape != (r,):
        raise ShapeError(sentence("truth", f"shape {true.shape}", f"({r},), one value a base parameter"))
    figure, axes = _figure(1, 0.9 + 0.23 * r, columns=2 if true is None else 3, width=11.0, sharey=True)
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
    """Singular values of the weighted regressor with columns of unit norm: what the data determine."""
    figure, axes = _figure(1, 2.8)
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


def _name(ax: Axes, name: str, unit: str) -> None:
    """The joint above its panel, where any name has room; its unit at the side."""
    ax.set_title(shortened(name, 40), fontsize=9, loc="left", parse_math=False)
    ax.set_ylabel(f"[{unit}]", fontsize=9)


def shortened(text: str, most: int = LABEL) -> str:
    """Text of at most ``most`` characters, cut between words of a formula."""
    if len(text) <= most:
        return text
    head = text[: most - 2]
    cut = max(head.rfind(" + "), head.rfind(" - "))
    return f"{head[:cut] if cut > most // 3 else head} …"


def _finish(figure: Figure, axes: NDArray[Any], title: str, abscissa: str = "time [s]") -> None:
    """Title, abscissa and one legend for all panels."""
    last: Axes = axes[-1, 0]
    last.set_xlabel(abscissa, fontsize=9)
    entries: dict[str, Any] = {}
    for ax in axes[:, 0]:
        handles, labels = ax.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    figure.suptitle(title, fontsize=10, parse_math=False)
    figure.legend(list(entries.values()), list(entries), loc="outside lower center", ncols=max(1, len(entries)), fontsize=8, frameon=False)


def figures(fit: IdentificationResult, validations: Sequence[ValidationResult] = (), truth: ArrayLike | None = None) -> dict[str, Figure]:
    """All plots of a report by name: ``parameters``, ``singular_values`` and, per validation, ``torque-…``, ``residuals-…``, ``spectrum-…`` with its number."""
    robot = fit.base.model.robot
    made = {"parameters": plot_parameters(fit, truth), "singular_values": plot_singular_values(fit)}
    for k, validation in enumerate(validations, start=1):
        made[f"torque-{k}"] = plot_torque(validation, robot)
        made[f"residuals-{k}"] = plot_residuals(validation, robot)
        with suppress(DataError):  # too few samples for a spectrum
            made[f"spectrum-{k}"] = plot_residual_spectrum(validation, robot)
    return made
