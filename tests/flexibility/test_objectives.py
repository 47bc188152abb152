"""Λ and Ω from recordings: right numbers from signals known in closed form, through files, and one sentence for what cannot be judged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from optid import Experiment, Trial, read_experiment, write_experiment
from optid.errors import DataError, OptidError
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import PathRule, TailRule, path_error, settled
from optid.flexibility.record import LoopRecord
from optid.flexibility.surfaces import Surface, experiment, surfaces
from optid.flexibility.two_axis import set_a
from optid.library import irb140_lower_arm
from optid.model.flexible import FlexibleModel
from optid.trajectory import PointToPoint

NAN, INF = float("nan"), float("inf")
TIME = np.arange(4000) / 1e3
WAVE = np.cos(2 * np.pi * 10 * TIME)
"""10 Hz, far below the cut-off: over whole periods the mean of its magnitude is 2/π, its root mean square 1/√2, its largest value 1."""


@pytest.mark.parametrize(("norm", "size"), [("L1", 2 / np.pi), ("L2", np.sqrt(0.5)), ("Linf", 1.0)])
def test_norms_in_closed_form(norm: str, size: float) -> None:
    """(4.1), mean over axes of 2 and 5 N m on the motors' side; the step before T, a line and a hum of 200 Hz do not count."""
    motors = np.outer(WAVE, [2.0, 5.0]) + np.outer(TIME, [3.0, -1.0]) + 0.1 * np.sin(2 * np.pi * 200 * TIME)[:, None] + 100.0 * (TIME < 0.9)[:, None]
    trial = Trial(time=TIME + 7.0, q=np.zeros((4000, 2)), tau=motors * [150.0, -130.0], attributes={"gears": [150.0, -130.0]})
    value, signal = TailRule(1.0, norm=norm).of_trial(trial)
    assert np.isclose(value, 3.5 * size, rtol=0.01) and signal.shape == (3000, 2)


@pytest.mark.parametrize(("multiple", "gain"), [(1.0, 1 / 2), (2.0, 1 / 257)])
def test_low_pass_is_of_order_four_without_delay(multiple: float, gain: float) -> None:
    """Butterworth forwards and back: 1/(1 + (f/f_c)⁸), in phase; order 3 would leave 1/65 of the octave above, order 5 1/1025."""
    wave = np.cos(2 * np.pi * 5 * multiple * TIME)
    left = TailRule(0.0, cutoff=5.0).signal(TIME, wave[:, None])[1000:3000, 0]
    np.testing.assert_allclose(left, gain * wave[1000:3000], atol=0.15 * gain)


@pytest.mark.parametrize("of", ["torque", "tool", "acceleration"])
def test_recordings_in_files(of: str, tmp_path: Path) -> None:
    """Laser tracker (three coordinates) and accelerometer (one) come back from HDF5 with the same bits, and so does their value."""
    attributes = {"gears": [150.0, 130.0], "tool": np.outer(WAVE, [1e-4, 2e-4, 3e-4]), "acceleration": np.outer(WAVE, [0.3])}
    trial = Trial(time=TIME, q=np.zeros((4000, 2)), tau=np.outer(WAVE, [150.0, 130.0]), name="run", attributes=attributes)
    write_experiment(Experiment("run", [trial]), tmp_path / "run.h5")  # type: ignore[arg-type]
    again = read_experiment(tmp_path / "run.h5").trials["run"]
    rule = TailRule(1.0, of=of)
    assert rule.of_trial(again)[0] == rule.of_trial(trial)[0]
    assert np.isclose(rule.of_trial(trial)[0], {"torque": 1.0, "tool": 2e-4, "acceleration": 0.3}[of] * np.sqrt(0.5), rtol=0.01)
    path = PathRule(TIME, np.zeros((4000, 3)))
    assert np.isclose(path.of_trial(again)[0], np.sqrt(14e-8 / 2))


def test_path_error_in_closed_form() -> None:
    """(4.2): mean squares of both coordinates, summed before the root; a sag of 3 mm counts, unless a line is taken away; the window begins at T."""
    tool = np.column_stack([1e-3 * WAVE, np.full(4000, 3e-3)])
    assert np.isclose(path_error(TIME, tool, np.zeros((4000, 2))), np.sqrt(0.5e-6 + 9e-6))
    assert np.isclose(path_error(TIME, tool, np.zeros((4000, 2)), detrend=True), np.sqrt(0.5e-6), rtol=0.01)
    assert np.isclose(path_error(TIME, tool * (TIME >= 1.0)[:, None], np.zeros((4000, 2)), start=1.0), np.sqrt(9.5e-6))


def test_start_of_the_tail_follows_its_rule() -> None:
    """A feedforward that falls like exp(−t/τ) comes within 1 % of its swing at t = τ ln 100; the slowest run decides; 10 ms are added."""
    time = np.arange(3000) / 1e3
    u = np.stack([np.exp(-time / tau) for tau in (0.05, 0.2)])[:, :, None]
    nothing = np.zeros((2, 3000, 1))
    record = LoopRecord(time, np.full((2, 1), 100.0), nothing, u, nothing, nothing, nothing, nothing, np.zeros((2, 3000, 3)), None, 0.3, np.ones(1))
    assert np.isclose(settled(record), 0.2 * np.log(100) + 0.01, atol=1.5e-3)
    assert np.isclose(settled(record, share=0.1, guard=0.0), 0.2 * np.log(10), atol=1.5e-3)


@pytest.fixture(scope="module")
def loop() -> FlexibleLoop:
    return FlexibleLoop(set_a(), backend="interpreter")


@pytest.fixture(scope="module")
def record(loop: FlexibleLoop) -> LoopRecord:
    return loop.simulate(experiment(loop, "zero", "++", "short"), [[100.0, 100.0]], 0.1)


@pytest.mark.parametrize(
    ("share", "guard"), [(NAN, 0.01), (0.0, 0.01), (1.0, 0.01), (-1, 0.01), ("x", 0.01), (None, 0.01), (1j, 0.01), (0.01, NAN), (0.01, -1), (0.01, "x")]
)
def test_options_of_the_start(record: LoopRecord, share: Any, guard: Any) -> None:
    with pytest.raises(DataError, match=r"^(share of the feedforward's swing|guard after the feedforward): "):
        settled(record, share, guard)


TORQUES = {
    "text": np.full((4000, 2), "a"),
    "complex": np.ones((4000, 2)) * 1j,
    "one row": np.ones(4000),
    "short": np.ones((10, 2)),
    "no column": np.ones((4000, 0)),
}


@pytest.mark.parametrize("case", [*TORQUES, "none"])
def test_signals_that_are_none(case: str) -> None:
    with pytest.raises(OptidError, match=r"^signal of a tuning run: "):
        TailRule(1.0).signal(TIME, TORQUES.get(case))  # type: ignore[arg-type]


@pytest.mark.parametrize("time", [TIME[::-1], np.ones(4000), TIME**2, TIME[:, None], "x", None])
def test_clocks_that_are_none(time: Any) -> None:
    with pytest.raises(OptidError, match=r"^(record|time|signal) of a tuning run: "):
        TailRule(0.5).signal(time, np.zeros((4000, 2)))


@pytest.mark.parametrize("tail", [np.zeros((0, 2)), np.zeros((5, 0)), np.zeros(5), 1.0, "x", None, np.ones((5, 2)) * 1j])
def test_tails_that_are_none(tail: Any) -> None:
    with pytest.raises(OptidError, match=r"^tail of a tuning run: "):
        TailRule(0.5).value(tail)


@pytest.mark.parametrize("gears", [[0.0, 1.0], [1.0, 2.0, 3.0], [NAN, 1.0], "x", np.zeros((2, 2)), [1j, 1.0]])
def test_gears_that_are_none(gears: Any) -> None:
    trial = Trial(time=TIME, q=np.zeros((4000, 2)), tau=np.ones((4000, 2)), attributes={"gears": gears})
    with pytest.raises(DataError, match=r"^gears of trial 'trial': "):
        TailRule(0.5).of_trial(trial)


@pytest.mark.parametrize(
    "tool", [np.ones(4000), np.ones((5, 2)), "abc", np.ones((4000, 2)) * 1j, np.zeros((4000, 0)), np.full((4000, 2), NAN), np.ones((4000, 3))]
)
def test_tools_that_are_none(tool: Any) -> None:
    trial = Trial(time=TIME, q=np.zeros((4000, 2)), attributes={"tool": tool})
    with pytest.raises(DataError, match=r"tool of trial 'trial'|trial 'trial': tool of shape"):
        PathRule(TIME, np.zeros((4000, 2))).of_trial(trial)


@pytest.mark.parametrize(
    ("time", "reference"),
    [
        (TIME[::-1], np.zeros((4000, 2))),
        (TIME, np.zeros((5, 2))),
        (TIME, np.zeros(4000)),
        (TIME[:0], np.zeros((0, 2))),
        (None, None),
        ("a", "b"),
        (TIME, np.full((4000, 2), NAN)),
    ],
)
def test_paths_that_are_none(time: Any, reference: Any) -> None:
    with pytest.raises(OptidError, match=r"^(time|reference) of a path: "):
        PathRule(time, reference)


@pytest.mark.parametrize("start", [NAN, INF, -1, "x", 1j])
def test_starts_of_a_path(start: Any) -> None:
    with pytest.raises(DataError, match=r"^start of a path: "):
        PathRule(TIME, np.zeros((4000, 2)), start=start)
    with pytest.raises(DataError, match=r"^start of a path: "):
        path_error(TIME, np.zeros((4000, 2)), np.zeros((4000, 2)), start)


def test_window_after_the_recording() -> None:
    with pytest.raises(DataError, match=r"^path of the tool: 0 samples after 9 s, expected more"):
        path_error(TIME, np.zeros((4000, 2)), np.zeros((4000, 2)), 9.0)
    with pytest.raises(OptidError, match=r"^path of the tool: shape \(4000, 3\) at times"):
        path_error(TIME, np.zeros((4000, 3)), np.zeros((4000, 2)))


GRID = [90.0, 95.0, 100.0, 105.0, 110.0]
SURFACES = {
    "falling": (GRID[::-1], np.ones((5, 5)), "grid of Υ"),
    "twice": ([90.0, 90.0], np.ones((2, 2)), "grid of Υ"),
    "negative": ([-5.0, 5.0], np.ones((2, 2)), "grid of Υ"),
    "empty": ([], np.ones((0, 0)), "grid of Υ"),
    "text": ("abc", np.ones((3, 3)), "grid of Υ"),
    "shape": (GRID, np.ones((5, 4)), r"values of a surface: shape \(5, 4\), expected \(5, 5\)"),
    "all failed": (GRID, np.full((5, 5), NAN), "values of a surface: no finite number"),
    "complex": (GRID, np.ones((5, 5)) * 1j, "values of a surface: entries of type complex128"),
}


@pytest.mark.parametrize("case", SURFACES)
def test_surfaces_that_are_none(case: str) -> None:
    percents, values, message = SURFACES[case]
    with pytest.raises(OptidError, match=message):
        Surface(percents, values)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [np.ones((5, 5)), np.zeros((5, 5))])
def test_plateau_has_no_valley(values: np.ndarray) -> None:
    with pytest.raises(DataError, match="values around the smallest of a surface: the same everywhere, expected a valley or a bowl"):
        Surface(GRID, values).valley()  # type: ignore[arg-type]


@pytest.mark.parametrize("reach", [NAN, INF, -1, 0, "x", None])
def test_reach_of_a_valley(reach: Any) -> None:
    with pytest.raises(DataError, match=r"^reach of a valley: "):
        Surface(GRID, np.eye(5)).valley(reach)  # type: ignore[arg-type]


def test_moves_and_grids_that_are_none(loop: FlexibleLoop) -> None:
    for move, message in ((("Zero", "++", "short"), "posture 'Zero'"), (("zero", "+", "short"), "direction '+'"), (("zero", "++", ["short"]), "length")):
        with pytest.raises(OptidError, match=message.replace("+", r"\+")):
            experiment(loop, *move)  # type: ignore[arg-type]
    wide = FlexibleLoop(FlexibleModel.of(irb140_lower_arm(), 1e5, damping=100.0), backend="interpreter")
    with pytest.raises(OptidError, match=r"loop of a move: 3 axes, expected 2\. Make the motion of another robot by tcp_line"):
        experiment(wide, "zero", "++", "short")
    with pytest.raises(OptidError, match="loop of a surface: 3 axes, expected 2"):
        surfaces(wide, PointToPoint([0.0] * 3, [0.1] * 3, 0.3, "ninth"))
    with pytest.raises(OptidError, match="loop of a move: None"):
        experiment(None, "zero", "++", "short")  # type: ignore[arg-type]
    for grid in ([], [NAN], [100.0, 90.0], [[90.0, 100.0]], "x", None, [1j]):
        with pytest.raises(OptidError, match="grid of Υ"):
            surfaces(loop, experiment(loop, "zero", "++", "short"), percents=grid)  # type: ignore[arg-type]
