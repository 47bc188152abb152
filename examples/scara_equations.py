"""The equations of motion of a SCARA (axes R-R-P-R) with general centres of mass, and what is wrong with a printed version of them.

Derived by the library with every length, mass, centre of mass and inertia as a symbol, checked against the numerical recursion on random states, and compared
with Ec. 25–28 of Valencia 2008 term by term. Needs the extra ``symbolic``. Prints the number of wrong coefficients in the end.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import sympy
from matplotlib.colors import ListedColormap

from optid import DHRow, DynamicModel, Link, Robot
from optid.export import Equations, expanded, to_c, to_latex, to_text

# What the source prints, coefficient by coefficient: c2, s2 for q2, Sx, Sy centres of mass in frames at the links' far ends, Izz about the centres of mass.
# (Signs that the print has lost follow from its own listing.)
COMMON_21 = (
    "Izz2 + Izz3 + Izz4 + Sx2**2*m2 + Sy2**2*m2 + 3*Sx2*a2*m2 + Sx2*a1*c2*m2 - Sy2*a1*m2*s2 + Sx3*a1*c2*m3 + Sx3*a2*m3 - Sy3*a1*m3*s2 + Sx4*a1*c2*m4"
    " + Sx4*a2*m4 - Sy4*a1*m4*s2 + 2*a1*a2*c2*m2 + a1*a2*c2*m3 + a1*a2*c2*m4 + 2*a2**2*m2 + a2**2*m3 + a2**2*m4"
)
COMMON_22 = "Izz2 + Izz3 + Izz4 + Sx2**2*m2 + Sy2**2*m2 + Sx3*a2*m3 + Sx4*a2*m4"
TURNED = "- 2*Sy2*a2*m2*c2*s2 + 2*a2**2*c2**2*m2 + 2*a2**2*c2**2*m3 + 2*a2**2*c2**2*m4"
V_22 = "- 2*Sx2*a2*m2*c2*s2 - 2*Sy2*a2*m2*c2**2 + Sy3*a2*m3 + Sy4*a2*m4 - 2*a2**2*c2*s2*(m2 + m3 + m4)"
PRINTED = {
    (1, "ddq1"): "Izz1 + Izz2 + Izz3 + Izz4 + m1*(Sx1**2 + Sy1**2) + 2*Sx1*a1*m1 + a1**2*m1 + Sx1*a2*c2*m4 - Sy1*a2*m4*s2 + Sx2**2*m2 + Sy2**2*m2"
    " + Sx2*a1*c2*m2 - Sy2*a1*m2*s2 + 2*Sx2*a2*m2 + 2*Sx2*a2*c2**2*m2 + Sx3*a1*c2*m3 + Sx3*a2*m3 - Sy3*a1*m3*s2 + Sx4*a1*c2*m4 + Sx4*a2*m4 - Sy4*a1*m4*s2"
    f" + 3*a1*a2*c2*m2 + 2*a1*a2*c2*m3 + 3*a1*a2*c2*m4 + a2**2*m2 {TURNED}",
    (1, "ddq2"): f"{COMMON_22} + 2*Sx2*a2*m2 + 2*Sx2*a2*c2**2*m2 + a2**2*m2 {TURNED}",
    (1, "ddq4"): "Izz4",
    (1, "dq1**2"): f"s2*(-Sx1*a2*m4 + Sx2*a1*m2 + Sx3*a1*m3 + Sx4*a1*m4 + a1*a2*m2 - a1*a2*m4) + c2*(-Sy1*a2*m4 + Sy2*a1*m2 + Sy3*a1*m3 + Sy4*a1*m4) {V_22}",
    (1, "dq2**2"): V_22,
    (1, "dq1*dq2"): f"2*({V_22})",
    (2, "ddq1"): COMMON_21,
    (2, "ddq2"): f"{COMMON_22} + 3*Sx2*a2*m2 + 2*a2**2*m2 + a2**2*m3 + a2**2*m4",
    (2, "ddq4"): "Izz4",
    (2, "dq1**2"): "s2*a1*(Sx2*m2 + Sx3*m3 + Sx4*m4 + 2*a2*m2 + a2*m3 + a2*m4) + c2*a1*(Sy2*m2 + Sy3*m3 + Sy4*m4) - Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4",
    (2, "dq2**2"): "-Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4",
    (2, "dq1*dq2"): "2*(-Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4)",
    (3, "ddq3"): "m3 + m4",
    (3, "1"): "g*(m3 + m4)",
    (4, "ddq1"): "Izz4 + Sx4*a1*c2*m4 + Sx4*a2*m4 - Sy4*a1*m4*s2",
    (4, "ddq2"): "Izz4 + Sx4*a2*m4",
    (4, "ddq4"): "Izz4",
    (4, "dq1**2"): "s2*Sx4*a1*m4 + c2*Sy4*a1*m4 + Sy4*a2*m4",
    (4, "dq2**2"): "Sy4*a2*m4",
    (4, "dq1*dq2"): "2*Sy4*a2*m4",
}

# The right equations: any lengths, so the numbers of the rows only say which lengths there are.
robot = Robot.from_dh([DHRow(a=0.27), DHRow(a=0.23), DHRow(joint="P"), DHRow()], "standard", links=[Link(f"link{j}") for j in range(1, 5)], name="SCARA")
model = DynamicModel(robot, "none")
equations = Equations(model, lengths=True)
print(to_text(equations, ["mass_matrix", "gravity"], expand=True), "\n")

# The same numbers as the recursion, on random states with random bodies.
rng = np.random.default_rng(0)
torque, worst = equations.function("torque"), 0.0
for _ in range(100):
    pi = rng.standard_normal(model.p)
    q, dq, ddq = rng.uniform(-3, 3, (3, 4))
    values = {"a1": 0.27, "a2": 0.23, **dict(zip(model.parameter_names, pi, strict=True))}
    values |= {f"{stem}{j + 1}": x[j] for stem, x in (("q", q), ("dq", dq), ("ddq", ddq)) for j in range(4)}
    closed = torque(*[values[name] for name in torque.name_in()]).full().ravel()
    worst = max(worst, float(np.abs(closed - model.inverse_dynamics(pi, q, dq, ddq)).max()))
print(f"largest difference from the recursion in 100 random states: {worst:.1e} N m\n")
assert worst < 1e-12

# In the source's symbols: first moments m S, inertias about the centres of mass.
m, sx, sy, inertia = (sympy.symbols(f"{stem}1:5") for stem in ("m", "Sx", "Sy", "Izz"))
names = {sympy.Symbol(f"mx{k + 1}"): m[k] * sx[k] for k in range(4)} | {sympy.Symbol(f"my{k + 1}"): m[k] * sy[k] for k in range(4)}
names |= {inertia[k]: inertia[k] + m[k] * (sx[k] ** 2 + sy[k] ** 2) for k in range(4)}
M, v, g = (expanded(equations, part).subs(names, simultaneous=True).applyfunc(sympy.expand) for part in ("mass_matrix", "coriolis", "gravity"))
c2, s2 = sympy.symbols("c2 s2")


def tidy(expression: sympy.Expr) -> sympy.Expr:
    """Expanded, with s2² replaced."""
    return sympy.expand(sympy.expand(expression).subs(s2**2, 1 - c2**2))


def right(row: int, factor: str) -> sympy.Expr:
    """The right coefficient."""
    if factor == "1":
        return sympy.expand(g[row - 1] * sympy.Symbol("g") / sympy.Rational("9.81"))
    if factor.startswith("ddq"):
        return M[row - 1, int(factor[3]) - 1]
    return sympy.Poly(v[row - 1], *sympy.symbols("dq1:5")).coeff_monomial(factor)


printed = {key: tidy(sympy.sympify(text)) for key, text in PRINTED.items()}
print("1. The printed mass matrix is not symmetric, so no arm has it:")
for i, j in ((1, 2), (1, 4), (2, 4)):
    difference = tidy(printed[i, f"ddq{j}"] - printed[j, f"ddq{i}"])
    print(f"   M{i}{j} - M{j}{i} = {difference}")
    assert difference != 0

print("2. Coefficients that are wrong (printed minus right):")
rates = ["ddq1", "ddq2", "ddq4", "dq1**2", "dq2**2", "dq4**2", "dq1*dq2", "dq1*dq4", "dq2*dq4"]
keys = [(row, rate) for row in (1, 2, 4) for rate in rates] + [(3, "ddq3"), (3, "1")]
wrong, marks = 0, np.zeros((4, len(rates) + 2))
for row, factor in keys:
    difference = tidy(printed.get((row, factor), sympy.Integer(0)) - right(row, factor))
    marks[row - 1, [*rates, "ddq3", "1"].index(factor)] = 1 if difference == 0 else 2
    if difference != 0:
        wrong += 1
        print(f"   tau{row}, {factor}: {difference}")
print("3. Read in plain words: Ec. 26 has 2 m2 a2**2 and 3 m2 a2 Sx2 where 1 and 2 are right; Ec. 25 has m4 with the centre of mass of link 1; Ec. 28 lacks")
print("   m4 (Sx4**2 + Sy4**2); nothing depends on q4, though the last link turns about it; Ec. 27 is right.")

with TemporaryDirectory() as folder:
    code = to_c(equations, ["torque", "mass_matrix"], "scara")
    for name, text in (("scara.c", code.source), ("scara.h", code.header), ("scara.tex", to_latex(equations))):
        (Path(folder) / name).write_text(text, encoding="ascii")
        print(f"{name}: {len(text.splitlines())} lines")
print(f"wrong coefficients in the printed equations: {wrong} of {len(keys)}")
plt.figure(figsize=(8, 4))
plt.imshow(marks, cmap=ListedColormap(["white", "tab:green", "tab:red"]))
plt.xticks(range(len(rates) + 2), [*rates, "ddq3", "1"], rotation=60)
plt.yticks(range(4), [f"tau{k}" for k in range(1, 5)])
plt.title("coefficients of the printed equations: right (green), wrong (red)")
plt.tight_layout()
plt.savefig("scara_equations.png")
