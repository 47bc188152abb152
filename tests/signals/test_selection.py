"""Selection by speed: case C35."""

import numpy as np
import pytest

from optid.errors import DataError, ShapeError
from optid.signals import default_min_speed, moving


def standing_and_moving(seed=1):
    rng = np.random.default_rng(seed)
    v = np.r_[np.sin(2 * np.pi * 5 * np.arange(2000) / 2000), rng.normal(0, 1e-4, 1000)]
    torque = np.where(np.arange(3000) < 2000, 0.8 * np.sign(v) + 0.5 * v, 0.0)
    return v[:, None], torque


def friction(v, torque):
    return np.linalg.lstsq(np.stack([np.sign(v), v], axis=1), torque, rcond=None)[0]


def test_c35_standstill_ruins_the_fit_and_is_left_out_by_default():
    v, torque = standing_and_moving()
    coulomb, viscous = friction(v[:, 0], torque)
    assert (coulomb, viscous) == (pytest.approx(0.22, abs=0.03), pytest.approx(1.24, abs=0.03))
    mask = moving(v)[:, 0]
    assert friction(v[mask, 0], torque[mask]) == pytest.approx([0.8, 0.5], rel=1e-9)
    assert not mask[2000:].any()
    assert 1000 <= (~mask).sum() <= 1030


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_default_threshold_is_free_of_units(scale):
    v, _ = standing_and_moving()
    assert np.array_equal(moving(scale * v), moving(v))


def test_thresholds_are_per_joint():
    v = np.array([[0.1, 0.1], [0.3, 0.3], [-0.5, -0.5]])
    assert moving(v, [0.2, 0.4]).tolist() == [[False, False], [True, False], [True, True]]
    assert default_min_speed(v) == pytest.approx([0.005, 0.005])


def test_zero_keeps_everything_and_the_default_never_keeps_a_joint_at_rest():
    rest = np.zeros((5, 2))
    assert moving(rest, 0).all()
    assert not moving(rest).any()


def test_a_joint_that_only_trembles_is_left_out_where_the_noise_is_known():
    tremble = np.random.default_rng(0).normal(0, 1e-3, (2000, 1))
    assert moving(tremble).mean() > 0.9
    assert moving(tremble, noise=[1e-3]).mean() < 0.001


@pytest.mark.parametrize(("value", "error"), [([0.1, 0.2, 0.3], ShapeError), (-1.0, DataError), (np.nan, DataError)])
def test_thresholds_that_make_no_sense(value, error):
    with pytest.raises(error, match="min_speed"):
        moving(np.zeros((4, 2)), value)
