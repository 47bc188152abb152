"""Many files, on any number of workers: the same bits, nothing lost, every fault told."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optid import DynamicModel, Experiment, Preprocessing, Trial, identify, identify_batch, write_experiment
from optid.errors import DataError, DataWarning, FileError, MissingFileError
from optid.identification import BatchResult, batch, leave_one_trial_out, workers
from optid.identification.checkpoint import Checkpoint
from optid.robot import DHRow, Link, Robot

ROBOT = Robot.from_dh(
    [DHRow(a=0.5), DHRow(a=0.4)],
    "standard",
    (0.0, -9.81, 0.0),
    links=[Link("one", 3.0, (-0.2, 0.01, 0.0), (0.02, 0.0, 0.0, 0.1, 0.0, 0.1)), Link("two", 1.5, (-0.15, 0.0, 0.0), (0.01, 0.0, 0.0, 0.04, 0.0, 0.04))],
    joint_names=("shoulder", "elbow"),
).with_friction(viscous=[1.0, 0.5], coulomb=[2.0, 1.0])
MODEL = DynamicModel(ROBOT)
SMOOTH = Preprocessing(cutoff=20.0)


def swing(seed: int, n: int = 700, **changes: Any) -> Trial:
    rng = np.random.default_rng(seed)
    t = np.arange(n) * 0.005
    w = rng.uniform(1.0, 3.0, 2)
    q, dq, ddq = np.sin(t[:, None] * w + seed), w * np.cos(t[:, None] * w + seed), -(w**2) * np.sin(t[:, None] * w + seed)
    tau = MODEL.inverse_dynamics(MODEL.nominal_parameters(), q, dq, ddq) + 0.1 * rng.standard_normal(q.shape)
    return Trial(t, q, **{"tau": tau, "joint_names": ROBOT.joint_names, **changes})


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Four files of two trials."""
    folder = tmp_path_factory.mktemp("files")
    for k in range(4):
        write_experiment(Experiment(title=f"day {k}", trials={f"{k}a": swing(2 * k), f"{k}b": swing(2 * k + 1)}), folder / f"day{k}.h5")
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def alone(files: list[Path]) -> BatchResult:
    """One process."""
    return identify_batch(files, MODEL, preprocessing=SMOOTH, workers=1)


def differing(one: BatchResult, other: BatchResult) -> list[str]:
    """What is not the same to the last bit."""

    def parts(batch: BatchResult) -> dict[str, Any]:
        fit = batch.result
        arrays = {"beta": fit.beta, "sigma": fit.sigma, "weights": fit.weights, "triangles": fit.factors.triangles, "scores": fit.details.residuals.scores}
        return {**arrays, "notes": fit.notes, "trials": fit.trials, "files": batch.files}

    pairs = zip(parts(one).items(), parts(other).values(), strict=True)
    return [what for (what, a), b in pairs if not (np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b)]


def test_one_process_gives_what_identify_gives(files: list[Path], alone: BatchResult) -> None:
    fit = identify(MODEL, files, preprocessing=SMOOTH)
    assert alone.result.beta == pytest.approx(fit.beta, rel=1e-10)
    assert alone.result.interval() == pytest.approx(fit.interval(), rel=1e-6)
    assert alone.result.trials == fit.trials == tuple(f"{k}{x}" for k in range(4) for x in "ab")


def test_two_processes_give_the_same_bits(files: list[Path], alone: BatchResult) -> None:
    done: list[tuple[int, int]] = []
    two = identify_batch(files, MODEL, preprocessing=SMOOTH, workers=2, progress=lambda *x: done.append(x))
    assert differing(alone, two) == []
    assert done == [(k, 4) for k in range(1, 5)]


def test_threads_give_the_same_bits(files: list[Path], alone: BatchResult) -> None:
    with ThreadPoolExecutor(3) as executor:
        assert differing(alone, identify_batch(files, MODEL, preprocessing=SMOOTH, executor=executor)) == []


def test_compiled_or_interpreted_everywhere_alike(files: list[Path]) -> None:
    """The backend is chosen once, by the work of all files: known parameters' torque included."""
    found = [identify_batch(files, MODEL, preprocessing=SMOOTH, known=["m1", "fv2"], workers=count) for count in (1, 2)]
    assert differing(*found) == []


def test_dask_gives_the_same_bits(files: list[Path], alone: BatchResult) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.ERROR) as cluster,
        workers.scheduler(cluster.scheduler_address) as executor,
    ):
        assert differing(alone, identify_batch(files, MODEL, preprocessing=SMOOTH, executor=executor)) == []


def test_nobody_at_the_address() -> None:
    pytest.importorskip("distributed")
    with (
        pytest.raises(DataError, match="scheduler 'tcp:nonsense': no answer, expected the address of a running dask scheduler"),
        workers.scheduler("tcp:nonsense"),
    ):
        pass


def test_a_missing_extra_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'optid\[distributed\]'"), workers.scheduler("tcp://127.0.0.1:1"):
        pass


def kill_once(item: tuple[str, int]) -> int:
    """Kill the process the first time."""
    mark, value = item
    if value == 2 and not os.path.exists(mark):
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return value**2


def kill_always(value: int) -> int:
    if value == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return value**2


@pytest.mark.parametrize("lent", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_killed_worker_costs_nothing_but_time(tmp_path: Path, lent: bool) -> None:
    """Of our own processes, or of a caller's pool."""
    items = [(str(tmp_path / "mark"), value) for value in range(5)]
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn")) if lent else None
    with workers.Crew(2, pool) as crew:
        found = dict(crew.each(kill_once, items))
    assert found == {k: k**2 for k in range(5)}
    assert (tmp_path / "mark").exists()
    if pool is not None:
        pool.shutdown()


def test_what_kills_every_process_is_named() -> None:
    with workers.Crew(2) as crew:
        found = dict(crew.each(kill_always, [0, 1, 2]))
    assert (found[0], found[2]) == (0, 4)
    assert str(found[1]) == "file 1: the worker process died each time it was at work on it, expected one that a process survives. Leave it out."


def test_a_bad_file_is_reported_and_left_out(files: list[Path], alone: BatchResult, tmp_path: Path) -> None:
    bad, gone = tmp_path / "bad.h5", tmp_path / "gone.h5"
    bad.write_bytes(files[0].read_bytes()[:2000])
    found = identify_batch([files[0], bad, *files[1:], gone], MODEL, preprocessing=SMOOTH, workers=2)
    assert np.array_equal(found.result.beta, alone.result.beta)
    assert [f.path for f in found.failed] == [str(bad), str(gone)]
    assert "truncated" in str(found.failed[0].error) and "not found" in str(found.failed[1].error)
    with pytest.raises(FileError, match="truncated"):
        identify_batch([files[0], bad, *files[1:]], MODEL, preprocessing=SMOOTH, workers=1, on_error="raise")
    with pytest.raises(DataError, match="none of 2 files could be used"):
        identify_batch([bad, gone], MODEL, workers=1)


def test_errors_keep_their_kind_on_the_way_home(tmp_path: Path) -> None:
    """Those, too, that are two builtins at once."""
    with ThreadPoolExecutor(1) as executor, pytest.raises(MissingFileError, match=r"gone.h5: not found, expected an existing file\."):
        identify_batch([tmp_path / "gone.h5"], MODEL, on_error="raise", executor=executor)


def test_warnings_come_home(tmp_path: Path) -> None:
    for name in "ab":
        write_experiment(Experiment(title=name, trials={"x": swing(1, joint_names=()), "y": swing(2)}), tmp_path / f"{name}.h5")
    with pytest.warns(DataWarning) as caught:
        identify_batch(sorted(tmp_path.iterdir()), MODEL, preprocessing=SMOOTH, workers=2)
    told = [str(warning.message) for warning in caught]
    assert [text.split(":")[0] for text in told] == ["trial 'x' of experiment 'a'", "trial 'x' of experiment 'b'"]


def resumable(files: list[Path], folder: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> tuple[BatchResult, list[str]]:
    """A batch, and the files that it reduced."""
    worked: list[str] = []
    reduce = batch.reduce_file

    def counted(path: str, setup: Any) -> Any:
        worked.append(Path(path).name)
        return reduce(path, setup)

    with monkeypatch.context() as patch:
        patch.setattr(batch, "reduce_file", counted)
        return identify_batch(files, MODEL, **{"preprocessing": SMOOTH, "workers": 1, "resume": folder, **options}), worked


def test_an_interrupted_batch_goes_on(files: list[Path], alone: BatchResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    folder = tmp_path / "batch"
    with pytest.raises(KeyboardInterrupt):
        identify_batch(files, MODEL, preprocessing=SMOOTH, workers=1, resume=folder, progress=interrupt)
    found, worked = resumable(files, folder, monkeypatch)
    assert differing(alone, found) == []
    assert worked == ["day2.h5", "day3.h5"]
    again, worked = resumable(files, folder, monkeypatch)
    assert differing(alone, again) == []
    assert worked == []


def test_what_changed_is_done_again(files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are known by their content, not by name or time; options count, too."""
    folder, mine = tmp_path / "batch", tmp_path / "mine"
    mine.mkdir()
    copies = [mine / file.name for file in files]
    for file, copy in zip(files, copies, strict=True):
        copy.write_bytes(file.read_bytes())
    resumable(files, folder, monkeypatch)
    assert resumable(copies, folder, monkeypatch)[1] == []
    copies[1].unlink()
    write_experiment(Experiment(title="other", trials={"new": swing(99)}), copies[1])
    found, worked = resumable(copies, folder, monkeypatch)
    assert worked == ["day1.h5"] and "new" in found.result.trials
    assert len(resumable(files, folder, monkeypatch, preprocessing=Preprocessing(cutoff=21.0))[1]) == 4
    assert len(resumable(files, folder, monkeypatch, known={"fv1": 1.0})[1]) == 4
    assert len(resumable(files, folder, monkeypatch, known={"fv1": 2.0})[1]) == 4


def test_damaged_pieces_are_made_again(
    files: list[Path], alone: BatchResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Cut short, exchanged, or a pickle: nothing of that is believed."""
    folder = tmp_path / "batch"
    resumable(files, folder, monkeypatch, residuals=False)
    first, second, third, fourth = sorted(folder.iterdir())
    first.write_bytes(first.read_bytes()[:-300])
    second.write_bytes(third.read_bytes())
    with open(third, "wb") as raw:
        np.savez(raw, text=np.array([{"a": 1}], dtype=object))
    with open(fourth, "wb") as raw:
        np.savez(raw, text=np.frombuffer(f'{{"key": "{fourth.stem}", "value": {{}}}}'.encode(), dtype=np.uint8))
    with caplog.at_level(logging.WARNING):
        found, worked = resumable(files, folder, monkeypatch)
    assert differing(alone, found) == []
    assert len(worked) == 4
    assert sum("made again" in record.getMessage() for record in caplog.records) == 3


def test_no_half_piece_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Checkpoint.of(tmp_path / "batch")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(FileError, match="No space left on device, expected room"):
        folder.put("a", {"x": np.zeros(3)}, {})
    assert list(folder.folder.iterdir()) == []


def test_unusable_folders_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="expected a folder for what the batch has done"):
        Checkpoint.of(tmp_path / "file")
    with pytest.raises(MissingFileError, match="expected an existing folder"):
        Checkpoint.of(tmp_path / "a" / "b")


def test_c87_what_cannot_be_sent_is_told_before_work_begins(files: list[Path]) -> None:
    """C87: no pickling traceback, and what to do instead."""
    options = Preprocessing(cutoff=20.0)
    object.__setattr__(options, "min_speed", lambda dq: dq)
    with pytest.raises(
        DataError, match=r"cannot be sent to another process \(.*lambda.*\), expected plain data. Define functions at the top level of a module, or"
    ):
        identify_batch(files, MODEL, preprocessing=options, workers=2)


def test_scripts_need_no_guard(files: list[Path], tmp_path: Path) -> None:
    """C87, spawn: worker processes do not run the script that starts them."""
    script = tmp_path / "script.py"
    names = [str(file) for file in files]
    script.write_text(
        f"import pickle, sys\nprint('once')\nwith open({str(tmp_path / 'model')!r}, 'rb') as file:\n    model = pickle.load(file)\n"
        f"from optid import identify_batch\nprint(identify_batch({names!r}, model, workers=2, residuals=False).result.n_rows)\n"
    )
    (tmp_path / "model").write_bytes(pickle.dumps(MODEL))
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.split() == ["once", str(identify_batch(files, MODEL, workers=1, residuals=False).result.n_rows)]


@pytest.mark.parametrize(
    ("options", "message"), [({"workers": 0}, "workers: 0, expected a whole number"), ({"workers": 1.5}, "workers: 1.5"), ({"on_error": "ignore"}, "on_error")]
)
def test_misuse_is_named(files: list[Path], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        identify_batch(files, MODEL, **options)


def test_every_trial_is_left_out_in_turn(files: list[Path], alone: BatchResult) -> None:
    """From the triangles: what fitting the other trials and predicting this one gives."""
    from optid import read_experiment, validate

    found = alone.leave_one_out()
    trials = [trial for file in files for trial in read_experiment(file).trials.values()]
    assert found.trials == tuple(trial.name for trial in trials)
    for k in (0, 5, 7):
        fit = identify(MODEL, trials[:k] + trials[k + 1 :], preprocessing=SMOOTH, residuals=False)
        assert found.beta[k] == pytest.approx(fit.beta, rel=1e-8)
        moving = Preprocessing(cutoff=20.0)
        samples = moving.apply(trials[k])
        residual = np.where(samples.use, samples.tau - fit.predict_samples(samples), 0.0)
        expected = np.linalg.norm(residual) / np.linalg.norm(np.where(samples.use, samples.tau, 0.0))
        assert found.errors[k].stacked == pytest.approx(expected, rel=1e-8)
        assert validate(fit, samples).errors.stacked == pytest.approx(expected, rel=0.1)
    assert found.worst in found.trials and found.summary().count("%") == 3 * 8
    same = leave_one_trial_out(MODEL, files, preprocessing=SMOOTH)
    assert np.allclose(same.beta, found.beta, rtol=1e-8)


def test_one_trial_cannot_be_left_out(files: list[Path]) -> None:
    with pytest.raises(DataError, match="trials to leave out in turn: 1, expected at least two"):
        leave_one_trial_out(MODEL, swing(0))
    with pytest.raises(DataError, match="triangular factors alone"):
        leave_one_trial_out(MODEL, files, method="huber")
