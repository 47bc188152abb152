"""Recordings as long as wanted, written without ever being in memory: a UR10e on sums of sines, with noise, as experiment files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from optid.experiment.schema import CHUNK_ROWS
from optid.experiment.trial import Trial
from optid.experiment.values import COMPRESSION
from optid.experiment.writer import create_trial, write_root, write_trial_notes
from optid.library import ur10e
from optid.model import DynamicModel
from optid.signals import Preprocessing

Array = NDArray[np.float64]

PART = 2**16
RATE = 1000.0
TORQUE_NOISE = np.array([2.0, 2.0, 1.0, 0.5, 0.5, 0.3])

STORED = Preprocessing(cutoff=None, velocity_cutoff=None, acceleration_cutoff=None, use_measured_velocity=True, use_measured_acceleration=True)
"""q, dq, ddq, tau as they are in the file."""

DERIVED = Preprocessing()
"""From q and tau alone: filtered and differentiated."""


def model() -> DynamicModel:
    """58 base parameters."""
    return DynamicModel(ur10e(), friction=("viscous", "coulomb", "offset"), rotor_inertia=True)


def parts(n: int, seed: int = 0) -> Iterator[dict[str, Array]]:
    """Signals of n samples, in parts."""
    rng = np.random.default_rng(seed)
    omega = 2 * np.pi * rng.uniform(0.1, 1.0, (5, 1, 6))
    size, phase = rng.uniform(0.1, 0.4, (5, 1, 6)), rng.uniform(0.0, 2 * np.pi, (5, 1, 6))
    arm = model()
    pi = arm.nominal_parameters() + 0.1
    for start in range(0, n, PART):
        t = np.arange(start, min(start + PART, n)) / RATE
        angle = omega * t[:, None] + phase
        q, dq, ddq = (size * np.sin(angle)).sum(0), (size * omega * np.cos(angle)).sum(0), -(size * omega**2 * np.sin(angle)).sum(0)
        tau = arm.inverse_dynamics(pi, q, dq, ddq) + TORQUE_NOISE * rng.standard_normal(q.shape)
        yield {"time": t, "q": q + 1e-5 * rng.standard_normal(q.shape), "dq": dq, "ddq": ddq, "tau": tau, "valid": np.ones(len(t), dtype=np.uint8)}


def write(path: Path, trials: dict[str, int], signals: tuple[str, ...] = ("q", "dq", "ddq", "tau"), seed: int = 0) -> Path:
    """An experiment file with trials of so many samples."""
    names = ur10e().joint_names
    with h5py.File(path, "w", track_order=True) as file:
        write_root(file, path.stem, "", next(iter(trials)))
        for k, (name, n) in enumerate(trials.items()):
            group: Any = create_trial(file["trials"], name, 6, names, signals, COMPRESSION, CHUNK_ROWS)
            write_trial_notes(group, Trial(np.zeros(1), np.zeros((1, 6)), name=name))
            for what in ("time", *signals, "valid"):
                group[what].resize(n, axis=0)
            at = 0
            for part in parts(n, 1000 * seed + k):
                for what in ("time", *signals, "valid"):
                    group[what][at : at + len(part["time"])] = part[what]
                at += len(part["time"])
    return path
