"""Experiment files in MATLAB: dimensions come reversed, as the file's own note says."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from optid.experiment import Experiment, Recorder, Trial, write_experiment


def h5read(path: Path, place: str) -> np.ndarray:
    """What MATLAB's ``h5read`` makes of a dataset: the numbers as they lie in the file, filled into reversed dimensions with the first one fastest."""
    with h5py.File(path) as file:
        dataset = file[place]
        flat = np.empty(dataset.size, dataset.dtype)
        dataset.read_direct(flat.reshape(dataset.shape))
        return flat.reshape(dataset.shape[::-1], order="F")


def test_arrays_arrive_transposed_as_the_note_says(trial: Trial, experiment: Experiment, tmp_path: Path) -> None:
    write_experiment(experiment, tmp_path / "arm.h5")
    with h5py.File(tmp_path / "arm.h5") as file:
        note = file.attrs["matlab_note"]
    assert "a signal of N samples and n joints arrives as n-by-N, a matrix as its transpose" in note and "q = h5read(file, '/trials/NAME/q').'" in note
    q = h5read(tmp_path / "arm.h5", "/trials/run 1/q")
    assert q.shape == (2, 300) and np.array_equal(q.T, trial.q)
    assert h5read(tmp_path / "arm.h5", "/trials/run 1/time").tolist() == trial.time.tolist()
    matrix = experiment.design["coefficients"]
    read = h5read(tmp_path / "arm.h5", "/design/coefficients")
    assert read.shape == (4, 3) and np.array_equal(read.T, matrix)


def test_recordings_say_it_too(tmp_path: Path) -> None:
    with Recorder(tmp_path / "run.h5", n=2, joint_names=("a", "b"), signals=("q",)) as recorder:
        recorder.append(0.0, q=[1.0, 2.0])
        recorder.append(0.1, q=[3.0, 4.0])
    with h5py.File(tmp_path / "run.h5") as file:
        assert "transpose" in file.attrs["matlab_note"].lower()
