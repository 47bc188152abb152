"""The equations of motion of a SCARA (axes R-R-P-R) with general centres of mass, as text, LaTeX and C, and what is wrong with a printed version of them.

Derived by the library with every length, mass, centre of mass and inertia as a symbol, compared with Ec. 25–28 of Valencia 2008 coefficient by coefficient, and
checked against the numerical recursion. Needs the extra ``symbolic``. Prints the largest difference from the recursion on random states in the end.
"""

from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import sympy

from optid import DynamicModel
from optid.export import Equations, coefficient_errors, to_c, to_latex, to_text
from optid.library.valencia_printed import PRINTED, printed_arm

model = DynamicModel(printed_arm(), "none")
equations = Equations(model, lengths=True)
print(to_text(equations, ["mass_matrix", "gravity"], expand=True), "\n")
with TemporaryDirectory() as folder:
    code = to_c(equations, ["torque", "mass_matrix"], "scara")
    for name, text in (("scara.c", code.source), ("scara.h", code.header), ("scara.tex", to_latex(equations))):
        (Path(folder) / name).write_text(text, encoding="ascii")
        print(f"{name}: {len(text.splitlines())} lines")

print("\nThe printed equations, Ec. 25-28 (scara_printed_faults.py shows every fault in full)")
print("1. Their mass matrix is not symmetric, so no arm has it:")
for i, j in ((1, 2), (1, 4), (2, 4)):
    print(f"   M{i}{j} - M{j}{i} = {sympy.expand(sympy.sympify(PRINTED[i, f'ddq{j}']) - sympy.sympify(PRINTED[j, f'ddq{i}']))}")
wrong = [key for key, error in coefficient_errors(equations, PRINTED).items() if error != 0]
print(f"2. {len(wrong)} coefficients are wrong:")
for axis, group in groupby(wrong, key=lambda key: key[0]):
    print(f"   tau{axis}: {', '.join(factor for _, factor in group)}")
print("3. Read in plain words: Ec. 26 has 2 m2 a2**2 and 3 m2 a2 Sx2 where 1 and 2 are right; Ec. 25 has m4 with the centre of mass of link 1; Ec. 28 lacks")
print("   m4 (Sx4**2 + Sy4**2); nothing depends on q4, though the last link turns about it; Ec. 27 is right.")

# The right ones give the same numbers as the recursion, on random states with random bodies.
rng = np.random.default_rng(0)
torque, recursion, closed = equations.function("torque"), [], []
for _ in range(100):
    pi = rng.standard_normal(model.p)
    q, dq, ddq = rng.uniform(-3, 3, (3, 4))
    values = {"a1": 0.27, "a2": 0.23, **dict(zip(model.parameter_names, pi, strict=True))}
    values |= {f"{stem}{j + 1}": x[j] for stem, x in (("q", q), ("dq", dq), ("ddq", ddq)) for j in range(4)}
    closed.append(torque(*[values[name] for name in torque.name_in()]).full().ravel())
    recursion.append(model.inverse_dynamics(pi, q, dq, ddq))
plt.plot(recursion, closed, "o", markersize=3, label=[f"tau{j}" for j in range(1, 5)])
plt.gca().set(xlabel="recursion [N m, N]", ylabel="closed form [N m, N]", title="torques of random states and bodies")
plt.legend()
plt.savefig("scara_equations.png")
print(f"\nlargest difference from the recursion in 100 random states: {np.abs(np.subtract(closed, recursion)).max():.1e} N m")
