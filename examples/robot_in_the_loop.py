"""A tuning through a folder of semaphore files, with a simulated robot in a second process that is killed on the way.

On a real cell the second process is the robot's controller: it loads ``run_0001.mod`` when ``run_0001.go`` appears, and writes ``run_0001.csv`` and then
``run_0001.done``. Give a folder, kill this program, too, and start it again with the same folder: it goes on where it was.
"""

import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from optid import flexibility as flex
from optid.flexibility.comparison import individual
from optid.flexibility.plots import plot_report
from optid.flexibility.robot_folder import serve
from optid.flexibility.surfaces import experiment


def start(folder: Path, robot: flex.SimulatedRobot) -> Any:
    process = get_context("spawn").Process(target=serve, args=(folder, robot), daemon=True)
    process.start()
    return process


def main(folder: Path) -> None:
    loop = flex.FlexibleLoop(flex.set_a())
    motion = experiment(loop, "zero", "++", "short")
    robot = flex.SimulatedRobot(loop, motion, individual(loop, (94.0, 107.0)), scale_noise=0.05, torque_noise=0.05, seed=2)
    file = folder / "tuning.h5"
    if file.exists():
        session = flex.TuningSession.load(file)
        print(f"going on with {len(session.trials)} runs")
    else:
        rule = flex.TailRule(flex.settled(loop.simulate(motion, [[80, 80], [120, 120]])))
        limits = flex.SafetyLimits(max_step=10.0, max_torque=(80.0, 80.0), max_ratio=5.0)
        session = flex.TuningSession.create(file, flex.TuningSettings(rule, gears=loop.gears, budget=10, limits=limits))
    processes = [start(folder, robot)]

    def told(number: int, text: str) -> None:
        print(f"run {number}: {text}", flush=True)
        if number == 2:
            processes[-1].kill()
            processes[-1].join()
            print("the robot was killed and is started again", flush=True)
            processes.append(start(folder, robot))

    move = flex.RapidRun(start=(0,) * 6, goal=(0, 0.03, 0.03, 0, 0, 0), numbers=(2, 3))
    report = flex.tune_through_folder(session, flex.RobotFolder(folder, timeout=120.0, poll=0.05), move, told)
    processes[-1].join(30)
    processes[-1].kill()
    print(f"{len(report.runs)} runs in {file.name}; {report.message}")
    plot_report(report).savefig("robot_in_the_loop.png")
    print(f"best safe Υ: {report.upsilon[0]:g}, {report.upsilon[1]:g} % (true 94, 107 %), Λ {report.value / report.start_value:.1%} of the start's")


if __name__ == "__main__":
    chosen = [word for word in sys.argv[1:] if word != "--quick"]
    with tempfile.TemporaryDirectory() as temporary:
        main(Path(chosen[0] if chosen else temporary))
