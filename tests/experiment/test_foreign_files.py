"""A file is data from a stranger: what is foreign, damaged, newer or hostile gets one sentence and is never followed."""

from __future__ import annotations

import pickle
import subprocess
import sys

import h5py
import numpy as np
import pytest

from optid.errors import DataError, FileError, MissingFileError
from optid.experiment import Experiment, Trial, add_results, import_npz, read_experiment, write_experiment


@pytest.fixture
def path(experiment, tmp_path):
    write_experiment(experiment, tmp_path / "a.h5")
    return tmp_path / "a.h5"


def test_missing_file(tmp_path):
    with pytest.raises(MissingFileError, match=r"file .*no\.h5: not found"):
        read_experiment(tmp_path / "no.h5")
    with pytest.raises(FileNotFoundError):
        read_experiment(tmp_path / "no.h5")


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FileError, match="a folder, expected a file"):
        read_experiment(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file, expected an optid experiment file"),
        (b"t,q1,q2\n0,1,2\n", "a text file, .*import_csv"),
        (b"PK\x03\x04" + bytes(100), "a ZIP or NPZ file, .*import_npz"),
        (b"MATLAB 5.0 MAT-file" + bytes(600), "a MATLAB file, .*import_mat"),
        (pickle.dumps({"a": 1}, protocol=4), "a Python pickle, .*never opened"),
        (bytes(1000), "unknown content"),
    ],
)
def test_other_kinds_of_files(content, message, tmp_path):
    file = tmp_path / "x.h5"
    file.write_bytes(content)
    with pytest.raises(FileError, match=message):
        read_experiment(file)


def test_hdf5_of_another_program(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["data"] = np.zeros(3)
    with pytest.raises(FileError, match=r"x\.h5, /@format: no such attribute, expected format='optid-experiment'. It is an HDF5 file of another program"):
        read_experiment(tmp_path / "x.h5")
    with pytest.raises(FileError, match="no such attribute"):
        add_results(tmp_path / "x.h5", "r", {})


def test_a_newer_schema_asks_for_an_upgrade(path):
    with h5py.File(path, "r+") as file:
        file.attrs["schema_version"] = 2
    with pytest.raises(FileError, match=r"/@schema_version: 2, expected at most 1. A newer optid wrote the file: upgrade optid"):
        read_experiment(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_truncated_file(path, share):
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    with pytest.raises(FileError, match=r"a\.h5: cut short \(truncated\).*Copy it again"):
        read_experiment(path)


def test_damaged_numbers_fail_their_checksum(path, experiment):
    """The checksum of each chunk sees one changed byte."""
    with h5py.File(path) as file:
        where = file["trials/run 1/q"].id.get_chunk_info(0).byte_offset
    data = bytearray(path.read_bytes())
    data[where + 50] ^= 0xFF
    path.write_bytes(data)
    with pytest.raises(FileError, match="damaged data"):
        read_experiment(path)
    with pytest.warns(match=r"/trials/run 1 is left out"):
        rest = read_experiment(path, partial=True)
    assert rest.trials == {} and rest.results.keys() == experiment.results.keys()


def _external_link(file, outside):
    file["trials/other"] = h5py.ExternalLink(outside, "/secret")


def _soft_link(file, outside):
    file["trials/other"] = h5py.SoftLink("/nowhere/at/all")


def _soft_through_external(file, outside):
    file["door"] = h5py.ExternalLink(outside, "/")
    file["trials/other"] = h5py.SoftLink("/door/secret")


def _raw_outside(file, outside):
    file.create_dataset("trials/run 1/current", shape=(10,), dtype="u1", external=[(outside, 0, 10)])


def _virtual(file, outside):
    layout = h5py.VirtualLayout(shape=(3,), dtype="f8")
    layout[:] = h5py.VirtualSource(outside, "secret", shape=(3,))
    file.create_virtual_dataset("results/virtual", layout)


def _compound(file, outside):
    file["results/table"] = np.zeros(2, dtype=[("a", "f8"), ("b", "i4")])


def _references(file, outside):
    file.create_dataset("results/refs", data=[file["trials"].ref], dtype=h5py.ref_dtype)


def _reference_attribute(file, outside):
    file["results"].attrs["ref"] = file["trials"].ref


def _ragged(file, outside):
    file.create_dataset("results/ragged", shape=(2,), dtype=h5py.vlen_dtype(np.float64))


def _opaque(file, outside):
    file["results/opaque"] = np.void(b"\x80\x04pickle")


def _endless(file, outside):
    file["results/weighted/options"] = file["results"]


def _soft_group(file, outside):
    file["trials/again"] = h5py.SoftLink("/trials/run 1")


def _bomb(file, outside):
    file.create_dataset("results/bomb", shape=(10**12,), dtype="f8", chunks=(4096,))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (_external_link, r"/trials/other: an external link to '.*secret\.h5'.*Nothing outside the file is ever read"),
        (_soft_link, r"/trials/other: a soft link to '/nowhere/at/all'"),
        (_soft_through_external, r"a soft link to '/door/secret'|an external link"),
        (_raw_outside, r"/trials/run 1/current: numbers kept in the other file"),
        (_virtual, r"/results/virtual: a virtual dataset"),
        (_compound, r"/results/table: compound data"),
        (_references, r"/results/refs: object references"),
        (_reference_attribute, r"/results@ref: object references"),
        (_ragged, r"/results/ragged: ragged data"),
        (_opaque, r"/results/opaque: opaque bytes"),
        (_endless, r"/results/weighted/options: a second name for a group, expected one name for every group"),
        (_soft_group, r"/trials/again: a soft link to '/trials/run 1', expected a link that leads straight to a dataset"),
        (_bomb, r"/results/bomb: 8e\+03 GB declared, 0 bytes stored"),
    ],
)
def test_what_is_never_read_is_refused_by_place(spoil, message, path, tmp_path):
    outside = str(tmp_path / "secret.h5")
    with h5py.File(outside, "w") as file:
        file["secret"] = np.arange(3.0)
    with h5py.File(path, "r+") as file:
        spoil(file, outside)
    for partial in (False, True):
        with pytest.raises(FileError, match=message):
            read_experiment(path, partial=partial)


def test_a_link_to_a_dataset_of_the_file_is_fine(path, experiment):
    with h5py.File(path, "r+") as file:
        file.move("trials/run 1/dq", "design/dq")
        file["trials/run 1/dq"] = h5py.SoftLink("/design/dq")
        file["results/weighted/again"] = file["results/weighted/values"]
    back = read_experiment(path)
    assert np.array_equal(back["run 1"].dq, experiment["run 1"].dq)
    assert np.array_equal(back.results["weighted"]["again"], experiment.results["weighted"]["values"])


def test_results_are_not_written_through_a_link(path, tmp_path):
    """A stranger's link must not make optid write into another file."""
    write_experiment(Experiment(), tmp_path / "mine.h5")
    before = (tmp_path / "mine.h5").read_bytes()
    with h5py.File(path, "r+") as file:
        del file["results"]
        file["results"] = h5py.ExternalLink(str(tmp_path / "mine.h5"), "/trials")
    with pytest.raises(FileError, match="/results: an external link"):
        add_results(path, "x", {"a": 1})
    assert (tmp_path / "mine.h5").read_bytes() == before


def test_edited_description_does_not_pass(path):
    with h5py.File(path, "r+") as file:
        file["robot"].attrs["description_sha256"] = "0" * 64
    with pytest.raises(FileError, match=r"/robot/description: text that does not fit its hash"):
        read_experiment(path)


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (lambda g: g.__delitem__("time"), FileError, r"/trials/run 1: no time, expected time and q"),
        (lambda g: g["tau"].resize(299, axis=0), FileError, r"/trials/run 1: tau of trial 'run 1': shape \(299, 2\), expected \(300, 2\)"),
        (lambda g: g["tau"].attrs.__setitem__("units", "A"), FileError, r"unit of tau in /trials/run 1/tau: 'A', which is a motor current"),
        (lambda g: g["q"].attrs.__setitem__("units", "furlong"), FileError, r"unit of q .*'furlong', expected one of rad, deg"),
        (lambda g: g.attrs.__setitem__("role", "toy"), FileError, r"role of trial .*'toy', expected 'identification' or 'validation'"),
        (lambda g: g["tau"].__setitem__((5, 1), np.nan), DataError, r"a\.h5, tau of trial 'run 1', sample 5, joint 'jé': nan"),
    ],
)
def test_wrong_trials_name_file_place_and_cause(spoil, error, message, path):
    with h5py.File(path, "r+") as file:
        spoil(file["trials/run 1"])
    with pytest.raises(error, match=message):
        read_experiment(path)


def test_partial_marks_nan_samples_with_a_count(path):
    """C65: rows dropped with a count, the rest as it was."""
    with h5py.File(path, "r+") as file:
        file["trials/run 1/tau"][100, 0] = np.nan
        file["trials/run 1/q"][200, 1] = np.inf
    with pytest.warns(match=r"2 samples with NaN or infinite numbers are marked invalid \(sample 100, 200\)"):
        trial = read_experiment(path, partial=True)["run 1"]
    assert np.flatnonzero(~trial.valid).tolist() == [100, 200]


def test_pickled_arrays_are_never_opened(tmp_path):
    """An object array would run code when it is loaded."""
    np.savez(tmp_path / "evil.npz", q=np.array([_Trap()], dtype=object), t=np.zeros(1))
    from optid.experiment import Mapping

    with pytest.raises(FileError, match=r"evil\.npz, variable 'q': pickled Python objects, expected arrays of numbers. They are never opened"):
        import_npz(tmp_path / "evil.npz", Mapping(q="q", time="t"))


class _Trap:
    def __reduce__(self):
        return (pytest.fail, ("the pickle was executed",))


_FUZZ = """
import random, sys, warnings
from pathlib import Path
from optid.errors import OptidError
from optid.experiment import read_experiment, validate_file
warnings.simplefilter("ignore")
source, target = Path(sys.argv[1]), Path(sys.argv[2])
data, rng = source.read_bytes(), random.Random(5)
refused = 0
for _ in range(150):
    changed = bytearray(data)
    for _ in range(rng.choice([1, 4, 50])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    target.write_bytes(changed)
    for read in (read_experiment, lambda p: read_experiment(p, partial=True)):
        try:
            read(target)
        except OptidError:
            refused += 1
    validate_file(target)
print(refused)
"""


def test_random_damage_never_leaks_a_backend_error_and_never_hangs(tmp_path):
    """One wrong byte in a text heap makes the HDF5 library loop for ever; the check in front of it does not let it start."""
    trial = Trial(np.arange(20) * 0.01, np.zeros((20, 2)), joint_names=("a", "b"), attributes={"note": None, "deep": {"a": [1, None]}})
    write_experiment(Experiment(trials=[trial], results={"r": {"parameter_names": ["p"], "values": np.ones(1)}}), tmp_path / "a.h5")
    command = [sys.executable, "-c", _FUZZ, str(tmp_path / "a.h5"), str(tmp_path / "b.h5")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 50


def test_endless_text_heap_is_refused(path):
    data = bytearray(path.read_bytes())
    start = data.index(b"GCOL")
    # the first object becomes free space of size zero
    data[start + 16 : start + 32] = bytes(16)
    path.write_bytes(data)
    with pytest.raises(FileError, match=rf"a\.h5, byte {start}: damaged text storage"):
        read_experiment(path)
