"""Public recordings that several tests and benchmarks read: where they lie, readers and published protocols."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from optid import Preprocessing, Trial, library
from optid.signals import Nyquist

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
"""Beside the checkout, never in it."""

# -- UR10e: motor currents, logs of S. Mamedov's dynamic_calibration ----------------------------------------------------------------------------------------

UR10E_GAINS = tuple(float(drive.gain or 0.0) for drive in library.ur10e().drives)
"""Torque per ampere that the recorders give."""

UR10E_PROTOCOL = Preprocessing(
    clock="recorded",
    cutoff=None,
    use_measured_velocity=True,
    velocity_cutoff=Nyquist(0.15),
    acceleration_cutoff=Nyquist(0.15),
    torque_cutoff=Nyquist(0.20),
    order=5,
    trim=0,
    min_speed=0.0,
)

UR10E_TRAIN = ("20_02_10-30sec_12harm", 635, 3510)
UR10E_TESTS = {"ptp": ("20_01_17-ptp_10_points", 700, 4200), "40s": ("20_02_12-40sec_12harm", 500, 4460)}


def ur10e(folder: Path, name: str, first: int = 1, last: int | None = None, gains: tuple[float, ...] | None = UR10E_GAINS) -> Trial:
    """Rows first...last (counted from 1) of a log: t, q, dq, current, commanded signals; torque by ``gains``, None leaves the current alone."""
    table = np.loadtxt(folder / "ur10e" / f"ur-{name}.csv", delimiter=",", usecols=range(19))[first - 1 : last]
    trial = Trial(table[:, 0], table[:, 1:7], dq=table[:, 7:13], current=table[:, 13:19], name=name)
    return trial if gains is None else trial.with_torque_from_current(gains)


def ur10e_tests(folder: Path) -> dict[str, Trial]:
    """The two validation files of the protocol."""
    return {name: ur10e(folder, *rows) for name, rows in UR10E_TESTS.items()}


# -- KUKA LWR4+: joint torques, filtered by the recorders ----------------------------------------------------------------------------------------------------

LWR4_AS_RECORDED = Preprocessing(
    cutoff=None,
    torque_cutoff=None,
    velocity_cutoff=None,
    acceleration_cutoff=None,
    use_measured_velocity=True,
    use_measured_acceleration=True,
    trim=200,
    min_speed=0.0,
)


def lwr4(folder: Path, run: int) -> Trial:
    """Run 1, 2 (the same motion) or 3."""
    with np.load(folder / "lwr4" / f"measurements_{run}.npz", allow_pickle=False) as data:
        return Trial(data["times"], data["positions"], dq=data["velocities"], ddq=data["accelerations"], tau=data["torques"], name=f"run {run}")


# -- EMPS: one prismatic axis (Janot, Gautier, Brunot 2019) --------------------------------------------------------------------------------------------------

EMPS_PROTOCOL = Preprocessing(cutoff=100, torque_cutoff=None, velocity_cutoff=None, acceleration_cutoff=None, order=4, trim=50, min_speed=0.0, decimate=10)


def emps_signals(folder: Path, name: str) -> dict[str, np.ndarray]:
    """Signals of a file as flat arrays of floats."""
    from scipy.io import loadmat

    return {key: np.asarray(value, dtype=float).ravel() for key, value in loadmat(folder / "emps" / name).items() if not key.startswith("__")}


def emps(folder: Path, name: str) -> Trial:
    """Position and drive force."""
    data = emps_signals(folder, name)
    return Trial(data["t"], data["qm"], tau=data["gtau"] * data["vir"], name=name)
