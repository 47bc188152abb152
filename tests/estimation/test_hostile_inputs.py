"""What no estimator can work with gets one clear sentence; nothing of a backend leaks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from optid import (
    BaseParameters,
    DynamicModel,
    OnlineIdentification,
    OnlineOptions,
    OnlinePayload,
    compare,
    identified_robot,
    identify,
    identify_drive_gains,
    identify_payload,
    identify_power,
    library,
    spread,
)
from optid.errors import OptidError, RankError
from optid.identification import METHODS
from optid.problems import ClosedLoop, CommandedMotion
from optid.problems.physical_bodies import Box
from optid.signals import Samples

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def base() -> BaseParameters:
    return BaseParameters.of(DynamicModel(library.emps()))


def data(base: BaseParameters, count: int = 100, seed: int = 0) -> Samples:
    rng = np.random.default_rng(seed)
    q, dq, ddq = (rng.standard_normal((count, base.model.n)) for _ in range(3))
    tau = base.model.inverse_dynamics(base.model.nominal_parameters(), q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + 0.1 * rng.standard_normal(tau.shape), rate=100)


class Sine:
    """A wanted motion."""

    def derivative(self, time: np.ndarray, order: int) -> np.ndarray:
        return np.asarray([np.sin(time), np.cos(time), -np.sin(time)][order])[:, None]


LOOP = ClosedLoop(lambda q, dq, r: 1e4 * (r - q) - 1e3 * dq, np.sin)
NEEDED: dict[str, dict[str, Any]] = {
    "iv": {"loop": CommandedMotion(Sine())},
    "didim": {"loop": CommandedMotion(Sine())},
    "output_error": {"loop": LOOP},
    "tls": {"noise": np.diag([1e-9, 1e-7, 1e-5])[None]},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_samples(base: BaseParameters, method: str, count: int) -> None:
    with pytest.raises(RankError, match=f"identification: {count} rows of rank {count}, expected at least as many as the 4 columns"):
        identify(base, data(base, count), method=method, **NEEDED.get(method, {}))


@pytest.mark.parametrize("method", METHODS)
def test_no_trials(base: BaseParameters, method: str) -> None:
    with pytest.raises(OptidError, match="trials: none, expected at least one"):
        identify(base, [], method=method, **NEEDED.get(method, {}))


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("damped", {"damping": -1}, r"damping: -1, expected a finite number >= 0"),
    ("damped", {"damping": NAN}, r"damping: nan"),
    ("damped", {"damping": [1]}, r"damping: \[1\], expected a finite number"),
    ("damped", {"damping": True}, r"damping: True"),
    ("damped", {"allowance": "much"}, r"allowance: 'much', expected a number >= 1"),
    ("damped", {"scale": [1, 2]}, r"scale of the prior: shape \(2,\), expected 4 positive sizes"),
    ("physical", {"damping": -1}, r"damping: -1, expected a number above 0"),
    ("physical", {"damping": NAN}, r"damping: nan"),
    ("physical", {"margin": "x"}, r"margin of the bodies: 'x'"),
    ("physical", {"masses": {"carriage": 3}}, r"mass range of link 'carriage': 3, expected \(least, largest\)"),
    ("physical", {"masses": {"carriage": ("a", 1)}}, r"mass range of link 'carriage': 'a', expected numbers"),
    ("physical", {"masses": {"carriage": (-2, -1)}}, r"mass range of link 'carriage': \[-2, -1\] kg, expected 0 <= least <= largest"),
    ("physical", {"centres": {"leg": Box((0, 0, 0), (1, 1, 1))}}, r"link.*'leg'"),
    ("physical", {"positive": "yes"}, r"positive: 'yes', expected True or False"),
    ("huber", {"threshold": "x"}, r"threshold of the robust fit: 'x'"),
    ("huber", {"iterations": 0}, r"iterations of the robust fit: 0"),
    ("wls", {"reweightings": NAN}, r"reweightings: nan, expected a whole number"),
    ("essential", {"level": "x"}, r"level of the F test: 'x'"),
    ("essential", {"keep": 5}, r"keep: 5, expected a sequence of names"),
    ("constrained", {"bounds": "fc1"}, r"bounds: 'fc1', expected a Mapping"),
    ("constrained", {"bounds": {"fc1": ("a", 1)}}, r"lower bound of fc1: 'a', expected a number"),
    ("constrained", {"bounds": {"fc1": (1, 0)}}, r"bounds of fc1: \[1, 0\], expected lower <= upper"),
    ("constrained", {"bounds": {"fc1": (NAN, 1)}}, r"bounds of fc1: \[nan, 1\]"),
    ("constrained", {"equalities": ["x"]}, r"equalities: \['x'\], expected pairs"),
    ("constrained", {"equalities": [({"fc1": 1}, NAN)]}, r"equalities, the right-hand side: nan, expected a finite number"),
    ("constrained", {"inequalities": [({"fc1": 1}, 1), ({"fc1": -1}, -2)]}, r"constraints of the fit: they contradict each other"),
    ("tls", {"position_sigma": 1e-5}, r"no noise of the encoders"),
    ("tls", {"noise": -np.eye(3)[None]}, r"noise of \(q, dq, ddq\): no covariances"),
    ("tls", {"noise": np.full((1, 3, 3), NAN)}, r"noise of \(q, dq, ddq\): no covariances"),
    ("tls", {"noise": "x"}, r"noise of \(q, dq, ddq\): 'x', expected real numbers"),
    ("tls", {"torque_sigma": -1, **NEEDED["tls"]}, r"torque_sigma: \[-1.0\], expected finite numbers above 0"),
    ("iv", {"iterations": 0, **NEEDED["iv"]}, r"iterations of 'iv': 0"),
    ("iv", {"tolerance": NAN, **NEEDED["iv"]}, r"tolerance of 'iv': nan"),
    ("iv", {"loop": ClosedLoop(lambda q: 1, np.sin)}, r"controller of the closed loop: TypeError: .*, expected 1 CasADi expressions"),
    ("iv", {"loop": ClosedLoop(lambda q, dq, r: [1, 2], np.sin)}, r"controller of the closed loop: a torque of shape \(2, 1\), expected 1 CasADi"),
    ("iv", {"loop": ClosedLoop(lambda q, dq, r: q, lambda time: 1 / 0)}, r"reference of trial 'samples': ZeroDivisionError: division by zero"),
    ("iv", {"loop": ClosedLoop(lambda q, dq, r: q, np.sin, sign_width=-1)}, r"sign_width of a closed loop: \[-1.0\], expected speeds above 0"),
    ("output_error", {"loop": ClosedLoop(lambda q, dq, r: 1e9 * q, np.sin)}, r"simulated closed loop of trial 'samples': a motion that runs away"),
]


@pytest.mark.parametrize("method, options, message", WRONG, ids=[f"{m} {'-'.join(o)} {k}" for k, (m, o, _) in enumerate(WRONG)])
def test_wrong_options(base: BaseParameters, method: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptidError, match=message) as caught:
        identify(base, data(base), method=method, **options)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "prior, message",
    [
        ({"m1": (1, 0)}, r"sigma of the prior of m1: 0, expected a number above 0"),
        ({"m1": (1, -1)}, r"sigma of the prior of m1: -1"),
        ({"m1": (NAN, 1)}, r"prior of m1: nan, expected a finite number"),
        ({"m1": "a"}, r"prior of m1: 'a', expected a number"),
        ("robot", r"prior: 'robot', expected real numbers"),
        (np.ones(3), r"values of the prior: shape \(3,\)"),
    ],
)
def test_wrong_priors(base: BaseParameters, prior: Any, message: str) -> None:
    for method in ("damped", "physical"):
        with pytest.raises(OptidError, match=message):
            identify(base, data(base), method=method, prior=prior)


def test_wrong_calls(base: BaseParameters) -> None:
    one = data(base)
    fit = identify(base, one)
    calls: list[tuple[Any, str]] = [
        (lambda: identify(base.model, one, known=list(base.model.parameter_names)), "parameters of robot 'EMPS': all parameters known, expected one or more"),
        (lambda: identify(base, one, preprocessing=5), "preprocessing: 5, expected a Preprocessing"),
        (lambda: identify_payload(base, [], []), "trials without load: none"),
        (lambda: identify_payload(base, one, one, known=5), "known parameters of the load: 5, expected a Mapping"),
        (lambda: identify_payload(base, one, one, known={"m": "a"}), "load parameter 'm': 'a', expected a finite number"),
        (lambda: identify_drive_gains(base, one, one, known={"m": NAN}), "load parameter 'm': nan, expected a finite number"),
        (lambda: identify_drive_gains(base, one, one, known={"m": 1}, weights=[-1]), "weights of the joints: .* expected positive numbers"),
        (lambda: identify_power(base, one, interval=NAN), "interval of the power model: nan, expected a positive number of seconds"),
        (lambda: identify_power(base, [], interval=0.1), "trials: none"),
        (lambda: spread(base, one), "spread over training motions: 1 trials, expected two or more"),
        (lambda: OnlineOptions(rate="a"), "rate of on-line samples: 'a', expected a positive number of Hz"),  # type: ignore[arg-type]
        (lambda: OnlineIdentification(base.model, OnlineOptions(100)), "base of on-line identification: a DynamicModel"),  # type: ignore[arg-type]
        (lambda: OnlinePayload(base.model, OnlineOptions(100)), "fit of an on-line payload: a DynamicModel"),  # type: ignore[arg-type]
        (lambda: compare(base, one, methods="wls"), "methods to compare: 'wls', expected a list"),
        (lambda: compare(base, one, methods=[5]), "method: 5, expected a name"),
        (lambda: compare(base, one, folds=NAN), "folds: nan, expected a whole number"),  # type: ignore[arg-type]
        (lambda: fit.interval("x"), "confidence level: x, expected a number between 0 and 1"),  # type: ignore[arg-type]
        (lambda: fit.bootstrap(replicates=0), "replicates of a bootstrap: 0"),
        (lambda: fit.bootstrap(block=-1), "block of a bootstrap: -1"),
        (lambda: identified_robot(5), "fit to write back: 5, expected an IdentificationResult"),  # type: ignore[arg-type]
        (lambda: ClosedLoop(5, np.sin), "controller of a closed loop: 5, expected a function"),  # type: ignore[arg-type]
    ]
    for call, message in calls:
        with pytest.raises(OptidError, match=message):
            call()


def test_a_robot_that_only_stands() -> None:
    """One posture of seven joints shows seven combinations: each named method explains the torque, and the essential set does with at most seven numbers."""
    arm = BaseParameters.of(DynamicModel(library.panda()))
    zero = np.zeros((50, 7))
    still = Samples.from_arrays(zero, zero, zero, np.arange(1.0, 8.0) * np.ones((50, 7)), rate=100)
    for method in ("ols", "wls", "essential", "constrained", "damped"):
        fit = identify(arm, still, method=method)
        assert fit.errors().stacked < 1e-6, method
    assert arm.rank - len(identify(arm, still, method="essential").details.removed) <= 7


def test_dead_torque_is_no_job_for_total_least_squares(base: BaseParameters) -> None:
    one = data(base)
    dead = Samples.from_arrays(one.q, one.dq, one.ddq, np.zeros_like(one.tau), rate=100)
    with pytest.raises(OptidError, match="method 'tls': a torque that is zero everywhere, expected a torque signal to fit"):
        identify(base, dead, method="tls", **NEEDED["tls"])
