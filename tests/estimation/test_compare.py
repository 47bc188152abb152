"""Several estimators side by side, and fitted models of every method in a file."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, Link, Robot, identify, validate
from optid.errors import DataError, UnknownNameError
from optid.identification import load_result, save_result
from optid.identification.compare import compare
from optid.identification.methods.damped import Damped
from optid.signals import Samples


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    rng = np.random.default_rng(3)
    rows = [DHRow(a=0.4, alpha=np.pi / 2 * (i % 2)) for i in range(3)]
    links = [Link.from_com(3 - i, rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.05, 0.08, 3)), f"link{i + 1}") for i in range(3)]
    return BaseParameters.of(DynamicModel(Robot.from_dh(rows, "standard", links=links).with_friction(2.0, 1.0), friction="viscous+coulomb"))


def run(base: BaseParameters, seed: int, noise: float = 1.0, count: int = 60, reach: float = 0.3) -> Samples:
    rng = np.random.default_rng(seed)
    q, dq, ddq = (reach * rng.standard_normal((count, 3)) for _ in range(3))
    tau = base.model.inverse_dynamics(base.model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * rng.standard_normal(tau.shape), rate=100, name=f"run {seed}")


def test_numbers_are_those_of_single_calls(base: BaseParameters) -> None:
    """Training, validation and leave-one-trial-out errors of every row, computed again by hand."""
    trials, other = [run(base, k) for k in range(3)], [run(base, 10, reach=1.0), run(base, 11, reach=1.0)]
    found = compare(base, trials, methods=("wls", "physical"), validation=other)
    assert found.folds == 3 and found.folds_are == "trials"
    for method in ("wls", "physical"):
        row, fit = found[method], identify(base, trials, method=method, residuals=False)
        assert row.result.beta == pytest.approx(fit.beta, rel=1e-9)
        assert row.training.stacked == pytest.approx(fit.errors().stacked)
        misses = whole = 0.0
        for k in range(3):
            scored = validate(identify(base, [t for i, t in enumerate(trials) if i != k], method=method, residuals=False), trials[k])
            misses += np.sum(scored.residual**2)
            whole += np.sum(trials[k].tau ** 2)
        assert row.cross.stacked == pytest.approx(np.sqrt(misses / whole), rel=1e-6)
        scores = [validate(fit, test) for test in other]
        squares = [sum(np.sum(x**2) for x in part) for part in ([s.residual for s in scores], [t.tau for t in other])]
        assert row.validation.stacked == pytest.approx(np.sqrt(squares[0] / squares[1]))


def test_prior_wins_on_another_motion(base: BaseParameters) -> None:
    """Poor motion, much noise: training favours least squares, the folds and the other motion the physical fit."""
    found = compare(base, [run(base, k) for k in range(3)], methods=("ols", "wls", "physical"), validation=run(base, 10, 0.1, reach=1.0))
    assert found.best("training").label == "ols"
    assert found.best("validation").label == found.best("cross").label == "physical"
    assert found["physical"].n_effective < found["wls"].n_effective == base.rank
    assert found["physical"].unphysical == () and found["wls"].unphysical != ()
    text = found.summary()
    assert all(name in text for name in ("ols", "wls", "physical", "each of 3 trials predicted by a fit to the others"))
    assert found.to_dict()["rows"][2]["validation"]["stacked"] == found["physical"].validation.stacked


def test_one_trial_is_cut_into_pieces(base: BaseParameters) -> None:
    found = compare(base, run(base, 0, count=200), methods={"weak": ("damped", {"damping": 0.01}), "strong": Damped(damping=10.0)}, folds=4)
    assert found.folds == 4 and "each of 4 pieces" in found.summary()
    assert found["weak"].result.details.damping == 0.01 and found["strong"].result.details.damping == 10.0
    alone = compare(base, run(base, 0), methods=["wls", "wls"], folds=1)
    assert [row.label for row in alone.rows] == ["wls", "wls 2"] and alone.rows[0].cross is None
    with pytest.raises(DataError, match=r"errors by cross: none, expected some"):
        alone.best()


def test_estimator_that_fails_says_why(base: BaseParameters) -> None:
    found = compare(base, run(base, 0), methods=("wls", ("damped", {"damping": "trials"})))
    assert found["wls"].error == "" and found["damped"].result is None
    assert "at least two, each left out in turn" in found["damped"].error and "failed" in found.summary()
    with pytest.raises(UnknownNameError, match=r"method 'wsl'.*Did you mean 'wls'"):
        compare(base, run(base, 0), methods=("wsl",))
    with pytest.raises(UnknownNameError, match=r"estimator 'ols'"):
        found["ols"]


def test_plot_has_a_bar_per_joint_and_estimator(base: BaseParameters) -> None:
    figure = compare(base, run(base, 0), methods=("ols", "wls"), folds=2).plot()
    axes = figure.axes[0]
    assert len(axes.patches) == 2 * 4
    assert [text.get_text() for text in axes.get_xticklabels()] == ["joint1", "joint2", "joint3", "stacked"]


OPTIONS = {
    "gls": {},
    "huber": {"reject": 2.5},
    "essential": {},
    "damped": {"damping": 2.0},
    "constrained": {"bounds": {"fv1": (0.0, 1.0)}},
    "physical": {"damping": 3.0},
}


@pytest.mark.parametrize("method", OPTIONS)
def test_every_fit_survives_its_file(base: BaseParameters, method: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Estimates, sigmas, intervals, report and details are the same after saving and loading."""
    fit = identify(base, [run(base, 0), run(base, 1)], method=method, **OPTIONS[method])
    path = tmp_path_factory.mktemp("fit") / "fit.h5"
    save_result(fit, path)
    again = load_result(path)
    for what in ("beta", "sigma", "weights", "minimum_norm"):
        assert getattr(again, what) == pytest.approx(getattr(fit, what), rel=1e-12, nan_ok=True), what
    assert again.interval() == pytest.approx(fit.interval(), rel=1e-9, nan_ok=True)
    assert again.determinacy.rank == fit.determinacy.rank and again.degrees_of_freedom == fit.degrees_of_freedom
    assert again.summary() == fit.summary() and again.physical_report().summary() == fit.physical_report().summary()
    for name in ("at_bound", "removed", "dropped", "damping", "residual_increase"):
        assert getattr(again.details, name) == getattr(fit.details, name), name
    assert method != "huber" or fit.details.dropped
    assert method != "essential" or fit.details.removed
