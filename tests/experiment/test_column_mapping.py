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
        ('time = "t"', DataError, r"file .*columns\.toml, mapping: no q"),
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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("joint_names = 5", "joint_names of the mapping: 5, expected names, or the variable that holds them."),
        ("joint_names = ['a', 2]", "joint_names of the mapping: ['a', 2], expected names, or the variable that holds them."),
        ("units = 5", "units of the mapping: 5, expected a unit, or for each signal a unit or a list of them."),
        ("units = {q = 3}", "units of the mapping: {'q': 3}, expected a unit, or for each signal a unit or a list of them."),
        ("scale = 'a'", "scale of the mapping: 'a', expected for each signal a factor or a list of them."),
        ("files = 3", "files of the mapping: 3, expected for each signal the name of a file."),
        ("joints = 'x'", "joints of the mapping: 'x', expected a whole number."),
        ("joints = 2.5", "joints of the mapping: 2.5, expected a whole number."),
        ("period = 'x'", "period of the mapping: 'x', expected a number."),
        ("period = -1", "period of the mapping: -1, expected a positive number [s]."),
        ("header = 3", "header of the mapping: 3, expected true or false."),
        ("tau = []", "tau of the mapping: [], expected a column (number or name), or a list of them that is not empty."),
        ("tau = [[2]]", "tau of the mapping: [[2]], expected a column (number or name), or a list of them that is not empty."),
        ("tau = 1.5", "tau of the mapping: 1.5, expected a column (number or name), or a list of them that is not empty."),
        ("gains = 'x'", "gains of the mapping: 'x', expected a list of numbers [N m/A]."),
        ("delimiter = ''", "delimiter of the mapping: '', expected one character."),
        ("skip_rows = -1", "skip_rows of the mapping: -1, expected a whole number of at least 0."),
        ("role = 5", "role of the mapping: 5, expected text."),
    ],
)
def test_values_of_the_wrong_kind_are_named(line, said, tmp_path):
    file = tmp_path / "columns.toml"
    file.write_text(f"q = ['q1']\ntime = 't'\n{line}\n")
    with pytest.raises(DataError) as caught:
        Mapping.from_toml(file)
    assert str(caught.value) == f"file {file}, {said}"


@pytest.mark.parametrize(("key", "value"), [("time", "[[1]]"), ("q", "[]"), ("q", "{a = 1}")])
def test_columns_that_are_none(key, value, tmp_path):
    file = tmp_path / "columns.toml"
    file.write_text("\n".join(f"{k} = {value if k == key else repr(k)}" for k in ("q", "time")))
    with pytest.raises(DataError, match=rf"columns\.toml, {key} of the mapping: .*, expected a column \(number or name\), or a list of them"):
        Mapping.from_toml(file)


def test_missing_mapping_file(tmp_path):
    with pytest.raises(MissingFileError, match="not found, expected a TOML file with the column mapping"):
        import_csv(tmp_path / "log.csv", tmp_path / "columns.toml")


def test_velocities_follow_the_unit_of_the_positions():
    mapping = Mapping(q="q", time="t", units={"q": ["deg", "mm"], "ddq": "rad/s^2"})
    assert mapping.unit("dq") == ["deg/s", "mm/s"] and mapping.unit("ddq") == "rad/s^2" and mapping.unit("tau") is None
