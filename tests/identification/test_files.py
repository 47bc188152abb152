"""From experiment files to a fit: roles, names, batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid import DHRow, DynamicModel, Experiment, Link, Preprocessing, Robot, Trial, identify, identify_batch, validate, write_experiment
from optid.errors import DataError, DataWarning, FileError

EXACT = Preprocessing(
    cutoff=None,
    torque_cutoff=None,
    velocity_cutoff=None,
    acceleration_cutoff=None,
    use_measured_velocity=True,
    use_measured_acceleration=True,
    min_speed=0.0,
    trim=0,
)
LINKS = [Link.from_com(2, (0.2, 0.01, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
ROBOT = Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, -9.81, 0), links=LINKS)
MODEL = DynamicModel(ROBOT, friction="none")
TRUE = [1.15, 0.02, 0.4852, 0.225, -0.03, 0.05435]


def trial(seed: int, role: str = "identification", names: tuple[str, ...] = ROBOT.joint_names, order: tuple[int, int] = (0, 1)) -> Trial:
    rng = np.random.default_rng(seed)
    q, dq, ddq = (rng.standard_normal((80, 2)) for _ in range(3))
    tau = MODEL.inverse_dynamics(MODEL.nominal_parameters(), q, dq, ddq)
    columns = [x[:, list(order)] for x in (q, dq, ddq, tau)]
    return Trial(np.arange(80) * 0.01, columns[0], dq=columns[1], ddq=columns[2], tau=columns[3], role=role, joint_names=names, name=f"t{seed}")


def written(path: Path, *trials: Trial) -> Path:
    write_experiment(Experiment("test", {t.name: t for t in trials}), path)
    return path


def test_roles_decide_what_is_fitted_and_what_is_predicted(tmp_path: Path) -> None:
    path = written(tmp_path / "e.h5", trial(1), trial(2, "validation"))
    fit = identify(MODEL, path, preprocessing=EXACT)
    assert fit.trials == ("t1",) and fit.beta == pytest.approx(TRUE, rel=1e-8)
    assert validate(fit, path).errors.stacked < 1e-9
    with pytest.raises(DataError, match="no trial with role 'validation'"):
        validate(fit, written(tmp_path / "f.h5", trial(1)))


def test_joints_in_another_order_are_put_right(tmp_path: Path) -> None:
    """C42: the file's columns are sorted otherwise, by name."""
    names = (ROBOT.joint_names[1], ROBOT.joint_names[0])
    path = written(tmp_path / "e.h5", trial(1, names=names, order=(1, 0)))
    assert identify(MODEL, path, preprocessing=EXACT).beta == pytest.approx(TRUE, rel=1e-8)


def test_a_file_without_joint_names_is_not_taken_in_silence(tmp_path: Path) -> None:
    """C42."""
    path = written(tmp_path / "e.h5", trial(1, names=()))
    with pytest.warns(DataWarning, match="no joint names are stored"):
        fit = identify(MODEL, path, preprocessing=EXACT)
    assert fit.beta == pytest.approx(TRUE, rel=1e-8)


def test_batch_leaves_a_bad_file_out_and_says_why(tmp_path: Path) -> None:
    good = [written(tmp_path / f"{k}.h5", trial(k), trial(k + 10)) for k in (1, 2)]
    bad = tmp_path / "bad.h5"
    bad.write_bytes(b"not HDF5")
    batch = identify_batch([good[0], bad, good[1]], MODEL, preprocessing=EXACT)
    assert batch.result.beta == pytest.approx(TRUE, rel=1e-8)
    assert [f.path for f in batch.failed] == [str(bad)]
    assert "bad.h5" in str(batch.failed[0].error)
    assert [f.rows for f in batch.files] == [320, 0, 320]
    together = identify(MODEL, good, preprocessing=EXACT)
    assert together.beta == pytest.approx(batch.result.beta, rel=1e-12)
    with pytest.raises(FileError, match=r"bad\.h5"):
        identify_batch([good[0], bad], MODEL, preprocessing=EXACT, on_error="raise")
    with pytest.raises(DataError, match="none of 1 files"):
        identify_batch([bad], MODEL, preprocessing=EXACT)


def test_degrees_are_suspected_aloud() -> None:
    """C15: angles up to hundreds, or velocities 57 times the slope of the angles."""
    t = np.arange(300) * 0.01
    q = np.column_stack([np.sin(t), np.cos(2 * t)])
    dq = np.column_stack([np.cos(t), -2 * np.sin(2 * t)])
    tau = np.ones((300, 2)) * np.sin(3 * t)[:, None]
    with pytest.warns(DataWarning, match="q of trial 'deg'.*degrees"):
        identify(MODEL, Trial(t, np.degrees(q), tau=tau, name="deg"), preprocessing=Preprocessing(cutoff=None))
    with pytest.warns(DataWarning, match="dq of trial 'mixed'.*degrees"):
        identify(MODEL, Trial(t, q, dq=np.degrees(dq), tau=tau, name="mixed"), preprocessing=Preprocessing(cutoff=None))
