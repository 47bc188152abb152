"""Text tables: columns, units, and what is wrong with a log by row and column (cases C15, C40, C65, C74)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, FileError, MissingFileError, ShapeError, UnknownNameError
from optid.experiment import Mapping, import_csv

NAMES = ("a", "b")
PLAIN = Mapping(time="t", q=["q1", "q2"], tau=["tau1", "tau2"], joint_names=NAMES, units={"q": "rad", "tau": "N m"})
HEADER = "t,q1,q2,tau1,tau2"


def _table(rows=1000):
    time = 0.01 * np.arange(rows)
    return np.column_stack([time, np.sin(time), np.cos(time), 3 * np.sin(time), 2 * np.cos(time)])


def _write(path, table, header=HEADER, delimiter=","):
    lines = [delimiter.join(repr(float(x)) for x in row) for row in table]
    path.write_text("\n".join(([header] if header else []) + lines) + "\n")
    return path


@pytest.fixture
def path(tmp_path):
    return _write(tmp_path / "log.csv", _table())


def test_header_names_numbers_ranges_and_patterns_choose_the_same_columns(path):
    expected = import_csv(path, PLAIN)
    assert np.array_equal(expected.q, _table()[:, 1:3]) and np.array_equal(expected.tau, _table()[:, 3:5]) and expected.name == "log"
    for q, tau in (([1, 2], [3, 4]), ("1:3", "3:"), ("q*", "tau?")):
        assert import_csv(path, replace(PLAIN, time=0, q=q, tau=tau)) == expected


@pytest.mark.parametrize(
    ("delimiter", "decimal", "header"), [(";", ".", HEADER), ("\t", ".", HEADER), (" ", ".", ""), (";", ",", HEADER), ("  ", ".", "# t  q1  q2  tau1  tau2")]
)
def test_delimiters_decimal_commas_and_headers_are_found(delimiter, decimal, header, tmp_path):
    table = _table(50)
    header = header.replace(",", delimiter)
    text = "\n".join([header, *(delimiter.join(repr(float(x)).replace(".", decimal) for x in row) for row in table)])
    (tmp_path / "log.txt").write_text("\ufeff" + text.strip() + "\n")
    mapping = replace(PLAIN, decimal=decimal)
    trial = import_csv(tmp_path / "log.txt", mapping if header else replace(mapping, time=0, q="1:3", tau="3:5"))
    assert np.array_equal(trial.q, table[:, 1:3]) and np.array_equal(trial.time, table[:, 0])


def test_windows_lines_comments_blank_lines_quotes_and_text_columns(tmp_path):
    (tmp_path / "log.csv").write_bytes(b'# made by x\r\n"t","q1","q2","mode, state"\r\n0,1,2,"run, on"\r\n\r\n0.5,3,4,stop\r\n')
    trial = import_csv(tmp_path / "log.csv", Mapping(time="t", q=["q1", "q2"], joint_names=NAMES))
    assert trial.q.tolist() == [[1, 2], [3, 4]] and trial.time.tolist() == [0, 0.5]


def test_rate_instead_of_stamps(tmp_path):
    _write(tmp_path / "log.csv", _table(10))
    trial = import_csv(tmp_path / "log.csv", replace(PLAIN, time=None, rate=5000.0))
    assert np.array_equal(trial.time, np.arange(10) / 5000.0)


def test_one_number_a_line_in_several_files(tmp_path):
    """Seven joints, sample after sample, as some logs come; a file that was cut off is told."""
    q = np.arange(21.0).reshape(3, 7) / 10
    (tmp_path / "q.txt").write_text("\n".join(map(str, q.ravel())) + "\n")
    (tmp_path / "t.txt").write_text("0\n0.001\n0.003\n")
    names = [f"j{k}" for k in range(7)]
    mapping = Mapping(time=0, q=0, joints=7, files={"q": "q.txt", "time": "t.txt"}, joint_names=names)
    assert np.array_equal(import_csv(tmp_path, mapping).q, q)
    assert np.array_equal(import_csv({"q": tmp_path / "q.txt", "time": tmp_path / "t.txt"}, replace(mapping, files={})).q, q)
    (tmp_path / "q.txt").write_text("\n".join(map(str, q.ravel()[:-2])) + "\n")
    with pytest.raises(ShapeError, match=r"q in file .*q\.txt: 19 numbers, expected a multiple of 7"):
        import_csv(tmp_path, mapping)
    with pytest.warns(match="2 samples of q and 3 of time.*cut to 2"):
        assert np.array_equal(import_csv(tmp_path, mapping, partial=True).q, q[:2])
    (tmp_path / "q.txt").write_text("\n".join(map(str, q.ravel()[:14])) + "\n")
    with pytest.raises(ShapeError, match=r"2 samples of q and 3 of time, expected equally many"):
        import_csv(tmp_path, mapping)
    with pytest.warns(match="cut to 2"):
        assert np.array_equal(import_csv(tmp_path, mapping, partial=True).q, q[:2])


# -- units ------------------------------------------------------------------------------------------------------------------------------------------


def test_angles_beyond_a_turn_without_a_unit_look_like_degrees(tmp_path):
    """C15: a log in degrees, e.g. 76.8487, 197.207, 316.553."""
    _write(tmp_path / "log.csv", [[0, 76.8487, 197.207], [0.1, 76.9, 316.553]], "t,q1,q2")
    mapping = Mapping(time="t", q=["q1", "q2"], joint_names=NAMES)
    with pytest.warns(match=r"values up to 316.553, expected radians, at most one turn \(2π\). They may be degrees. Say units='deg'"):
        import_csv(tmp_path / "log.csv", mapping)
    assert import_csv(tmp_path / "log.csv", replace(mapping, units="rad")).q[1, 1] == 316.553


def test_degrees_convert_positions_velocities_and_accelerations(tmp_path):
    """C15: 180 deg is π, in q, dq and ddq."""
    _write(tmp_path / "log.csv", [[0, 180, 90, 360]], "t,q,v,a")
    trial = import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", dq="v", ddq="a", units="deg"))
    assert [trial.q[0, 0], trial.dq[0, 0], trial.ddq[0, 0]] == pytest.approx([math.pi, math.pi / 2, 2 * math.pi], rel=1e-15)
    stated = import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", dq="v", units={"q": "deg", "dq": "rad/s"}))
    assert stated.dq[0, 0] == 90.0


def test_velocities_in_degrees_beside_positions_in_radians_are_noticed(tmp_path):
    time = 0.01 * np.arange(200)
    _write(tmp_path / "log.csv", np.column_stack([time, np.sin(time), np.degrees(np.cos(time))]), "t,q,v")
    with pytest.warns(match=r"dq of file .*: 57.3 times the slope of q, expected rad/s beside rad"):
        import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", dq="v"))


@pytest.mark.parametrize(
    ("signal", "unit", "factor"),
    [
        ("time", "ms", 1e-3),
        ("time", "ns", 1e-9),
        ("q", "mm", 1e-3),
        ("q", "rev", 2 * math.pi),
        ("dq", "rpm", 2 * math.pi / 60),
        ("dq", "deg/s", math.pi / 180),
        ("ddq", "rad/s²", 1.0),
        ("ddq", "deg/s/s", math.pi / 180),
        ("tau", "N·m", 1.0),
        ("tau", "mNm", 1e-3),
        ("tau", "kN", 1e3),
        ("current", "mA", 1e-3),
    ],
)
def test_units(signal, unit, factor, tmp_path):
    _write(tmp_path / "log.csv", [[2, 2, 2, 2, 2, 2]], "t,q,v,a,f,i")
    mapping = Mapping(time="t", q="q", dq="v", ddq="a", tau="f", current="i", units={"tau": "N m", signal: unit})
    trial = import_csv(tmp_path / "log.csv", mapping)
    assert np.ravel(getattr(trial, signal))[0] == pytest.approx(2 * factor, rel=1e-15)


def test_a_unit_and_a_scale_for_each_joint(tmp_path):
    """A SCARA: two turning joints and a slide, the second turning the other way."""
    _write(tmp_path / "log.csv", [[0, 180, 90, 250]], "t,q1,q2,q3")
    mapping = Mapping(time="t", q="q?", units={"q": ["deg", "deg", "mm"]}, scale={"q": [1, -1, 1]}, joint_names=["a", "b", "c"])
    assert import_csv(tmp_path / "log.csv", mapping).q[0].tolist() == pytest.approx([math.pi, -math.pi / 2, 0.25], rel=1e-15)
    with pytest.raises(DataError, match=r"units of q in file .*: 2 units, expected 3, one per joint"):
        import_csv(tmp_path / "log.csv", replace(mapping, units={"q": ["deg", "deg"]}))
    with pytest.raises(ShapeError, match=r"scale of q for file .*: shape \(2,\)"):
        import_csv(tmp_path / "log.csv", replace(mapping, scale={"q": [1, 1]}))


# -- currents ---------------------------------------------------------------------------------------------------------------------------------------


def test_current_with_gains_becomes_torque(tmp_path):
    """C40, with the gains published beside the UR10e recordings; 0.12 N m/A · 101 · 1.5 A = 18.18 N m."""
    gains = (10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232)
    _write(tmp_path / "log.csv", [[0, *[0] * 6, 1, -2, 0.5, 0, 1, 1]], "t," + ",".join(f"q{k}" for k in range(6)) + "," + ",".join(f"i{k}" for k in range(6)))
    mapping = Mapping(time="t", q="q?", current="i?", joint_names=list("abcdef"))
    trial = import_csv(tmp_path / "log.csv", mapping)
    assert trial.tau is None and trial.current[0].tolist() == [1, -2, 0.5, 0, 1, 1]
    with_gains = import_csv(tmp_path / "log.csv", replace(mapping, gains=gains))
    assert with_gains.tau[0].tolist() == pytest.approx([10, -21.3912, 4.2283, 0, 9.48, 10.1232], rel=1e-12) and with_gains.sources["tau"] == "derived"
    one = Mapping(time="t", q="q0", current="i0", gains=[0.12 * 101], scale={"current": 1.5})
    assert import_csv(tmp_path / "log.csv", one).tau[0, 0] == pytest.approx(18.18, rel=1e-12)


@pytest.mark.parametrize("name", ["current_1", "i1", "motor_current", "actual_curr", "amps"])
def test_a_current_never_becomes_a_torque_in_silence(name, tmp_path):
    """C40: refused by unit and by the name of the column."""
    _write(tmp_path / "log.csv", [[0, 1, 2]], f"t,q,{name}")
    with pytest.raises(DataError, match=rf"column '{name}', which looks like a motor current, expected torque. Import it as current= and give gains="):
        import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", tau=name))
    with pytest.raises(DataError, match=r"unit of tau .*'A', which is a motor current.*signal 'current'"):
        import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", tau=name, units={"tau": "A"}))
    assert import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", tau=name, units={"tau": "N m"})).tau[0, 0] == 2


def test_effort_may_be_a_current(tmp_path):
    _write(tmp_path / "log.csv", [[0, 1, 2]], "t,q,effort")
    with pytest.warns(match=r"'effort' holds motor current \[A\] with some drivers"):
        import_csv(tmp_path / "log.csv", Mapping(time="t", q="q", tau="effort"))


# -- damaged rows -----------------------------------------------------------------------------------------------------------------------------------


def test_nan_infinite_and_impossible_numbers_are_named_by_row_and_column(tmp_path):
    """C65: sample 500 has tau = nan, sample 600 q = inf; lines are counted from 1 with the header."""
    table = _table()
    table[500, 4], table[600, 1], table[700, 2] = np.nan, np.inf, -1e120
    path = _write(tmp_path / "log.csv", table)
    with pytest.raises(DataError, match=r"log\.csv, row 602, column 'q1' \(q\): inf, expected a finite number below 1e\+09. 2 rows are like that \(602, 702\)"):
        import_csv(path, PLAIN)
    with pytest.warns(match=r"997 good rows of 1000, left out are 3 with impossible numbers \(502, 602, 702\)"):
        trial = import_csv(path, PLAIN, partial=True)
    assert np.array_equal(trial.q, np.delete(table[:, 1:3], [500, 600, 700], axis=0))
    assert trial.attributes["rows_read"] == 1000 and trial.attributes["rows_dropped"] == 3


def test_a_cut_off_last_row_is_one_sentence_and_the_good_rows_on_request(path):
    text = path.read_text()
    path.write_text(text[: text.rindex(",")])
    with pytest.raises(FileError, match=r"log\.csv, row 1001: 4 columns \(the file was cut off\), expected 5 as in the first row. Pass partial=True"):
        import_csv(path, PLAIN)
    with pytest.warns(match=r"999 good rows of 1000, left out are 1 incomplete \(1001\)\."):
        assert import_csv(path, PLAIN, partial=True).n_samples == 999


def test_cells_that_are_no_numbers_are_named(tmp_path):
    (tmp_path / "log.csv").write_text("t,q1,q2,tau1,tau2\n0,1,2,3,4\n0.1,1,oops,3,4\n0.2,1,2,,4\n0.3,1,2,3,4\n")
    with pytest.raises(FileError, match=r"row 3, column 'q2': 'oops', expected a number"):
        import_csv(tmp_path / "log.csv", PLAIN)
    with pytest.warns(match=r"2 good rows of 4, left out are 2 incomplete \(3–4\)"):
        assert import_csv(tmp_path / "log.csv", PLAIN, partial=True).time.tolist() == [0, 0.3]
    with pytest.raises(FileError, match=r"row 4, column 'tau1': an empty cell"):
        import_csv(tmp_path / "log.csv", replace(PLAIN, q=["q1", "q1"]))


@pytest.mark.parametrize("cell", ["1_0", "\u0661", "\uff11"])
def test_only_plain_digits_are_numbers(cell, tmp_path):
    """Python's own float() takes underscores and the digits of every script; no logger writes them."""
    (tmp_path / "log.csv").write_text(f"{HEADER}\n0,1,2,3,4\n0.01,{cell},2,3,4\n", encoding="utf-8")
    with pytest.raises(FileError, match=rf"log\.csv, row 3, column 'q1': '{cell}', expected a number"):
        import_csv(tmp_path / "log.csv", PLAIN)


def test_a_row_with_too_many_columns_was_not_cut_off(tmp_path):
    (tmp_path / "log.csv").write_text(f"{HEADER}\n0,1,2,3,4\n0.01,1,2,3,4,5\n")
    with pytest.raises(FileError, match=r"log\.csv, row 3: 6 columns, expected 5 as in the first row\. Pass partial=True"):
        import_csv(tmp_path / "log.csv", PLAIN)


def test_backward_stamps_are_an_error_and_equal_ones_a_warning(tmp_path):
    """C74: t = (0, .01, .01, .02, .03)."""
    table = _table(5)
    table[:, 0] = [0, 0.01, 0.01, 0.02, 0.03]
    with pytest.warns(match=r"time of file .*, sample 2: 1 stamps equal to the one before, the first 0.01 s"):
        assert import_csv(_write(tmp_path / "log.csv", table), PLAIN).n_samples == 5
    with pytest.warns(match=r"4 good rows of 5, left out are 1 with stamps out of order \(3\)"):
        assert import_csv(tmp_path / "log.csv", PLAIN, partial=True).time.tolist() == [0, 0.01, 0.02, 0.03]
    table[3, 0] = 0.001
    with pytest.raises(DataError, match=r"log\.csv, row 5: the stamp goes back from 0.01 s to 0.001 s, expected increasing stamps. 1 steps go back"):
        import_csv(_write(tmp_path / "log.csv", table), PLAIN)


def test_a_wrong_mapping_does_not_pass_as_partial(tmp_path):
    """Stamps that fall all along: not a few bad rows but a wrong column."""
    table = _table(100)
    table[:, 0] *= -1
    with pytest.raises(DataError, match="Fewer than half are good: check the columns and units"):
        import_csv(_write(tmp_path / "log.csv", table), PLAIN, partial=True)


# -- what is not there ------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"q": ["q1", "q9"]}, UnknownNameError, r"column in file .*log\.csv 'q9': unknown name, expected one of t, q1, q2, tau1, tau2"),
        ({"q": [1, 9]}, DataError, r"column 9: 5 columns, expected numbers from 0 to 4"),
        ({"q": "1:9"}, DataError, r"column 8: 5 columns"),
        ({"tau": ["tau1"]}, ShapeError, r"tau in file .*: 1 columns, expected 2, as q has"),
        ({"joint_names": ["a"]}, ShapeError, r"1 names, expected 2, one per column"),
        ({"joint_names": "names"}, DataError, r"joint names .*'names', expected a list of names"),
    ],
)
def test_what_is_not_in_the_table_is_named(change, error, message, path):
    with pytest.raises(error, match=message):
        import_csv(path, replace(PLAIN, **change))


def test_a_name_that_stands_for_two_columns(tmp_path):
    _write(tmp_path / "log.csv", [[0, 1, 2]], "t,q,q")
    with pytest.raises(DataError, match=r"column 'q': 2 columns of that name, expected one. Give its number"):
        import_csv(tmp_path / "log.csv", Mapping(time="t", q="q"))
    assert import_csv(tmp_path / "log.csv", Mapping(time="t", q=[1, 2], joint_names=NAMES)).q.tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "no line of data"), (b"# only\n", "no line of data"), (b"PK\x03\x04\x00", "a binary file"), (b"1,2\x00", "binary")]
)
def test_files_without_a_table(content, message, tmp_path):
    (tmp_path / "log.csv").write_bytes(content)
    with pytest.raises(FileError, match=message):
        import_csv(tmp_path / "log.csv", PLAIN)


def test_missing_file_and_missing_signal_file(tmp_path):
    with pytest.raises(MissingFileError, match="not found"):
        import_csv(tmp_path / "no.csv", PLAIN)
    with pytest.raises(FileError, match="none for tau, expected a file for each of q, tau, time"):
        import_csv(tmp_path, replace(PLAIN, files={"q": "a.csv"}))


def test_zero_and_one_sample(tmp_path):
    (tmp_path / "log.csv").write_text(HEADER + "\n")
    with pytest.raises(FileError, match=r"log\.csv: a header and no row of data, expected a table of numbers"):
        import_csv(tmp_path / "log.csv", PLAIN)
    (tmp_path / "log.csv").write_text("0,1,2,3,4")
    assert import_csv(tmp_path / "log.csv", replace(PLAIN, time=0, q="1:3", tau="3:5")).tau.tolist() == [[3.0, 4.0]]
