"""Every fault of a printed closed form: Ec. 25–28 of Valencia 2008 for a SCARA, minus the right ones, coefficient by coefficient.

Any printed equations of motion can be compared like this: write them down by axis and factor, as ``optid.library.valencia_printed`` does.
Needs the extra ``symbolic``. Prints the number of wrong coefficients in the end.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sympy import expand, sympify

from optid import DynamicModel
from optid.export import Equations, coefficient_errors
from optid.library.valencia_printed import PRINTED, printed_arm

equations = Equations(DynamicModel(printed_arm(), "none"), lengths=True)
right = coefficient_errors(equations, {})  # nothing printed: minus what ought to be
errors = coefficient_errors(equations, PRINTED)

print("1. The printed mass matrix is not symmetric, so no arm has it:")
for i, j in ((1, 2), (1, 4), (2, 4)):
    print(f"   M{i}{j} - M{j}{i} = {expand(sympify(PRINTED[i, f'ddq{j}']) - sympify(PRINTED[j, f'ddq{i}']))}")

print("2. Coefficients that are wrong (printed minus right):")
for (axis, factor), error in errors.items():
    if error != 0:
        print(f"   tau{axis}, {factor}: {error}")

print("3. Coefficients that are right:")
concerned = [key for key in errors if key in PRINTED or right[key] != 0]
for axis, factor in concerned:
    if errors[axis, factor] == 0:
        print(f"   tau{axis}, {factor}: {-right[axis, factor]}")

factors = list(dict.fromkeys(factor for _, factor in concerned))
marks = np.zeros((4, len(factors)))
for axis, factor in concerned:
    marks[axis - 1, factors.index(factor)] = 1 if errors[axis, factor] == 0 else 2
plt.figure(figsize=(8, 4))
plt.imshow(marks, cmap=ListedColormap(["white", "tab:green", "tab:red"]))
plt.xticks(range(len(factors)), factors, rotation=60)
plt.yticks(range(4), [f"tau{k}" for k in range(1, 5)])
plt.title("coefficients of the printed equations: right (green), wrong (red)")
plt.tight_layout()
plt.savefig("scara_printed_faults.png")
print(f"\nwrong coefficients in the printed equations: {np.sum(marks == 2)} of {len(concerned)}")
