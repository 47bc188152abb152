"""Case C93: reading while another process writes gives one clear message; many readers work."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from optid.errors import FileBusyError
from optid.experiment import add_results, read_experiment, validate_file, write_experiment

_HOLD = "import h5py, sys; f = h5py.File(sys.argv[1], sys.argv[2]); print('held', flush=True); sys.stdin.read()"
_READ = "import sys; from optid.experiment import read_experiment; print(read_experiment(sys.argv[1])['run 1'].n_samples)"


@pytest.fixture
def path(experiment, tmp_path):
    write_experiment(experiment, tmp_path / "a.h5")
    return tmp_path / "a.h5"


@pytest.fixture
def hold(path):
    children = []

    def start(mode):
        child = subprocess.Popen([sys.executable, "-c", _HOLD, str(path), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        children.append(child)
        assert child.stdout.readline() == "held\n"

    yield start
    for child in children:
        child.communicate("")


def test_a_file_held_by_a_writer_is_busy(path, hold):
    hold("r+")
    for touch in (read_experiment, validate_file, lambda p: add_results(p, "x", {})):
        with pytest.raises(FileBusyError, match=r"file .*a\.h5: held open by another program.*try again when it is done"):
            touch(path)
    with pytest.raises(BlockingIOError):
        read_experiment(path)
    assert [p.name for p in path.parent.iterdir()] == ["a.h5"]


def test_switched_off_locking_is_respected(path, hold):
    hold("r+")
    environment = {**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"}
    done = subprocess.run([sys.executable, "-c", _READ, str(path)], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "300", done.stderr


def test_four_readers_at_once_work_and_writers_wait(path, hold):
    hold("r")
    readers = [subprocess.Popen([sys.executable, "-c", _READ, str(path)], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [reader.communicate()[0].strip() for reader in readers] == ["300"] * 4
    with pytest.raises(FileBusyError):
        add_results(path, "x", {})
