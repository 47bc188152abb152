"""UR10e with a load of 2.805 kg (public logs of S. Mamedov's dynamic_calibration): payload, drive gains, and the parameters that matter."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded import UR10E_GAINS, UR10E_PROTOCOL, UR10E_TRAIN, ur10e, ur10e_tests

from optid import BaseParameters, DynamicModel, Trial, identify, library, validate
from optid.identification.load import identify_drive_gains, identify_payload
from optid.problems import DriveGainsResult, PayloadResult

TRUTH = 2.805
OTHERS = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.ur10e(), rotor_inertia=True))


@pytest.fixture(scope="module")
def runs(recordings: Path) -> tuple[Trial, Trial]:
    return ur10e(recordings, "20_02_19_14harm50sec", 195, 4966, gains=None), ur10e(recordings, "20_02_19_14harm50secLoad", 308, 5071, gains=None)


def payload(base: BaseParameters, runs: tuple[Trial, Trial], gains: tuple[float, ...], **options: object) -> PayloadResult:
    return identify_payload(base, *(run.with_torque_from_current(gains) for run in runs), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("gains, mass", [(UR10E_GAINS, 2.47), (OTHERS, 3.08)])
@pytest.mark.parametrize("method", ["joint", "difference"])
def test_mass_of_the_payload(base: BaseParameters, runs: tuple[Trial, Trial], gains: tuple[float, ...], mass: float, method: str) -> None:
    """Between 2.4 and 3.2 kg with either set of gains; C68: about 2.47 and 3.08 kg."""
    found = payload(base, runs, gains, method=method, preprocessing=UR10E_PROTOCOL)
    assert 2.4 <= found["m"] <= 3.2
    assert found["m"] == pytest.approx(mass, abs=0.04)
    low, high = found.interval()[0]
    assert low < found["m"] < high
    assert 0.05 < high - low < 0.3


@pytest.mark.parametrize("gains", [UR10E_GAINS, OTHERS])
def test_interval_for_gains_that_may_be_off(base: BaseParameters, runs: tuple[Trial, Trial], gains: tuple[float, ...]) -> None:
    """The two sets of gains lie 13 to 49 % apart: told of 15 %, either interval holds the true 2.805 kg; for exact gains neither does, and the notes say so."""
    exact = payload(base, runs, gains, preprocessing=UR10E_PROTOCOL)
    assert not exact.interval()[0, 0] < TRUTH < exact.interval()[0, 1]
    assert any("intervals hold for exact gains" in note for note in exact.notes)
    told = payload(base, runs, gains, preprocessing=UR10E_PROTOCOL, gain_error=0.15)
    low, high = told.interval()[0]
    assert low < TRUTH < high and high - low < 1.5
    assert not any("exact gains" in note for note in told.notes)
    assert told["m"] == exact["m"]


def test_payload_that_cannot_exist_is_flagged_and_mended(base: BaseParameters, runs: tuple[Trial, Trial]) -> None:
    """C68: the least-squares load has a negative inertia (Ixx −0.15 about its own axes in the source): flagged, and the constrained fit keeps the mass."""
    free = payload(base, runs, UR10E_GAINS)
    assert free.faults and "not positive definite" in free.faults[0]
    held = payload(base, runs, UR10E_GAINS, physical=True)
    assert held.physical and held["m"] == pytest.approx(free["m"], abs=0.02)


@pytest.fixture(scope="module")
def gains(base: BaseParameters, runs: tuple[Trial, Trial]) -> DriveGainsResult:
    return identify_drive_gains(base, *runs, known={"m": TRUTH}, preprocessing=UR10E_PROTOCOL)


def test_drive_gains(gains: DriveGainsResult) -> None:
    """C68: joints 2–6 within 12 % of the recorders' own and of that case's (10.46, 8.38, 9.39, 10.21, 10.52); joint 1, which gravity does not reach, is
    ill-determined, and its noise-pulled value and its reverse enclose 10.0.
    """
    assert gains.gains[1:] == pytest.approx(UR10E_GAINS[1:], rel=0.12)
    assert gains.gains[1:] == pytest.approx([10.46, 8.38, 9.39, 10.21, 10.52], rel=0.06)
    assert gains.gains[0] == pytest.approx(3.0, abs=0.3)
    assert gains.ill_determined == ("shoulder_pan",)
    assert gains.gains[0] < UR10E_GAINS[0] < gains.reverse[0]
    assert (gains.gains[1:3] < gains.reverse[1:3]).all() and (gains.reverse[1:3] < 1.3 * gains.gains[1:3]).all()


def test_essential_parameters_predict_no_worse(recordings: Path, base: BaseParameters) -> None:
    """Half of the 58 parameters go; raw errors fall on both validation files, stacked and mean per joint.

    Parameters whose sigma exceeds half of their value are named in the plain fit; of the essential ones there is none.
    """
    train, tests = ur10e(recordings, *UR10E_TRAIN), ur10e_tests(recordings)
    plain, essential = (identify(base, train, method=method, preprocessing=UR10E_PROTOCOL) for method in ("wls", "essential"))
    assert 25 <= base.rank - len(essential.details.removed) <= 35
    for test in tests.values():
        before, after = (validate(fit, test).errors_raw for fit in (plain, essential))
        assert after.stacked < before.stacked
        assert after.mean_per_joint < before.mean_per_joint
    poor = plain.poorly_determined()
    assert len(poor) > 10 and "sigma above half of the value" in plain.summary() and poor[0] in plain.summary()
    assert essential.poorly_determined() == ()
