"""UR10e with a load of 2.805 kg (public logs of S. Mamedov's dynamic_calibration): payload, drive gains, and the parameters that matter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Preprocessing, Trial, identify, library, validate
from optid.identification.load import identify_drive_gains, identify_payload
from optid.problems import DriveGainsResult, PayloadResult
from optid.signals import Nyquist

TRUTH = 2.805
RECORDERS = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)
OTHERS = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)
PROTOCOL = Preprocessing(
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


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True))


def trial(folder: Path, name: str, first: int, last: int) -> Trial:
    table = np.loadtxt(folder / "ur10e" / f"ur-{name}.csv", delimiter=",", usecols=range(19))[first - 1 : last]
    return Trial(table[:, 0], table[:, 1:7], dq=table[:, 7:13], current=table[:, 13:19], name=name)


@pytest.fixture(scope="module")
def runs(recordings: Path) -> tuple[Trial, Trial]:
    return trial(recordings, "20_02_19_14harm50sec", 195, 4966), trial(recordings, "20_02_19_14harm50secLoad", 308, 5071)


def payload(base: BaseParameters, runs: tuple[Trial, Trial], gains: tuple[float, ...], **options: object) -> PayloadResult:
    return identify_payload(base, *(run.with_torque_from_current(gains) for run in runs), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("gains, mass", [(RECORDERS, 2.47), (OTHERS, 3.08)])
@pytest.mark.parametrize("method", ["joint", "difference"])
def test_mass_of_the_payload(base: BaseParameters, runs: tuple[Trial, Trial], gains: tuple[float, ...], mass: float, method: str) -> None:
    """Between 2.4 and 3.2 kg with either set of gains; C68: about 2.47 and 3.08 kg. The gains' error is not in the interval, which is a few per cent wide."""
    found = payload(base, runs, gains, method=method, preprocessing=PROTOCOL)
    assert 2.4 <= found["m"] <= 3.2
    assert found["m"] == pytest.approx(mass, abs=0.04)
    low, high = found.interval()[0]
    assert low < found["m"] < high
    assert 0.05 < high - low < 0.3


def test_payload_that_cannot_exist_is_flagged_and_mended(base: BaseParameters, runs: tuple[Trial, Trial]) -> None:
    """C68: the least-squares load has a negative inertia (Ixx −0.15 about its own axes in the source): flagged, and the constrained fit keeps the mass."""
    free = payload(base, runs, RECORDERS)
    assert free.faults and "not positive definite" in free.faults[0]
    held = payload(base, runs, RECORDERS, physical=True)
    assert held.physical and held["m"] == pytest.approx(free["m"], abs=0.02)


@pytest.fixture(scope="module")
def gains(base: BaseParameters, runs: tuple[Trial, Trial]) -> DriveGainsResult:
    return identify_drive_gains(base, *runs, known={"m": TRUTH}, preprocessing=PROTOCOL)


def test_drive_gains(gains: DriveGainsResult) -> None:
    """C68: joints 2–6 within 12 % of the recorders' own and of that case's (10.46, 8.38, 9.39, 10.21, 10.52); joint 1, which gravity does not reach, is
    ill-determined, and its noise-pulled value and its reverse enclose 10.0.
    """
    assert gains.gains[1:] == pytest.approx(RECORDERS[1:], rel=0.12)
    assert gains.gains[1:] == pytest.approx([10.46, 8.38, 9.39, 10.21, 10.52], rel=0.06)
    assert gains.gains[0] == pytest.approx(3.0, abs=0.3)
    assert gains.ill_determined == ("shoulder_pan",)
    assert gains.gains[0] < RECORDERS[0] < gains.reverse[0]
    assert (gains.gains[1:3] < gains.reverse[1:3]).all() and (gains.reverse[1:3] < 1.3 * gains.gains[1:3]).all()


def test_essential_parameters_predict_no_worse(recordings: Path, base: BaseParameters) -> None:
    """Half of the 58 parameters go; stacked raw errors fall on both validation files, mean errors stay within 0.1 % of themselves or fall.

    Parameters whose sigma exceeds half of their value are named in the plain fit; of the essential ones there is none.
    """
    torque = {name: drive.gain for name, drive in zip(library.ur10e().joint_names, library.ur10e().drives, strict=True)}
    train = trial(recordings, "20_02_10-30sec_12harm", 635, 3510).with_torque_from_current(list(torque.values()))
    tests = [
        trial(recordings, name, *rows).with_torque_from_current(list(torque.values()))
        for name, rows in (("20_01_17-ptp_10_points", (700, 4200)), ("20_02_12-40sec_12harm", (500, 4460)))
    ]
    plain, essential = (identify(base, train, method=method, preprocessing=PROTOCOL) for method in ("wls", "essential"))
    assert 25 <= base.rank - len(essential.details.removed) <= 35
    for test in tests:
        before, after = (validate(fit, test).errors_raw for fit in (plain, essential))
        assert after.stacked < before.stacked
        assert after.mean_per_joint < 1.001 * before.mean_per_joint
    poor = plain.poorly_determined()
    assert len(poor) > 10 and "sigma above half of the value" in plain.summary() and poor[0] in plain.summary()
    assert essential.poorly_determined() == ()
