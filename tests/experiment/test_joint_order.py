"""Case C42: drivers sort joints by name; a wrong order must never pass in silence."""

from __future__ import annotations

import numpy as np
import pytest

from optid.errors import ShapeError, UnknownNameError
from optid.experiment import Mapping, Trial, import_csv, match_joints

MODEL = ("pan", "lift", "elbow", "w1", "w2", "w3")
LOGGED = ("elbow", "lift", "pan", "w1", "w2", "w3")
MESSAGE = [-4.1294, -9.2880, -0.1740, -0.4531, 0.2624, -0.0493]
RIGHT = [-0.1740, -9.2880, -4.1294, -0.4531, 0.2624, -0.0493]


def test_q_dq_and_effort_are_reordered_alike():
    one = np.array([MESSAGE])
    trial = match_joints(Trial([0.0], one, dq=2 * one, tau=3 * one, current=4 * one, joint_names=LOGGED), MODEL)
    assert trial.joint_names == MODEL
    for factor, what in ((1, "q"), (2, "dq"), (3, "tau"), (4, "current")):
        assert np.allclose(getattr(trial, what)[0], factor * np.array(RIGHT), rtol=1e-15)


def test_same_order_is_the_same_trial():
    trial = Trial([0.0], [MESSAGE], joint_names=MODEL)
    assert match_joints(trial, MODEL) is trial


def test_unknown_and_missing_names_are_errors():
    trial = Trial([0.0], [MESSAGE], joint_names=("elbow", "lift", "pan", "w1", "w2", "wrist_3"))
    with pytest.raises(UnknownNameError, match=r"missing: w3; unknown: wrist_3"):
        match_joints(trial, MODEL)


def test_no_names_is_a_warning_not_silence():
    trial = Trial([0.0], [MESSAGE])
    with pytest.warns(match=r"no joint names are stored; its columns are taken in the order pan, lift, elbow"):
        assert match_joints(trial, MODEL) is trial
    with pytest.raises(ShapeError, match=r"6 joints, expected 2: a, b"):
        match_joints(trial, ("a", "b"))
    assert match_joints(Trial([0.0], [[1.0]]), ("slide",)).n == 1


def test_an_imported_log_is_brought_into_the_order_of_the_model(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("0," + ",".join(map(str, MESSAGE * 2)) + "\n")
    mapping = Mapping(time=0, q="1:7", tau="7:13", units={"q": "rad", "tau": "N m"}, joint_names=LOGGED)
    trial = import_csv(path, mapping, joint_names=MODEL)
    assert trial.q[0].tolist() == RIGHT and trial.tau[0].tolist() == RIGHT


def test_names_in_the_header_order_each_signal(tmp_path):
    """Signals of one log in different joint orders are matched by the starred part of their headers."""
    path = tmp_path / "log.csv"
    path.write_text("t,pos.elbow,pos.pan,vel.pan,vel.elbow\n0,1,2,20,10\n0.1,1.1,2.1,21,11\n")
    trial = import_csv(path, Mapping(time="t", q="pos.*", dq="vel.*", units="rad"), joint_names=("pan", "elbow"))
    assert trial.joint_names == ("pan", "elbow")
    assert trial.q.tolist() == [[2.0, 1.0], [2.1, 1.1]] and trial.dq.tolist() == [[20.0, 10.0], [21.0, 11.0]]
    path.write_text("t,pos.elbow,pos.pan,vel.pan,vel.lift\n0,1,2,20,10\n")
    with pytest.raises(UnknownNameError, match=r"joints of dq in .*: pan, lift, expected those of q: elbow, pan"):
        import_csv(path, Mapping(time="t", q="pos.*", dq="vel.*"))
