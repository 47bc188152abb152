"""What a tuning never asks of a robot, whatever the robot answers."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from optid.errors import DataError, DataWarning, LimitsError, ShapeError, SolveError
from optid.experiment import Trial
from optid.flexibility.comparison import individual
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.session import TuningSession
from optid.flexibility.session_report import SessionReport
from optid.flexibility.settings import SafetyLimits, TuningSettings
from optid.flexibility.simulated_robot import SimulatedRobot
from optid.flexibility.surfaces import experiment

TIME = np.arange(200) / 1e3
SOLVERS = ["", "complex_box", "nelder_mead", "bayesian", "random", "grid", "nevergrad"]


def recording(rng: np.random.Generator, size: float) -> Trial:
    """A recording of about 200 samples whose torque vibrates by ``size``."""
    count = int(rng.integers(198, 204))
    time = np.arange(count) / 1e3
    waves = np.sin(2 * np.pi * rng.uniform(12, 20, 2) * time[:, None] + rng.uniform(0, 6, 2))
    return Trial(time=time, q=np.zeros((count, 2)), tau=size * waves + 0.01 * rng.standard_normal((count, 2)), joint_names=("a", "b"))


def adversarial(session: TuningSession, seed: int, reload: bool) -> list[tuple[tuple[float, ...], tuple[float, ...], bool]]:
    """Answer every request at random: good, bad, huge, failed, NaN. Gives (Υ, safe, whether it was judged safe) of every run."""
    rng = np.random.default_rng(seed)
    asked = []
    while (request := session.ask()) is not None:
        assert request == session.ask(), "asking is idempotent"
        if reload:
            session = TuningSession.load(session.path)
            assert session.ask() == request, "so is loading"
        kind = "good" if request.number == 1 else rng.choice(["good", "good", "good", "huge", "failed", "nan", "short"])
        trial = recording(rng, 10.0 * float(rng.uniform(0.5, 1.5)) if kind != "huge" else 1e3)
        if kind == "failed":
            verdict = session.fail(request.number, "emergency stop")
        elif kind == "nan":
            verdict = session.tell(request.number, replace(trial, tau=np.where(trial.time[:, None] > 0.1, np.nan, trial.tau)))
        else:
            verdict = session.tell(request.number, trial.window(0, 20) if kind == "short" else trial)
        assert bool(verdict.unsafe) == (kind != "good")
        asked.append((request.upsilon, request.safe, not verdict.unsafe))
    return asked


def check(asked: list[tuple[tuple[float, ...], tuple[float, ...], bool]], report: SessionReport, settings: TuningSettings) -> None:
    """No run outside the bounds, farther than the largest step from a safe one, at an unsafe Υ again, or after too many unsafe ones; home is always safe."""
    reach = settings.limits.max_step
    for k, (upsilon, home, _) in enumerate(asked):
        assert np.all(settings.lower - 1e-9 <= upsilon) and np.all(np.array(upsilon) <= settings.upper + 1e-9)
        safe = [point for point, _, fine in asked[:k] if fine]
        bad = [point for point, _, fine in asked[:k] if not fine]
        assert k == 0 or min(np.max(np.abs(np.subtract(point, upsilon))) for point in safe) <= reach + 1e-9
        assert upsilon not in bad
        assert home in safe if safe else home == (100.0, 100.0)
    unsafe = [not fine for *_, fine in asked]
    assert sum(unsafe) <= settings.limits.max_unsafe and (sum(unsafe) < settings.limits.max_unsafe or unsafe[-1])
    assert len(asked) <= settings.budget
    assert tuple(report.upsilon) in [point for point, _, fine in asked if fine]
    values = [run.value for run, verdict in zip(report.runs, report.verdicts, strict=True) if not verdict.unsafe]
    assert report.value == min(values) and report.finished


@pytest.mark.parametrize("seed", [0, *(pytest.param(k, marks=pytest.mark.slow) for k in range(1, 7))])
@pytest.mark.parametrize("solver", SOLVERS)
def test_adversarial_robot(tmp_path: Path, solver: str, seed: int) -> None:
    """Whatever it answers, no limit is left; a tuning that is loaded anew before every run asks for the same."""
    rng = np.random.default_rng([seed, 7])
    step = int(rng.choice([1, 2, 5]))
    limits = SafetyLimits(max_step=float(step + rng.integers(0, 12)), max_torque=(100.0, 100.0), max_unsafe=int(rng.integers(1, 5)))
    chosen = None if seed % 2 == 0 else (1,)
    low, high = np.array([80.0, 85.0]) + rng.integers(0, 5), np.array([120.0, 110.0])
    settings = TuningSettings(TailRule(0.05), ("a", "b"), chosen, rng.integers(95, 105, 2), low, high, step, solver, seed=seed, budget=12, limits=limits)
    session = TuningSession.create(tmp_path / "t.h5", settings)
    asked = adversarial(session, seed, False)
    check(asked, session.report(), settings)
    assert chosen is None or {upsilon[0] for upsilon, _, _ in asked} == {settings.start[0]}
    again = TuningSession.create(tmp_path / "again.h5", settings)
    assert adversarial(again, seed, True) == asked
    assert TuningSession.load(again.path).report().message == session.report().message


def first(size: float) -> Trial:
    waves = np.column_stack([np.sin(50 * TIME) / 2, np.cos(50 * TIME)])
    return Trial(time=TIME, q=np.zeros((200, 2)), tau=size * waves, joint_names=("a", "b"))


def test_first_run_must_be_safe(tmp_path: Path) -> None:
    """Nothing is known to be safe else: no second run is asked for, and the way home is the controller as delivered, not the start."""
    settings = TuningSettings(TailRule(0.05), ("a", "b"), start=(96.0, 104.0), limits=SafetyLimits(max_torque=(100.0, 100.0)), solver="random")
    session = TuningSession.create(tmp_path / "t.h5", settings)
    request = session.ask()
    assert request is not None and request.upsilon == (96.0, 104.0) and request.safe == (100.0, 100.0)
    assert session.tell(1, first(1e3)).unsafe == "motor torque of b is 1000 N m, more than 100"
    report = session.report()
    assert session.ask() is None and report.finished and "the first run failed or left the limits" in report.message
    assert tuple(report.upsilon) == (100.0, 100.0) and np.isnan(report.value)


@pytest.mark.parametrize(
    ("size", "reason"),
    [(np.nan, "200 samples are not finite"), (0.0, "the torque never changes"), (1e200, "the objective is inf"), (1.0, "samples after 0.9 s")],
)
def test_first_recording_must_be_usable(tmp_path: Path, size: float, reason: str) -> None:
    """What is wrong is the recording or the settings: nothing is stored, and the run stays asked for."""
    session = TuningSession.create(tmp_path / "t.h5", TuningSettings(TailRule(0.9 if size == 1.0 else 0.05), ("a", "b")))
    with pytest.raises(DataError, match=f"recording of run 1: .*{reason}.*, expected one that can be judged. Correct it, or begin a new tuning"):
        session.tell(1, first(size))
    request = TuningSession.load(session.path).ask()
    assert request is not None and request.number == 1


def test_nothing_but_the_start_can_be_run(tmp_path: Path) -> None:
    """Both sides of an axis fail, near and far: the tuning is over, and its start the best."""
    settings = TuningSettings(TailRule(0.05), ("a", "b"), (1,), limits=SafetyLimits(max_unsafe=9))
    session = TuningSession.create(tmp_path / "t.h5", settings)
    session.tell(1, recording(np.random.default_rng(0), 1.0))
    while (request := session.ask()) is not None:
        session.fail(request.number, "collision")
    report = session.report()
    assert [run.upsilon[1] for run in report.runs] == [100.0, 105.0, 95.0, 102.0, 98.0] and report.finished
    assert report.message == "secant: the residuals around the start are not finite numbers" and np.array_equal(report.upsilon, [100.0, 100.0])


def test_what_is_not_the_end_of_a_tuning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption while the search is replayed, and a search that breaks down: the tuning stays open, and its runs can be reported."""
    session = TuningSession.create(tmp_path / "t.h5", TuningSettings(TailRule(0.05), ("a", "b")))
    rng = np.random.default_rng(0)
    for number in (1, 2, 3):
        session.tell(number, recording(rng, 1.0))

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("optid.flexibility.replay._Player._towards", interrupted)
        session.ask()
    request = session.ask()
    assert request is not None and request.number == 4

    def broken(*_: object) -> None:
        raise ValueError("singular")

    monkeypatch.setattr("optid.solvers.secant.Secant._model", broken)
    session = TuningSession.load(session.path)
    with pytest.raises(SolveError, match=r"search of file .*t\.h5: secant: ValueError: singular, expected a search that can go on"):
        session.ask()
    report = session.report()
    assert not report.finished and len(report.runs) == 3 and "singular" in report.message


def test_steps_shorter_than_the_grid_are_refused() -> None:
    """A grid of 5 % cannot be walked in steps of 3 %."""
    with pytest.raises(LimitsError, match="max_step of a tuning: 3 %, expected 5 % or more"):
        TuningSettings(TailRule(0.05), step=5, limits=SafetyLimits(max_step=3.0))
    with pytest.raises(LimitsError, match=r"max_ratio of a tuning: 0\.5, expected 1 or more"):
        SafetyLimits(max_ratio=0.5)
    with pytest.raises(DataError, match="max_torque"):
        SafetyLimits(max_torque=(80.0, float("nan")))
    with pytest.raises(DataError, match="names that differ"):
        TuningSettings(TailRule(0.05), ("a", "a"))


def test_recordings_of_a_real_robot_differ_in_length(tmp_path: Path) -> None:
    """Some samples more or fewer, or another sampling rate, do not change the recommended search's answer: the vibration is linear in Υ, the optimum known."""
    optimum, gain = np.array([94.0, 107.0]), np.array([[1.0, 0.2], [0.3, 0.5]]) / 50

    def run(upsilon: tuple[float, ...], rate: float, count: int) -> Trial:
        time = np.arange(count) / rate
        shapes = np.stack([np.sin(2 * np.pi * f * time) * np.exp(-8 * time) for f in (8.0, 13.0)])
        away = gain @ (np.array(upsilon) - optimum)
        tau = np.column_stack([away @ shapes, 0.6 * away[::-1] @ shapes]) + np.sin(np.pi * np.minimum(time / 0.05, 1))[:, None]
        return Trial(time=time, q=np.zeros((count, 2)), tau=tau, joint_names=("a", "b"))

    points = []
    for which, changes in enumerate((((1000.0, 400),) * 3, ((1000.0, 400), (1000.0, 393), (1000.0, 404)), ((1000.0, 400), (500.0, 200), (4000.0, 1590)))):
        session = TuningSession.create(tmp_path / f"{which}.h5", TuningSettings(TailRule(0.05), ("a", "b")))
        while (request := session.ask()) is not None:
            session.tell(request.number, run(request.upsilon, *changes[request.number % 3 if request.number > 1 else 0]))
        report = session.report()
        assert np.all(np.abs(report.upsilon - optimum) <= 1), report.message
        points.append([run.upsilon for run in report.runs])
    assert points[0] == points[1]
    session = TuningSession.create(tmp_path / "short.h5", TuningSettings(TailRule(0.05), ("a", "b")))
    session.tell(1, run((100, 100), 1000.0, 400))
    request = session.ask()
    assert request is not None
    assert "a signal up to 0.249 s, expected 0.399 s, as in the first run" in session.tell(2, run(request.upsilon, 1000.0, 250)).unsafe


def test_recordings_of_other_runs_and_axes(tmp_path: Path) -> None:
    """Told twice, told with another Υ, of other axes: refused, nothing stored; in another order or with more axes: put right."""
    session = TuningSession.create(tmp_path / "t.h5", TuningSettings(TailRule(0.05), ("a", "b"), gears=(2.0, 3.0)))
    rng = np.random.default_rng(0)
    first = recording(rng, 1.0)
    assert first.tau is not None
    session.tell(1, first)
    with pytest.raises(DataError, match="recording of run 2: that of run 1, sample by sample"):
        session.tell(2, first)
    with pytest.raises(DataError, match=r"made with Υ = \[100. 100.\] %, expected \[105. 100.\] %"):
        session.tell(2, replace(recording(rng, 1.0), attributes={"upsilon": np.array([100.0, 100.0])}))
    with pytest.raises(ShapeError, match="axes x, y, expected 2: a, b"):
        session.tell(2, replace(recording(rng, 1.0), joint_names=("x", "y")))
    assert len(TuningSession.load(session.path).trials) == 1
    second = recording(rng, 1.0)
    assert second.tau is not None
    tau = np.column_stack([second.tau[:, 1], np.ones(second.n_samples), second.tau[:, 0]])
    session.tell(2, Trial(time=second.time, q=np.zeros_like(tau), tau=tau, joint_names=("b", "other", "a")))
    assert np.array_equal(TuningSession.load(session.path).trials[1].tau, second.tau)


@pytest.mark.parametrize(("tail_start", "message"), [(0.05, r"b at T = 0\.05 s: 0\.0[0-9]+ rad from where it ends, after 0\.06\d* rad of travel"), (0.11, "")])
def test_a_tail_that_begins_in_the_move(tmp_path: Path, tail_start: float, message: str) -> None:
    """A move of 0.06 rad on axis b until 0.1 s: T half way is told of, T after it is not."""
    rng = np.random.default_rng(0)
    time = np.arange(200) / 1e3
    q = np.column_stack([np.zeros(200), 0.06 * np.minimum(time / 0.1, 1.0) + 1e-4 * np.sin(80 * time)])
    trial = Trial(time=5.0 + time, q=q, tau=rng.standard_normal((200, 2)), joint_names=("a", "b"))
    session = TuningSession.create(tmp_path / "t.h5", TuningSettings(TailRule(tail_start), ("a", "b")))
    with pytest.warns(DataWarning, match=message) if message else nullcontext():
        assert session.tell(1, trial).unsafe == ""


def test_undo(tmp_path: Path) -> None:
    """A run told by mistake is forgotten, the first one too, and asked for again; what comes after is as if it had never been."""
    settings = TuningSettings(TailRule(0.05), ("a", "b"), limits=SafetyLimits(max_torque=(100.0, 100.0)), budget=5)
    rng = np.random.default_rng(1)
    runs = [recording(rng, 1.0) for _ in range(5)]
    session = TuningSession.create(tmp_path / "t.h5", settings)
    with pytest.raises(DataError, match=r"last run of the tuning t\.h5: none"):
        session.undo()
    session.tell(1, recording(rng, 1e3))
    assert session.ask() is None and session.undo() == 1
    straight = TuningSession.create(tmp_path / "s.h5", settings)
    for k, trial in enumerate(runs, 1):
        straight.tell(k, trial)
        session = TuningSession.load(session.path)
        session.fail(k, "wrong button")
        assert session.undo() == k
        session.tell(k, trial)
    assert session.report().runs == straight.report().runs == TuningSession.load(session.path).report().runs


@pytest.mark.slow
def test_recordings_that_begin_early_or_late(tmp_path: Path, loop_a: FlexibleLoop) -> None:
    """Up to ±10 ms from run to run, a logger's start leaves the recommended search less than a fifth of the vibration (measured 7 %, worst of six 11 %)."""
    motion, plant = experiment(loop_a, "zero", "++", "short"), individual(loop_a, (94.0, 107.0))
    rule = TailRule(settled(loop_a.simulate(motion, [[80, 80], [120, 120]], reference_tool=False)) + 0.02)
    ratios = []
    for seed in range(6):
        machine, rng = SimulatedRobot(loop_a, motion, plant, 0.05, 0.05, seed), np.random.default_rng(seed)
        session = TuningSession.create(tmp_path / f"{seed}.h5", TuningSettings(rule, gears=loop_a.gears, budget=12))
        while (request := session.ask()) is not None:
            trial = machine.run(request.upsilon, request.number)
            session.tell(request.number, trial.window(int(rng.uniform(0, 0.02) * loop_a.rate), None))
        best = session.report().upsilon
        left, before = rule.of_record(loop_a.simulate(motion, [best, (100.0, 100.0)], plants=plant, reference_tool=False))
        ratios.append(left / before)
    assert np.median(ratios) < 0.2 and max(ratios) < 0.4
