"""MATLAB files of both kinds and NumPy archives."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from optid.errors import DataError, FileError, ShapeError, UnknownNameError
from optid.experiment import Mapping, import_mat, import_npz

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TIME = np.arange(50) * 0.002
Q = np.stack([np.sin(TIME), np.cos(TIME), TIME], axis=1)
NAMES = ("a", "b", "c")
MAPPING = Mapping(time="t", q="q", tau="torque", joint_names=NAMES, units={"tau": "N m"})


def _mat5(path, **variables):
    savemat(path, variables)


def _mat73(path, **variables):
    """As MATLAB's ``save -v7.3`` does: a user block, column-major arrays, structures as groups, text as uint16."""
    with h5py.File(path, "w", userblock_size=512) as file:
        _put(file, variables)
    with open(path, "r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + bytes(8) + b"\x00\x02IM")


def _put(group, variables):
    for name, value in variables.items():
        if isinstance(value, dict):
            _put(group.create_group(name), value)
        elif isinstance(value, list):
            width = max(map(len, value))
            dataset = group.create_dataset(name, data=np.array([[ord(c) for c in text.ljust(width)] for text in value], dtype=np.uint16).T)
            dataset.attrs["MATLAB_class"] = np.bytes_("char")
        else:
            group.create_dataset(name, data=np.atleast_2d(value).T).attrs["MATLAB_class"] = np.bytes_("double")


@pytest.fixture(params=[_mat5, _mat73], ids=["v5", "v7.3"])
def save(request):
    return request.param


def test_matrices_vectors_and_structures(save, tmp_path):
    save(tmp_path / "a.mat", t=TIME[:, None], q=Q, torque=2 * Q, row=TIME[None, :], log={"q": 3 * Q, "inner": {"v": 4 * Q}}, names=["a  ", "b  ", "c  "])
    trial = import_mat(tmp_path / "a.mat", MAPPING)
    assert np.array_equal(trial.time, TIME) and np.array_equal(trial.q, Q) and np.array_equal(trial.tau, 2 * Q) and trial.joint_names == NAMES
    other = import_mat(tmp_path / "a.mat", replace(MAPPING, time="row", q="log.q", dq="log.inner.v", tau=None, joint_names="names"))
    assert np.array_equal(other.q, 3 * Q) and np.array_equal(other.dq, 4 * Q) and other.joint_names == NAMES and np.array_equal(other.time, TIME)


def test_columns_of_one_matrix_and_one_variable_a_joint(save, tmp_path):
    save(tmp_path / "a.mat", data=np.column_stack([TIME, Q, 2 * Q]), q1=Q[:, 0], q2=Q[:, 1], q3=Q[:, 2])
    trial = import_mat(tmp_path / "a.mat", replace(MAPPING, time="data[0]", q="data[1:4]", tau="data[4:]"))
    assert np.array_equal(trial.q, Q) and np.array_equal(trial.tau, 2 * Q)
    assert np.array_equal(import_mat(tmp_path / "a.mat", replace(MAPPING, time="data[0]", q=["q1", "q2", "q3"], tau=None)).q, Q)
    with pytest.raises(DataError, match=r"'data\[1:9\]': 7 columns, expected numbers from 0 to 6"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, time="data[0]", q="data[1:9]", tau=None))


def test_transposed_arrays_and_flat_ones(save, tmp_path):
    save(tmp_path / "a.mat", t=np.arange(100.0), q=np.ones((3, 100)), flat=np.arange(300.0))
    with pytest.raises(ShapeError, match=r"variable 'q': shape \(3, 100\), expected \(N, joints\). Set transpose = true"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, tau=None))
    assert import_mat(tmp_path / "a.mat", replace(MAPPING, tau=None, transpose=True, units="rad")).q.shape == (100, 3)
    flat = import_mat(tmp_path / "a.mat", replace(MAPPING, q="flat", tau=None, joints=3, units="rad"))
    assert np.array_equal(flat.q, np.arange(300.0).reshape(100, 3))


def test_what_is_not_in_the_file_is_named(save, tmp_path):
    save(tmp_path / "a.mat", t=TIME, q=Q, torque=2 * Q, text=["hello"], short=TIME[:9])
    with pytest.raises(UnknownNameError, match=r"variable in file .*a\.mat 'torqe': unknown name.*Did you mean 'torque'\?"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, tau="torqe"))
    with pytest.raises(DataError, match=r"variable 'text': .*data, expected real numbers"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, tau="text"))
    with pytest.raises(ShapeError, match=r"9 samples of time and 50 of q"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, time="short"))
    with pytest.raises(DataError, match=r"column 3 for file .*: a number, expected names of variables"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, q=3))


@pytest.mark.parametrize("content", [b"", b"hello", b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + bytes(range(256)), b"MATLAB 7.3 MAT-file".ljust(600)])
def test_damaged_matlab_files(content, tmp_path):
    (tmp_path / "a.mat").write_bytes(content)
    with pytest.raises(FileError, match=r"file .*a\.mat"):
        import_mat(tmp_path / "a.mat", MAPPING)


def test_links_out_of_a_matlab_file_are_not_followed(tmp_path):
    _mat73(tmp_path / "secret.mat", q=Q)
    _mat73(tmp_path / "a.mat", t=TIME)
    with h5py.File(tmp_path / "a.mat", "r+") as file:
        file["q"] = h5py.ExternalLink(str(tmp_path / "secret.mat"), "/q")
        file.create_dataset("raw", shape=(50,), dtype="f8", external=[(str(tmp_path / "secret.mat"), 0, 400)])
    with pytest.raises(UnknownNameError, match=r"variable in file .* 'q': unknown name"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, tau=None))
    with pytest.raises(FileError, match="variable 'raw': numbers kept in the other file"):
        import_mat(tmp_path / "a.mat", replace(MAPPING, q="raw", tau=None))


def test_numpy_archives(tmp_path):
    for write in (np.savez, np.savez_compressed):
        write(tmp_path / "a.npz", t=TIME, q=Q, torque=2 * Q, names=np.array(NAMES))
        trial = import_npz(tmp_path / "a.npz", replace(MAPPING, joint_names="names"))
        assert np.array_equal(trial.q, Q) and np.array_equal(trial.tau, 2 * Q) and trial.joint_names == NAMES
    q = Q.copy()
    q[7, 1] = np.nan
    np.savez(tmp_path / "a.npz", t=TIME, q=q)
    with pytest.raises(DataError, match=r"a\.npz, sample 7, variable 'q', column 1 \(q\): nan"):
        import_npz(tmp_path / "a.npz", replace(MAPPING, tau=None))
    np.savez(tmp_path / "a.npz", t=np.array([0.5]), q=np.ones((1, 7)))
    assert import_npz(tmp_path / "a.npz", replace(MAPPING, tau=None, joint_names=list("abcdefg"))).q.shape == (1, 7)


def test_damaged_and_foreign_archives(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", t=TIME, q=Q)
    data = (tmp_path / "a.npz").read_bytes()
    (tmp_path / "a.npz").write_bytes(data[: len(data) // 2])
    with pytest.raises(FileError, match=r"a\.npz, the archive: damaged"):
        import_npz(tmp_path / "a.npz", replace(MAPPING, tau=None))
    (tmp_path / "a.npz").write_bytes(data[:200] + bytes(20) + data[220:])
    with pytest.raises(FileError, match=r"a\.npz, variable '[qt]': damaged"):
        import_npz(tmp_path / "a.npz", replace(MAPPING, tau=None))
    (tmp_path / "a.npz").write_bytes(pickle.dumps({"q": 1}))
    with pytest.raises(FileError, match=r"no NPZ archive, .*Pickles and single arrays"):
        import_npz(tmp_path / "a.npz", MAPPING)


@pytest.mark.skipif(not DATA.is_dir(), reason="no recordings beside the checkout (../shared/data)")
def test_real_recordings_of_four_kinds():
    """First values as they stand in the files."""
    from optid.experiment import import_csv

    emps = import_mat(DATA / "emps" / "DATA_EMPS.mat", Mapping(time="t", q="qm", current="vir", gains=[35.15065]))
    assert emps.n_samples == 24841 and emps.tau[0, 0] == pytest.approx(35.15065 * emps.current[0, 0], rel=1e-15)
    columns = {"time": "times", "q": "positions", "dq": "velocities", "ddq": "accelerations", "tau": "torques"}
    lwr4 = import_npz(DATA / "lwr4" / "measurements_1.npz", Mapping(**columns, joint_names=[f"j{k}" for k in range(7)]))
    assert lwr4.ddq.shape == (5027, 7)
    files = {"time": "time", "q": "positions", "dq": "velocity", "tau": "torques"}
    flat = Mapping(q=0, dq=0, tau=0, time=0, joints=7, files={k: f"exciting_traj_{v}.txt" for k, v in files.items()}, joint_names=lwr4.joint_names)
    panda = import_csv(DATA / "panda", flat)
    assert panda.n_samples == 20544 and panda.q[0, :3].tolist() == [-0.9584, 0.5622, -1.4576] and panda.tau[0, 0] == -0.518286
    motor = Mapping(q="q_motor_deg_*", dq="dq_motor_degps_*", tau="tau_motor_Nm_*", time="t_s", units={"q": "deg"}, joint_names=[f"A{k}" for k in range(1, 7)])
    kr300 = import_csv(DATA / "kr300" / "kr300_A.csv", motor)
    assert kr300.q[0, 0] == pytest.approx(np.radians(0.059679002), rel=1e-15) and kr300.dq.shape == (2501, 6)
