"""Plots for drives and control: spectra beside the filter's choice, tracking errors, torques and power."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import ShapeError, sentence

from .chart import GUIDE, MEASURED, PREDICTED, RAW, thinned
from .spectrum import residual_spectrum
from .still import new_figure
from .torque_charts import SPECTRUM_DEPTH
from .units import torque_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from optid.control import Simulation
    from optid.experiment import Trial
    from optid.robot import Robot
    from optid.signals import Samples

Array = NDArray[np.float64]

COLORS = (MEASURED, PREDICTED, "#2a7f62", "#c98b1b", "#6d4fa3", "#3f7cac", GUIDE)


def plot_spectra(trial: Trial, samples: Samples, robot: Robot | None = None, title: str | None = None) -> Figure:
    """Amplitude spectra of position and of current (or torque) of every axis, as recorded and as filtered, with cut-offs and noise floors.

    A cut-off is chosen well where it stands between the motion and the floor. The floor is the median amplitude of what was recorded in the upper half of the
    spectrum: encoder counts and noise.

    Parameters
    ----------
    trial : Trial
        The recording, with the joints in the order of the samples.
    samples : Samples
        What the preprocessing made of it; decimated here where the fit will decimate them.
    """
    force = trial.current if trial.tau is None else trial.tau
    if force is None or trial.n != samples.n:
        found = f"{trial.n} joints, {'no current or torque' if force is None else 'a signal'}"
        raise ShapeError(sentence(f"trial {trial.name!r} to look at", found, f"{samples.n} joints with a current or torque"))
    names = samples.joint_names or trial.joint_names or tuple(f"joint {j + 1}" for j in range(trial.n))
    figure, axes = new_figure(trial.n, 1.7, columns=2, width=10.0, sharex=True)
    recorded = 1.0 / float(np.median(np.diff(trial.time)))
    every = samples.decimation
    time, rate = np.concatenate([samples.time[part][::every] for part in samples.parts()]), samples.rate / every
    q, tau = samples.decimated(samples.q), samples.decimated(samples.tau)
    for j, name in enumerate(names):
        # the filtered torque in the recorded signal's unit: both sides of the figure show one signal each
        scale = _ratio(force[:, j], samples.tau_raw[:, j])
        _draw_spectra(axes[j, 0], trial.time, trial.q[:, j], recorded, time, q[:, j], rate)
        _draw_spectra(axes[j, 1], trial.time, force[:, j], recorded, time, scale * tau[:, j], rate)
        for k, what in enumerate(("position", "torque")):
            _draw_cutoffs(axes[j, k], samples, what)
        prismatic = torque_unit(robot, j) == "N"
        axes[j, 0].set_ylabel(f"{name} [{'m' if prismatic else 'rad'}]", fontsize=9)
        axes[j, 1].set_ylabel("A" if trial.tau is None else torque_unit(robot, j), fontsize=9)
    axes[0, 0].set_title("position", fontsize=9)
    axes[0, 1].set_title("current" if trial.tau is None else "torque", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, frameon=False, ncols=len(labels), loc="outside lower center")
    for ax in axes[-1]:
        ax.set_xlabel("frequency [Hz]", fontsize=9)
    figure.suptitle(title or f"Spectra of {trial.name!r} before and after the filters", fontsize=10)
    return figure


def _ratio(signal: Array, other: Array) -> float:
    """Constant factor between two recordings of one signal, by their sizes."""
    a, b = float(np.nanstd(signal)), float(np.nanstd(other))
    return a / b if b > 0 else 1.0


def _draw_spectra(ax: Axes, time: Array, raw: Array, rate: float, time_filtered: Array, filtered: Array, rate_filtered: float) -> None:
    top = 0.0
    for stamps, signal, at, color, label in ((time, raw, rate, RAW, "recorded"), (time_filtered, filtered, rate_filtered, PREDICTED, "filtered")):
        frequency, amplitude = residual_spectrum(stamps, signal[:, None], at)
        f, (a,) = thinned(frequency, np.maximum(amplitude[:, 0], 1e-300), gap=np.inf)
        ax.plot(f, a, color=color, linewidth=0.9, label=label)
        top = max(top, float(a.max(initial=0.0)))
        if label == "recorded":
            floor = float(np.median(amplitude[frequency > at / 4]))
            ax.axhline(floor, color=MEASURED, linewidth=0.9, linestyle=(0, (1, 2)), label="noise floor")
    ax.set_xscale("log")
    ax.set_yscale("log")
    if top > 1e-290:
        ax.set_ylim(min(top * SPECTRUM_DEPTH * 1e-2, floor / 10 if floor > 1e-290 else np.inf), top * 2)


PASSED_BY_DECIMATION = 0.8
"""Part of the new Nyquist frequency up to which decimation lets pass."""


def _draw_cutoffs(ax: Axes, samples: Samples, what: str) -> None:
    """Where the filters of a signal end: its low-pass, and the decimation that follows."""
    lines = {
        "low-pass": samples.cutoffs.get(what),
        "decimation": PASSED_BY_DECIMATION * samples.rate / samples.decimation / 2 if samples.decimation > 1 else None,
    }
    for k, (name, cutoff) in enumerate(lines.items()):
        if cutoff is not None:
            ax.axvline(cutoff, color=GUIDE, linewidth=1.0, linestyle=(0, (4, 2)) if k == 0 else (0, (6, 2, 1, 2)))
            place: dict[str, Any] = {"xytext": (-3, -3 - 10 * k), "textcoords": "offset points", "ha": "right", "va": "top", "fontsize": 7, "color": GUIDE}
            place["bbox"] = {"facecolor": "white", "alpha": 0.7, "linewidth": 0, "pad": 1}
            ax.annotate(f"{name} {cutoff:.3g} Hz", (cutoff, 1.0), xycoords=("data", "axes fraction"), **place)


def plot_tracking(simulation: Simulation, windows: Sequence[tuple[float, float]] = (), title: str | None = None) -> Figure:
    """Tracking error, torque and power of every joint over time, and the same in shorter windows of time.

    Parameters
    ----------
    simulation : Simulation
    windows : sequence of (start, stop) [s]
        One more column each: a closer look.
    """
    robot = simulation.robot
    spans = [(float(simulation.time[0]), float(simulation.time[-1])), *windows]
    figure, axes = new_figure(3, 2.2, columns=len(spans), width=5.0 + 4.0 * len(spans))
    rows = (("error [rad, m]", simulation.error), ("torque [N m, N]", simulation.tau), ("power [W]", simulation.power))
    for k, (start, stop) in enumerate(spans):
        inside = (simulation.time >= start) & (simulation.time <= stop)
        if not inside.any():
            raise ShapeError(sentence("window of a tracking plot", f"{start:g} … {stop:g} s", f"a part of {spans[0][0]:g} … {spans[0][1]:g} s"))
        for row, (label, signal) in enumerate(rows):
            ax = axes[row, k]
            for j, name in enumerate(robot.joint_names):
                time, (curve,) = thinned(simulation.time[inside], signal[inside, j], gap=np.inf)
                ax.plot(time, curve, color=COLORS[j % len(COLORS)], linewidth=0.9, label=name)
            if k == 0:
                ax.set_ylabel(label, fontsize=9)
        axes[-1, k].set_xlabel("time [s]", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, fontsize=8, frameon=False, ncols=robot.n, loc="outside lower center")
    figure.suptitle(title or f"Tracking by {robot.name}", fontsize=10)
    return figure
