"""A whole experiment in one file (campaign/campaign.toml): design a motion, record it, import a log, fit by three methods, compare, report.

A simulated robot stands in for a real one. On a command line: ``optid run campaign.toml --only design``, then ``optid run campaign.toml``.
Prints the error of the reported model on the motion that no fit has seen.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np

from optid import DynamicModel, Experiment, Robot, load_result, read_experiment, validate, write_experiment
from optid.campaign import plan_campaign, run_campaign
from optid.experiment import RobotInfo
from optid.simulation import Clock, Sensors, simulate_recording
from optid.trajectory import Fourier, from_mapping

HERE = Path(__file__).resolve().parent / "campaign"
NOISE = Sensors(resolution=np.radians(0.005), torque_noise=0.3)


def main(folder: Path) -> None:
    for name in ("campaign.toml", "robot.toml"):
        shutil.copy(HERE / name, folder)
    run_campaign(folder / "campaign.toml", only=["design"])
    motion = from_mapping(read_experiment(folder / "results/design/plan.h5").design["trajectory_1"])

    # The robot: 10 % heavier than its description, with friction that nobody wrote down.
    robot = Robot.load(folder / "robot.toml")
    real = DynamicModel(robot.with_friction(viscous=[2.0, 1.2], coulomb=[1.5, 0.8]), "viscous+coulomb")
    truth = real.nominal_parameters() * np.where(np.arange(real.p) < 20, 1.1, 1.0)
    trial = simulate_recording(real, truth, motion, clock=Clock(0.004), sensors=NOISE, name="designed")
    other = Fourier([0.3, -0.2], [[0.4, 0.1], [0.3, 0.2]], [[0.2, 0.2], [0.5, 0.1]], period=5.0)
    log = simulate_recording(real, truth, other, clock=Clock(0.004), sensors=NOISE, seed=1)
    (folder / "recordings").mkdir()
    (folder / "logs").mkdir()
    write_experiment(Experiment("first day", [trial], RobotInfo.of(robot)), folder / "recordings/day1.h5")
    header = "t,q_shoulder,q_elbow,tau_shoulder,tau_elbow"
    np.savetxt(folder / "logs/afternoon.csv", np.column_stack([log.time, np.degrees(log.q), log.tau]), delimiter=",", header=header, comments="")

    print("\n".join(f"{task:<20} {state}" for task, state in plan_campaign(folder / "campaign.toml").states().items()))
    result = run_campaign(folder / "campaign.toml")
    print(f"verdict: {result.verdict}")

    best = result.verdict.split(":")[0]
    scores = validate(load_result(result.folder / f"fits/{best}.h5"), result.folder / "recordings/afternoon.h5")
    for k, name in enumerate(robot.joint_names):
        plt.plot(scores.time, scores.tau_raw[:, k], color="0.75", linewidth=4)
        plt.plot(scores.time, scores.predicted[:, k], label=f"{name}, predicted")
    plt.gca().set(title="the afternoon's log (grey), which no fit has seen", xlabel="time [s]", ylabel="torque [N m]")
    plt.legend()
    plt.savefig("campaign.png")
    print(f"{best} on the other motion: {100 * scores.errors_raw.stacked:.2f} % of the torque unexplained, noise included")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
