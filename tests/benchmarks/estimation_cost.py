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
from collections.abc import Mapping
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from harness import machine

from optid import BaseParameters, DynamicModel, identify, library
from optid.errors import DataWarning
from optid.identification import compare
from optid.signals import Samples
from optid.statistics import sign_width

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
    times = []
    for _ in range(ROUNDS + 1):
        begun = time.perf_counter()
        identify(base, samples, method=method, residuals=False, **options)
        times.append(time.perf_counter() - begun)
    return statistics.median(times[1:])


def cost() -> list[str]:
    robots = {"Panda, 7 joints": library.panda(), "UR10e, 6 joints": library.ur10e()}
    columns = [(name, BaseParameters.of(DynamicModel(robot)), count) for name, robot in robots.items() for count in (3_000, 30_000)]
    lines = ["| estimator | " + " | ".join(f"{name}, {count} samples" for name, _, count in columns) + " |", "|---" * (len(columns) + 1) + "|"]
    data = [(base, simulated(base.model, count)) for _, base, count in columns]
    for label, (method, options) in METHODS.items():
        lines.append(f"| {label} | " + " | ".join(f"{seconds(base, samples, method, options):.3f} s" for base, samples in data) + " |")
    return lines


def module(name: str) -> ModuleType:
    """The test module that holds a recording's reader and protocol."""
    spec = spec_from_file_location(name, TESTS / "recordings" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


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
    print("\n".join(cost()))
    if folder.is_dir():
        print()
        print("\n".join(accuracy(folder)))
    else:
        print(f"\nno recordings at {folder}")


if __name__ == "__main__":
    main(sys.argv[1:])
