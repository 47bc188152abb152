"""A saved result is the same result when it is loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import h5py
import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Experiment, Preprocessing, add_results, identify, read_experiment, validate, write_experiment
from optid.errors import DataError, FileError, MissingFileError, OptidError
from optid.identification.result_file import load_result, result_mapping, save_result
from optid.library import panda
from optid.problems.equations import Equations
from optid.problems.fit_details import Dropped, FitDetails
from optid.signals import Nyquist, PeriodicOptions

from .conftest import Case, recording


def same_result(a: Any, b: Any) -> None:
    """Bit for bit."""
    assert a.formulas == b.formulas and a.method == b.method and a.known == b.known
    for what in ("beta", "sigma", "weights", "minimum_norm", "residual_std"):
        assert np.array_equal(getattr(a, what), getattr(b, what), equal_nan=True), what
    assert np.array_equal(a.covariance(), b.covariance())
    assert a.summary() == b.summary()
    assert a.preprocessing == b.preprocessing
    assert a.trials == b.trials and a.notes == b.notes
    assert a.base.model.robot == b.base.model.robot
    assert a.solution.solver == b.solution.solver and a.solution.status == b.solution.status


def test_round_trip(case: Case, arm: DynamicModel, tmp_path: Path) -> None:
    save_result(case.fit, tmp_path / "model.h5")
    loaded = load_result(tmp_path / "model.h5")
    same_result(case.fit, loaded)
    again = validate(loaded, recording(arm, "task <1>", "validation", 1))
    assert np.array_equal(again.predicted, case.validation.predicted)


def test_round_trip_of_options_and_known_parameters(arm: DynamicModel, tmp_path: Path) -> None:
    options = Preprocessing(cutoff=Nyquist(0.2), torque_cutoff=30.0, min_speed=(0.02, 0.03), trim=7)
    trial = recording(arm, "training", "identification", 0)
    fit = identify(arm.with_sign_width((0.1, 0.2)), trial, known={"Izz2": 0.1}, preprocessing=options, method="ols")
    save_result(replace(fit, provenance={"seed": 3, "inputs": {"a.h5": "00"}}), tmp_path / "model.h5")
    loaded = load_result(tmp_path / "model.h5")
    same_result(fit, loaded)
    assert loaded.base.model.widths == (0.1, 0.2)
    assert loaded.provenance == {"seed": 3, "inputs": {"a.h5": "00"}}


def test_round_trip_of_periodic_options(case: Case, tmp_path: Path) -> None:
    options = Preprocessing(clock="stamps", rate=100.0, periodic=PeriodicOptions(period=5.0, position_cutoff=2.4, torque_cutoff=4.8))
    save_result(replace(case.fit, preprocessing=options), tmp_path / "model.h5")
    assert load_result(tmp_path / "model.h5").preprocessing == options


def test_undetermined_parameters_stay_undetermined(arm: DynamicModel, tmp_path: Path) -> None:
    """C29: only the second joint moves; what the data leave open is NaN and named, before and after."""
    trial = recording(arm, "one joint", "identification", 0)
    still = replace(trial, q=trial.q * [0, 1], dq=trial.dq * [0, 1], ddq=trial.ddq * [0, 1])  # type: ignore[operator]
    fit = identify(arm, still, preprocessing=Preprocessing(cutoff=None, min_speed=0))
    assert np.isnan(fit.beta).any()
    save_result(fit, tmp_path / "model.h5")
    loaded = load_result(tmp_path / "model.h5")
    same_result(fit, loaded)
    assert loaded.undetermined == fit.undetermined


def test_seven_joints_with_many_parameters(tmp_path: Path) -> None:
    """C96: 64 parameters; matrices are no attributes and come back whole."""
    model = DynamicModel(panda())
    trial = recording(model, "panda", "identification", 0, seconds=4.0)
    fit = identify(model, trial, preprocessing=Preprocessing(cutoff=None, min_speed=0))
    assert fit.base.rank == 64
    save_result(fit, tmp_path / "model.h5")
    same_result(fit, load_result(tmp_path / "model.h5"))


def test_equal_fits_give_equal_files(case: Case, tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        save_result(case.fit, tmp_path / name, created="2026-01-01T00:00:00+00:00")
    assert (tmp_path / "a.h5").read_bytes() == (tmp_path / "b.h5").read_bytes()


def test_it_is_an_experiment_file(case: Case, tmp_path: Path) -> None:
    save_result(case.fit, tmp_path / "model.h5")
    stored = read_experiment(tmp_path / "model.h5")
    result = stored.results["identification"]
    assert list(result["parameter_names"]) == list(case.fit.formulas)
    assert np.array_equal(result["sigmas"], case.fit.sigma)
    assert stored.robot is not None and stored.robot.name == "two & <joints>"


def test_only_a_fitted_model_is_written_over(case: Case, arm: DynamicModel, tmp_path: Path) -> None:
    """A recording, even one that holds results too, is never replaced."""
    model, run = tmp_path / "model.h5", tmp_path / "run.h5"
    save_result(case.fit, model)
    with pytest.raises(FileError, match=r"model\.h5: it exists already, expected a new name\. Pass overwrite=True to replace it"):
        save_result(case.fit, model)
    save_result(replace(case.fit, notes=("second",)), model, overwrite=True)
    assert load_result(model).notes == ("second",)
    write_experiment(Experiment("run", [recording(arm, "training", "identification", 0)]), run)  # type: ignore[arg-type]
    add_results(run, "identification", result_mapping(case.fit))
    before = run.read_bytes()
    with pytest.raises(FileError, match=r"run\.h5: it exists and is no fitted model, expected a new name"):
        save_result(case.fit, run, overwrite=True)
    assert run.read_bytes() == before


def test_user_torque_columns_need_their_model(arm: DynamicModel, tmp_path: Path) -> None:
    """A function is never read from a file."""
    model = arm.with_torque_basis(("spring",), lambda q, dq, ddq: ca.vertcat(q[0], 0))
    fit = identify(BaseParameters.of(model), recording(arm, "training", "identification", 0), preprocessing=Preprocessing(cutoff=None, min_speed=0))
    save_result(fit, tmp_path / "model.h5")
    with pytest.raises(DataError, match="spring"):
        load_result(tmp_path / "model.h5")
    loaded = load_result(tmp_path / "model.h5", model=model)
    assert np.array_equal(loaded.beta, fit.beta)
    with pytest.raises(DataError, match="spring, expected no more"):
        load_result(tmp_path / "model.h5", model=arm)


def altered(path: Path, what: str, value: Any) -> None:
    """Replace one entry of a stored result, dataset or attribute."""
    with h5py.File(path, "r+") as file:
        group = file["results/identification"]
        parent, _, name = what.rpartition("/")
        target = group[parent] if parent else group
        if name in target.attrs:
            del target.attrs[name]
            if value is not None:
                target.attrs[name] = value
        else:
            del target[name]
            if value is not None:
                target[name] = value


@pytest.mark.parametrize(
    ("what", "value", "said"),
    [
        ("weights", None, "weights"),
        ("weights", np.ones(5), r"weights .* shape \(5,\), expected \(2,\)"),
        ("factors/triangles", np.zeros((2, 3, 3)), "triangles"),
        ("base/matrix", np.zeros((2, 2)), "matrix"),
        ("base/independent", np.array([999] * 10), "matrix|independent"),
        ("format", "something else", "a fitted model"),
        ("model/friction", "glue", "glue|friction"),
    ],
)
def test_damaged_results_are_refused(case: Case, tmp_path: Path, what: str, value: Any, said: str) -> None:
    """One sentence that names place and cause."""
    save_result(case.fit, tmp_path / "model.h5")
    altered(tmp_path / "model.h5", what, value)
    with pytest.raises((FileError, ValueError), match=said):
        load_result(tmp_path / "model.h5")


def test_wrong_files_are_refused(case: Case, tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        load_result(tmp_path / "nowhere.h5")
    (tmp_path / "pickle.h5").write_bytes(b"\x80\x04anything")
    with pytest.raises(FileError, match="pickle"):
        load_result(tmp_path / "pickle.h5")
    save_result(case.fit, tmp_path / "model.h5")
    with pytest.raises(FileError, match="'other'"):
        load_result(tmp_path / "model.h5", name="other")


def test_details_of_a_method_come_back(case: Case, tmp_path: Path) -> None:
    """Prior, constraints, transformed equations and dropped samples: sigmas depend on them."""
    r, p = case.fit.base.rank, case.fit.base.model.p
    rng = np.random.default_rng(0)
    details = FitDetails(
        equations=case.fit.factors,
        variance=1.5,
        rows=np.eye(r)[:3],
        target=np.arange(3.0),
        standard=rng.normal(size=p),
        at_bound=("m1 >= 0",),
        removed=("fc2",),
        dropped=(Dropped("training", 1.25, "elbow", 7.0), Dropped("training", 2.5, "shoulder", -9.0)),
        damping=0.3,
    )
    fit = replace(case.fit, details=details, determinacy=Equations.of(case.fit.base.names, case.fit.factors, case.fit.weights, details).determinacy)
    assert not np.array_equal(fit.sigma, case.fit.sigma)
    save_result(fit, tmp_path / "model.h5")
    loaded = load_result(tmp_path / "model.h5")
    same_result(fit, loaded)
    assert loaded.details.dropped == details.dropped and loaded.details.at_bound == details.at_bound and loaded.details.removed == details.removed
    assert loaded.details.damping == 0.3 and np.array_equal(loaded.details.standard, details.standard)
    altered(tmp_path / "model.h5", "details/target", np.zeros(7))
    with pytest.raises(FileError, match=r"target of details of .* shape \(7,\), expected \(3,\)"):
        load_result(tmp_path / "model.h5")


def test_one_entry_replaced_by_something_else(case: Case, tmp_path: Path) -> None:
    """120 seeded pairs of entry and value: the file is refused in one sentence that names it, or gives a fit that can be summed up."""
    whole, file = tmp_path / "whole.h5", tmp_path / "changed.h5"
    save_result(case.fit, whole)
    pairs: list[tuple[str, Any]] = []
    with h5py.File(whole) as stored:
        root = stored["results/identification"]
        names: list[str] = []
        root.visit(names.append)
        for name in names:
            lost = np.full(getattr(root[name], "shape", ()), np.nan)
            pairs += [(name, value) for value in ("x", np.nan, -1, np.zeros((3, 3)), np.zeros(0), ["a", "b"], lost)]
        for name in ("", *names):
            attributes = (root[name] if name else root).attrs
            places = [f"{name}/{a}" if name else a for a in attributes if a not in ("DIMENSION_LIST", "REFERENCE_LIST", "CLASS", "NAME", "kind")]
            pairs += [(place, value) for place in places for value in ("x", -1, np.zeros(3), "json:{bad", "json:null")]
    refused = 0
    for k in np.random.default_rng(0).choice(len(pairs), 120, replace=False):
        file.write_bytes(whole.read_bytes())
        altered(file, *pairs[k])
        try:
            load_result(file).summary()
        except OptidError as error:
            refused += 1
            assert str(file) in str(error), pairs[k]
    assert refused > 60


@pytest.mark.parametrize(
    ("what", "value", "said"),
    [
        ("values", "x", "values of {where}: the text 'x', expected an array of numbers."),
        ("base/matrix", "x", "matrix of {where}: the text 'x', expected an array of numbers."),
        ("details", np.zeros(3), "details of {where}: an array of float64 of shape (3,), expected a group of entries."),
        ("provenance", "x", "provenance of {where}: the text 'x', expected a group of entries."),
        ("model/rotor_inertia", np.zeros(3), "rotor inertia of {where}: an array of float64 of shape (3,), expected 0 or 1."),
        ("preprocessing/order", "x", "preprocessing of {where}: order of the preprocessing: 'x', expected a whole number, 1 or more."),
        ("preprocessing/start", "x", "preprocessing of {where}: start of the preprocessing: 'x', expected a number of seconds, or None."),
        ("preprocessing/periodic", "x", "preprocessing of {where}: periodic of the preprocessing: 'x', expected PeriodicOptions, or None."),
    ],
)
def test_an_entry_of_the_wrong_kind_is_named(case: Case, tmp_path: Path, what: str, value: Any, said: str) -> None:
    file = tmp_path / "model.h5"
    save_result(case.fit, file)
    altered(file, what, value)
    with pytest.raises(FileError) as caught:
        load_result(file)
    assert str(caught.value).startswith(said.format(where=f"result 'identification' in file {file}"))
