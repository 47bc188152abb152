"""What is written comes back bit-equal (cases C94, C95, C96, C98)."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from optid.errors import DataError, FileError, MissingFileError
from optid.experiment import Experiment, Trial, add_results, read_experiment, write_experiment


def test_experiment_comes_back_equal(experiment, tmp_path):
    write_experiment(experiment, tmp_path / "a.h5")
    back = read_experiment(tmp_path / "a.h5")
    assert back == experiment
    assert back["run 1"].time.dtype == np.float64
    assert back.robot.sha256 == experiment.robot.sha256


def test_epoch_stamps_stay_float64(trial, tmp_path):
    """C94: stored as float32, stamps near 1.7e9 s would stand 128 s apart."""
    write_experiment(Experiment(trials=[trial], results={"r": {"counter": np.arange(5, dtype=np.int32)}}), tmp_path / "a.h5")
    back = read_experiment(tmp_path / "a.h5")
    assert np.array_equal(back["run 1"].time, 1.7e9 + 0.004 * np.arange(300))
    assert back.results["r"]["counter"].dtype == np.int32


def test_float32_stamps_of_a_stranger_are_told(trial, tmp_path):
    """C94: 300 stamps of 1.2 s fall on one float32 number."""
    write_experiment(Experiment(trials=[trial]), tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        group = file["trials/run 1"]
        stamps = group["time"][()]
        del group["time"]
        group.create_dataset("time", data=stamps.astype(np.float32)).attrs["units"] = "s"
    with pytest.warns(match="float32 stamps, expected float64. 299 stamps equal"):
        read_experiment(tmp_path / "a.h5")


def test_text_of_every_kind(tmp_path):
    """C95: text, None, paths and nested mappings survive as str, None, dict."""
    notes = {
        "note": None,
        "name": np.str_("x"),
        "path": Path("a/b.csv"),
        "options": {"method": "lm", "bounds": None, "deep": {"tol": 1e-9, "on": True, "names": ["a", "é"], "mixed": [1, None, "x"]}},
        "empty": "",
        "nul": "a\0b",
        "json": "json:{}",
        "long": "ü" * 100_000,
        "big": 2**80,
        "nan": float("nan"),
        "array": np.array(["j1", "jé"]),
        "list": ["j1", "jé"],
        "nothing": [],
        "no keys": {},
    }
    trial = Trial([0.0, 1.0], np.zeros((2, 2)), joint_names=np.array(["j1", "jé"]), attributes=notes)
    write_experiment(Experiment(trials=[trial]), tmp_path / "a.h5")
    back = read_experiment(tmp_path / "a.h5")["trial"]
    assert back.joint_names == ("j1", "jé")
    assert back.attributes["name"] == "x" and type(back.attributes["name"]) is str
    assert back.attributes["path"] == str(Path("a/b.csv"))
    assert math.isnan(back.attributes["nan"])
    assert back.attributes["array"].tolist() == ["j1", "jé"]
    for key in ("note", "options", "empty", "nul", "json", "long", "big", "list", "nothing", "no keys"):
        assert back.attributes[key] == notes[key], key


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), r"value attributes/bad: a object, expected text"),
        ({1: "x"}, r"name 1 in attributes/bad: int, expected text"),
        (1 + 2j, r"a complex"),
        (np.array([1j]), r"an array of complex128, expected real numbers"),
        (b"x", r"a bytes"),
        (np.array([None]), r"an array of Python objects"),
        ([np.zeros(2)], r"a ndarray.*name of their own"),
        (np.ma.masked_array([1.0]), r"a masked array"),
    ],
)
def test_what_has_no_place_in_a_file_is_refused_by_name(value, message, tmp_path):
    """C95: refused before anything is written."""
    with pytest.raises(DataError, match=message):
        write_experiment(Experiment(attributes={"bad": value}), tmp_path / "a.h5")
    assert list(tmp_path.iterdir()) == []


def test_a_mapping_that_contains_itself_is_refused(tmp_path):
    loop: dict = {}
    loop["again"] = loop
    with pytest.raises(DataError, match="nested more than 32 deep"):
        write_experiment(Experiment(attributes=loop), tmp_path / "a.h5")


def test_large_matrices_are_datasets(experiment, tmp_path):
    """C96: an attribute of 100 × 100 numbers cannot be stored."""
    write_experiment(experiment, tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:
        covariance = file["results/weighted/covariance"]
        assert covariance.shape == (100, 100) and covariance.compression == "gzip" and covariance.fletcher32 and covariance.shuffle
        assert [d.keys()[0] for d in covariance.dims] == ["parameter_names", file["results/weighted/dim_100"].attrs["NAME"].decode()]


def test_many_notes_fit(tmp_path):
    """Hundreds of attributes and a total above 64 KiB."""
    notes = {f"note {k}": "x" * 900 for k in range(300)}
    write_experiment(Experiment(attributes=notes, results={"r": {"deep": notes}}), tmp_path / "a.h5")
    back = read_experiment(tmp_path / "a.h5")
    assert back.attributes == notes and back.results == {"r": {"deep": notes}}


@pytest.mark.parametrize("samples", [0, 1, 5])
def test_scalars_and_empty_arrays_with_compression_on(samples, tmp_path):
    """C98: scalar datasets take no filters, and an experiment may have no sample."""
    trial = Trial(np.arange(samples) * 0.1, np.zeros((samples, 6)), tau=np.ones((samples, 6)))
    result = {"scalar": np.array(3.0), "empty": np.zeros((0, 6)), "number": 2.5, "count": 4}
    experiment = Experiment(trials=[trial], results={"r": result})
    write_experiment(experiment, tmp_path / "a.h5")
    assert read_experiment(tmp_path / "a.h5") == experiment


@pytest.mark.parametrize("name", ["a/b", " x ", "..", ".", "µ/%2F", "a\nb", "_x", "dim_3", "NAME", "default"])
def test_names_make_no_surprise_groups(name, tmp_path):
    """C98: slashes, blanks and reserved names are kept as one name."""
    trial = Trial([0.0, 1.0], np.zeros((2, 1)), name=name)
    experiment = Experiment(trials=[trial], results={name: {name: np.zeros(3), "text": "t"}}, attributes={name: 1})
    write_experiment(experiment, tmp_path / "a.h5")
    assert read_experiment(tmp_path / "a.h5") == experiment
    with h5py.File(tmp_path / "a.h5") as file:
        assert len(file["trials"]) == len(file["results"]) == 1


def test_empty_name_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"name '' in the trials: empty text"):
        write_experiment(Experiment(trials={"": Trial([0.0], [[0.0]])}), tmp_path / "a.h5")


def test_existing_file_is_kept_unless_told(experiment, tmp_path):
    """C98: never half-replaced."""
    path = tmp_path / "a.h5"
    write_experiment(experiment, path)
    before = path.read_bytes()
    with pytest.raises(FileError, match=r"exists already, expected a new name. Pass overwrite=True"):
        write_experiment(Experiment(), path)
    with pytest.raises(DataError):
        write_experiment(Experiment(attributes={"x": object()}), path, overwrite=True)
    assert path.read_bytes() == before
    write_experiment(replace(experiment, title="new"), path, overwrite=True)
    assert read_experiment(path).title == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def test_missing_folder_is_told(experiment, tmp_path):
    with pytest.raises(MissingFileError, match=r"folder .*nowhere: not found, expected an existing folder for a.h5"):
        write_experiment(experiment, tmp_path / "nowhere" / "a.h5")


def test_results_are_added_and_replaced_whole(experiment, tmp_path):
    path = tmp_path / "a.h5"
    write_experiment(experiment, path)
    add_results(path, "plain", {"values": np.arange(3.0), "options": {"a": None}})
    with pytest.raises(FileError, match=r"result 'plain' in file .*exists already"):
        add_results(path, "plain", {"values": np.zeros(1)})
    add_results(path, "plain", {"only": 1.0}, overwrite=True)
    before = path.read_bytes()
    with pytest.raises(DataError, match="value result 'plain'/bad"):
        add_results(path, "plain", {"bad": object()}, overwrite=True)
    assert path.read_bytes() == before
    back = read_experiment(path)
    assert back == replace(experiment, results={**experiment.results, "plain": {"only": 1.0}})


def test_nan_in_a_valid_sample_is_refused_and_masked_ones_are_kept(trial, tmp_path):
    """C65, file side."""
    tau = trial.tau.copy()
    tau[100, 1] = np.nan
    bad = replace(trial, tau=tau)
    with pytest.raises(DataError, match=r"tau of trial 'run 1', sample 100, joint 'jé': nan, expected finite numbers. Mark such samples invalid"):
        write_experiment(Experiment(trials=[bad]), tmp_path / "a.h5")
    masked = bad.masked()
    assert np.flatnonzero(~masked.valid).tolist() == [100]
    write_experiment(Experiment(trials=[masked]), tmp_path / "a.h5")
    assert read_experiment(tmp_path / "a.h5")["run 1"] == masked


def test_a_stranger_file_in_degrees_is_converted(trial, tmp_path):
    """C15: 180 deg is π; velocities too."""
    write_experiment(Experiment(trials=[replace(trial, q=np.full((300, 2), 180.0), dq=np.full((300, 2), 90.0))]), tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        file["trials/run 1/q"].attrs["units"] = "deg"
        file["trials/run 1/dq"].attrs["units"] = "deg/s"
    back = read_experiment(tmp_path / "a.h5")["run 1"]
    assert np.allclose(back.q, math.pi, rtol=1e-15) and np.allclose(back.dq, math.pi / 2, rtol=1e-15)


def test_a_stranger_file_without_units_is_told_when_it_looks_like_degrees(trial, tmp_path):
    """C15: max |q| above a turn and no unit."""
    write_experiment(Experiment(trials=[replace(trial, q=np.full((300, 2), 76.8487), dq=None)]), tmp_path / "a.h5")
    read_experiment(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5", "r+") as file:
        del file["trials/run 1/q"].attrs["units"]
    with pytest.warns(match=r"/trials/run 1/q: values up to 76.8487, expected radians, at most one turn \(2π\). They may be degrees"):
        read_experiment(tmp_path / "a.h5")


_numbers = st.floats(allow_nan=False, allow_infinity=False, width=64)
_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=True),
    st.text(st.characters(codec="utf-8")),
    hnp.arrays(st.sampled_from([np.float64, np.float32, np.int64, np.uint8, np.bool_]), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)),
    st.lists(st.one_of(st.none(), st.integers(), st.text(st.characters(codec="utf-8"), max_size=5)), max_size=3),
)
_keys = st.text(st.characters(codec="utf-8"), min_size=1, max_size=8)
_mappings = st.recursive(st.dictionaries(_keys, _leaves, max_size=4), lambda inner: st.dictionaries(_keys, st.one_of(_leaves, inner), max_size=3), max_leaves=8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(notes=_mappings, data=st.data())
def test_anything_comes_back_bit_equal(notes, data, tmp_path_factory):
    samples, n = data.draw(st.integers(0, 6)), data.draw(st.integers(1, 7))
    array = hnp.arrays(np.float64, (samples, n), elements=_numbers)
    trial = Trial(
        time=data.draw(hnp.arrays(np.float64, samples, elements=_numbers)),
        q=data.draw(array),
        tau=data.draw(st.none() | array),
        current=data.draw(st.none() | array),
        valid=data.draw(hnp.arrays(np.bool_, samples)),
        name=data.draw(_keys),
        attributes=notes,
    )
    experiment = Experiment(title=data.draw(st.text(st.characters(codec="utf-8", exclude_characters="\0"))), trials=[trial], results={"r": notes}, design=notes)
    path = tmp_path_factory.mktemp("any") / "a.h5"
    write_experiment(experiment, path)
    assert read_experiment(path) == experiment
