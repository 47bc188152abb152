"""The arm of the docstring examples: its torques are those of a double pendulum worked out by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from optid.errors import UnknownNameError
from optid.experiment import read_experiment
from optid.testing import example_file, example_fit, example_model, example_plan, example_recording, example_samples

GRAVITY = 9.81


def double_pendulum(q: np.ndarray, dq: np.ndarray, ddq: np.ndarray, load: float = 0.0) -> np.ndarray:
    """Lagrange's equations in the six base parameters that :func:`optid.library.planar_2r` states; the load sits 0.3 m out on the second link."""
    mx1, my1, I1 = 1.15 + 0.5 * load, 0.02, 0.4852 + 0.25 * load
    mx2, my2, I2 = 0.225 + 0.3 * load, -0.03, 0.05435 + (0.01 + 0.3**2 * load if load else 0.0)
    both = q.sum(axis=1)
    h = 0.5 * (mx2 * np.cos(q[:, 1]) - my2 * np.sin(q[:, 1]))
    slope = -0.5 * (mx2 * np.sin(q[:, 1]) + my2 * np.cos(q[:, 1]))
    weight1 = GRAVITY * (mx1 * np.cos(q[:, 0]) - my1 * np.sin(q[:, 0]))
    weight2 = GRAVITY * (mx2 * np.cos(both) - my2 * np.sin(both))
    tau1 = (I1 + I2 + 2 * h) * ddq[:, 0] + (I2 + h) * ddq[:, 1] + slope * dq[:, 1] * (2 * dq[:, 0] + dq[:, 1]) + weight1 + weight2
    tau2 = (I2 + h) * ddq[:, 0] + I2 * ddq[:, 1] - slope * dq[:, 0] ** 2 + weight2
    return np.column_stack([tau1, tau2])


@pytest.mark.parametrize("load", [0.0, 2.0])
def test_torques_of_a_double_pendulum(load: float) -> None:
    samples = example_samples(load=load)
    assert np.allclose(samples.tau, double_pendulum(samples.q, samples.dq, samples.ddq, load), rtol=0, atol=1e-9)
    assert samples.rate == 100 and samples.q.shape == (60, 2)


def test_same_states_with_noise_load_friction_and_gain() -> None:
    """White noise of the given size on the torque (χ² of 4000 values: within 4 σ), and nothing else changed; currents are torques over the gain."""
    plain, noisy, loaded = example_samples(n=2000), example_samples(0.5, 2000), example_samples(n=2000, load=1.0)
    for other in (noisy, loaded):
        assert all(np.array_equal(getattr(plain, what), getattr(other, what)) for what in ("q", "dq", "ddq"))
    assert np.std(noisy.tau - plain.tau) == pytest.approx(0.5, rel=4 / np.sqrt(2 * 4000))
    assert np.allclose(example_samples(n=2000, coulomb=2.0).tau - plain.tau, 2.0 * np.sign(plain.dq), rtol=0, atol=1e-12)
    assert np.allclose(example_samples(n=2000, gain=10.0).tau, 0.1 * plain.tau, rtol=1e-15)


def test_the_same_every_time_and_another_with_another_seed() -> None:
    first, second, other = example_samples(0.1), example_samples(0.1), example_samples(0.1, seed=1, name="b")
    assert first.tau.tobytes() == second.tau.tobytes() and other.name == "b"
    assert abs(np.corrcoef(first.q.ravel(), other.q.ravel())[0, 1]) < 0.4


def test_fit_finds_the_parameters_of_the_robot() -> None:
    model = example_model()
    fit = example_fit(method="ols")
    assert fit.method == "ols" and np.allclose(fit.beta, fit.base.beta(model.nominal_parameters()), rtol=0, atol=1e-9)
    assert example_fit(0.01, 200).residual_std == pytest.approx([0.01, 0.01], rel=0.2)
    with pytest.raises(UnknownNameError, match="olz"):
        example_fit(method="olz")


def test_recording_and_file(tmp_path: Path) -> None:
    """The second cycle repeats the first; torques are those of the double pendulum moved by differences of the positions; the file holds the same bits."""
    trial = example_recording(cycles=2)
    assert np.diff(trial.time) == pytest.approx(0.01) and np.allclose(trial.q[400:], trial.q[:401], rtol=0, atol=1e-12)
    dq, ddq = (np.gradient(x, 0.01, axis=0) for x in (trial.q, np.gradient(trial.q, 0.01, axis=0)))
    middle = slice(2, -2)
    assert np.allclose(trial.tau[middle], double_pendulum(trial.q, dq, ddq)[middle], rtol=0, atol=2e-2)
    assert read_experiment(example_file(tmp_path))["a"] == example_recording()


def test_plan_keeps_its_limits() -> None:
    """On a grid of its own over a period of 2 s; the tightest limit is used up to a few per cent."""
    motion = example_plan().trajectory
    largest = [np.abs(motion.derivative(np.linspace(0.0, 2.0, 4001), order)).max() for order in range(3)]
    used = np.array(largest) / [1.0, 3.0, 20.0]
    assert used.max() <= 1.0 and used.max() == pytest.approx(1.0, rel=0.05)
