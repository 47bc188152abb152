"""Full designs of six and seven axes against what is published and measured elsewhere; long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import optid
from optid import BaseParameters, DynamicModel, Limits
from optid.library import ur10, ur10e
from optid.problems import Excitation


def ur10_at_rest(full: bool) -> Excitation:
    """UR10 at rest at both ends, eight harmonics, torque limits; 36 inertial columns in 12 s, or 58 with rotors and friction in 20 s."""
    robot = ur10()
    limits = replace(robot.limits, velocity=(2.09, 2.09, 3.14, 3.14, 3.14, 3.14))
    model = DynamicModel(robot, "viscous+coulomb+offset" if full else "none", full, sign_width=0.1)  # type: ignore[arg-type]
    period, samples = (20.0, 200) if full else (12.0, 120)
    return Excitation(BaseParameters.of(model), harmonics=8, period=period, limits=limits, rest=True, samples=samples)


def test_ur10_start_is_improved_within_torque_limits() -> None:
    """A few iterations of the design below: the kept motion is at rest at its ends and proven, torque included."""
    problem = ur10_at_rest(full=False)
    assert problem.base.rank == 36
    result = optid.solve(problem, solver="ipopt", seed=0, budget=6, on_failure="return")
    assert result.proven
    assert result.path_reports[0].quantity == "torque"
    assert result.condition_number < 40


@pytest.mark.slow
def test_ur10_rest_to_rest() -> None:
    """Best public tool measured: 15.9; here 7 or less with torque limits enforced."""
    result = optid.solve(ur10_at_rest(full=False), solver="ipopt", starts=2, seed=0)
    assert result.converged and result.proven
    assert result.condition_number <= 7.0


@pytest.mark.slow
def test_ur10e_with_friction() -> None:
    """36 inertial and 12 friction columns: 40 or less."""
    limits = Limits.of(6, position=0.9 * np.pi, velocity=0.7 * np.array([2.0, 2.0, 3.0, 3.0, 3.0, 3.0]), acceleration=6.0)
    model = DynamicModel(ur10e(), "viscous+coulomb", sign_width=0.1)  # type: ignore[arg-type]
    problem = Excitation(BaseParameters.of(model), harmonics=5, period=10.0, limits=limits, samples=200)
    assert problem.base.rank == 48
    result = optid.solve(problem, solver="ipopt", seed=0)
    assert result.converged and result.proven
    assert result.condition_number <= 40.0
