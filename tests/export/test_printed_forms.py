"""Equations as printed, compared with the right ones."""

from __future__ import annotations

import numpy as np
import pytest

from optid import DynamicModel, Link, library
from optid.errors import RobotError
from optid.export import Equations, coefficient_errors
from optid.library.valencia_printed import PRINTED, printed_arm

sympy = pytest.importorskip("sympy")


@pytest.fixture(scope="module")
def planar() -> Equations:
    return Equations(DynamicModel(library.planar_2r(), "none"), lengths=True)


def textbook() -> dict[tuple[int, str], str]:
    """The planar arm of every textbook, gravity along -y, angles from x: M, h = a m2 s2 and g, with centres of mass anywhere."""
    coupled = "Izz2 + m2*(Sx2**2 + Sy2**2) + a2*m2*(Sx2*c2 - Sy2*s2)"
    speed = "a2*m2*(Sx2*s2 + Sy2*c2)"
    return {
        (1, "ddq1"): "Izz1 + Izz2 + m1*(Sx1**2 + Sy1**2) + m2*(a2**2 + Sx2**2 + Sy2**2) + 2*a2*m2*(Sx2*c2 - Sy2*s2)",
        (1, "ddq2"): coupled,
        (2, "ddq1"): coupled,
        (2, "ddq2"): "Izz2 + m2*(Sx2**2 + Sy2**2)",
        (1, "dq1*dq2"): f"-2*{speed}",
        (1, "dq2**2"): f"-{speed}",
        (2, "dq1**2"): speed,
        (1, "1"): "g*(m1*(Sx1*c1 - Sy1*s1) + m2*(a2*c1 + Sx2*c12 - Sy2*s12))",
        (2, "1"): "g*m2*(Sx2*c12 - Sy2*s12)",
    }


def test_right_equations_have_no_errors(planar: Equations) -> None:
    errors = coefficient_errors(planar, textbook())
    assert set(errors.values()) == {0}
    assert len(errors) == 2 * (2 + 3 + 1)


def test_one_wrong_and_one_forgotten_coefficient_are_found(planar: Equations) -> None:
    printed = textbook()
    printed[1, "dq2**2"] = printed[2, "dq1**2"]
    del printed[2, "1"]
    wrong = {key: error for key, error in coefficient_errors(planar, printed).items() if error != 0}
    a2, m2, sx2, sy2, s2, c2, s12, c12 = sympy.symbols("a2 m2 Sx2 Sy2 s2 c2 s12 c12")
    assert set(wrong) == {(1, "dq2**2"), (2, "1")}
    assert sympy.expand(wrong[1, "dq2**2"] - 2 * a2 * m2 * (sx2 * s2 + sy2 * c2)) == 0
    assert sympy.expand(wrong[2, "1"] + sympy.Rational("9.81") * m2 * (sx2 * c12 - sy2 * s12)) == 0


def test_bodies_about_their_centres_give_the_torque_of_the_recursion() -> None:
    """Bodies that tumble in space (Steiner, products of inertia too): what nobody printed is minus the torque that the recursion gives."""
    model = DynamicModel(library.irb140_lower_arm(), "none")
    rng = np.random.default_rng(4)
    links, values = [], {}
    for k in range(1, 4):
        mass, centre, root = rng.uniform(1, 5), rng.uniform(-0.3, 0.3, 3), rng.standard_normal((3, 3))
        inertia = root @ root.T
        links.append(Link.from_com(mass, centre, inertia).parameters)
        values |= {f"m{k}": mass, **{f"S{letter}{k}": centre[a] for a, letter in enumerate("xyz")}}
        values |= {f"I{'xyz'[a]}{'xyz'[b]}{k}": inertia[a, b] for a in range(3) for b in range(a, 3)}
    q, dq, ddq = rng.uniform(-2, 2, (3, 3))
    for angles in ("1", "2", "3", "12", "13", "23", "123"):
        angle = sum(q[int(digit) - 1] for digit in angles)
        values |= {f"c{angles}": np.cos(angle), f"s{angles}": np.sin(angle)}
    values |= {f"{stem}{j + 1}": x[j] for stem, x in (("dq", dq), ("ddq", ddq)) for j in range(3)}
    torque = np.zeros(3)
    for (axis, factor), error in coefficient_errors(Equations(model), {}).items():
        torque[axis - 1] -= float((error * sympy.sympify(factor)).subs(values))
    assert torque == pytest.approx(model.inverse_dynamics(np.concatenate(links), q, dq, ddq), rel=1e-10)


def test_the_printed_equations_of_valencia() -> None:
    """V08: M14 and M41 differ; Ec. 28 lacks m4 (Sx4² + Sy4²); Ec. 27 is right."""
    errors = coefficient_errors(Equations(DynamicModel(printed_arm(), "none"), lengths=True), PRINTED)
    m4, sx4, sy4 = sympy.symbols("m4 Sx4 Sy4")
    assert sympy.expand(errors[4, "ddq4"] + m4 * (sx4**2 + sy4**2)) == 0
    assert errors[3, "ddq3"] == errors[3, "1"] == 0
    assert sum(error != 0 for error in errors.values()) == 24


def test_factors_that_the_arm_does_not_have_are_refused(planar: Equations) -> None:
    with pytest.raises(RobotError, match="'ddq3' of axis 1"):
        coefficient_errors(planar, {(1, "ddq3"): "Izz1"})
    with pytest.raises(RobotError, match="'ddq1' of axis 3"):
        coefficient_errors(planar, {(3, "ddq1"): "Izz1"})
