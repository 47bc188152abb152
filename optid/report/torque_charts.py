"""Charts of a validation: torque, residual, its spectrum and its autocorrelation, joint by joint."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, sentence

from .chart import Band, Chart, Curve, Panel
from .spectrum import residual_spectrum
from .units import percent, torque_unit
from .whiteness import LAGS, residual_whiteness

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.robot import Robot
    from optid.validation import ValidationResult

Array = NDArray[np.float64]

SPECTRUM_DEPTH = 1e-4
"""A spectrum is drawn down to this part of its largest amplitude."""
BANDED = 4000
"""Instants at which the band of a long recording is computed; in between it is a straight line."""


def torque_chart(v: ValidationResult, robot: Robot | None = None, fit: IdentificationResult | None = None) -> Chart:
    """Measured and predicted torque, with the 95 % band of the prediction and, over cycles, that of one measurement."""
    half = None if fit is None else prediction_band(v, fit)
    panels = []
    for j, score in enumerate(v.joints):
        raw, hat = v.tau_raw[:, j], v.predicted[:, j]
        curves = [Curve("measured, unfiltered", raw, "raw"), Curve("measured, filtered like the model", v.tau[:, j])]
        if v.tau is v.tau_raw or np.array_equal(v.tau, v.tau_raw):
            curves = [Curve("measured", raw)]
        band = None if half is None else Band("95 % band of the prediction", hat - half[:, j], hat + half[:, j])
        if v.tau_band is not None:
            edges = (raw - v.tau_band[:, j], raw + v.tau_band[:, j])
            if band is None:
                band = Band("95 % band of one measurement", *edges)
            else:
                curves += [Curve("95 % band of one measurement", edge, "edge") for edge in edges]
        curves.append(Curve("predicted", hat, "predicted"))
        note = f"rms error {score.rms:.3g}, {percent(score.relative)} of the torque, R² {score.r_squared:.4f}"
        panels.append(Panel(score.name, torque_unit(robot, j), v.time, tuple(curves), band, note=note))
    alt = f"Torque of {_names(v)} over time: measured, and predicted with its 95 % band."
    return Chart("torque", f"Torque on {v.trial!r}", alt, tuple(panels), gap=1.5 / v.rate)


def prediction_band(v: ValidationResult, fit: IdentificationResult) -> Array | None:
    """Half width (N, n) of the 95 % band of a further measurement; None where the validation keeps no motion."""
    if v.states is None or not len(v.time):
        return None
    at = np.unique(np.linspace(0, len(v.time) - 1, min(len(v.time), BANDED)).astype(int))
    with suppress(ArithmeticError, DataError, np.linalg.LinAlgError):
        half = fit.prediction_band(*(x[at] for x in v.states))
        if np.isfinite(half).all():
            rows = np.arange(len(v.time))
            return np.column_stack([np.interp(rows, at, column) for column in half.T])
    return None


def residual_chart(v: ValidationResult, robot: Robot | None = None) -> Chart:
    """Measured minus predicted torque, beside the noise floor where it is known."""
    panels = []
    for j, score in enumerate(v.joints):
        floor = () if score.noise_floor is None else (-2 * score.noise_floor, 2 * score.noise_floor)
        note = f"rms {score.rms:.3g}, largest {score.largest:.3g}"
        residual = Curve("measured − predicted", v.residual[:, j], "residual")
        panels.append(Panel(score.name, torque_unit(robot, j), v.time, (residual,), levels=floor, note=note))
    title, alt = f"Residual torque on {v.trial!r}", f"Measured minus predicted torque of {_names(v)} over time."
    return Chart("residuals", title, alt, tuple(panels), level_label="±2 σ of one measurement over cycles", gap=1.5 / v.rate)


def spectrum_chart(v: ValidationResult, robot: Robot | None = None) -> Chart:
    """Amplitude spectrum of the residual, against filtered and unfiltered torque.

    Raises
    ------
    DataError
        Too few samples, or some that are not finite.
    """
    panels = []
    frequency, raw = residual_spectrum(v.time, v.tau_raw - v.predicted, v.rate)
    _, filtered = residual_spectrum(v.time, v.residual, v.rate)
    if not (np.isfinite(raw).all() and np.isfinite(filtered).all()):
        raise DataError(sentence("residual to transform", "values that are not finite", "finite ones"))
    for j, score in enumerate(v.joints):
        a, b = np.maximum(raw[:, j], 1e-300), np.maximum(filtered[:, j], 1e-300)
        top, least = max(float(a.max(initial=0.0)), float(b.max(initial=0.0))), min(float(a.min(initial=np.inf)), float(b.min(initial=np.inf)))
        curves: tuple[Curve, ...] = (Curve("unfiltered measurement − predicted", a, "raw"), Curve("filtered measurement − predicted", b, "residual"))
        if np.array_equal(a, b):
            curves = (Curve("measured − predicted", a, "residual"),)
        panels.append(Panel(score.name, torque_unit(robot, j), frequency, curves, floor=max(top * SPECTRUM_DEPTH, least / 2) if top > 1e-290 else None))
    title, alt = f"Amplitude spectrum of the residual on {v.trial!r}", f"Amplitude of the residual torque of {_names(v)} over frequency, both logarithmic."
    return Chart("spectrum", title, alt, tuple(panels), "frequency [Hz]", log_x=True, log_y=True)


def whiteness_chart(v: ValidationResult) -> Chart:
    """Autocorrelation of the residual, with the bounds that 95 % of the lags of a white one keep.

    Raises
    ------
    DataError
        Too few samples.
    """
    found = residual_whiteness(v)
    panels = []
    for j, score in enumerate(v.joints):
        lags = np.arange(1, found.autocorrelation.shape[1]) / v.rate
        curve = Curve("autocorrelation of the residual", found.autocorrelation[j, 1:], "stem")
        said = "white" if found.white[j] else "not white"
        panels.append(Panel(score.name, "", lags, (curve,), levels=(-found.bound, found.bound), note=f"{said} (Ljung–Box p = {found.p_values[j]:.2g})"))
    alt = f"Autocorrelation of the residual torque of {_names(v)} at {LAGS} lags, with bounds at ±{found.bound:.2g}."
    title = f"Autocorrelation of the residual on {v.trial!r}"
    return Chart("whiteness", title, alt, tuple(panels), "lag [s]", level_label="bounds of 95 % of the lags of white noise")


def torque_charts(v: ValidationResult, robot: Robot | None = None, fit: IdentificationResult | None = None) -> list[Chart]:
    """All that the samples suffice for."""
    charts = [torque_chart(v, robot, fit), residual_chart(v, robot)]
    with suppress(DataError):
        charts.append(spectrum_chart(v, robot))
    with suppress(DataError):
        charts.append(whiteness_chart(v))
    return charts


def _names(v: ValidationResult) -> str:
    return ", ".join(joint.name for joint in v.joints)
