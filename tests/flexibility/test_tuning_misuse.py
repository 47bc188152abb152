"""Plain mistakes in the arguments of tunings, protocols, comparisons and test robots: one sentence of optid's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import optid
from optid.errors import OptidError
from optid.flexibility.comparison import TailTable, individual, individuals, repeated, vibration_left
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule
from optid.flexibility.protocol import Parabola, Stage, axis_by_axis
from optid.flexibility.shapers import Shaper
from optid.flexibility.surfaces import surfaces
from optid.flexibility.two_axis import set_a, two_axis_robot
from optid.problems import BlackBoxProblem
from optid.problems.flexibility import FlexibilityTuning

NAN, INF = float("nan"), float("inf")
TABLE = TailTable(np.arange(80.0, 121.0, 10.0), np.random.default_rng(0).standard_normal((5, 5, 60, 2)), 1000.0, TailRule(0.0))


class Distance:
    """From (94, 107) %, and as many Υ again for more axes."""

    def of_trial(self, upsilon: Any) -> tuple[float, np.ndarray]:
        away = upsilon - np.resize([94.0, 107.0], len(upsilon))
        return float(np.linalg.norm(away)), away


def tuning(**options: Any) -> FlexibilityTuning:
    return FlexibilityTuning(**{"run": lambda upsilon: upsilon, "rule": Distance(), **options})


OPTIONS = {
    "run of a tuning: NoneType": [{"run": None}],
    "rule of a tuning: ": [{"rule": None}, {"rule": 3}],
    "axes of a tuning: ": [{"axes": axes} for axes in ([], "x", NAN, 0.5, (0, 1, 0), -1, 2, [[0, 1]], 1j)],
    "start of a tuning: ": [{"start": start} for start in ("x", [], 1j, [[100, 100]], None)],
    "Υ of axis1: ": [{"start": NAN}, {"lower": NAN}, {"upper": NAN}, {"upper": INF}, {"lower": 0}, {"lower": -5}, {"lower": 120, "upper": 80}],
    "step of a tuning: ": [{"step": step} for step in (NAN, INF, "x", None, 0, -1, 0.5, 1j, True)],
    "(bounds|lower bound|upper bound) of a tuning: ": [{"lower": "x"}, {"lower": [80, 80, 80]}, {"upper": 1j}, {"upper": [[120, 120]]}],
    "names of the axes: ": [{"names": "ab"}, {"names": 3}, {"names": ["a", "a"]}, {"names": ["a"]}],
}


@pytest.mark.parametrize(("message", "options"), [(message, each) for message, cases in OPTIONS.items() for each in cases])
def test_options_of_a_tuning(message: str, options: dict[str, Any]) -> None:
    with pytest.raises(OptidError, match="^" + message):
        tuning(**options)


@pytest.mark.parametrize("value", ["x", [1, 2, 3], NAN, None, [[1, 2]], [1j, 2]])
def test_points_of_a_tuning(value: Any) -> None:
    with pytest.raises(OptidError, match=r"^grid point of a tuning: "):
        tuning().upsilon(value)
    with pytest.raises(OptidError, match=r"^Υ of a tuning: "):
        tuning().grid_point(value)


CALLS: dict[str, tuple[Callable[[], object], str]] = {
    "width": (lambda: Parabola(0.0), "width of a parabola: 0.0"),
    "negative width": (lambda: Parabola(-1.0), "width of a parabola: -1.0"),
    "width of text": (lambda: axis_by_axis([Stage(0, lambda u: u, Distance())], width="x"), "width of a protocol: 'x'"),  # type: ignore[arg-type]
    "power": (lambda: Parabola(power=0.0), "power of a parabola: 0.0, expected a finite number, not 0"),
    "origin": (lambda: Parabola(origin=NAN), "origin of a parabola: nan"),
    "below zero": (lambda: optid.solve(BlackBoxProblem(lambda x: 1.0, lower=[-5], upper=[5]), solver=Parabola(5.0, power=-2.0)), "points above 0 from there"),
    "no stage": (lambda: axis_by_axis([]), "stages of a protocol: "),
    "no stages": (lambda: axis_by_axis(None), "stages of a protocol: None"),  # type: ignore[arg-type]
    "other stage": (lambda: axis_by_axis([3]), "stages of a protocol: "),  # type: ignore[list-item]
    "axis of a stage": (lambda: axis_by_axis([Stage(5, lambda u: u, Distance())]), "axes of a tuning: "),
    "law": (lambda: axis_by_axis([Stage(0, lambda u: u, Distance())], law="k"), "law of stiffness tuning 'k': unknown name"),
    "outside the table": (lambda: TABLE.size([50, 100]), "Υ of a run: 50, 100 %, expected 80 to 120, where the table has values"),
    "NaN in the table": (lambda: TABLE.size([NAN, 100]), "Υ of a run: nan, 100 %"),
    "three axes": (lambda: TABLE.size([100, 100, 100]), r"Υ of a run: shape \(3,\)"),
    "noise": (lambda: TABLE.robot(-1, 0.05, 0), "scale_noise of a robot: -1"),
    "noise of text": (lambda: TABLE.robot(0, "x", 0), "torque_noise of a robot: 'x'"),  # type: ignore[arg-type]
    "budget": (lambda: vibration_left(TABLE, {"solver": "random"}, (0,)), "budget of a search: 0"),
    "no budget": (lambda: vibration_left(TABLE, {"solver": "random"}, ()), "budgets of a search: "),
    "one budget": (lambda: vibration_left(TABLE, {"solver": "random"}, 5), "budgets of a search: 5"),  # type: ignore[arg-type]
    "search": (lambda: vibration_left(TABLE, {}, (5,)), "search: {}, expected arguments of optid.solve"),
    "name of a search": (lambda: repeated(TABLE, "random"), "search: 'random'"),  # type: ignore[arg-type]
    "one tuning": (lambda: repeated(TABLE, {"solver": "random"}, 1), "count of tunings: 1"),
    "count": (lambda: individuals(-1), "count of individuals: -1"),
    "half a robot": (lambda: individuals(2.5), "count of individuals: 2.5"),  # type: ignore[arg-type]
    "never found": (lambda: individuals(3, spread=5, least=6), "individuals: spread 5 and least 6 %"),
    "optimum": (lambda: individual(FlexibleLoop(set_a(), backend="interpreter"), [0, 100]), r"optimum of an individual: \[  0. 100.\]"),
    "one optimum": (lambda: individual(FlexibleLoop(set_a(), backend="interpreter"), 100), "optimum of an individual: 100"),
    "loop of a shaper": (lambda: Shaper.of_loop(None, [0, 0]), "loop of a shaper: None"),  # type: ignore[arg-type]
    "damping of a shaper": (lambda: Shaper.of_loop(FlexibleLoop(set_a(), backend="interpreter"), [0, 0], "ZV", 1e-9), "vibrations of the closed loop: none"),
    "loop of a surface": (lambda: surfaces(None, None), "loop of a surface: None"),  # type: ignore[arg-type]
    "lengths": (lambda: two_axis_robot((1, -1), (1, 1), (1, 1), (1, 1)), "lengths of a two-axis robot: 1 and -1 m"),
    "masses": (lambda: two_axis_robot((1, 1), (1,), (1, 1), (1, 1)), r"masses of a two-axis robot: shape \(1,\)"),
    "levers": (lambda: two_axis_robot((1, 1), (1, 1), (NAN, 1), (1, 1)), "levers of a two-axis robot: NaN"),
}


@pytest.mark.parametrize("case", CALLS)
def test_misuse_is_named(case: str) -> None:
    call, message = CALLS[case]
    with pytest.raises(OptidError, match="^" + message if case != "below zero" else message):
        call()


@pytest.mark.parametrize("solver", ["secant", "bayesian", "nelder_mead", "complex_box", "nevergrad", "random", "grid"])
@pytest.mark.parametrize("axes", [1, 6])
def test_one_axis_and_six(solver: str, axes: int) -> None:
    """One axis is found by all; with six, no search ends worse than its start, the secant search at the optimum, and a grid says that it is too large."""
    problem, budget = tuning(start=[100.0] * axes, signal=solver == "secant"), 16 if solver == "bayesian" else 41
    if solver == "grid" and axes == 6:
        with pytest.raises(OptidError, match="grid: 4750104241 points"):
            optid.solve(problem, solver=solver)
        return
    result = optid.solve(problem, solver=solver, budget=budget, on_failure="return")
    assert result.value <= result.start_value
    if axes == 1 or solver == "secant":
        assert result.upsilon.tolist() == [94.0, 107.0, 94.0, 107.0, 94.0, 107.0][:axes]


@pytest.mark.parametrize("solver", ["secant", "bayesian", "nelder_mead", "complex_box", "nevergrad", "random", "grid"])
def test_interrupted_tuning_keeps_its_best_run(solver: str) -> None:
    """Ctrl-C in the third run: the best of the two before comes back; in the first: none, and it says so."""
    for after in (2, 0):
        done: list[int] = []

        def run(upsilon: Any, done: list[int] = done, after: int = after) -> Any:
            if len(done) == after:
                raise KeyboardInterrupt
            done.append(1)
            return upsilon

        result = optid.solve(tuning(run=run, signal=solver == "secant"), solver=solver)
        assert (result.solution.status, len(result.runs)) == ("stopped", after)
        assert result.value == min(each.value for each in result.runs) if after else str(result) == "no run gave a number, of 0 runs"


@pytest.mark.parametrize("value", [None, "x", 1j, NAN, INF, 1 / 3 + 1j])
@pytest.mark.parametrize("solver", ["secant", "bayesian", "nelder_mead", "complex_box", "nevergrad", "random"])
def test_rules_that_give_no_number(solver: str, value: Any) -> None:
    """Every run counts as failed; nothing is made up."""

    class Nothing:
        def of_trial(self, upsilon: Any) -> Any:
            return value, np.atleast_1d(np.asarray(value, dtype=None))

    result = optid.solve(tuning(rule=Nothing(), signal=solver == "secant"), solver=solver, budget=4, on_failure="return")
    assert result.n_failed == len(result.runs) > 0 and np.isnan(result.value)
    assert str(result).startswith("no run gave a number")
