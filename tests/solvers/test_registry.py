"""Names, features and third-party solvers."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import optid
from optid.errors import MissingExtraError, UnknownNameError, UnsuitableSolverError
from optid.problems import BlackBox, BlackBoxProblem, LeastSquares, Residuals
from optid.solvers import Outcome, Run, register, registry
from optid.testing import check_solver


@dataclass(frozen=True)
class Halving:
    """A small solver of a third party: halves a step around the best point."""

    step: float = 0.5
    max_evaluations: int = 400

    name: ClassVar[str] = "halving"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)
    features: ClassVar[frozenset[str]] = frozenset({"bounds"})
    search: ClassVar[bool] = True

    def run(self, form: BlackBox, run: Run) -> Outcome:
        run.limit(self.max_evaluations)
        best, value = run.x0, run.evaluate(run.x0)[0]
        size = self.step * (form.upper - form.lower)
        while np.max(size) > 1e-7:
            before = value
            for move in np.vstack([np.diag(size), -np.diag(size)]):
                trial = run.evaluate(best + move)[0]
                if trial < value:
                    best, value = form.snap(best + move), trial
            size = size if value < before else 0.5 * size
        return Outcome(None, "optimal", "the step is small")


@pytest.fixture
def halving() -> Iterator[None]:
    register(Halving)
    yield
    registry._REGISTERED.pop("halving", None)


def test_registered_solver_passes_the_contract(halving: None) -> None:
    assert "halving" in optid.available_solvers()
    check_solver("halving")


def test_contract_finds_a_solver_that_lies(halving: None) -> None:
    @dataclass(frozen=True)
    class Liar(Halving):
        name: ClassVar[str] = "halving"

        def run(self, form: BlackBox, run: Run) -> Outcome:
            run.evaluate(run.x0)
            return Outcome(None, "optimal", "done")

    register(Liar)
    with pytest.raises(AssertionError, match=r"halving on 'undetermined': value .* expected"):
        check_solver("halving")


def test_entry_points_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("halving", f"{__name__}:Halving", "optid.solvers")
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__, sys.modules[Halving.__module__]))
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "optid.solvers" else [])
    assert "halving" in optid.available_solvers()
    problem = BlackBoxProblem(lambda x: float((x[0] - 0.3) ** 2), lower=[0], upper=[1])
    assert optid.solve(problem, solver="halving").x[0] == pytest.approx(0.3, abs=1e-6)
    registry._REGISTERED.pop("halving", None)


def test_what_is_not_a_solver_is_refused() -> None:
    with pytest.raises(UnsuitableSolverError, match=r"is not a solver.*missing: \['name', 'accepts', 'features', 'search', 'run'\]"):
        register(dict)


def test_available_solvers_of_a_problem() -> None:
    assert optid.available_solvers(LeastSquares([[1.0]], [1.0]))[:1] != ()
    assert "lstsq" in optid.available_solvers(LeastSquares([[1.0]], [1.0]))
    assert "lstsq" not in optid.available_solvers(LeastSquares([[1.0]], [1.0], lower=0))
    assert set(optid.available_solvers(Residuals(lambda x: x, x0=[0.0], noisy=True))) == {"nelder_mead", "nevergrad", "secant"}


@pytest.mark.parametrize(
    ("problem", "solver", "reason"),
    [
        (LeastSquares([[1.0]], [1.0], lower=0), "lstsq", "it cannot handle bounds"),
        (LeastSquares([[1.0]], [1.0], A_in=[[1.0]], b_in=[0]), "lsq_linear", "it cannot handle linear constraints"),
        (BlackBox(lambda x: 0.0, x0=[0.0]), "complex_box", "it cannot handle variables without finite bounds"),
        (BlackBox(lambda x: 0.0, lower=[0], upper=[1]), "secant", "a black box gives no expressions and no derivatives"),
        (Residuals(lambda x: x, x0=[0.0]), "ipopt", "computed residuals give no expressions to differentiate"),
        (Residuals(lambda x: x, x0=[0.0], noisy=True), "least_squares", "it cannot handle noisy values"),
    ],
)
def test_refusals_give_the_reason_and_the_solvers_that_fit(problem: object, solver: str, reason: str) -> None:
    with pytest.raises(UnsuitableSolverError) as caught:
        optid.solve(problem, solver=solver)
    message = str(caught.value)
    assert reason in message
    listed = message.split("Installed solvers that can: ")[1].rstrip(".").split(", ")
    assert tuple(listed) == optid.available_solvers(problem)
    assert solver not in listed


def test_missing_backend_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None if name == "clarabel" else object())
    assert "clarabel" not in optid.available_solvers()
    with pytest.raises(MissingExtraError, match=r"pip install 'optid\[app\]'"):
        optid.solve(LeastSquares([[1.0]], [1.0]), solver="clarabel")


def test_unknown_solver_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"solver 'complexbox': unknown name, expected one of bayesian, .*Did you mean 'complex_box'"):
        optid.solve(BlackBox(lambda x: 0.0, lower=[0], upper=[1]), solver="complexbox")


def test_solver_objects_and_classes_are_taken() -> None:
    form = BlackBox(lambda x: float(x[0] ** 2), lower=[-1], upper=[1])
    solution = optid.solve(form, solver=Halving(step=0.25), max_evaluations=10)
    assert solution.options == {"step": 0.25, "max_evaluations": 10}
    assert optid.solve(form, solver=Halving).solver == "halving"


def test_importing_the_room_is_light() -> None:
    code = "import sys, optid.solvers; print([m for m in ('casadi', 'scipy.optimize', 'nevergrad', 'sklearn', 'clarabel') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_bare_folder_names_are_refused() -> None:
    for room in ("problems", "solvers"):
        code = (
            f"import importlib.util as u, optid.{room} as m; s = u.spec_from_file_location('{room}', m.__file__); s.loader.exec_module(u.module_from_spec(s))"
        )
        answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert f"write  import optid.{room}  instead" in answer.stderr
