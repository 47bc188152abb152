"""Files in which one entry was replaced: what cannot be read is said in one sentence that names file and place."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from optid.errors import FileError, OptidError, OptidWarning
from optid.experiment import Experiment, read_experiment, validate_file, write_experiment
from optid.experiment.stored import open_trials

DATASETS = ("x", np.nan, -1, np.zeros((3, 3)), np.zeros(0), np.arange(2), ["a", "b"])
ATTRIBUTES = ("x", -1, 2.5, np.zeros(3), "json:{bad", "json:null", 'json:{"a": [1]}', ["a", "b"])


def replaced(path: Path, place: str, value: Any) -> None:
    """Put a value at ``group/name`` or ``group/name@attribute``."""
    name, _, attribute = place.partition("@")
    with h5py.File(path, "r+") as file:
        if attribute:
            file[name].attrs[attribute] = value
        else:
            del file[name]
            if value is not None:
                file[name] = value


def places(path: Path) -> list[str]:
    found: list[str] = []
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.extend([f"/{name}", *(f"/{name}@{a}" for a in item.attrs if a not in ("DIMENSION_LIST", "REFERENCE_LIST"))]))
        return [*found, *(f"/@{a}" for a in file.attrs)]


def test_one_entry_replaced_by_something_else(experiment: Experiment, tmp_path: Path) -> None:
    """80 seeded pairs of entry and value: an error is an OptidError that names the file, and the list of faults never fails."""
    whole, file = tmp_path / "whole.h5", tmp_path / "changed.h5"
    write_experiment(experiment, whole)
    pairs = [(place, value) for place in places(whole) for value in (ATTRIBUTES if "@" in place else (None, *DATASETS))]
    refused = 0
    for k in np.random.default_rng(0).choice(len(pairs), 80, replace=False):
        shutil.copy(whole, file)
        replaced(file, *pairs[k])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", OptidWarning)
            validate_file(file)
            for read in (read_experiment, open_trials, lambda path: read_experiment(path, partial=True)):
                try:
                    read(file)
                except OptidError as error:
                    refused += 1
                    assert str(file) in str(error), pairs[k]
    assert refused > 50


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("/robot/description", 5, "/robot/description: the value 5, expected text."),
        ("/robot/gains", "x", "/robot/gains: the text 'x', expected an array of numbers."),
        ("/robot/joint_names", np.arange(2), "/robot/joint_names: an array of int64 of shape (2,), expected a list of texts."),
        ("/trials/run 1@period", "x", "/trials/run 1@period: the text 'x', expected a number."),
        ("/trials/run 1@role", 3, "/trials/run 1@role: the value 3, expected text."),
        ("/trials/run 1@complete", np.zeros(3), "/trials/run 1@complete: an array of float64 of shape (3,), expected 0 or 1."),
        ("/trials/run 1/q@units", np.arange(3), "/trials/run 1/q@units: an array of int64 of shape (3,), expected text."),
        ("/trials/run 1/q@source", 1.5, "/trials/run 1/q@source: the value 1.5, expected text."),
        ("/@title", np.zeros((2, 2)), "/@title: an array of float64 of shape (2, 2), expected text."),
    ],
)
def test_an_entry_of_the_wrong_kind_is_named(experiment: Experiment, tmp_path: Path, place: str, value: Any, said: str) -> None:
    """By reading and, where it lists it, by the validator."""
    file = tmp_path / "changed.h5"
    write_experiment(experiment, file)
    replaced(file, place, value)
    with pytest.raises(FileError) as caught:
        read_experiment(file)
    assert str(caught.value) == f"file {file}, {said} The file is damaged or was edited by hand."
    if "title" not in place:
        assert f"{said} The file is damaged or was edited by hand." in [str(fault) for fault in validate_file(file)]


@pytest.mark.parametrize("period", [-1.0, np.nan, 0])
def test_a_period_is_positive(experiment: Experiment, tmp_path: Path, period: float) -> None:
    file = tmp_path / "changed.h5"
    write_experiment(experiment, file)
    replaced(file, "/trials/run 1@period", period)
    for read in (read_experiment, open_trials):
        with pytest.raises(FileError, match=r"run 1.*expected a positive number \[s\]"):
            read(file)
    assert "/trials/run 1@period" in [fault.place for fault in validate_file(file)]


def test_groups_without_end_are_refused(experiment: Experiment, tmp_path: Path) -> None:
    file = tmp_path / "deep.h5"
    write_experiment(experiment, file)
    with h5py.File(file, "r+") as made:
        group = made["attributes"]
        for _ in range(2000):
            group = group.create_group("a")
    with pytest.raises(FileError, match=r"deep\.h5, /attributes/a/a/.*: groups nested more than 40 deep, expected a flatter file"):
        read_experiment(file)
    assert [fault.found for fault in validate_file(file)] == ["groups nested more than 40 deep"]


def test_single_attributes_of_other_programs_are_read(experiment: Experiment, tmp_path: Path) -> None:
    """MATLAB and others write a text or number as an array of one."""
    file = tmp_path / "other.h5"
    write_experiment(experiment, file)
    replaced(file, "/trials/run 1@period", np.array([0.6]))
    replaced(file, "/trials/run 1/q@units", ["rad"])
    replaced(file, "/@title", np.bytes_("two joints"))
    assert read_experiment(file) == experiment
