"""Exported equations against the model, an independent derivation, and a compiler."""

from __future__ import annotations

import ctypes
import math
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from optid import DynamicModel, library
from optid.errors import MissingExtraError, RankError, RobotError, UnknownNameError
from optid.export import PARTS, Equations, expanded, grouped_parameters, groupings, standard_name, to_c, to_latex, to_text

ROBOTS = ("planar_2r", "emps", "irb140_lower_arm", "scara_er14", "scara_v08", "panda")
TABLE_2 = {"ZZ1R": 3.38, "ZZ2R": 0.063, "ZZ3R": 0.1, "MX2R": 0.242, "MY2": 0.001, "MX3R": 0.2, "MY3R": 0.1, "M4": 1.8, "IA4": 0.045}
FRICTION = {"FV1": 0.1, "FV2": 0.012, "FV3": 0.1, "FV4": 0.012, "FS1": 0.57, "FS2": 0.125, "FS3": 0.57, "FS4": 0.125}


@cache
def model_of(name: str) -> DynamicModel:
    return DynamicModel(getattr(library, name)(), "viscous+coulomb", rotor_inertia=True)


@cache
def rigid_model(model: DynamicModel) -> DynamicModel:
    return DynamicModel(model.robot, "none", model.rotor_inertia)


def random_values(equations: Equations, seed: int) -> tuple[dict[str, float], dict[str, np.ndarray]]:
    """Numbers for all symbols, and the parts of the model's equations there."""
    model, rng = equations.model, np.random.default_rng(seed)
    q, dq, ddq = rng.uniform(-2, 2, (3, model.n))
    numbers = {name: float(x) for name, x in zip(model.parameter_names, rng.standard_normal(model.p), strict=True)} | dict(equations.values)
    pi = model.parameters({name: value for name, value in numbers.items() if name in model.parameter_names})
    zero = np.zeros(model.n)
    rest = model.inverse_dynamics(pi, q, zero, zero)
    rigid = rigid_model(model)
    own = pi[: rigid.p]
    still = rigid.inverse_dynamics(own, q, zero, zero)
    parts = {
        "torque": model.inverse_dynamics(pi, q, dq, ddq),
        "mass_matrix": model.mass_matrix(pi, q),
        "coriolis": rigid.inverse_dynamics(own, q, dq, zero) - still,
        "gravity": still,
        "friction": model.inverse_dynamics(pi, q, dq, zero) - rigid.inverse_dynamics(own, q, dq, zero),
    }
    assert rest == pytest.approx(still)
    values = {equations.names.get(name, name): value for name, value in numbers.items() if name not in equations.values}
    if equations.lengths:
        values |= dict(zip(equations.length_names, equations._lengths.values, strict=True))
    for stem, x in (("q", q), ("dq", dq), ("ddq", ddq)):
        values |= {f"{stem}{j + 1}": float(x[j]) for j in range(model.n)}
    return values, parts


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("name", ROBOTS)
def test_text_is_the_model(name: str, lengths: bool) -> None:
    """The text runs as Python and gives the recursion's numbers on random states and parameters."""
    equations = Equations(model_of(name), lengths=lengths)
    n = equations.model.n
    for part in PARTS:
        text = to_text(equations, [part])
        for seed in range(3):
            values, parts = random_values(equations, seed)
            scope = {**values, "sin": math.sin, "cos": math.cos, "sign": np.sign}
            exec(text, scope)
            size = np.abs(parts[part]).max(initial=1.0)
            if part == "mass_matrix":
                found = [[scope[f"M{min(i, j) + 1}{max(i, j) + 1}"] for j in range(n)] for i in range(n)]
            else:
                letter = {"torque": "tau", "coriolis": "v", "gravity": "g", "friction": "f"}[part]
                found = [scope[f"{letter}{j + 1}"] for j in range(n)]
            assert np.array(found) == pytest.approx(parts[part], abs=1e-12 * size), part


@pytest.mark.parametrize("lengths", [False, True])
@pytest.mark.parametrize("name", [name for name in ROBOTS if name != "panda"])
def test_expanded_forms_are_the_model(name: str, lengths: bool) -> None:
    """Sums of angles and all, on random states; ``c23`` is cos(q2 + q3)."""
    sympy = pytest.importorskip("sympy")
    equations = Equations(model_of(name), lengths=lengths)
    for part in PARTS[1:]:
        matrix = expanded(equations, part)
        values, parts = random_values(equations, 5)
        for symbol in matrix.free_symbols:
            if symbol.name[0] in "cs" and symbol.name[1:].isdigit():
                angle = sum(values[f"q{j}"] for j in symbol.name[1:])
                values[symbol.name] = math.cos(angle) if symbol.name[0] == "c" else math.sin(angle)
            elif symbol.name.startswith("sign("):
                values[symbol.name] = np.sign(values[symbol.name[5:-1]])
        found = np.array(matrix.subs({symbol: sympy.Float(values[symbol.name], 20) for symbol in matrix.free_symbols}).evalf(20).tolist(), dtype=float)
        expected = parts[part] if part == "mass_matrix" else parts[part][:, None]
        assert found == pytest.approx(expected, abs=1e-11 * np.abs(expected).max(initial=1.0)), part


def test_a_scara_with_general_centres_of_mass_by_another_derivation() -> None:
    """R-R-P-R with every length, mass, centre of mass and inertia free: Lagrange's equations from the speeds of four centres of mass, written out here."""
    sympy = pytest.importorskip("sympy")
    equations = Equations(DynamicModel(library.scara_er14(), "none"), lengths=True)
    q, dq, ddq = (ca.SX.sym(stem, 4) for stem in ("q", "dq", "ddq"))
    a, m, sx, sy, inertia = (ca.SX.sym(stem, 4) for stem in ("a", "m", "sx", "sy", "Ic"))

    def turned(angle: ca.SX, x: ca.SX, y: ca.SX) -> ca.SX:
        return ca.vertcat(ca.cos(angle) * x - ca.sin(angle) * y, ca.sin(angle) * x + ca.cos(angle) * y)

    # frames at the far ends of the links, as in the table; the slide goes down
    angles = [q[0], q[0] + q[1], q[0] + q[1], q[0] + q[1] + q[3]]
    ends = [turned(angles[0], a[0], ca.SX(0))]
    ends += [ends[0] + turned(angles[1], a[1], ca.SX(0))] * 3
    kinetic = potential = ca.SX(0)
    for k, height in enumerate((ca.SX(0), ca.SX(0), -q[2], -q[2])):
        speed = ca.jtimes(ca.vertcat(ends[k] + turned(angles[k], sx[k], sy[k]), height), q, dq)
        kinetic += m[k] * ca.sumsqr(speed) / 2 + inertia[k] * ca.jtimes(angles[k], q, dq) ** 2 / 2
        potential += 9.81 * m[k] * height
    momentum = ca.gradient(kinetic, dq)
    tau = ca.jtimes(momentum, dq, ddq) + ca.jtimes(momentum, q, dq) - ca.gradient(kinetic, q) + ca.gradient(potential, q)
    other = ca.Function("other", [q, dq, ddq, a, m, sx, sy, inertia], [tau])
    ours = expanded(equations, "mass_matrix") * sympy.Matrix(sympy.symbols("ddq1:5")) + expanded(equations, "coriolis") + expanded(equations, "gravity")
    rng = np.random.default_rng(0)
    for _ in range(5):
        numbers = {stem: rng.uniform(-2, 2, 4) for stem in ("q", "dq", "ddq", "a", "m", "sx", "sy", "Ic")}
        x, mass, cx, cy = (numbers[stem] for stem in ("q", "m", "sx", "sy"))
        values = {f"{stem}{k + 1}": numbers[stem][k] for stem in ("dq", "ddq", "a", "m") for k in range(4)}
        values |= {f"mx{k + 1}": mass[k] * cx[k] for k in range(4)} | {f"my{k + 1}": mass[k] * cy[k] for k in range(4)}
        values |= {f"Izz{k + 1}": numbers["Ic"][k] + mass[k] * (cx[k] ** 2 + cy[k] ** 2) for k in range(4)}
        for name in ("1", "2", "4", "12", "24", "124"):
            angle = sum(x[int(k) - 1] for k in name)
            values |= {f"c{name}": math.cos(angle), f"s{name}": math.sin(angle)}
        mine = [float(element.subs({symbol: values[symbol.name] for symbol in element.free_symbols})) for element in ours]
        assert mine == pytest.approx(other(*numbers.values()).full().ravel(), rel=1e-12, abs=1e-12)


def test_the_closed_form_of_a_scara_is_readable() -> None:
    """M of the R-R-P-R arm, with what the printed Ec. 25–28 miss: 2 a2 mx2 once, and m4 (sx4² + sy4²) inside Izz4 about the frame's origin."""
    pytest.importorskip("sympy")
    text = to_text(Equations(DynamicModel(library.scara_er14(), "none"), lengths=True), ["mass_matrix", "gravity"], expand=True)
    assert "M22 = Izz2 + Izz3 + Izz4 + a2**2*m2 + a2**2*m3 + a2**2*m4 + 2*a2*c4*mx4 + 2*a2*mx2 + 2*a2*mx3 - 2*a2*my4*s4" in text
    assert "M14 = Izz4 + a1*c24*mx4 - a1*my4*s24 + a2*c4*mx4 - a2*my4*s4" in text
    assert "M33 = m3 + m4" in text
    assert "g3 = -9.81*m3 - 9.81*m4" in text


def test_published_tables_go_in_as_they_are() -> None:
    """V08, table 2: the torque is that of the library's bodies; each name stands for the grouping of its R."""
    model = model_of("scara_v08")
    pi = grouped_parameters(model, {**TABLE_2, **FRICTION})
    q, dq, ddq = np.random.default_rng(0).uniform(-2, 2, (3, 50, 4))
    expected = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    assert model.inverse_dynamics(pi, q, dq, ddq) == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert groupings(model, list(TABLE_2)) == {
        "ZZ1R": "Izz1 + 0.25*m2 + 0.25*m3 + Ia1",
        "ZZ2R": "Izz2 + 0.09*m3",
        "ZZ3R": "Izz3 + Izz4",
        "MX2R": "mx2 + 0.3*m3",
        "MY2": "my2",
        "MX3R": "mx3 + mx4",
        "MY3R": "my3 + my4",
        "M4": "m4",
        "IA4": "Ia4",
    }


def test_wrong_tables_are_named() -> None:
    model = model_of("scara_v08")
    with pytest.raises(RankError, match=r"2 names for 1 combinations, expected independent names\. Some of them count twice"):
        grouped_parameters(model, {"ZZ1R": 3.38, "IA1": 0.1})
    with pytest.raises(RankError, match="XX1, which no motion reveals"):
        grouped_parameters(model, {"XX1": 1.0})
    with pytest.raises(UnknownNameError, match="Did you mean"):
        grouped_parameters(model, {"ZZZ1R": 1.0})
    assert [standard_name(name) for name in ("ZZ1R", "XY12", "MY3R", "M4", "IA2", "FS3", "FV1")] == ["Izz1", "Ixy12", "my3", "m4", "Ia2", "fc3", "fv1"]


@pytest.mark.parametrize(
    ("name", "numbers", "lengths"), [("scara_er14", False, True), ("scara_v08", True, False), ("panda", False, False), ("emps", True, False)]
)
def test_c_code_agrees_with_the_model(name: str, numbers: bool, lengths: bool, tmp_path: Path) -> None:
    """Compiled as strict C99 with warnings as errors: to 1e-12 of the largest entry on random states."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on PATH")
    model = model_of(name)
    equations = Equations(model, Equations.numbers(model) if numbers else {}, lengths)
    code = to_c(equations, PARTS, "arm")
    (tmp_path / "arm.h").write_text(code.header, encoding="ascii")
    (tmp_path / "arm.c").write_text(code.source, encoding="ascii")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]
    done = subprocess.run([compiler, *flags, "-o", str(tmp_path / "arm.so"), str(tmp_path / "arm.c"), "-lm"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    library_ = ctypes.CDLL(str(tmp_path / "arm.so"))
    header = code.header.splitlines()
    order = [line.strip(" ,")[4:] for line in header if line.startswith("  ARM_")][:-1]
    assert bool(order) is not numbers
    n = model.n
    for seed in range(5):
        values, parts = random_values(equations, seed)
        p = (ctypes.c_double * max(len(order), 1))(*[values[symbol] for symbol in order])
        vectors = {stem: (ctypes.c_double * n)(*[values[f"{stem}{j + 1}"] for j in range(n)]) for stem in ("q", "dq", "ddq")}
        inputs = {"torque": ("q", "dq", "ddq"), "mass_matrix": ("q",), "coriolis": ("q", "dq"), "gravity": ("q",), "friction": ("q", "dq")}
        for part in PARTS:
            out = (ctypes.c_double * (n * n))(*[math.nan] * (n * n))
            getattr(library_, f"arm_{part}")(*(vectors[stem] for stem in inputs[part]), *((p,) if order else ()), out)
            found = np.array(out).reshape(n, n) if part == "mass_matrix" else np.array(out)[:n]
            assert found == pytest.approx(parts[part], rel=0, abs=1e-12 * np.abs(parts[part]).max(initial=1.0)), part


def test_c_names_are_checked() -> None:
    equations = Equations(model_of("planar_2r"))
    for name in ("a b", "x;", "1st", "int", "_x", "naïve"):
        with pytest.raises(RobotError, match="a C identifier"):
            to_c(equations, name=name)
    with pytest.raises(UnknownNameError, match="Did you mean 'torque'"):
        to_c(equations, ["torqe"])


def test_wrong_equations_are_named() -> None:
    model = model_of("planar_2r")
    with pytest.raises(UnknownNameError, match="symbol 'Izz9'"):
        Equations(model, {"Izz9": 0.0})
    with pytest.raises(RobotError, match="'m2' twice"):
        Equations(model, names={"m1": "m2"})
    with pytest.raises(RobotError, match="letters, digits and underscores"):
        Equations(model, names={"m1": "__import__('os')"})
    with pytest.raises(RobotError, match="at most 7"):
        Equations(DynamicModel(library.planar_2r().from_dh([(0.1,)] * 8, "standard"), "none"))


def test_latex_is_balanced_and_named() -> None:
    pytest.importorskip("sympy")
    equations = Equations(model_of("planar_2r"), {"my1": 0.0, "my2": 0.0}, lengths=True)
    text = to_latex(equations)
    assert text.count("{") == text.count("}")
    assert r"M_{12} &= I_{zz2} + a_{2} c_{2} m_{x2} \\" in text
    assert r"g_{2} &= 9.81 c_{12} m_{x2}" in text
    assert r"f_{1} &= \dot{q}_{1} f_{v1} + f_{c1} \operatorname{sgn}(\dot{q}_{1}) \\" in text
    long = to_latex(Equations(model_of("panda")), ["gravity"], expand=False)
    assert long.count("{") == long.count("}")
    assert r"g_{7} &=" in long


def test_asymmetric_friction_is_exported_unexpanded() -> None:
    model = DynamicModel(library.emps(), "asymmetric")
    assert "if(" in to_text(Equations(model), ["friction"])
    pytest.importorskip("sympy")
    assert r"\begin{cases}" in to_latex(Equations(model), ["friction"], expand=False)
    with pytest.raises(RobotError, match=r"Export it unexpanded"):
        to_text(Equations(model), ["friction"], expand=True)


def test_without_sympy_the_command_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sympy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'optid\[symbolic\]'"):
        to_latex(Equations(model_of("planar_2r")))
    assert to_text(Equations(model_of("planar_2r")), ["gravity"])
