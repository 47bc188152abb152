"""Other programs open the files: xarray, h5netcdf, netCDF4."""

from __future__ import annotations

import numpy as np
import pytest

from optid.experiment import Experiment, Recorder, Trial, write_experiment

ENGINES = ("h5netcdf", "netCDF4")


@pytest.fixture(params=["written", "recorded"])
def path(request, trial, tmp_path):
    target = tmp_path / "a.h5"
    if request.param == "written":
        write_experiment(
            Experiment(trials=[trial], results={"r": {"parameter_names": ["a", "b"], "values": np.array([1.0, 2.0]), "covariance": np.eye(2)}}), target
        )
    else:
        with Recorder(target, joint_names=trial.joint_names, signals=("q", "dq", "tau"), name="run 1") as recorder:
            recorder.append(trial.time, q=trial.q, dq=trial.dq, tau=trial.tau)
    return target


@pytest.mark.parametrize("engine", ENGINES)
def test_xarray_sees_dimensions_coordinates_and_units(engine, path, trial):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip(engine)
    with xarray.open_dataset(path, group="trials/run 1", engine=engine.lower()) as data:
        assert data.tau.dims == ("time", "joint")
        assert data.joint.values.tolist() == ["j1", "jé"]
        assert data.tau.attrs["units"] == "N m" and data.attrs["NX_class"] == "NXdata" and list(data.attrs["axes"]) == ["time", "joint"]
        assert np.array_equal(data.tau.values, trial.tau) and np.array_equal(data.time.values, trial.time)


@pytest.mark.parametrize("engine", ENGINES)
def test_results_are_labelled_by_parameter(engine, experiment, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip(engine)
    write_experiment(experiment, tmp_path / "a.h5")
    with xarray.open_dataset(tmp_path / "a.h5", group="results/weighted", engine=engine.lower()) as data:
        assert data.sigmas.sel(parameter_names="p17") == experiment.results["weighted"]["sigmas"][17]
        assert data.covariance.shape == (100, 100)
    with xarray.open_dataset(tmp_path / "a.h5", group="robot", engine=engine.lower()) as data:
        assert data.gains.values.tolist() == [10.0, 8.5]


def test_netcdf4_walks_the_whole_file(path):
    """Every group, variable and attribute is readable for the netCDF-C library."""
    netcdf = pytest.importorskip("netCDF4")

    def walk(group):
        for variable in group.variables.values():
            variable[...]
            [variable.getncattr(name) for name in variable.ncattrs()]
        return 1 + sum(walk(child) for child in group.groups.values())

    with netcdf.Dataset(path) as data:
        assert data.getncattr("format") == "optid-experiment"
        assert walk(data) >= 3


def test_empty_recordings_open_too(tmp_path):
    xarray = pytest.importorskip("xarray")
    write_experiment(Experiment(trials=[Trial(np.zeros(0), np.zeros((0, 6)))]), tmp_path / "a.h5")
    for engine in ENGINES:
        pytest.importorskip(engine)
        with xarray.open_dataset(tmp_path / "a.h5", group="trials/trial", engine=engine.lower()) as data:
            assert data.q.shape == (0, 6)
