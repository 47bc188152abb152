"""Trials that stay in their file give the fit that they give in memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from optid import DynamicModel, Experiment, Preprocessing, Trial, identify, write_experiment
from optid.errors import DataError, DataWarning, FileError, UnknownNameError
from optid.experiment.stored import StoredTrial, open_trials
from optid.identification import streaming
from optid.identification.pipeline import job_of
from optid.robot import DHRow, Drive, Link, Robot
from optid.signals import samples, windows
from optid.signals.stream import SampleStream

ROBOT = Robot.from_dh(
    [DHRow(a=0.5), DHRow(a=0.4)],
    "standard",
    (0.0, -9.81, 0.0),
    links=[Link("one", 3.0, (-0.2, 0.01, 0.0), (0.02, 0.0, 0.0, 0.1, 0.0, 0.1)), Link("two", 1.5, (-0.15, 0.0, 0.0), (0.01, 0.0, 0.0, 0.04, 0.0, 0.04))],
    joint_names=("shoulder", "elbow"),
).with_friction(viscous=[1.0, 0.5], coulomb=[2.0, 1.0])
MODEL = DynamicModel(ROBOT)
N = 9000


def swing(n: int = N, seed: int = 0, **changes: Any) -> Trial:
    rng = np.random.default_rng(seed)
    t = np.arange(n) * 0.004
    w = np.array([1.7, 2.3]) + 0.3 * seed
    q, dq, ddq = 0.9 * np.sin(t[:, None] * w), 0.9 * w * np.cos(t[:, None] * w), -0.9 * w**2 * np.sin(t[:, None] * w)
    q, dq, ddq = (x + 0.3 * y for x, y in zip((q, dq, ddq), (np.sin(5 * t)[:, None], 5 * np.cos(5 * t)[:, None], -25 * np.sin(5 * t)[:, None]), strict=True))
    tau = MODEL.inverse_dynamics(MODEL.nominal_parameters(), q, dq, ddq) + 0.2 * rng.standard_normal(q.shape)
    given = {"tau": tau, "joint_names": ROBOT.joint_names, **changes}
    return Trial(t, q + 1e-5 * rng.standard_normal(q.shape), dq=dq, ddq=ddq, **given)


@pytest.fixture
def short_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file counts as long, and is read in several windows."""
    monkeypatch.setattr(streaming, "KEPT", 0)
    monkeypatch.setattr(streaming, "STREAMED", 0)
    monkeypatch.setattr(windows, "CHUNK", 2000)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "swings.h5", a=swing(), b=swing(seed=1), check=swing(100, role="validation"))


def written(path: Path, **trials: Trial) -> Path:
    write_experiment(Experiment(title="swings", trials=trials), path)
    return path


OPTIONS: list[dict[str, Any]] = [
    {},
    {"known": ["fv1", "m2"]},
    {"preprocessing": Preprocessing(decimate=4)},
    {"preprocessing": Preprocessing(use_measured_velocity=True, use_measured_acceleration=True, cutoff=None)},
    {"method": "huber"},
    {"method": "gls"},
    {"method": "damped", "damping": "trials"},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_same_fit_as_in_memory(file: Path, short_parts: None, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    """The estimate to 1e-9, what intervals need to 1e-6, the same notes."""
    parts = identify(MODEL, file, **options)
    monkeypatch.setattr(streaming, "KEPT", 10**9)
    whole = identify(MODEL, file, **options)
    assert parts.beta == pytest.approx(whole.beta, rel=1e-9)
    assert parts.sigma == pytest.approx(whole.sigma, rel=1e-9)
    if whole.details.residuals is not None:
        assert parts.interval(kind="hac") == pytest.approx(whole.interval(kind="hac"), rel=1e-6)
    assert (parts.n_rows, parts.trials) == (whole.n_rows, whole.trials)
    assert sorted(parts.notes) == sorted(whole.notes)
    assert parts.details.dropped == whole.details.dropped


def test_trials_are_streamed(file: Path, short_parts: None) -> None:
    job = job_of(MODEL, [file])
    streams = list(job.streams())
    assert all(isinstance(s, SampleStream) and s.n_chunks > 3 for s in streams)
    assert [s.n_samples for s in job.samples()] == [s.n_samples for s in streams]
    assert [s.name for s in streams] == ["a", "b"]


def test_cycles_are_averaged_in_memory(tmp_path: Path, short_parts: None) -> None:
    from optid.signals import PeriodicOptions

    t = np.arange(5000) * 0.002
    q = np.stack([np.sin(np.pi * t), 0.4 * np.cos(2 * np.pi * t)], axis=1)
    path = written(tmp_path / "cycles.h5", a=Trial(t, q, tau=q**3, period=2.0, joint_names=ROBOT.joint_names))
    fit = identify(MODEL, path, preprocessing=Preprocessing(periodic=PeriodicOptions(), min_speed=0.0))
    assert any("cycles were averaged" in note for note in fit.notes)


def test_short_files_are_read_whole(file: Path) -> None:
    assert all(isinstance(item, Trial) for item in streaming.sources(file, "identification"))


def test_long_files_are_not(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "KEPT", 2 * N - 1)
    assert all(isinstance(item, StoredTrial) for item in streaming.sources([file], "identification"))


def test_joints_in_another_order_and_a_current_for_a_torque(tmp_path: Path, short_parts: None) -> None:
    trial = swing()
    gains = np.array([20.0, 8.0])
    shuffled = Trial(trial.time, trial.q[:, ::-1], current=(trial.tau / gains)[:, ::-1], joint_names=("elbow", "shoulder"))
    geared = DynamicModel(ROBOT.with_drives([Drive(current_gain=g) for g in gains]))
    assert identify(geared, written(tmp_path / "current.h5", a=shuffled)).beta == pytest.approx(
        identify(MODEL, written(tmp_path / "torque.h5", a=Trial(trial.time, trial.q, tau=trial.tau, joint_names=ROBOT.joint_names))).beta, rel=1e-9
    )


def test_strange_joint_names_are_told(tmp_path: Path, short_parts: None) -> None:
    path = written(tmp_path / "strange.h5", a=swing(joint_names=("j1", "j2")))
    with pytest.raises(UnknownNameError, match=r"missing: shoulder, elbow; unknown: j1, j2\), expected shoulder, elbow. Rename the trial's"):
        identify(MODEL, path)


def test_suspicions_are_told(tmp_path: Path, short_parts: None) -> None:
    """C42: columns without names, and angles in degrees, of a trial that is never whole in memory."""
    trial = swing()
    with pytest.warns(DataWarning, match="no joint names are stored"):
        identify(MODEL, written(tmp_path / "unnamed.h5", a=swing(joint_names=())))
    path = written(tmp_path / "degrees.h5", a=Trial(trial.time, np.degrees(trial.q), tau=trial.tau, joint_names=ROBOT.joint_names))
    with pytest.warns(DataWarning, match="They may be degrees"):
        identify(MODEL, path)


def test_a_number_that_is_none_is_found_by_its_sample(tmp_path: Path, short_parts: None) -> None:
    """C65 in a file, far behind the first window."""
    path = written(tmp_path / "nan.h5", a=swing())
    with h5py.File(path, "r+") as raw:
        raw["trials/a/tau"][7654, 1] = np.nan
    with pytest.raises(DataError, match="tau of trial 'a', sample 7654, joint 'elbow': nan, expected finite numbers"):
        identify(MODEL, path)


def test_a_file_that_changes_meanwhile_is_told(file: Path) -> None:
    stored = open_trials(file, "identification")[0]
    os.utime(file, ns=(1, 1))
    with pytest.raises(FileError, match="changed while it was read"):
        stored.window(0, 10)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda g: g.__delitem__("q"), "no q"),
        (lambda g: g["tau"].resize(50, axis=0), r"tau: shape \(50, 2\), expected \(9000, 2\)"),
        (lambda g: g["valid"].resize(50, axis=0), r"valid: shape \(50,\), expected \(9000,\)"),
        (lambda g: g.attrs.__setitem__("role", "training"), "role: 'training', expected 'identification' or 'validation'"),
        (lambda g: g["tau"].attrs.__setitem__("units", "A"), "which is a motor current"),
        (lambda g: (g.__delitem__("dq"), g.__setitem__("dq", h5py.ExternalLink("other.h5", "/dq"))), "external link"),
    ],
)
def test_damaged_trials_are_refused(file: Path, damage: Any, message: str) -> None:
    with h5py.File(file, "r+") as raw:
        damage(raw["trials/a"])
    with pytest.raises((FileError, DataError), match=message):
        open_trials(file)


def test_units_are_turned_into_si(tmp_path: Path) -> None:
    path = written(tmp_path / "degrees.h5", a=swing())
    with h5py.File(path, "r+") as raw:
        raw["trials/a/q"].attrs["units"] = "deg"
        raw["trials/a/time"].attrs["units"] = "ms"
    stored = open_trials(path)[0]
    part = stored.window(10, 20)
    assert np.array_equal(part.q, stored.whole().q[10:20]) and np.array_equal(part.time, stored.whole().time[10:20])
    assert part.time[0] == pytest.approx(10 * 4e-6)


def test_unfinished_recordings_are_cut_to_their_common_length(file: Path) -> None:
    with h5py.File(file, "r+") as raw:
        raw["trials/a"].attrs["complete"] = False
        raw["trials/a/tau"].resize(8000, axis=0)
    with pytest.warns(match="8000 complete samples are taken"):
        assert open_trials(file)[0].n_samples == 8000


def test_missing_units_are_looked_at_in_memory(file: Path, short_parts: None) -> None:
    with h5py.File(file, "r+") as raw:
        del raw["trials/a/q"].attrs["units"]
    assert all(isinstance(item, Trial) for item in streaming.sources(file, "identification"))


def test_a_long_trial_in_memory_is_reduced_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits for any number of threads, and the estimate of one piece to 1e-11."""
    options = Preprocessing(cutoff=20.0)
    whole = identify(MODEL, swing(), preprocessing=options)
    monkeypatch.setattr(samples, "CHUNK", 1000)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        found.append(identify(MODEL, swing(), preprocessing=options))
    assert np.array_equal(found[0].factors.triangles, found[1].factors.triangles)
    assert found[0].beta == pytest.approx(whole.beta, rel=1e-11)
