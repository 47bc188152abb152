"""Identified models in C, CasADi, URDF, MAT and LaTeX: the files give the numbers of the fit."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from unittest.mock import patch

import casadi as ca
import numpy as np
import pytest

from optid import DynamicModel, IdentificationResult, Robot, library
from optid.errors import DataError, FileError, MissingFileError, RobotError
from optid.export import FUNCTIONS, fit_to_c, fit_to_latex, identified_functions, write_c, write_casadi, write_latex, write_matlab, write_urdf
from optid.export.c_code import c_name
from optid.export.parameter_table import formula_latex, unit_latex
from optid.export.rounding import in_brackets, plus_minus, rounded

from .conftest import crane, fitted

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


@pytest.fixture(scope="module", params=["crane", "crane known", "crane physical", "panda", "tx40"])
def fit(request: pytest.FixtureRequest, crane_model: DynamicModel, panda_model: DynamicModel) -> IdentificationResult:
    kinds = {
        "crane": (crane_model,),
        "crane known": (crane_model, "wls", ("m3", "Izz3", "fc1")),
        "crane physical": (crane_model, "physical"),
        "panda": (panda_model,),
        "tx40": (DynamicModel(library.tx40(), "viscous+coulomb"),),  # coupled motors
    }
    return fitted(*kinds[request.param])


def states(n: int, count: int = 7) -> list[np.ndarray]:
    q, dq, ddq = np.random.default_rng(2).uniform(-2, 2, (3, count, n))
    dq[0] = 0.0  # at rest Coulomb friction is zero
    return [q, dq, ddq]


def expected(fit: IdentificationResult, q: np.ndarray, dq: np.ndarray, ddq: np.ndarray) -> dict[str, np.ndarray]:
    """Every function from predictions of the fit alone."""
    zero = np.zeros_like(q)
    still = fit.predict(q, zero, zero)
    offset = _offsets(fit)
    columns = [fit.predict(q, zero, zero + np.eye(q.shape[1])[j]) - still for j in range(q.shape[1])]
    # viscous and Coulomb friction change sign with the speed, everything else in a motion without acceleration does not
    odd = (fit.predict(q, dq, zero) - fit.predict(q, -dq, zero)) / 2
    return {
        "inverse_dynamics": fit.predict(q, dq, ddq),
        "gravity": still - offset,
        "friction": odd + offset,
        "mass_matrix": np.stack(columns, axis=-1).reshape(len(q), -1),
    }


def _offsets(fit: IdentificationResult) -> np.ndarray:
    """Friction's offsets (n,), which are base parameters of their own in these arms."""
    values = dict(zip(fit.base.names, fit.minimum_norm, strict=True)) | dict(fit.known)
    return np.array([values.get(f"fo{j + 1}", 0.0) for j in range(fit.base.model.n)])


@pytest.mark.skipif(COMPILER is None, reason="no C compiler on this machine")
@pytest.mark.parametrize("strict", [("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow", "-Wconversion")])
def test_c_code_compiles_without_a_warning_and_agrees(fit: IdentificationResult, strict: tuple[str, ...], tmp_path: Path) -> None:
    header, source = write_c(fit, tmp_path / "out", "arm")
    n = fit.base.model.n
    q, dq, ddq = states(n)
    places = {"q": 0, "dq": n, "ddq": 2 * n}
    calls = {name: f"arm_{name}({', '.join(f'x + {places[a]}' for a in arguments)}, out)" for name, (arguments, _) in FUNCTIONS.items()}
    sizes = {name: n * n if name == "mass_matrix" else n for name in FUNCTIONS}
    body = "".join(f'    {call}; for (k = 0; k < {sizes[name]}; k++) printf("%.17g ", out[k]);\n' for name, call in calls.items())
    read = f'for (k = 1; k < {3 * n}; k++) if (scanf("%lf", x + k) != 1) return 1;'
    main = f"""#include <stdio.h>
#include "arm.h"
int main(void) {{
  double x[{3 * n}], out[ARM_JOINTS * ARM_JOINTS];
  int k;
  while (scanf("%lf", x) == 1) {{
    {read}
{body}    printf("\\n");
  }}
  return 0;
}}
"""
    (tmp_path / "main.c").write_text(main)
    command = [str(COMPILER), *strict, "-I", str(header.parent), str(source), str(tmp_path / "main.c"), "-lm", "-o", str(tmp_path / "run")]
    built = subprocess.run(command, capture_output=True, text=True)
    assert built.returncode == 0 and built.stderr == ""
    given = "\n".join(" ".join(map(repr, map(float, row))) for row in np.hstack([q, dq, ddq]))
    said = subprocess.run([str(tmp_path / "run")], input=given, capture_output=True, text=True, check=True).stdout
    found = np.array([line.split() for line in said.splitlines()], dtype=float)
    at = 0
    for name, right in expected(fit, q, dq, ddq).items():
        assert found[:, at : at + sizes[name]] == pytest.approx(right, abs=1e-12 * np.abs(fit.predict(q, dq, ddq)).max()), name
        at += sizes[name]


def test_names_from_files_stay_out_of_the_code(crane_model: DynamicModel) -> None:
    code = fit_to_c(fitted(crane_model))
    assert code.name == "arm_1_Kran_error" and code.header.isascii() and code.source.isascii()
    assert code.header.count("*/") == code.header.count("/*") == 5 and "??/" not in code.header and "\\" not in code.header + code.source
    assert "1  Schub _: q [m], dq [m/s], ddq [m/s^2], tau, g and f [N]" in code.header and "0  base __ joint: q [rad]" in code.header
    assert "Gravity in the base frame: (0, -9.81, 0.5) m/s^2." in code.header
    assert [c_name(x) for x in ("UR10e (left)", "", "漢字", "int", "_x", "7 axes")] == ["UR10e_left", "arm", "arm", "arm_int", "x", "arm_7_axes"]
    with pytest.raises(RobotError, match="name of exported C code: 'a b', expected a C identifier"):
        fit_to_c(fitted(crane_model), "a b")


def test_torque_columns_of_the_user_are_part_of_the_whole_only(crane_model: DynamicModel) -> None:
    """A spring at the first joint, under a name that LaTeX would stumble over."""
    model = crane_model.with_torque_basis(["k_{50%}"], lambda q, dq, ddq: ca.vertcat(q[0], 0, 0))
    fit = fitted(model)
    functions = identified_functions(fit)
    q, dq, ddq = (x[3] for x in states(3))
    parts = functions["mass_matrix"](q) @ ddq + functions["inverse_dynamics"](q, dq, 0)
    assert functions["inverse_dynamics"](q, dq, ddq).full().ravel() == pytest.approx(fit.predict(q[None], dq[None], ddq[None])[0], rel=1e-12)
    assert parts.full().ravel() == pytest.approx(functions["inverse_dynamics"](q, dq, ddq).full().ravel(), rel=1e-12)
    spring = functions["inverse_dynamics"](q, 0, 0) - functions["gravity"](q) - functions["friction"](0)
    assert spring.full().ravel() == pytest.approx([fit.value("k_{50%}") * q[0], 0, 0], abs=1e-12)
    assert r"$\mathrm{k\_\{50\%\}}$ & -- & " in fit_to_latex(fit) and "50" not in fit_to_c(fit).header.partition("*/")[0]


def test_casadi_file_is_the_fit(fit: IdentificationResult, tmp_path: Path) -> None:
    write_casadi(fit, tmp_path / "arm.casadi")
    read = ca.Function.load(str(tmp_path / "arm.casadi"))
    assert read.name_in() == ["q", "dq", "ddq"] and read.name_out() == ["tau", "g", "f", "M"]
    q, dq, ddq = states(fit.base.model.n)
    size = np.abs(fit.predict(q, dq, ddq)).max()
    right = expected(fit, q, dq, ddq)
    for k in range(len(q)):
        found = read(q=q[k], dq=dq[k], ddq=ddq[k])
        for name, (_, letter) in FUNCTIONS.items():
            assert found[letter].full().ravel() == pytest.approx(right[name][k], abs=1e-12 * size), name
    gravity = read.factory("gravity", ["q"], ["g"])
    assert gravity(q[1]).full().ravel() == pytest.approx(right["gravity"][1], abs=1e-12 * size)
    assert set(identified_functions(fit)) == set(FUNCTIONS)


def test_written_back_urdf_gives_the_torque(tmp_path: Path) -> None:
    """Bodies and friction to 1e-10; what a URDF cannot hold is said."""
    robot = crane().with_gravity((0.0, 0.0, -9.81))
    fit = fitted(DynamicModel(robot, "viscous+coulomb"), "physical")
    assert write_urdf(fit, tmp_path / "arm.urdf") == ()
    again = DynamicModel(Robot.from_urdf(tmp_path / "arm.urdf"), "viscous+coulomb")
    motion = states(3, 50)
    torque = fit.predict(*motion)
    assert again.inverse_dynamics(again.nominal_parameters(), *motion) == pytest.approx(torque, abs=1e-10 * np.abs(torque).max())
    first, second = (DynamicModel(crane(), terms, rotor_inertia=terms != "asymmetric") for terms in ("offset", "asymmetric"))
    lost = [write_urdf(fitted(model, "physical"), tmp_path / "other.urdf", overwrite=True) for model in (first, second)]
    assert [[text.split(":")[0] for text in texts] for texts in lost] == [
        [
            "A URDF does not say where gravity points",
            "A URDF has no place for rotor inertia",
            "A URDF has no place for the friction's offset",
        ],
        ["A URDF does not say where gravity points", "A URDF has one friction for both directions"],
    ]
    assert lost[0][0].endswith("read it with gravity=(0.0, -9.81, 0.5).")


def test_urdf_of_base_parameters_is_refused_and_names_the_links(crane_model: DynamicModel, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"URDF of the fit by 'wls': base parameters alone, which are no bodies.*Fit with method='physical'") as caught:
        write_urdf(fitted(crane_model), tmp_path / "arm.urdf")
    unphysical = fitted(crane_model).physical_report().unphysical
    assert unphysical and all(link in str(caught.value) for link in unphysical)
    assert not (tmp_path / "arm.urdf").exists()


def test_mat_file_holds_the_fit(fit: IdentificationResult, tmp_path: Path) -> None:
    from scipy.io import loadmat

    write_matlab(fit, tmp_path / "fit.mat")
    read = loadmat(tmp_path / "fit.mat", simplify_cells=True)["fit"]
    assert np.array_equal(read["beta"], fit.beta) and np.array_equal(read["matrix"], fit.base.matrix)
    assert np.array_equal(read["covariance"], fit.covariance(fit.reliable_kind)) and list(read["names"]) == list(fit.base.names)
    assert list(read["joint_names"]) == list(fit.base.model.robot.joint_names)
    assert loadmat(tmp_path / "fit.mat")["fit"]["beta"][0, 0].shape == (fit.base.rank, 1)


def test_table_of_parameters(crane_model: DynamicModel) -> None:
    fit = fitted(crane_model)
    sigma = np.sqrt(np.diag(fit.covariance(fit.reliable_kind)))
    table = fit_to_latex(fit).splitlines()
    assert table[:4] == [r"\begin{tabular}{llrr}", r"\toprule", r"Parameter & Unit & Value & Rel. $\sigma$ \\", r"\midrule"]
    assert table[-2:] == [r"\bottomrule", r"\end{tabular}"] and len(table) == 6 + fit.base.rank
    for line, value, spread, formula in zip(table[4:-2], fit.beta, sigma, fit.formulas, strict=True):
        name, _, number, share = line.removesuffix(r" \\").split(" & ")
        assert name == f"${formula_latex(formula)}$" and number == f"${plus_minus(value, spread)}$"
        assert share == (rf"{100 * spread / abs(value):.2g}\,\%" if spread < abs(value) else r"$>$100\,\%")
    exact = replace(fit, details=replace(fit.details, variance=1e-12))  # as if the residuals were a millionth
    assert any(line.endswith(r" & $<$0.01\,\% \\") for line in fit_to_latex(exact).splitlines())
    assert r"\num{" in fit_to_latex(fit, siunitx=True) and r"\pm" not in fit_to_latex(fit, siunitx=True)
    robot = crane_model.robot
    units = {
        "m2": "kg",
        "mz1": r"kg\,m",
        "Ixy3": r"kg\,m$^2$",
        "fv1": r"N\,m\,s/rad",
        "fv2": r"N\,s/m",
        "fcp2": "N",
        "Ia2": "kg",
        "fo3": r"N\,m",
        "spring": "--",
    }
    assert {name: unit_latex(name, robot) for name in units} == units


def test_numbers_are_rounded_to_their_uncertainty() -> None:
    """Two digits of the standard deviation; the value ends where it ends."""
    cases = {
        (1.23456, 0.0123): (r"1.235 \pm 0.012", r"\num{1.235(12)}"),
        (-0.5, 0.0996): (r"-0.50 \pm 0.10", r"\num{-0.50(10)}"),
        (0.0, 0.25): (r"0.00 \pm 0.25", r"\num{0.00(25)}"),
        (1.0e-7, 2.0e-5): (r"(0.0 \pm 2.0) \times 10^{-5}", r"\num{0.0(20)e-5}"),
        (12345.6, 678.0): (r"(1.235 \pm 0.068) \times 10^{4}", r"\num{1.235(68)e4}"),
        (123.456, 1.5): (r"123.5 \pm 1.5", r"\num{123.5(15)}"),
    }
    for pair, (plain, brackets) in cases.items():
        assert plus_minus(*pair) == plain and in_brackets(*pair) == brackets
    assert rounded(5e-324, 1e300)[0] == 0 and rounded(1e300, 5e-324)[1] == Decimal("5.0e-324")
    assert formula_latex("-Ixz2 + 1e-05*mz2 - 0.36*m3") == r"-I_{xz2} + 1 \times 10^{-5}\,m_{z2} - 0.36\,m_{3}"


def test_undetermined_and_exact_parameters_in_the_table(crane_model: DynamicModel) -> None:
    fit = fitted(crane_model)
    with patch.object(IdentificationResult, "covariance", lambda self, kind="white": np.zeros((self.base.rank, self.base.rank))):
        table = fit_to_latex(fit)
    assert r"\pm" not in table and rf"${fit.beta[0]:.6g}$ & -- \\" in table


def test_files_are_not_replaced_unasked(crane_model: DynamicModel, tmp_path: Path) -> None:
    fit = fitted(crane_model)
    for write, name in ((write_latex, "a.tex"), (write_casadi, "a.casadi"), (write_matlab, "a.mat")):
        (tmp_path / name).write_text("mine")
        with pytest.raises(FileError, match=rf"file .*{name}: it exists already, expected a new name. Pass overwrite=True"):
            write(fit, tmp_path / name)
        assert (tmp_path / name).read_text() == "mine"
        write(fit, tmp_path / name, overwrite=True)
        with pytest.raises(MissingFileError, match=r"folder .*nowhere: not found"):
            write(fit, tmp_path / "nowhere" / name)
    write_c(fit, tmp_path, "arm")
    with pytest.raises(FileError, match=r"arm\.h: it exists already"):
        write_c(fit, tmp_path, "arm")
    with pytest.raises(MissingFileError, match="not found, expected an existing folder for deep"):
        write_c(fit, tmp_path / "nowhere" / "deep")
    with pytest.raises(FileError, match="Not a directory, expected a place for a new folder"):
        write_c(fit, tmp_path / "arm.h" / "x")
