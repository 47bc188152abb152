"""The column mapping, also as a TOML file."""

from __future__ import annotations

import pytest

from optid.errors import DataError, FileError, MissingFileError, UnknownNameError
from optid.experiment import Mapping, import_csv

_TOML = """
time = "t"
q = ["q1", "q2"]
current = "4:6"
gains = [10, 8.5]
joint_names = ["a", "b"]
role = "validation"
units = {q = "deg", time = "ms"}

[scale]
q = [1, -1]
"""


def test_a_toml_file_says_the_same(tmp_path):
    (tmp_path / "columns.toml").write_text(_TOML)
    written = Mapping(
        time="t",
        q=["q1", "q2"],
        current="4:6",
        gains=[10, 8.5],
        joint_names=["a", "b"],
        role="validation",
        units={"q": "deg", "time": "ms"},
        scale={"q": [1, -1]},
    )
    assert Mapping.from_toml(tmp_path / "columns.toml") == written
    (tmp_path / "log.csv").write_text("t,q1,q2,x,i1,i2\n0,180,180,0,1,1\n500,90,90,0,2,2\n")
    trial = import_csv(tmp_path / "log.csv", tmp_path / "columns.toml")
    assert trial == import_csv(tmp_path / "log.csv", written)
    assert trial.time.tolist() == [0, 0.5] and trial.tau[1].tolist() == [20, 17] and trial.role == "validation"
    assert trial.q[0, 0] == -trial.q[0, 1] == pytest.approx(3.141592653589793, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("q = ", FileError, r"columns\.toml: not readable as TOML"),
        ("\ufffe".encode("utf-16").decode("latin-1"), FileError, "not readable as TOML"),
        ('q = "q"\ntimes = "t"', UnknownNameError, r"key in file .*columns\.toml 'times': unknown name.*Did you mean 'time'\?"),
        ('time = "t"', DataError, r"mapping in file .*columns\.toml: no q"),
        ('q = "q"', DataError, r"mapping: neither time nor rate"),
        ('q = "q"\ntime = "t"\nrate = 5', DataError, r"mapping: both time and rate"),
        ('q = "q"\nrate = -5', DataError, r"rate of the mapping: -5, expected a positive number"),
        ('q = "q"\nrate = 5\ngains = [1]', DataError, "gains without current"),
        ('q = "q"\nrate = 5\ngains = [1]\ncurrent = "i"\ntau = "f"', DataError, "tau beside gains"),
        ('q = "q"\nrate = 5\ndecimal = ";"', DataError, r"decimal sign of the mapping: ';'"),
        ('q = "q"\nrate = 5\nrole = "toy"', DataError, r"role of the mapping: 'toy'"),
        ('q = "q"\nrate = 5\nsource = "guessed"', DataError, r"source of the mapping: 'guessed', expected 'measured' or 'commanded' or 'derived'"),
        ('q = "q"\nrate = 5\njoints = 0', DataError, r"joints of the mapping: 0"),
        ('q = "q"\nrate = 5\n[units]\npos = "deg"', UnknownNameError, r"signal in units of the mapping 'pos'"),
    ],
)
def test_wrong_files_are_named(text, error, message, tmp_path):
    (tmp_path / "columns.toml").write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        Mapping.from_toml(tmp_path / "columns.toml")


def test_missing_mapping_file(tmp_path):
    with pytest.raises(MissingFileError, match="not found, expected a TOML file with the column mapping"):
        import_csv(tmp_path / "log.csv", tmp_path / "columns.toml")


def test_velocities_follow_the_unit_of_the_positions():
    mapping = Mapping(q="q", time="t", units={"q": ["deg", "mm"], "ddq": "rad/s^2"})
    assert mapping.unit("dq") == ["deg/s", "mm/s"] and mapping.unit("ddq") == "rad/s^2" and mapping.unit("tau") is None
