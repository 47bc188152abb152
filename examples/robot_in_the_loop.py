"""A tuning through a folder of semaphore files, with a simulated robot in a second process that is killed on the way.

On a real cell the second process is the robot's controller: it loads ``run_0001.mod`` when ``run_0001.go`` appears, and writes ``run_0001.csv`` and then
``run_0001.done``. Kill this program, too, and start it again with the same folder: it goes on where it was.
"""

import multiprocessing
import sys
import tempfile
from pathlib import Path

from optid.flexibility.comparison import individual
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.rapid_run import RapidRun
from optid.flexibility.robot_folder import RobotFolder, serve, tune_through_folder
from optid.flexibility.session import TuningSession
from optid.flexibility.settings import SafetyLimits, TuningSettings
from optid.flexibility.simulated_robot import SimulatedRobot
from optid.flexibility.surfaces import experiment
from optid.flexibility.two_axis import set_a

OPTIMUM = (94.0, 107.0)


def main(folder: Path) -> None:
    loop = FlexibleLoop(set_a())
    motion = experiment(loop, "zero", "++", "short")
    robot = SimulatedRobot(loop, motion, individual(loop, OPTIMUM), scale_noise=0.05, torque_noise=0.05, seed=2)
    move = RapidRun(start=(0,) * 6, goal=(0, 0.03, 0.03, 0, 0, 0), numbers=(2, 3))

    file = folder / "tuning.h5"
    if file.exists():
        session = TuningSession.load(file)
        print(f"going on with {len(session.trials)} runs")
    else:
        start = settled(loop.simulate(motion, [[80, 80], [120, 120]]))
        limits = SafetyLimits(max_step=10.0, max_torque=(80.0, 80.0), max_ratio=5.0)
        session = TuningSession.create(file, TuningSettings(TailRule(start), gears=loop.gears, budget=10, limits=limits))

    spawn = multiprocessing.get_context("spawn")
    process = spawn.Process(target=serve, args=(folder, robot), daemon=True)
    process.start()

    def told(number: int, text: str) -> None:
        nonlocal process
        print(f"run {number}: {text}", flush=True)
        if number == 2:
            process.kill()
            process.join()
            print("the robot was killed and is started again", flush=True)
            process = spawn.Process(target=serve, args=(folder, robot), daemon=True)
            process.start()

    report = tune_through_folder(session, RobotFolder(folder, timeout=120.0, poll=0.05), move, told)
    process.join(30)
    process.kill()
    print(f"{len(report.runs)} runs in {file.name}; {report.message}")
    found, left = report.upsilon, report.value / report.start_value
    print(f"best safe Υ: {found[0]:g}, {found[1]:g} % (true {OPTIMUM[0]:g}, {OPTIMUM[1]:g} %), Λ {left:.1%} of the start's")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        chosen = Path(sys.argv[1])
        chosen.mkdir(parents=True, exist_ok=True)
        main(chosen)
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
