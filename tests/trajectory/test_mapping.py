"""Trajectories as plain values and back."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from optid.errors import DataError, FileError, OptidError, UnknownNameError
from optid.experiment import Experiment, read_experiment, write_experiment
from optid.trajectory import BSpline, Fourier, Piecewise, PointToPoint, RampedFourier, Sampled, Trajectory, from_mapping, irb140_g21, stopped

MOTIONS: list[Trajectory] = [
    irb140_g21(),
    Fourier([0.0, 1.0], [[1.0], [2.0]], [[0.5], [0.1]], [5.0, 2.5], ('x"; exit', "ü\n"), cycles=3),
    RampedFourier(irb140_g21(), 0.5, start=np.zeros(3), continuity=3),
    BSpline.rest_to_rest(np.arange(16.0).reshape(2, 8) ** 1.5, 4.0),
    PointToPoint([0.0], [1.0], 2.0, "ninth"),
    Sampled(np.arange(9.0), np.arange(9.0) ** 2, joint_names=("slide",)),
    Piecewise.linear([0.0, 1.0, 3.0], [0.0, 1.0, 0.0]),
    stopped(irb140_g21(), 1.3, 0.4),
]


def write(group: h5py.Group, mapping: dict) -> None:
    for key, value in mapping.items():
        if isinstance(value, dict):
            write(group.create_group(key), value)
        else:
            group[key] = value


def read(group: h5py.Group) -> dict:
    return {key: read(value) if isinstance(value, h5py.Group) else value[()] for key, value in group.items()}


@pytest.mark.parametrize("motion", MOTIONS, ids=lambda m: m.kind)
def test_round_trip_through_a_file_is_exact(motion: Trajectory) -> None:
    with h5py.File("design.h5", "w", driver="core", backing_store=False) as file:
        write(file.create_group("design"), motion.to_mapping())
        again = from_mapping(read(file["design"]))
    assert again == motion and type(again) is type(motion)
    assert again.joint_names == motion.joint_names
    t = np.linspace(0.0, motion.duration, 13)
    np.testing.assert_array_equal(again.evaluate(t), motion.evaluate(t))


def test_an_experiment_file_keeps_the_design(tmp_path: Path) -> None:
    motion = MOTIONS[2]
    write_experiment(Experiment(design={"trajectory": motion.to_mapping(), "criterion": "condition"}), tmp_path / "plan.h5")
    assert from_mapping(read_experiment(tmp_path / "plan.h5").design["trajectory"]) == motion


def test_trajectories_differ_when_a_number_does() -> None:
    assert irb140_g21() != irb140_g21().shifted(0.1)
    assert irb140_g21() != MOTIONS[3]


def test_the_stored_fourier_says_what_preprocessing_needs() -> None:
    stored = irb140_g21().to_mapping()
    assert (stored["kind"], stored["period"], stored["harmonics"]) == ("fourier", 5.0, 4)
    assert stored["coefficients"].shape == (3, 9)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"kind": "fuorier"}, UnknownNameError, "trajectory kind 'fuorier': unknown name.*Did you mean 'fourier'"),
        ({"extra": 1.0}, FileError, "stored trajectory of kind 'fourier': KeyError: 'extra'"),
        ({"coefficients": np.full((3, 9), np.nan)}, DataError, "not finite"),
        ({"joint_names": "[oops"}, FileError, "stored trajectory of kind 'fourier': JSONDecodeError"),
        ({"joint_names": "3"}, FileError, "joint_names holds a int, not a JSON list"),
        ({"harmonics": "four"}, DataError, "number of harmonics: 'four', expected a whole number"),
        ({"harmonics": np.inf}, DataError, "number of harmonics: inf, expected a whole number"),
        ({"period": {"kind": "fourier"}}, OptidError, "coefficients"),
    ],
)
def test_damaged_mappings_are_refused(change: dict, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_mapping(irb140_g21().to_mapping() | change)
