"""From a log of a robot's controller to a model: import a CSV, look at it, identify, validate on another run, save.

Run it with two logs of a robot (``layout`` below says what is expected in them), or without arguments: then it writes two logs of a simulated pendulum first.

    python identify_recording.py [train.csv test.csv]

Prints the relative error on the run that was not used.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from optid import DHRow, DynamicModel, Robot, identify, validate
from optid.experiment import Mapping, import_csv
from optid.identification.result_file import load_result, save_result
from optid.report import plot_torque
from optid.robot import Link
from optid.simulation import Clock, Sensors, simulate_recording
from optid.trajectory import Fourier

# One joint that swings in a vertical plane. For your robot: Robot.from_urdf("robot.urdf") or Robot.load("robot.toml").
link = Link("pendulum", 2.0, (0.5, 0.0, 0.0), (0.01, 0.0, 0.0, 0.3, 0.0, 0.3))
robot = Robot.from_dh([DHRow()], "standard", (0.0, -9.81, 0.0), links=[link], joint_names=("swing",)).with_friction(viscous=0.4, coulomb=0.7)
model = DynamicModel(robot, friction=("viscous", "coulomb", "offset"))

# Log layout: a header line, time in s, degrees, N m.
layout = Mapping(q="q_*", tau="tau_*", time="t", units={"q": "deg", "tau": "N m"})


def write_log(path: Path, seed: int) -> Path:
    """A log as a controller would write it: 20 s at 500 Hz, encoder counts of 0.01 degrees, 0.05 N m of noise."""
    rng = np.random.default_rng(seed)
    motion = Fourier([0.2], rng.normal(0, 0.4, (1, 4)), rng.normal(0, 0.4, (1, 4)), period=10.0, cycles=2)
    sensors = Sensors(resolution=np.radians(0.01), torque_noise=0.05)
    trial = simulate_recording(model, model.nominal_parameters(), motion, clock=Clock(0.002), sensors=sensors, seed=seed)
    table = np.column_stack([trial.time, np.degrees(trial.q), trial.tau])
    np.savetxt(path, table, delimiter=",", header="t,q_swing,tau_swing", comments="", fmt="%.9g")
    return path


with tempfile.TemporaryDirectory() as folder:
    given = [word for word in sys.argv[1:] if word != "--quick"]
    logs = given or [str(write_log(Path(folder) / f"{name}.csv", seed)) for seed, name in enumerate(("train", "test"))]
    train, test = (import_csv(log, layout, joint_names=robot.joint_names) for log in logs)
    print(f"{train.name}: {train.n_samples} samples of joint {', '.join(train.joint_names)}, {np.ptp(train.q):.3g} rad from end to end")

    fit = identify(model, train)  # cut-off, threshold of standstill and weights are chosen from the data, and noted
    print(fit.summary())

    save_result(fit, Path(folder) / "model.h5")
    again = load_result(Path(folder) / "model.h5")  # the same numbers in another session
    scores = validate(again, test)
    print(scores.summary())
    print(f"error on the other run, against raw torque: {scores.errors_raw.stacked:.2%}")
    plot_torque(scores, robot).savefig("identify_recording.png")
