"""Accuracy on public recordings: prints the table that the README quotes.

Run with ``python tests/benchmarks/recordings.py [FOLDER]``; FOLDER holds the recordings (default: ``shared/data`` beside the checkout).
"""

from __future__ import annotations

import sys
import warnings
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import numpy as np

from optid import BaseParameters, DynamicModel, Robot, identify, library, validate
from optid.errors import DataWarning

TESTS = Path(__file__).resolve().parents[1]


def module(name: str) -> ModuleType:
    """The module that holds a recording's reader and protocol."""
    spec = spec_from_file_location(name, TESTS / "recordings" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def emps(folder: Path) -> list[tuple[str, str, str]]:
    recorded = module("recorded")
    model = DynamicModel(library.emps())
    trial = recorded.emps(folder, "DATA_EMPS.mat")
    fit = identify(model, trial, method="ols", preprocessing=recorded.EMPS_PROTOCOL)
    values = ", ".join(f"{v:.2f} ± {s:.2f}" for v, s in zip(fit.beta, fit.sigma, strict=True))
    own = identify(model, trial)
    return [
        ("EMPS, protocol: M, Fv, Fc, offset", values, "95.11 ± 0.11, 203.50 ± 1.15, 20.39 ± 0.10, −3.16 ± 0.04"),
        ("EMPS, protocol: relative error, cond", f"{fit.errors().stacked:.2%}, {fit.condition_number:.2f}", "4.08 %, 25.99"),
        ("EMPS, defaults: M, Fv, Fc, offset", ", ".join(f"{v:.2f}" for v in own.beta), "as above"),
    ]


def ur10e(folder: Path) -> list[tuple[str, str, str]]:
    recorded = module("recorded")
    base = BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True))
    train = recorded.ur10e(folder, *recorded.UR10E_TRAIN)
    tests = {name: recorded.ur10e(folder, *recorded.UR10E_TESTS[key]) for key, name in (("ptp", "ptp_10_points"), ("40s", "40sec_12harm"))}
    fits = {
        "protocol, plain": identify(base, train, method="ols", preprocessing=recorded.UR10E_PROTOCOL),
        "protocol, weighted": identify(base, train, method="wls", reweightings=1, preprocessing=recorded.UR10E_PROTOCOL),
        "defaults": identify(base, train),
    }
    other = {"protocol, plain": ("18.13 %", "–"), "protocol, weighted": ("17.34 %", "10.5 %"), "defaults": ("–", "–")}
    rows = []
    for name, fit in fits.items():
        for (test, trial), reference in zip(tests.items(), other[name], strict=True):
            result = validate(fit, trial)
            moving = np.mean([j.moving for j in result.joints])
            found = (
                f"{result.errors_raw.mean_per_joint:.2%} of all samples, {moving:.2%} of moving ones"
                if name == "defaults"
                else f"{result.errors_raw.mean_per_joint:.2%}"
            )
            rows.append((f"UR10e, {name}: mean per joint, raw, {test}", found, reference))
    return rows


def panda(folder: Path) -> list[tuple[str, str, str]]:
    panda = module("test_panda")
    base = BaseParameters.of(DynamicModel(library.panda()))
    trial = panda.read_trial(folder)
    return [
        (
            f"Panda, {cutoff} Hz: stacked error against equally filtered torque",
            f"{identify(base, trial, method='ols', preprocessing=panda.protocol(cutoff)).errors().stacked:.2%}",
            "1.41 % (filter unstated)",
        )
        for cutoff in (5.0, 10.0)
    ]


def lwr4(folder: Path) -> list[tuple[str, str, str]]:
    recorded = module("recorded")
    model = DynamicModel(Robot.from_urdf(folder / "lwr4" / "kuka_lwr4.urdf"))
    rows = []
    for train, test in (((1, 2), 3), ((3,), 1), ((2, 3), 1)):
        fit = identify(model, [recorded.lwr4(folder, run) for run in train], method="ols", preprocessing=recorded.LWR4_AS_RECORDED)
        error = validate(fit, recorded.lwr4(folder, test)).errors.stacked
        rows.append((f"LWR4+, plain least squares, runs {'+'.join(map(str, train))} → {test}: stacked", f"{error:.2%}", "–"))
    return rows


def tx40(folder: Path) -> list[tuple[str, str, str]]:
    tx40 = module("test_tx40")
    robot = tx40.robot_of(folder)
    model = DynamicModel(robot.with_coupling(None), friction="viscous+coulomb", rotor_inertia=True).with_torque_basis(("Iam6", "fvm6", "fsm6"), tx40.wrist)
    fit = identify(model, tx40.samples_of(folder, robot), method="ols")
    worst = max(abs(fit.value(name) / value - 1) for name, value in tx40.PUBLISHED.items())
    return [("TX40, published convention: largest deviation of friction from the published", f"{worst:.1%}", "0")]


def main() -> None:
    """Print the table as Markdown."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else TESTS.parents[1] / "shared" / "data"
    if not folder.is_dir():
        sys.exit(f"no recordings in {folder}")
    warnings.simplefilter("ignore", DataWarning)
    print("| recording, protocol, quantity | optid | published or reproduced elsewhere |\n|---|---|---|")
    for part in (emps, ur10e, panda, lwr4, tx40):
        for row in part(folder):
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
