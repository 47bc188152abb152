"""Ask and tell: resuming, limits, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid.errors import DataError, FileError, LimitsError, MissingFileError, ShapeError, UnknownNameError
from optid.experiment import Trial, read_experiment
from optid.flexibility.objectives import PathRule, TailRule
from optid.flexibility.session import TuningSession
from optid.flexibility.session_report import SessionReport, session_value
from optid.flexibility.settings import SafetyLimits, TuningSettings

OPTIMUM = np.array([94.0, 107.0])
TIME = np.arange(400) / 1e3
SHAPES = np.stack([np.sin(2 * np.pi * f * TIME) * np.exp(-8 * TIME) for f in (8.0, 13.0)])


def robot(upsilon: tuple[float, ...], number: int = 0, noise: float = 0.002) -> Trial:
    """A robot whose two vibrations are proportional to the distance of Υ from the optimum, on one axis mostly."""
    away = np.array([[1.0, 0.2], [0.3, 0.5]]) @ (np.array(upsilon) - OPTIMUM) / 50
    rng = np.random.default_rng(number)
    tau = np.column_stack([away @ SHAPES, 0.6 * away[::-1] @ SHAPES]) + noise * rng.standard_normal((400, 2))
    return Trial(time=TIME, q=np.zeros((400, 2)), tau=tau * [150, 130], joint_names=("axis2", "axis3"))


SETTINGS = TuningSettings(TailRule(0.0, 60.0), gears=(150.0, 130.0), limits=SafetyLimits(max_step=10.0))


def finish(session: TuningSession, stop: int = 100) -> SessionReport:
    for _ in range(stop):
        request = session.ask()
        if request is None:
            break
        session.tell(request.number, robot(request.upsilon, request.number))
    return session.report()


@pytest.mark.parametrize("solver", ["", "complex_box", "nelder_mead", "bayesian"])
def test_killed_tuning_resumes_at_the_same_run(tmp_path: Path, solver: str) -> None:
    """Every step by a new session from the file asks for the same runs and ends with the same answer as one that was never interrupted."""
    settings = replace(SETTINGS, solver=solver, budget=5, seed=4)
    whole = finish(TuningSession.create(tmp_path / "whole.h5", settings))
    TuningSession.create(tmp_path / "parts.h5", settings)
    for _ in range(9):
        session = TuningSession.load(tmp_path / "parts.h5")
        first, again = session.ask(), TuningSession.load(tmp_path / "parts.h5").ask()
        assert first == again
        if first is None:
            break
        session.tell(first.number, robot(first.upsilon, first.number))
    parts = TuningSession.load(tmp_path / "parts.h5").report()
    assert [(r.upsilon, r.value) for r in parts.runs] == [(r.upsilon, r.value) for r in whole.runs]
    assert np.array_equal(parts.upsilon, whole.upsilon) and parts.finished and parts.message == whole.message
    assert whole.value <= whole.start_value


def test_recommended_session_finds_the_optimum(tmp_path: Path) -> None:
    report = finish(TuningSession.create(tmp_path / "t.h5", SETTINGS))
    assert np.all(np.abs(report.upsilon - OPTIMUM) <= 1) and len(report.runs) <= 8 and report.finished
    plain = session_value(report)
    assert plain["upsilon"] == {"axis2": report.upsilon[0], "axis3": report.upsilon[1]} and len(plain["runs"]) == len(report.runs)


def test_every_run_is_in_the_file(tmp_path: Path) -> None:
    """One experiment file holds settings and recordings, and opens as any other."""
    path = tmp_path / "t.h5"
    report = finish(TuningSession.create(path, replace(SETTINGS, notes={"move": "++ 0.03 rad"})))
    experiment = read_experiment(path)
    assert list(experiment.trials) == [f"run {k:04d}" for k in range(1, len(report.runs) + 1)]
    assert np.array_equal(experiment["run 0002"].attributes["upsilon"], report.runs[1].upsilon)
    assert experiment.design["notes"]["move"] == "++ 0.03 rad"
    back = TuningSession.load(path).settings
    assert back.rule == SETTINGS.rule and back.limits == SETTINGS.limits and np.array_equal(back.gears, SETTINGS.gears)
    path_rule = PathRule(TIME, np.zeros((400, 3)), 0.1, True)
    TuningSession.create(tmp_path / "p.h5", replace(SETTINGS, rule=path_rule, limits=SafetyLimits(max_torque=(50.0, 40.0))))
    other = TuningSession.load(tmp_path / "p.h5").settings
    assert isinstance(other.rule, PathRule) and np.array_equal(other.rule.reference, path_rule.reference) and other.limits.max_torque == (50.0, 40.0)


def test_far_points_are_approached(tmp_path: Path) -> None:
    """No run is farther than the largest step from one that was safe; the search still gets the points it asked for."""
    settings = replace(SETTINGS, solver="random", seed=1, budget=8, limits=SafetyLimits(max_step=6.0))
    session = TuningSession.create(tmp_path / "t.h5", settings)
    report = finish(session)
    ups = np.array([run.upsilon for run in report.runs])
    for k in range(1, len(ups)):
        assert min(np.abs(ups[:k] - ups[k]).max(axis=1)) <= 6 + 1e-9
    assert len(report.runs) == 8 and report.message == "all 8 runs are used up"


def test_unsafe_runs_send_it_home(tmp_path: Path) -> None:
    """A run over the torque limit, or much worse than the first, is no base for others; the robot goes back to the best safe point; too many end the tuning."""
    limits = SafetyLimits(max_step=10.0, max_torque=(0.25, 1.0), max_unsafe=2)
    session = TuningSession.create(tmp_path / "t.h5", replace(SETTINGS, solver="random", seed=0, limits=limits, budget=30))
    report = finish(session)
    bad = [k for k, verdict in enumerate(report.verdicts) if verdict.unsafe]
    assert len(bad) == 2 and report.finished
    assert report.message.startswith("2 runs failed or left the limits; the last one: motor torque of axis2 is 0.")
    assert report.verdicts[int(np.argmin([run.value for run in report.runs]))].unsafe == ""
    safe = np.array([run.upsilon for run, verdict in zip(report.runs, report.verdicts, strict=True) if not verdict.unsafe])
    assert any(np.array_equal(report.upsilon, point) for point in safe)
    worse = TuningSession.create(tmp_path / "w.h5", replace(SETTINGS, limits=SafetyLimits(max_ratio=1.0)))
    while (request := worse.ask()) is not None and request.number < 3:
        assert request.safe == (100.0, 100.0)
        verdict = worse.tell(request.number, robot(request.upsilon))
    assert "times that of the first run" in verdict.unsafe


def test_failed_runs(tmp_path: Path) -> None:
    """C84 on a robot: no recording, NaN in it, or one that is too short: counted, named, and the tuning goes on."""
    session = TuningSession.create(tmp_path / "t.h5", replace(SETTINGS, solver="complex_box", limits=SafetyLimits(max_step=40, max_unsafe=9), budget=9))
    for k in range(5):
        request = session.ask()
        assert request is not None
        trial = robot(request.upsilon)
        if k == 1:
            session.fail(request.number, "emergency stop")
        elif k == 2:
            assert trial.tau is not None
            session.tell(request.number, replace(trial, tau=np.where(TIME[:, None] > 0.3, np.nan, trial.tau)))
        elif k == 3:
            session.tell(request.number, trial.window(0, 20))
        else:
            session.tell(request.number, trial)
    report = TuningSession.load(tmp_path / "t.h5").report()
    reasons = [verdict.unsafe for verdict in report.verdicts]
    assert reasons[1] == "emergency stop" and "not finite" in reasons[2] and "20 samples after" in reasons[3]
    assert [np.isnan(run.value) for run in report.runs] == [False, True, True, True, False]
    dead = TuningSession.create(tmp_path / "d.h5", SETTINGS)
    dead.fail(1, "no power")
    assert dead.ask() is None and dead.report().message == "the first run failed or left the limits: no power"


def test_messages(tmp_path: Path) -> None:
    session = TuningSession.create(tmp_path / "t.h5", SETTINGS)
    with pytest.raises(FileError, match="it exists already"):
        TuningSession.create(tmp_path / "t.h5", SETTINGS)
    with pytest.raises(DataError, match="run 2, expected run 1"):
        session.tell(2, robot((100, 100)))
    with pytest.raises(ShapeError, match="recording of run 1: 1 axes, expected 2"):
        session.tell(1, Trial(time=TIME, q=np.zeros(400), tau=np.zeros(400)))
    with pytest.raises(MissingFileError):
        TuningSession.load(tmp_path / "other.h5")
    from optid.experiment import Experiment, write_experiment

    write_experiment(Experiment("x"), tmp_path / "x.h5")
    with pytest.raises(FileError, match="no tuning in it"):
        TuningSession.load(tmp_path / "x.h5")
    with pytest.raises(UnknownNameError, match="solver 'simplex'"):
        TuningSession.create(tmp_path / "s.h5", replace(SETTINGS, solver="simplex")).ask()
    with pytest.raises(LimitsError, match="max_step of a tuning: -1"):
        SafetyLimits(max_step=-1)
    with pytest.raises(ShapeError, match="gears of a tuning"):
        replace(SETTINGS, gears=(1.0, 2.0, 3.0))
    finish(session, 2)
    changed = TuningSession(tmp_path / "t.h5", replace(SETTINGS, start=(98.0, 100.0)), session.trials)
    with pytest.raises(FileError, match="made with other settings"):
        changed.ask()
