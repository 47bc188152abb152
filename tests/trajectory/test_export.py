"""Programs for controllers, read back by small parsers written here."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, LimitsError, ShapeError
from optid.robot import Limits
from optid.trajectory import Fourier, Piecewise, PointToPoint, RampedFourier, irb140_g21, irb140_g21_targets
from optid.trajectory.export import Convention, to_csv, to_rapid, to_ros, to_urscript

IRB140 = Limits.of(3, lower=np.deg2rad([-180.0, -90.0, -230.0]), upper=np.deg2rad([180.0, 110.0, 50.0]), velocity=np.deg2rad([200.0, 200.0, 260.0]))
HOLD = [0.0, 0.0, 0.0]
HOSTILE = ('x"; exit', "\n  ENDPROC\n  stopj(0)", "=cmd|' /C calc'!A0")
NUMBER = r"-?\d+(?:\.\d+)?"


def parse_rapid(text: str) -> tuple[np.ndarray, np.ndarray, float, int]:
    """Start (12,), targets (N, 12), time between targets, cycles of a RAPID module; comments are dropped, every line must be understood."""
    lines = [line.split("!")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    target = r"\[\[((?:[^\]])*)\],\[([^\]]*)\]\]"

    def numbers(match: re.Match[str]) -> list[float]:
        return [float(x) for x in f"{match[1]},{match[2]}".split(",")]

    module = re.fullmatch(r"MODULE ([A-Za-z]\w{0,31})", lines.pop(0))
    start = re.fullmatch(rf"LOCAL CONST jointtarget start:={target};", lines.pop(0))
    count = re.fullmatch(r"LOCAL CONST jointtarget targets\{(\d+)\}:=\[", lines.pop(0))
    assert module and start and count
    rows = []
    for k in range(int(count[1])):
        row = re.fullmatch(target + ("," if k < int(count[1]) - 1 else r"\];"), lines.pop(0))
        assert row
        rows.append(numbers(row))
    step = cycles = None
    for pattern in (
        rf"PROC run_{module[1]}\(\)",
        r"MoveAbsJ start\\NoEOffs, v100, fine, \w+;",
        r"FOR cycle FROM 1 TO (?P<cycles>\d+) DO",
        rf"FOR i FROM 1 TO {count[1]} DO",
        rf"MoveAbsJ targets\{{i\}}\\NoEOffs, v1000\\T:=(?P<step>{NUMBER}), \w+, \w+;",
        "ENDFOR",
        "ENDFOR",
        rf"MoveAbsJ targets\{{{count[1]}\}}\\NoEOffs, v100, fine, \w+;",
        "ENDPROC",
        "ENDMODULE",
    ):
        found = re.fullmatch(pattern, lines.pop(0))
        assert found, pattern
        step, cycles = found.groupdict().get("step") or step, found.groupdict().get("cycles") or cycles
    assert not lines and step and cycles
    return np.array(numbers(start)), np.array(rows), float(step), int(cycles)


def parse_urscript(text: str) -> tuple[np.ndarray, np.ndarray, float]:
    """Start (6,), streamed positions (N, 6) and their time step of a URScript function; every line must be understood."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    assert re.fullmatch(r"def [A-Za-z]\w*\(\):", lines[0])
    start = re.fullmatch(r"movej\(\[([^\]]*)\], a=0\.5, v=0\.25\)", lines[1])
    assert start and lines[-2:] == ["stopj(2.0)", "end"]
    rows = [re.fullmatch(rf"servoj\(\[([^\]]*)\], t=({NUMBER}), lookahead_time={NUMBER}, gain=\d+\)", line) for line in lines[2:-2]]
    assert all(rows)
    (step,) = {float(row[2]) for row in rows if row}
    return np.array(start[1].split(","), dtype=float), np.array([row[1].split(",") for row in rows if row], dtype=float), step


# -- RAPID ------------------------------------------------------------------------------------------------------------------------------------------


def test_rapid_gives_the_published_table_again() -> None:
    """Gonzalez 2021, Table I: 20 targets, 0.25 s apart, 0.001 degrees."""
    export = to_rapid(irb140_g21(), limits=IRB140, hold=HOLD, digits=3)
    start, rows, step, cycles = parse_rapid(export.text)
    assert (len(rows), step, cycles) == (20, 0.25, 1)
    np.testing.assert_allclose(rows[:, :3], np.rad2deg(irb140_g21_targets()[1]), atol=1.1e-3)
    np.testing.assert_array_equal(rows[:, 3:6], 0.0)
    np.testing.assert_array_equal(rows[:, 6:], 9e9)
    np.testing.assert_array_equal(start, rows[-1])
    np.testing.assert_array_equal(export.values[1:], rows[:, :3])
    assert export.proven


def test_rapid_in_the_controllers_convention() -> None:
    """Signs, offsets, a prismatic joint in mm; a seventh joint as external axis."""
    rng = np.random.default_rng(2)
    motion = Fourier(rng.normal(size=7), 0.3 * rng.normal(size=(7, 2)), 0.3 * rng.normal(size=(7, 2)), 4.0, cycles=3)
    convention = Convention((1, -1, 1, 1, 1, 1, -1), (0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.25), (False,) * 6 + (True,))
    _, rows, step, cycles = parse_rapid(to_rapid(motion, limits=Limits.of(7), step=0.1, digits=5, convention=convention).text)
    q = motion.evaluate(step * np.arange(1, len(rows) + 1))[0]
    assert (len(rows), cycles) == (40, 3)
    np.testing.assert_allclose(np.deg2rad(rows[:, 0]), q[:, 0], atol=1e-7)
    np.testing.assert_allclose(np.deg2rad(rows[:, 1]), 0.5 - q[:, 1], atol=1e-7)
    np.testing.assert_allclose(rows[:, 6] / 1000, 0.25 - q[:, 6], atol=1e-8)


@pytest.mark.parametrize("model", ["linear", "spline"])
def test_reported_deviation_bounds_the_true_one(model: str) -> None:
    motion = irb140_g21()
    export = to_rapid(motion, limits=IRB140, hold=HOLD, model=model)
    t = np.linspace(0.0, 5.0, 50_001)
    for what in ("linear", "spline"):
        run = to_rapid(motion, limits=IRB140, hold=HOLD, model=what).as_run
        true = np.abs(run.evaluate(t)[0] - motion.evaluate(t)[0]).max(axis=0)
        assert np.all(true <= export.deviation[what])
        np.testing.assert_allclose(export.deviation[what], true, rtol=1e-3)
    # straight lines between targets 0.25 s apart leave the design by about h²/8 of the acceleration
    np.testing.assert_allclose(export.deviation["linear"], motion.extremes(2).magnitude * 0.25**2 / 8, rtol=0.1)


def test_step_is_shortened_to_divide_the_duration() -> None:
    _, rows, step, _ = parse_rapid(to_rapid(irb140_g21(), limits=IRB140, hold=HOLD, step=0.3).text)
    assert (len(rows), step) == (17, 0.294118)


# -- the proof goes along ---------------------------------------------------------------------------------------------------------------------------


def touching(motion: Fourier, acceleration: float = np.inf) -> Limits:
    """Limits that the motion just keeps."""
    position, velocity = motion.extremes(0), motion.extremes(1)
    return Limits.of(3, lower=position.minimum, upper=position.maximum, velocity=velocity.magnitude, acceleration=acceleration)


@pytest.mark.parametrize("export", [to_rapid, to_csv, to_ros, to_urscript])
def test_an_infeasible_or_unproven_motion_needs_an_override(export: object) -> None:
    """C45 (a)."""
    motion = irb140_g21()
    limits = replace(IRB140, velocity=tuple(0.5 * np.array(IRB140.velocity)))
    options = {to_rapid: {"hold": HOLD}, to_urscript: {"hold": HOLD, "rest": False}, to_ros: {"joint_names": ("a", "b", "c"), "rest": False}}.get(export, {})
    with pytest.raises(LimitsError, match=r"export of a trajectory: .* joint 1: velocity .* is .* above the limit 1\.745.*override=True"):
        export(motion, limits=limits, **options)  # type: ignore[operator]
    with pytest.raises(LimitsError, match="export of a trajectory: no limits to check it against, expected limits="):
        export(motion, limits=None, **options)  # type: ignore[operator]
    for given in (limits, None):
        forced = export(motion, limits=given, override=True, **options)  # type: ignore[operator]
        assert not forced.proven
    assert export(motion, limits=IRB140, **options).proven  # type: ignore[operator]


def test_an_override_is_written_into_the_program() -> None:
    broken = to_rapid(irb140_g21(), limits=touching(irb140_g21(), 10.0), hold=HOLD, override=True).text
    assert "! BREAKS ITS LIMITS: exported by override" in broken and "! axis 1 acceleration -11.876 at 1.70184 s, limit -10 (SI units)" in broken
    assert "NOT CHECKED AGAINST ANY LIMITS" in to_urscript(irb140_g21(), limits=None, hold=HOLD, override=True).text


def test_decimation_is_checked_again() -> None:
    """The design keeps its limits; the spline through its decimated targets does not."""
    motion = irb140_g21()
    with pytest.raises(LimitsError, match=r"trajectory as exported \(spline between targets of 4 digits\): .* velocity .* Leave a margin"):
        to_rapid(motion, limits=touching(motion), hold=HOLD, model="spline")
    assert to_rapid(motion, limits=touching(motion), hold=HOLD, model="linear").proven


def test_rounding_is_checked_again_and_never_leaves_the_range() -> None:
    motion = Fourier([0.0, 0.0, 0.0], np.eye(3), np.zeros((3, 3)), 4.0)
    limits = touching(motion)
    with pytest.raises(LimitsError, match=r"trajectory as exported \(linear between targets of 0 digits\): .* velocity"):
        to_rapid(motion, limits=limits, hold=HOLD, digits=0, step=0.05)
    # 1 rad is 57.2958 degrees; to three digits 57.296 would leave the range
    values = to_rapid(motion, limits=replace(limits, velocity=(9.0,) * 3), hold=HOLD, digits=3, step=0.125).values
    assert values.max() == 57.295 and values.min() == -57.295


def test_streams_ask_for_rest() -> None:
    """C46: a start velocity that is not zero jerks the arm."""
    for export in (to_urscript, to_ros):
        options = {"hold": HOLD} if export is to_urscript else {"joint_names": ("a", "b", "c")}
        with pytest.raises(LimitsError, match=r"joint 1: start velocity 0\.92358935 at 0 s .*needs ramps"):
            export(irb140_g21(), limits=IRB140, **options)  # type: ignore[operator]
        assert export(RampedFourier(irb140_g21(), 1.0), limits=IRB140, **options).proven  # type: ignore[operator]


# -- URScript ---------------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [125.0, 500.0, 300.0])
def test_urscript_gives_the_trajectory_again(rate: float) -> None:
    motion = RampedFourier(irb140_g21(), 1.0)
    export = to_urscript(motion, limits=IRB140, hold=[0.1, -0.2, 0.3], rate=rate, convention=Convention((1, -1, 1), (0.0, 0.5, 0.0)))
    start, rows, step = parse_urscript(export.text)
    assert step == pytest.approx(1.0 / rate, abs=5e-7)
    t = np.minimum(step * np.arange(1, len(rows) + 1), motion.duration)
    assert t[-1] == motion.duration and t[-2] < motion.duration
    q = motion.evaluate(t)[0]
    np.testing.assert_allclose(rows[:, :3], np.column_stack([q[:, 0], 0.5 - q[:, 1], q[:, 2]]), atol=0.51e-9)
    np.testing.assert_array_equal(rows[:, 3:], np.tile([0.1, -0.2, 0.3], (len(rows), 1)))
    np.testing.assert_allclose(start[:1], motion.evaluate(0.0)[0][0, :1], atol=0.51e-9)


# -- ROS 2 and CSV ----------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_ros_message_gives_the_trajectory_again(form: str) -> None:
    load = json.loads if form == "json" else pytest.importorskip("yaml").safe_load
    motion = RampedFourier(irb140_g21(), 0.75)
    joints = ('x"; exit', "elbow\n\x7f\\ü", "wrist 😀")
    export = to_ros(motion, limits=IRB140, rate=30.0, form=form, joint_names=joints)
    message = load(export.text)
    assert message["joint_names"] == list(joints)
    stamps = [point["time_from_start"] for point in message["points"]]
    t = np.array([s["sec"] + 1e-9 * s["nanosec"] for s in stamps])
    assert len(t) == 196 and t[-1] == pytest.approx(6.5, abs=1e-9)
    inside = np.minimum(t, motion.duration)
    for key, values in zip(("positions", "velocities", "accelerations"), motion.evaluate(inside), strict=True):
        np.testing.assert_allclose([point[key] for point in message["points"]], values, atol=1e-10)
    assert export.proven and max(export.deviation["quintic"]) < 1e-4


def test_csv_gives_the_trajectory_again() -> None:
    motion = replace(irb140_g21(), joint_names=HOSTILE)
    export = to_csv(motion, limits=replace(IRB140, names=HOSTILE), rate=100.0, degrees=True, convention=Convention(prismatic=(False, True, False)))
    header, *rows = export.text.splitlines()
    columns = header.split(",")
    assert columns[:4] == ["time_s", "q_x_exit_deg", "q_ENDPROC_stopj_0_mm", "q_cmd_C_calc_A0_deg"]
    assert columns[4:] == [f"d{c}_s" for c in columns[1:4]] + [f"dd{c}_s2" for c in columns[1:4]]
    table = np.array([row.split(",") for row in rows], dtype=float)
    assert table.shape == (501, 10)
    scale = np.array([180 / np.pi, 1000.0, 180 / np.pi])
    for k, values in enumerate(motion.evaluate(table[:, 0])):
        np.testing.assert_allclose(table[:, 1 + 3 * k : 4 + 3 * k], values * scale, atol=1e-10)


# -- hostile and impossible input -------------------------------------------------------------------------------------------------------------------


def test_hostile_names_cannot_inject() -> None:
    motion = replace(irb140_g21(), joint_names=HOSTILE)
    limits = replace(IRB140, names=HOSTILE)
    for name in (*HOSTILE, "main", "1", "", "ünï", "a" * 99):
        rapid = to_rapid(motion, limits=limits, hold=HOLD, name=name)
        assert parse_rapid(rapid.text)[1].shape == (20, 12)
        assert re.match(r"MODULE optid_\w{1,22}\n", rapid.text) and rapid.text.isascii()
        script = to_urscript(motion, limits=limits, hold=HOLD, rate=50.0, rest=False, name=name).text
        assert parse_urscript(script)[1].shape == (250, 6)
        assert script.isascii()
    assert "0.25 s apart: x_exit, ENDPROC_stopj_0, cmd_C_calc_A0" in rapid.text
    with pytest.raises(DataError, match="tool of a RAPID export: 'tool0; Stop', expected one word"):
        to_rapid(motion, limits=limits, hold=HOLD, tool="tool0; Stop")


def test_names_that_collide_stay_apart() -> None:
    motion = Fourier([0.0] * 3, np.eye(3), np.eye(3), 5.0, joint_names=("a b", "a_b", "A-B"))
    assert "0.25 s apart: a_b, a_b_2, A_B_3" in to_rapid(motion, limits=Limits.of(3), hold=HOLD).text


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda m: to_rapid(m, limits=IRB140), DataError, "3 joints and 0 held axes, expected hold= with 3 postures"),
        (lambda m: to_rapid(m, limits=IRB140, hold=HOLD, model="quintic"), DataError, "model of a RAPID export: 'quintic', expected 'linear' or 'spline'"),
        (lambda m: to_rapid(m, limits=IRB140, hold=HOLD, digits=-1), DataError, "digits of an export: -1"),
        (lambda m: to_rapid(m, limits=IRB140, hold=HOLD, step=0.0), DataError, "step of a RAPID export: 0.0"),
        (lambda m: to_rapid(m, limits=IRB140, hold=HOLD, step=1e-7), DataError, "step of a RAPID export: 1e-07 s, expected 1e-6 s at least"),
        (lambda m: to_rapid(m, limits=IRB140, hold=HOLD, convention=Convention((1, 1))), ShapeError, "signs of a joint convention: 2 values, expected 3"),
        (lambda m: Convention((2,)), DataError, r"signs of a joint convention: \(2,\), expected \+1 or -1"),
        (lambda m: to_urscript(m, limits=IRB140, hold=HOLD, gain=50), DataError, "servoj settings: lookahead_time 0.1, gain 50"),
        (lambda m: to_urscript(m, limits=IRB140, hold=HOLD, convention=Convention(prismatic=(True, False, False))), DataError, "1 of them prismatic"),
        (lambda m: to_ros(m, limits=IRB140), DataError, "a ROS export: no joint names"),
        (lambda m: to_ros(m, limits=IRB140, form="xml"), DataError, "form of a ROS export: 'xml'"),
        (
            lambda m: to_rapid(Fourier(np.zeros(13), np.zeros((13, 1)), np.zeros((13, 1)), 1.0), limits=Limits.of(13)),
            DataError,
            "13 joints, expected 12 at most",
        ),
    ],
)
def test_wrong_input_is_named(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(irb140_g21())  # type: ignore[operator]


def test_a_move_ends_where_it_should() -> None:
    """A duration that the step does not divide: the last target is the end posture, never before it."""
    move = PointToPoint([0.0, 1.0, 2.0], [1.0, 0.0, 2.5], 1.2345)
    for export in (
        to_csv(move, limits=Limits.of(3), rate=100.0),
        to_urscript(move, limits=Limits.of(3), hold=HOLD),
        to_rapid(move, limits=Limits.of(3), hold=HOLD),
    ):
        np.testing.assert_allclose(export.as_run.evaluate(export.as_run.duration)[0], [[1.0, 0.0, 2.5]], atol=1e-6)


def test_a_corner_in_the_design_has_no_proven_acceleration() -> None:
    corner = Piecewise.linear([0.0, 1.0, 2.0], np.array([[0.0] * 3, [1.0] * 3, [0.0] * 3]))
    with pytest.raises(LimitsError, match="joint 1: acceleration -inf at 1 s is inf below the limit -5"):
        to_csv(corner, limits=Limits.of(3, acceleration=5.0))


def test_written_file_is_the_text(tmp_path: object) -> None:
    export = to_rapid(irb140_g21(), limits=IRB140, hold=HOLD)
    path = tmp_path / "motion.mod"  # type: ignore[operator]
    export.write(path)
    assert path.read_bytes().decode() == export.text
