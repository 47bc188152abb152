"""The older ways to excite a robot, for comparison: simple motions one after another, and one motion for each physical effect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.errors import DataError, RankError, ShapeError
from optid.excitation import EFFECTS, OneAfterAnother, assess, by_effect, effect, simple_motions
from optid.library import planar_2r
from optid.problems import Excitation
from optid.simulation.irb140 import KNOWN, irb140_model

LIMITS = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
PERIOD, SAMPLES = 4.0, 80


def planar(vertical: bool = True, friction: str = "viscous+coulomb") -> BaseParameters:
    return BaseParameters.of(DynamicModel(planar_2r(vertical), friction=friction, sign_width=0.1))  # type: ignore[arg-type]


def stacked(base: BaseParameters, motions: object) -> list[np.ndarray]:
    t = np.arange(SAMPLES) * PERIOD / SAMPLES
    return [base.regressor(*motion.evaluate(t)) for motion in motions]  # type: ignore[attr-defined]


def test_effects_of_two_links_by_hand() -> None:
    """M11 = Izz1 + Izz2 + 2 l (mx2 c2 − my2 s2), M12 = Izz2 + l (mx2 c2 − my2 s2), Coriolis ∝ l (mx2 s2 + my2 c2): 4, 3 and 2 parameters, gravity 4."""
    base = planar()
    assert [effect(base, name).rank for name in EFFECTS] == [4, 3, 2, 4]
    rng = np.random.default_rng(0)
    q, dq, ddq = rng.standard_normal((3, 2))
    parts = {name: effect(base, name) for name in EFFECTS}
    values = {"Izz1": 0.7, "Izz2": 0.2, "mx2": 0.5, "my2": -0.3, "mx1": 1.1, "my1": 0.4}
    beta = {name: [values[label.split()[-1]] for label in part.names] for name, part in parts.items()}
    torque = {name: part.regressor(q, dq, ddq) @ beta[name] for name, part in parts.items()}
    c2, s2, half = np.cos(q[1]), np.sin(q[1]), 0.5
    swing = half * (values["mx2"] * c2 - values["my2"] * s2)
    M = np.array([[values["Izz1"] + values["Izz2"] + 2 * swing, values["Izz2"] + swing], [values["Izz2"] + swing, values["Izz2"]]])
    np.testing.assert_allclose(torque["inertia"], np.diag(M) * ddq, atol=1e-12)
    np.testing.assert_allclose(torque["coupling"], [M[0, 1] * ddq[1], M[1, 0] * ddq[0]], atol=1e-12)
    h = half * (values["mx2"] * s2 + values["my2"] * c2)
    np.testing.assert_allclose(torque["coriolis"], [-h * (2 * dq[0] * dq[1] + dq[1] ** 2), h * dq[0] ** 2], atol=1e-12)
    both = q.sum()
    second = 9.81 * (values["mx2"] * np.cos(both) - values["my2"] * np.sin(both))
    first = 9.81 * (values["mx1"] * np.cos(q[0]) - values["my1"] * np.sin(q[0]))
    np.testing.assert_allclose(torque["gravity"], [first + second, second], atol=1e-12)


def test_effects_add_up_to_the_torque_of_the_bodies() -> None:
    """IRB140 of G21, rotors known: the four parts of random parameters sum to the torque without friction; no column is rounding."""
    base = BaseParameters.of(irb140_model(), known=KNOWN)
    beta = np.random.default_rng(1).standard_normal(base.rank)
    links = [k for k, column in enumerate(base.independent) if column < 30]
    assert len(links) == 15
    states = np.random.default_rng(2).standard_normal((3, 20, 3))
    total = np.zeros((20, 3))
    for name in EFFECTS:
        part = effect(base, name)
        given = {base.names[k]: beta[k] for k in links}
        pi = part.model.parameters({label: given[label.split()[-1]] for label in part.model.parameter_names[30:]})
        total += part.kernel(*states) @ part.beta(pi)
        assert part.svd_rank == part.rank
    bodies = np.where(np.isin(np.arange(base.rank), links), beta, 0.0)
    np.testing.assert_allclose(total, base.kernel(*states) @ bodies, atol=1e-9)


def test_effects_that_a_robot_lacks() -> None:
    with pytest.raises(RankError, match="effect 'gravity' of 'planar 2R': no torque in any motion"):
        effect(planar(vertical=False), "gravity")
    with pytest.raises(ValueError, match="Did you mean 'coriolis'"):
        effect(planar(), "corioli")
    posed = Excitation(planar(vertical=False), harmonics=3, period=PERIOD, limits=LIMITS, samples=SAMPLES)
    assert set(by_effect(posed)) == {"inertia", "coupling", "coriolis"}


def test_motions_by_effect_determine_everything_together() -> None:
    """Each is the best of its own effect, all limits proven; together they determine all ten parameters, less well than the optimal motion run as often."""
    posed = Excitation(planar(), harmonics=3, period=PERIOD, limits=replace(LIMITS, torque=(40.0, 10.0)), samples=SAMPLES, criterion="a")
    found = {name: optid.solve(part, solver="ipopt", seed=0) for name, part in by_effect(posed).items()}
    assert list(found) == list(EFFECTS)
    assert all(result.converged and result.proven for result in found.values())
    assert all(result.path_reports[0].quantity == "torque" for result in found.values())
    optimal = optid.solve(posed, solver="ipopt", seed=0)
    for name, result in found.items():
        here = effect(planar(), name)
        assert result.quality.condition_number <= assess(here, optimal.trajectory, SAMPLES).condition_number
    together = assess(posed.base, [result.trajectory for result in found.values()], SAMPLES)
    assert np.isfinite(together.condition_number)
    assert np.trace(together.covariance) > np.trace(optimal.quality.covariance) / 4


def test_one_motion_alone_is_least_squares() -> None:
    """Nothing is fixed before the first motion: its gain is the pseudo-inverse, whatever was left to the second pass."""
    W = stacked(planar(), simple_motions(LIMITS, PERIOD, postures=4))
    whole = np.concatenate(W)
    np.testing.assert_allclose(OneAfterAnother.of([whole], ratio=1e9).gain, np.linalg.pinv(whole), atol=1e-10)


def test_errors_accumulate_over_motions() -> None:
    """Unbiased; 3000 simulated campaigns have the predicted covariance (5 standard errors); worse than one fit of the same data, and that worse than the
    optimal motion run as often."""
    base = planar()
    motions = simple_motions(LIMITS, PERIOD, postures=3)
    assert len(motions) == 6 and all(motion.check(LIMITS).proven for motion in motions)
    W = stacked(base, motions)
    chain = OneAfterAnother.of(W)
    assert sum(chain.determined) == base.rank and chain.determined[0] < base.rank
    whole = np.concatenate(W)
    np.testing.assert_allclose(chain.gain @ whole, np.eye(base.rank), atol=1e-9)
    beta = base.beta(base.model.nominal_parameters())
    noise = np.random.default_rng(0).standard_normal((len(whole), 3000))
    estimates = np.array([chain.estimate(whole @ beta + each) for each in noise.T])
    error = float(((estimates - beta) ** 2).sum(axis=1).mean())
    assert error == pytest.approx(np.trace(chain.covariance), rel=0.1)
    together = float(np.trace(assess(base, motions, SAMPLES).covariance))
    optimal = optid.solve(Excitation(base, harmonics=4, period=PERIOD, limits=LIMITS, samples=SAMPLES, criterion="a"), solver="ipopt", seed=0)
    assert error > 2 * together > 2 * np.trace(optimal.quality.covariance) / len(motions)


def test_simple_motions_move_one_joint_each() -> None:
    """The last joint first; same seed, same motions."""
    motions = simple_motions(LIMITS, PERIOD, postures=2)
    moving = [np.flatnonzero(np.abs(motion.a).max(axis=1) > 0).tolist() for motion in motions]
    assert moving == [[1], [1], [0], [0]]
    again = simple_motions(LIMITS, PERIOD, postures=2)
    assert all(np.array_equal(a.matrix, b.matrix) for a, b in zip(motions, again, strict=True))


def test_motions_that_tell_too_little_are_refused() -> None:
    base = planar()
    W = stacked(base, simple_motions(LIMITS, PERIOD, postures=3)[:3])
    with pytest.raises(RankError, match=r"of 10 parameters determined, expected all\. Add motions or postures\."):
        OneAfterAnother.of(W)
    with pytest.raises(ShapeError, match="regressors of motions"):
        OneAfterAnother.of([np.eye(2), np.eye(3)])
    with pytest.raises(DataError, match="ratio of singular values: 1"):
        OneAfterAnother.of(W, ratio=1)
