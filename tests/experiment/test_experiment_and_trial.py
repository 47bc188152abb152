"""The two frozen containers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

from optid import library
from optid.errors import DataError, ShapeError, UnknownNameError
from optid.experiment import Experiment, RobotInfo, Trial


def test_importing_the_room_loads_neither_h5py_nor_scipy():
    code = "import sys, optid.experiment; from optid.experiment import Experiment, Trial; print([m for m in ('h5py', 'scipy', 'casadi') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_trials_are_found_by_name_and_role():
    a, b = Trial([0.0], [[1.0]], name="a"), Trial([0.0], [[2.0]], name="b", role="validation")
    experiment = Experiment(trials=[a, b])
    assert experiment["b"] is b and experiment.with_role("identification") == (a,) and Experiment(trials=a).trials == {"a": a}
    assert Experiment(trials={"other": a})["other"].name == "other"
    with pytest.raises(UnknownNameError, match=r"trial 'c': unknown name, expected one of a, b"):
        experiment["c"]
    with pytest.raises(DataError, match="the name 'a' twice"):
        Experiment(trials=[a, a])


def test_equality_looks_at_every_number():
    values = np.array([1.0, np.nan])
    trial = Trial([0.0, 1.0], values, attributes={"a": np.zeros(2), "b": {"c": [1, np.nan]}})
    same = Trial([0.0, 1.0], values.copy(), attributes={"a": np.zeros(2), "b": {"c": [1, np.nan]}})
    assert trial == same and Experiment(trials=[trial], created="x") == Experiment(trials=[same], created="x")
    for change in (
        {"time": [0.0, 2.0]},
        {"q": [1.0, 2.0]},
        {"attributes": {"a": np.ones(2)}},
        {"role": "validation"},
        {"tau": values},
        {"valid": [True, False]},
    ):
        assert trial != replace(trial, **change), change


def test_robot_info_of_a_robot():
    robot = library.ur10e()
    info = RobotInfo.of(robot, ["m1"], gains=np.ones(6))
    assert info.joint_names == robot.joint_names and info.parameter_names == ("m1",) and info.description
    assert info.sha256 == sha256(info.description.encode()).hexdigest()
    with pytest.raises(ShapeError, match=r"coupling of robot 'r': shape \(2, 3\), expected \(n, n\)"):
        RobotInfo("r", coupling=np.zeros((2, 3)))


def test_masked_marks_every_row_with_a_number_that_is_none():
    trial = Trial(np.arange(4.0), [[0, 0], [np.nan, 0], [0, 0], [0, 0]], tau=[[0, 0], [0, 0], [0, np.inf], [0, 0]], valid=[True, True, True, False])
    assert trial.masked().valid.tolist() == [True, False, False, False]


@pytest.mark.parametrize("what", ["time", "q", "dq", "ddq", "tau", "current"])
def test_complex_signals_are_refused(what):
    """Their imaginary part would be lost."""
    signals = {"time": np.arange(3.0), "q": np.zeros((3, 1)), what: np.zeros((3,) if what == "time" else (3, 1)) + 1j}
    with pytest.raises(ShapeError, match=f"^{what} of trial 'run': entries of type complex128, expected real numbers.$"):
        Trial(**signals, name="run")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": RobotInfo()}, r"title of an experiment: a value of type RobotInfo, expected text"),
        ({"trials": 3}, r"trials of experiment 'x': a value of type int, expected a mapping name → Trial, or a sequence of trials"),
        ({"trials": ["a.h5"]}, r"trial of experiment 'x': a value of type str, expected a Trial"),
        ({"trials": {"a": np.zeros(3)}}, r"trial of experiment 'x': a value of type ndarray, expected a Trial"),
        ({"robot": library.planar_2r()}, r"robot of experiment 'x': a value of type Robot, expected a RobotInfo, such as RobotInfo.of\(robot\)"),
        ({"design": 1.0}, r"design of experiment 'x': a value of type float, expected a mapping"),
        ({"results": {"fit": None}}, r"result 'fit' of experiment 'x': a value of type NoneType, expected a mapping"),
        ({"attributes": "note"}, r"attributes of experiment 'x': a value of type str, expected a mapping"),
    ],
)
def test_parts_of_another_kind_are_refused(fields, message):
    with pytest.raises(DataError, match=f"^{message}\\.$"):
        Experiment(**{"title": "x", **fields})


def test_a_stream_of_trials_is_read_once():
    assert list(Experiment(trials=(Trial([0.0], [[1.0]], name=name) for name in "ab")).trials) == ["a", "b"]
