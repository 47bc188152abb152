"""A month of recordings, one file a day: one model from all of them on two processors, and a parameter that drifts.

A bad file is reported and left out. What is worked out of every file stays in a folder, so that a killed batch goes on, and the fit of a single day costs
next to nothing. Prints the growth of a joint's viscous friction over the month; the truth is 30 %.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from optid import BaseParameters, DynamicModel, Experiment, identify_batch, library, write_experiment
from optid.experiment import RobotInfo
from optid.simulation import Clock, Sensors, simulate_recording
from optid.trajectory import Fourier

DAYS = 8 if "--quick" in sys.argv else 30
robot = library.planar_2r().with_friction(viscous=[2.0, 1.0], coulomb=[1.5, 0.8])
base = BaseParameters.of(DynamicModel(robot, friction="viscous+coulomb"))
FV = base.model.parameter_names.index("fv1")


def record(folder: Path, day: int) -> Path:
    """Ten seconds at 200 Hz; the first joint's viscous friction grows by 1 % a day at first, then faster."""
    rng, pi = np.random.default_rng(day), base.model.nominal_parameters()
    pi[FV] *= 1 + 0.3 * (day / (DAYS - 1)) ** 1.5
    motion = Fourier([0.0, 0.0], rng.normal(0, 0.4, (2, 3)), rng.normal(0, 0.4, (2, 3)), period=10.0)
    trial = simulate_recording(base.model, pi, motion, clock=Clock(0.005), sensors=Sensors(resolution=1e-5, torque_noise=0.1), seed=day, name=f"day {day + 1}")
    path = folder / f"day_{day + 1:02}.h5"
    write_experiment(Experiment("a month", [trial], RobotInfo.of(robot)), path)
    return path


def main(folder: Path) -> None:
    paths = [record(folder, day) for day in range(DAYS)]
    paths[3].write_bytes(paths[3].read_bytes()[:5000])  # one file was cut off
    month = identify_batch(paths, base, workers=2, resume=folder / "kept")
    print(f"{len(month.files) - len(month.failed)} of {len(month.files)} files; left out: {month.failed[0].error}")

    # Day by day, from what the batch has kept.
    good = [path for path, file in zip(paths, month.files, strict=True) if file.error is None]
    fits = [identify_batch([path], base, resume=folder / "kept").result for path in good]
    k = fits[0].formulas.index("fv1")
    days = np.array([int(path.stem[-2:]) for path in good])
    values, sigmas = np.array([fit.beta[k] for fit in fits]), np.array([fit.sigma[k] for fit in fits])

    plt.errorbar(days, values, yerr=1.96 * sigmas, fmt="o", capsize=3, label="each day, 95 % interval")
    plt.axhline(month.result.beta[k], color="tab:red", linestyle="--", label="the whole month")
    plt.gca().set(title="viscous friction of joint 1", xlabel="day", ylabel="N m s/rad")
    plt.legend()
    plt.savefig("batch_of_recordings.png")
    print(f"viscous friction, last day over first: {100 * (values[-1] / values[0] - 1):.1f} % more")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(temporary))
