"""What each estimator costs and earns: prints the tables that examples/README.md quotes.

Run with ``python tests/benchmarks/estimation_cost.py [FOLDER]``; FOLDER holds the recordings (default: ``shared/data`` beside the checkout), which the second
table needs. Times are medians of three fits to samples that are prepared already, without the residual statistics that intervals need.
"""

from __future__ import annotations

import logging
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from harness import machine
from recordings import module

from optid import BaseParameters, DynamicModel, Link, identify, identify_drive_gains, identify_payload, identify_power, library
from optid.errors import DataWarning
from optid.identification import OnlineIdentification, OnlineOptions, compare
from optid.problems import ClosedLoop
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.statistics import sign_width
from optid.trajectory import irb140_g21

TESTS = Path(__file__).resolve().parents[1]
ROUNDS = 3

METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "ols": ("ols", {}),
    "wls": ("wls", {}),
    "gls": ("gls", {}),
    "huber": ("huber", {}),
    "essential": ("essential", {}),
    "damped, noise allowance": ("damped", {}),
    "damped, GCV": ("damped", {"damping": "gcv"}),
    "damped, L-curve": ("damped", {"damping": "l-curve"}),
    "physical": ("physical", {}),
    "physical, log-Cholesky": ("physical", {"coordinates": "log-cholesky"}),
    "physical, entropic": ("physical", {"measure": "entropic"}),
}


def simulated(model: DynamicModel, count: int) -> Samples:
    """Random states; torque noise of 2 % of each joint's range."""
    rng = np.random.default_rng(0)
    q, dq, ddq = (rng.standard_normal((count, model.n)) for _ in range(3))
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + 0.02 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape), rate=100)


def seconds(base: BaseParameters, samples: Samples, method: str, options: Mapping[str, Any]) -> float:
    """Median of a few fits after a warm-up, without the residual statistics that intervals need."""
    return timed(partial(identify, base, samples, method=method, residuals=False, **options))


def cost() -> list[str]:
    robots = {"Panda, 7 joints": library.panda(), "UR10e, 6 joints": library.ur10e()}
    columns = [(name, BaseParameters.of(DynamicModel(robot)), count) for name, robot in robots.items() for count in (3_000, 30_000)]
    lines = ["| estimator | " + " | ".join(f"{name}, {count} samples" for name, _, count in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    data = [(base, simulated(base.model, count)) for _, base, count in columns]
    for label, (method, options) in METHODS.items():
        lines.append(f"| {label} | " + " | ".join(f"{seconds(base, samples, method, options):.3f} s" for base, samples in data) + " |")
    return lines


def moving(base: BaseParameters, count: int) -> tuple[ClosedLoop, Samples]:
    """The IRB140's first three axes under a controller that runs once a sample (1 kHz), torque noise of 0.5 N m."""
    motion, rate = irb140_g21(), 1000.0
    kp, kv = np.array([4000.0, 4000.0, 2000.0]), np.array([160.0, 160.0, 80.0])

    def law(q: Any, dq: Any, r: Any) -> Any:
        return kp * (r[:3] - q) + kv * (r[3:] - dq)

    loop = ClosedLoop(law, lambda time: np.hstack([motion.derivative(time, 0), motion.derivative(time, 1)]))
    wanted = [motion.derivative(np.arange(count) / rate, order) for order in range(3)]
    start = Samples.from_arrays(*wanted, np.zeros((count, 3)), rate=rate)
    found = loop.motion(base, base.beta(base.model.nominal_parameters()), start, base.known_parameters())
    noise = 0.5 * np.random.default_rng(0).standard_normal((count, 3))
    return loop, Samples.from_arrays(found.q, found.dq, found.ddq, found.tau + noise, rate=rate)


def timed(work: Callable[[], Any]) -> float:
    """Median of a few runs after a warm-up [s]."""
    times = []
    for _ in range(ROUNDS + 1):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


def closed_loop_cost(counts: tuple[int, ...] = (3_000, 30_000)) -> list[str]:
    """Estimators that need a motion in time: three axes, 18 parameters."""
    base = irb140_base()
    noise = np.tile(np.diag([1e-10, 1e-6, 1e-2]), (3, 1, 1))
    lines = [f"| IRB140, axes 1 to 3 | {' | '.join(f'{count} samples' for count in counts)} |", "|---" * (len(counts) + 1) + "|"]
    data = [moving(base, count) for count in counts]
    for label, method, options in (
        ("wls", "wls", {}),
        ("iv", "iv", {"loop": True}),
        ("didim", "didim", {"loop": True}),
        ("output_error", "output_error", {"loop": True}),
        ("tls", "tls", {"noise": noise}),
        ("constrained, one bound", "constrained", {"bounds": {"fc1": (0.0, None)}}),
    ):
        cells = []
        for loop, samples in data:
            given = {**options, "loop": loop} if "loop" in options else options
            cells.append(f"{timed(partial(identify, base, samples, method=method, residuals=False, **given)):.3f} s")
        lines.append(f"| {label} | {' | '.join(cells)} |")
    cells = [f"{timed(partial(identify_power, base, samples, interval=0.1)):.3f} s" for _, samples in data]
    lines.append(f"| power model, intervals of 0.1 s | {' | '.join(cells)} |")
    return lines


def load_cost(counts: tuple[int, ...] = (3_000, 30_000)) -> list[str]:
    """Payload, drive gains and the recursion: six joints, 48 parameters of the robot; so many samples a run, two runs for the first two."""
    model = DynamicModel(library.ur10e(), friction="viscous+coulomb")
    base = BaseParameters.of(model)
    links = model.robot.links
    heavy = model.with_robot(model.robot.with_links([*links[:-1], links[-1].lumped(Link.from_com(2.8, (0.0, 0.0, 0.1), (0.01,) * 3))]))
    lines = [f"| UR10e | {' | '.join(f'{count} samples a run' for count in counts)} |", "|---" * (len(counts) + 1) + "|"]
    runs = [(simulated(model, count), simulated(heavy, count)) for count in counts]

    def recursion(samples: Samples) -> OnlineIdentification:
        online = OnlineIdentification(base, OnlineOptions(rate=samples.rate))
        for k in range(0, samples.n_samples, 10):
            online.update(samples.q[k : k + 10], samples.tau[k : k + 10])
        return online

    rows: dict[str, Callable[[Samples, Samples], Any]] = {
        "payload": lambda bare, loaded: identify_payload(base, bare, loaded),
        "payload, difference": lambda bare, loaded: identify_payload(base, bare, loaded, method="difference"),
        "drive gains": lambda bare, loaded: identify_drive_gains(base, bare, loaded, known={"m": 2.8}),
        "on-line, ten samples at a time": lambda bare, _: recursion(bare),
    }
    for label, work in rows.items():
        lines.append(f"| {label} | {' | '.join(f'{timed(partial(work, *pair)):.3f} s' for pair in runs)} |")
    return lines


def accuracy(folder: Path) -> list[str]:
    """Stacked error of every estimator on motions it has not seen."""
    from optid import Robot

    recorded, fits = module("recorded"), module("test_physical_fits")
    protocol = recorded.UR10E_PROTOCOL
    widths = sign_width(recorded.ur10e(folder, recorded.UR10E_TRAIN[0]), protocol)
    ur10e = BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True, sign_width=widths))
    ur10e_train, ur10e_tests = recorded.ur10e(folder, *recorded.UR10E_TRAIN), recorded.ur10e_tests(folder)
    lwr4 = BaseParameters.of(DynamicModel(Robot.from_urdf(folder / "lwr4" / "kuka_lwr4.urdf")))
    kr300 = BaseParameters.of(DynamicModel(library.kr300(), rotor_inertia=True).with_torque_basis(("counterbalance",), fits.counterbalance))
    run = {k: recorded.lwr4(folder, k) for k in (1, 2, 3)}
    cases = {
        "UR10e → ptp": (ur10e, ur10e_train, ur10e_tests["ptp"], protocol),
        "UR10e → 40 s": (ur10e, ur10e_train, ur10e_tests["40s"], protocol),
        "LWR4+ 1+2 → 3": (lwr4, [run[1], run[2]], run[3], recorded.LWR4_AS_RECORDED),
        "LWR4+ 3 → 1": (lwr4, run[3], run[1], recorded.LWR4_AS_RECORDED),
        "KR300 A → B": (kr300, fits.kr300_trial(folder, "A"), fits.kr300_trial(folder, "B"), None),
    }
    found = {
        name: compare(base, train, methods=METHODS, validation=test, folds=5, preprocessing=options) for name, (base, train, test, options) in cases.items()
    }
    lines = ["| estimator | " + " | ".join(f"{name}: training, folds, **other motion**" for name in cases) + " |", "|---" * (len(cases) + 1) + "|"]
    for label in METHODS:
        cells = []
        for table in found.values():
            row = table[label]
            shares = (row.training, row.cross, row.validation_raw)
            cells.append("failed" if row.result is None else ", ".join("–" if e is None else f"{100 * e.stacked:.1f}" for e in shares) + " %")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    bodies = {
        name: (len(table["wls"].unphysical), len(table["physical"].unphysical), table.rows[0].result.base.model.robot.n_links) for name, table in found.items()
    }
    lines += ["", "Links that cannot exist, wls and physical: " + "; ".join(f"{name} {a} and {b} of {n}" for name, (a, b, n) in bodies.items())]
    return lines


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else TESTS.parents[1] / "shared" / "data"
    warnings.simplefilter("ignore", DataWarning)
    logging.getLogger("optid").setLevel(logging.ERROR)
    print(machine())
    for table in (cost(), closed_loop_cost(), load_cost()):
        print("\n".join(table), end="\n\n", flush=True)
    if folder.is_dir():
        print("\n".join(accuracy(folder)))
    else:
        print(f"no recordings at {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
