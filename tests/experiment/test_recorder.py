"""A recording survives the death of its process."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys

import h5py
import numpy as np
import pytest

from optid.errors import DataError, FileError, MissingFileError, ShapeError
from optid.experiment import Recorder, RobotInfo, read_experiment, recover

_CHILD = """
import sys
from optid.experiment import Recorder
recorder = Recorder(sys.argv[1], joint_names=["a", "b", "c"], rate=200, flush_period=float(sys.argv[2]))
k = 0
while True:
    recorder.append(k * 1e-3, q=[k, k + 0.25, k + 0.5], dq=[-k] * 3, tau=[2 * k] * 3)
    k += 1
    if recorder.n_flushed:
        print(recorder.n_flushed, flush=True)
"""


def _killed(path, flush_period, rows):
    """Record in another process, kill it by SIGKILL when it has flushed ``rows`` rows, and say how many rows it had flushed for sure."""
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(path), flush_period], stdout=subprocess.PIPE, text=True)
    flushed = 0
    for line in child.stdout:
        flushed = int(line)
        if flushed >= rows:
            break
    child.send_signal(signal.SIGKILL)
    rest = [line for line in child.stdout if line.endswith("\n")]
    child.stdout.close()
    assert child.wait() == -signal.SIGKILL
    return int(rest[-1]) if rest else flushed


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
@pytest.mark.parametrize(("flush_period", "rows"), [("0", 1), ("0", 900), ("0.02", 3000)])
def test_kill_9_loses_no_flushed_row(flush_period, rows, tmp_path):
    path = tmp_path / "run.h5"
    flushed = _killed(path, flush_period, rows)
    assert flushed >= rows and not path.exists()
    with pytest.warns(match="the recording was not closed"):
        trial = read_experiment(tmp_path / "run.h5.part")["trial"]
    k = np.arange(trial.n_samples)
    assert trial.n_samples >= flushed
    assert np.array_equal(trial.time, k * 1e-3)
    assert np.array_equal(trial.q, np.stack([k, k + 0.25, k + 0.5], axis=1))
    assert np.array_equal(trial.tau, np.stack([2.0 * k] * 3, axis=1)) and trial.valid.all()
    with pytest.raises(FileError, match=r"run\.h5\.part: a recording that was cut off is there .*Save it with optid.experiment.recover"):
        Recorder(path, joint_names=["a", "b", "c"])
    with pytest.warns(match="the recording was not closed"):
        assert recover(tmp_path / "run.h5.part") == path
    assert np.array_equal(read_experiment(path)["trial"].q, trial.q)


def test_rows_and_blocks_come_back_equal(trial, tmp_path):
    path = tmp_path / "run.h5"
    robot = RobotInfo("arm", joint_names=("j1", "jé"))
    with Recorder(
        path, joint_names=("j1", "jé"), robot=robot, title="t", role="validation", period=0.6, attributes={"load": None}, name="run 1", rate=50
    ) as recorder:
        for k in range(100):
            recorder.append(trial.time[k], q=trial.q[k], dq=trial.dq[k], tau=trial.tau[k])
        recorder.append(trial.time[100:], q=trial.q[100:], dq=trial.dq[100:], tau=trial.tau[100:])
        assert recorder.n_rows == 300 and not path.exists() and recorder.part_path.exists()
    assert not recorder.part_path.exists()
    back = read_experiment(path)
    assert back.robot == robot and back.title == "t"
    for what in ("time", "q", "dq", "tau", "joint_names", "period"):
        assert np.array_equal(getattr(back["run 1"], what), getattr(trial, what)), what
    assert back["run 1"].role == "validation" and back["run 1"].attributes == {"load": None} and back["run 1"].sources["tau"] == "measured"
    with h5py.File(path) as file:
        assert file["trials/run 1/q"].compression is None and file["trials/run 1/time"].maxshape == (None,)


def test_reused_buffers_are_copied(tmp_path):
    """A control loop hands over the same array each time."""
    buffer = np.zeros(2)
    with Recorder(tmp_path / "run.h5", n=2, signals=("q",)) as recorder:
        for k in range(5):
            buffer[:] = k
            recorder.append(float(k), q=buffer)
    assert read_experiment(tmp_path / "run.h5")["trial"].q[:, 0].tolist() == [0, 1, 2, 3, 4]


def test_one_joint_one_row_and_no_row(tmp_path):
    with Recorder(tmp_path / "a.h5", joint_names=["slide"], signals=("q", "current")) as recorder:
        recorder.append(0.0, q=1.0, current=2.0)
        recorder.append([0.1, 0.2], q=[1.0, 2.0], current=[3.0, 4.0])
    trial = read_experiment(tmp_path / "a.h5")["trial"]
    assert trial.q.shape == (3, 1) and trial.current[:, 0].tolist() == [2.0, 3.0, 4.0] and trial.tau is None
    with Recorder(tmp_path / "b.h5", n=7):
        pass
    assert read_experiment(tmp_path / "b.h5")["trial"].q.shape == (0, 7)


def test_nan_from_a_sensor_is_recorded_and_marked(tmp_path):
    with Recorder(tmp_path / "a.h5", n=2) as recorder:
        recorder.append([0.0, 0.1, 0.2], q=np.zeros((3, 2)), dq=[[0, 0], [np.nan, 0], [0, 0]], tau=np.zeros((3, 2)), valid=[True, True, False])
    trial = read_experiment(tmp_path / "a.h5")["trial"]
    assert trial.valid.tolist() == [True, False, False] and np.isnan(trial.dq[1, 0])


def test_after_an_exception_the_part_file_stays(tmp_path, caplog):
    with caplog.at_level(logging.WARNING), pytest.raises(ZeroDivisionError), Recorder(tmp_path / "a.h5", n=1, signals=("q",)) as recorder:
        recorder.append(0.0, q=1.0)
        _ = 1 / 0
    assert "stopped by ZeroDivisionError; its 1 rows are in" in caplog.text
    assert not (tmp_path / "a.h5").exists()
    with pytest.warns(match="its 1 complete samples are taken"):
        assert read_experiment(tmp_path / "a.h5.part")["trial"].n_samples == 1


def test_existing_files_are_kept(tmp_path):
    (tmp_path / "a.h5").write_text("mine")
    with pytest.raises(FileError, match=r"a\.h5: it exists already"):
        Recorder(tmp_path / "a.h5", n=1)
    with Recorder(tmp_path / "a.h5", n=1, overwrite=True):
        assert (tmp_path / "a.h5").read_text() == "mine"
    assert read_experiment(tmp_path / "a.h5")["trial"].n_samples == 0
    with pytest.raises(MissingFileError, match=r"folder .*no: not found"):
        Recorder(tmp_path / "no" / "a.h5", n=1)
    with pytest.raises(DataError, match="attributes of trial 'trial'/x"):
        Recorder(tmp_path / "b.h5", n=1, attributes={"x": object()})
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5"]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n": 2, "signals": ("q", "torque")}, DataError, r"signals of recording .*: 'torque', expected q and others of q, dq, ddq, tau, current"),
        ({"n": 2, "signals": ("tau",)}, DataError, "no q"),
        ({}, ShapeError, r"0 names and n=0"),
        ({"n": 3, "joint_names": ["a"]}, ShapeError, r"1 names and n=3"),
        ({"joint_names": ["a", "a"]}, DataError, "'a' twice"),
    ],
)
def test_wrong_set_up_is_named(arguments, error, message, tmp_path):
    with pytest.raises(error, match=message):
        Recorder(tmp_path / "a.h5", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_wrong_rows_are_named_and_change_nothing(tmp_path):
    with Recorder(tmp_path / "a.h5", n=2, signals=("q", "tau")) as recorder:
        with pytest.raises(DataError, match=r"signals q, expected q, tau"):
            recorder.append(0.0, q=[0, 0])
        with pytest.raises(ShapeError, match=r"tau of recording .*, row 0: shape \(3,\), expected \(1, 2\)"):
            recorder.append(0.0, q=[0, 0], tau=[0, 0, 0])
        with pytest.raises(DataError, match=r"time of recording .*, row 0: .*nan.*, expected finite stamps"):
            recorder.append(float("nan"), q=[0, 0], tau=[0, 0])
        recorder.append(0.0, q=[1, 2], tau=[3, 4])
    with pytest.raises(DataError, match="closed"):
        recorder.append(1.0, q=[1, 2], tau=[3, 4])
    assert read_experiment(tmp_path / "a.h5")["trial"].tau.tolist() == [[3.0, 4.0]]


@pytest.mark.skipif(os.environ.get("HDF5_USE_FILE_LOCKING", "").upper() == "FALSE", reason="locking is switched off")
def test_a_running_recording_is_busy_elsewhere_and_readable_here(tmp_path):
    with Recorder(tmp_path / "a.h5", n=1, signals=("q",)) as recorder:
        recorder.append(0.0, q=1.0)
        recorder.flush()
        with pytest.warns(match="the recording was not closed; its 1 complete samples are taken"):
            assert read_experiment(recorder.part_path)["trial"].q.tolist() == [[1.0]]
        code = f"from optid.experiment import read_experiment; read_experiment({str(recorder.part_path)!r})"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert "FileBusyError" in other.stderr and "a.h5.part: held open by another program" in other.stderr


def test_recover_asks_for_a_name(tmp_path):
    with pytest.raises(FileError, match=r"no name that ends in \.part"):
        recover(tmp_path / "a.h5")
