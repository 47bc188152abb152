"""Checks of given inertial parameters (C51 margin apart, C52-C54, C11 c, C33)."""

import numpy as np
import pytest

from optid.errors import RobotError
from optid.robot import Link, check_link, pseudo_inertia

TRIANGLE = (
    (7.798716588e-05, 5.1716641e-06, 2.425498752e-05, 8.701457658e-05, 1.249373671e-05, 2.604813454e-05),
    (1.15e-4, 5.2e-5, 2.5e-5, 1.53e-4, 3.4e-5, 1.9e-4),
    (2661.9e-6, -31.029e-6, 9.34e-6, 2302.5e-6, 151.466e-6, 1676359e-6),
)


@pytest.mark.parametrize(("tensor", "amount"), list(zip(TRIANGLE, ("3.4877e-06", "5.7514e-06", "1.6714"), strict=True)))
@pytest.mark.parametrize("com", [(0, 0, 0), (0.1, -0.2, 0.3)])
def test_triangle_inequality_about_the_centre_of_mass(tensor, amount, com):
    """C52, C54: the amount is missing from the largest principal moment, wherever the link frame is."""
    (fault,) = check_link(Link.from_com(0.02, com, tensor, "gripper"))
    assert fault.startswith("inertia of link 'gripper': triangle inequality e1 + e2 >= e3 broken by")
    assert f"{amount} kg m²" in fault


def test_a_missing_decimal_point_put_back_is_fine():
    """C54."""
    assert check_link(Link.from_com(1, (0, 0, 0), (2661.9e-6, -31.029e-6, 9.34e-6, 2302.5e-6, 151.466e-6, 1676.359e-6))) == []


def test_tensor_about_the_origin_hides_a_bad_central_one():
    """C53: eigenvalues of the pseudo-inertia as published."""
    bad = Link("arm", 1.0, (0.5, 0, 0), (0.1, 0, 0, 0.1, 0, 0.1))
    np.testing.assert_allclose(np.linalg.eigvalsh(pseudo_inertia(bad.parameters)), [-0.1646557, 0.05, 0.05, 1.2146557], atol=1e-7)
    (fault,) = check_link(bad)
    assert fault.startswith("inertia of link 'arm': not positive definite")
    assert "short by 0.15 kg m²" in fault
    good = Link("arm", 1.0, (0.5, 0, 0), (0.1, 0, 0, 0.35, 0, 0.35))
    np.testing.assert_allclose(np.linalg.eigvalsh(pseudo_inertia(good.parameters)), [0.0396722, 0.05, 0.05, 1.2603278], atol=1e-7)
    assert check_link(good) == []


def test_masses():
    assert check_link(Link("a", -1.0)) == ["mass of link 'a': -1 kg, expected a mass >= 0."]
    assert check_link(Link("a", 0.0, (0, 0.5, 0))) == ["mass of link 'a': 0 kg with my = 0.5, expected no moments without mass."]
    assert check_link(Link("frame")) == []
    assert Link("frame").com is None
    assert Link("frame").inertia_about_com is None


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("com", [(0, 0, 0), (3.0, -40.0, 0.7)])
def test_points_and_rods_pass_at_any_scale(scale, com):
    """Bodies on the border of the cone: a point, a thin rod, a flat plate."""
    for tensor in ((0, 0, 0), (0, 1 / 12, 1 / 12), (1, 2, 3)):
        assert check_link(Link.from_com(scale, com, scale * np.array(tensor))) == []


def test_pseudo_inertia_of_two_points():
    """By definition: the sum of m (x, 1)(x, 1)ᵀ."""
    points = [(2.0, np.array([0.1, 0.2, 0.3])), (0.5, np.array([-0.4, 0.0, 0.7]))]
    body = sum((Link.from_com(m, x, (0, 0, 0)).parameters for m, x in points), start=np.zeros(10))
    np.testing.assert_allclose(pseudo_inertia(body), sum(m * np.outer([*x, 1], [*x, 1]) for m, x in points), atol=1e-15)
    with pytest.raises(RobotError, match=r"shape \(9,\), expected \(10,\)"):
        pseudo_inertia(np.zeros(9))
