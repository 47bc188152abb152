"""Which time axis a recording is smooth on: the decision behind case C73."""

import numpy as np
import pytest

from optid.errors import ShapeError
from optid.signals import roughness, stamps_over_clock


def test_roughness_of_white_noise_is_its_standard_deviation_on_any_axis():
    rng = np.random.default_rng(0)
    noise = 0.3 * rng.normal(size=(20000, 2))
    assert roughness(np.arange(20000), noise) == pytest.approx([0.3, 0.3], rel=0.03)
    assert roughness(np.cumsum(rng.uniform(0.5, 1.5, 20000)), noise) == pytest.approx([0.3, 0.3], rel=0.03)


def test_roughness_of_a_cubic_is_zero():
    time = np.cumsum(np.random.default_rng(1).uniform(0.5, 1.5, 50))
    assert roughness(time, (time**3)[:, None])[0] < 1e-9 * 50**3


def test_late_readings_of_an_exact_clock_are_told_from_irregular_sampling():
    rng = np.random.default_rng(2)
    exact = np.arange(3000) * 0.008
    read_late = exact + rng.normal(0, 0.0002, 3000)
    irregular = np.cumsum(rng.normal(0.0515, 0.0005, 700))
    assert stamps_over_clock(read_late, np.sin(np.pi * exact)[:, None]) < 1e-2
    assert stamps_over_clock(irregular, np.sin(np.pi * irregular)[:, None]) > 10


def test_a_robot_at_rest_tells_nothing():
    assert stamps_over_clock(np.cumsum(np.random.default_rng(3).uniform(1, 2, 100)), np.ones((100, 2))) == pytest.approx(1.0, rel=1e-3)
    assert stamps_over_clock([0, 1, 3], np.ones((3, 1))) == 1.0


def test_roughness_needs_five_samples():
    with pytest.raises(ShapeError, match="five samples"):
        roughness(np.arange(4), np.zeros((4, 1)))
