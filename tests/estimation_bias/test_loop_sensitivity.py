"""Derivatives of a simulated loop with respect to its parameters, against differences of the simulation itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, library
from optid.problems import ClosedLoop
from optid.signals import Samples

RATE = 500.0
TIME = np.arange(300) / RATE
WANTED = np.column_stack([0.4 * np.sin(6 * TIME), 0.3 * np.cos(5 * TIME)])
SPEED = np.column_stack([2.4 * np.cos(6 * TIME), -1.5 * np.sin(5 * TIME)])


def law(q: Any, dq: Any, r: Any) -> Any:
    """PD with gains that depend on position, so that no derivative is a constant."""
    return (60 + 20 * q**2) * (r[:2] - q) + 6 * (r[2:] - dq)


@pytest.mark.parametrize("known", [(), ("m2",)])
@pytest.mark.parametrize("output", ["position", "torque"])
@pytest.mark.parametrize(
    "options", [{}, {"speed_lag": 1}, {"speed_lag": 2, "substeps": 3}, {"held": False, "substeps": 2}], ids=["held", "late", "later", "continuous"]
)
def test_slopes_are_those_of_the_simulation(options: dict[str, Any], output: str, known: tuple[str, ...]) -> None:
    """Central differences; two pieces, each from its own first state."""
    model = DynamicModel(library.planar_2r(), friction="viscous+coulomb")
    base = BaseParameters.of(model, known=known)
    loop = ClosedLoop(law, lambda time: np.hstack([WANTED, SPEED]), sign_width=0.3, **options)
    samples = Samples.from_arrays(WANTED, SPEED, 0 * SPEED, 0 * SPEED, rate=RATE)
    samples = replace(samples, segment=np.repeat([0, 1], 150))
    beta = base.beta(model.nominal_parameters()) + 0.1
    slopes = loop.motion(base, beta, samples, sensitivity=output).sensitivity
    assert slopes is not None and slopes.shape == (300, 2, base.rank)
    for k, size in enumerate(1e-5 * (0.1 + np.abs(beta))):
        step = size * np.eye(base.rank)[k]
        ends = [loop.motion(base, beta + sign * step, samples) for sign in (1, -1)]
        plus, minus = (end.q if output == "position" else end.tau for end in ends)
        expected = (plus - minus) / (2 * size)
        assert slopes[:, :, k] == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
