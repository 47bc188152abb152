"""A full disk costs neither the file that was there nor the rows that were flushed. A limit on file sizes stands for the disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from optid.experiment import Experiment, read_experiment, write_experiment

pytestmark = pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="needs POSIX limits")

_LIMIT = """
import json, resource, signal, sys
import numpy as np
import h5py
from optid.errors import FileError
from optid.experiment import Experiment, Recorder, Trial, add_results, write_experiment
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
"""

_WRITE = f"""{_LIMIT}
numbers = np.random.default_rng(1).normal(size=(30_000, 3))
messages = []
for write in (
    lambda: write_experiment(Experiment(trials=[Trial(np.arange(30_000.0), numbers)]), sys.argv[1], overwrite=True),
    lambda: add_results(sys.argv[1], "r", {{"x": numbers}}),
):
    try:
        write()
    except FileError as error:
        messages.append(str(error))
print(json.dumps(messages))
"""

_RECORD = f"""{_LIMIT}
try:
    with Recorder(sys.argv[1], n=3, signals=("q",), rate=100) as recorder:
        for k in range(1000):
            recorder.append(np.arange(100.0) + 100 * k, q=np.full((100, 3), float(k)))
            recorder.flush()
except FileError as error:
    print(json.dumps([recorder.n_flushed, str(error)]))
"""


def _run(code, path, quiet=False):
    result = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert not quiet or (result.returncode, result.stderr) == (0, ""), "one sentence, no complaints of HDF5 behind it"
    return json.loads(result.stdout)


def test_the_old_file_stays_whole(tmp_path):
    path = tmp_path / "a.h5"
    experiment = Experiment(title="old")
    write_experiment(experiment, path)
    messages = _run(_WRITE, path, quiet=True)
    assert len(messages) == 2 and all("a.h5: no room (the disk is full" in message for message in messages)
    assert read_experiment(path) == experiment and [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_the_flushed_rows_of_a_recording_stay(tmp_path):
    flushed, message = _run(_RECORD, tmp_path / "a.h5")
    assert flushed >= 1000 and "a.h5.part: no room" in message
    with pytest.warns(match="the recording was not closed"):
        trial = read_experiment(tmp_path / "a.h5.part")["trial"]
    assert trial.n_samples == flushed and np.array_equal(trial.time, np.arange(float(flushed))) and np.array_equal(trial.q[:, 0], np.arange(flushed) // 100)
