"""A search of your own in thirty lines: registered under a name, used by ``optid.solve`` like any other, and held to the contract of all solvers.

One parent, one child: a random step is kept when it helps; steps grow then, and shrink otherwise (Rechenberg's one-fifth rule).
Prints the minimum that it finds of Rosenbrock's valley (truth: 0).
"""

from dataclasses import dataclass
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

import optid
from optid.problems import BlackBoxProblem
from optid.problems.forms import BlackBox
from optid.solvers import Outcome, Run, register
from optid.testing import check_solver


@register
@dataclass(frozen=True)
class OnePlusOne:
    """Options are fields, with their defaults."""

    first_step: float = 0.3
    smallest_step: float = 1e-9
    name: ClassVar[str] = "one_plus_one"
    accepts: ClassVar[tuple[type, ...]] = (BlackBox,)  # stronger forms are turned into this one
    features: ClassVar[frozenset[str]] = frozenset({"bounds"})
    search: ClassVar[bool] = True  # may use its whole budget

    def run(self, form: BlackBox, run: Run) -> Outcome:
        """Every value and every random number comes from ``run``: it counts, remembers, and stops the search when the budget is used up."""
        run.limit(2000)
        x, best, step = run.x0, run.penalised(run.x0), self.first_step
        while step > self.smallest_step:
            child = form.snap(x + step * (form.upper - form.lower) * run.rng.standard_normal(form.size))
            value = run.penalised(child)
            if value < best:
                x, best, step = child, value, 1.5 * step
            else:
                step *= 0.9
        return Outcome(x, "optimal", f"steps below {self.smallest_step:g} of the box")


check_solver("one_plus_one")  # same seed, same bits; bounds hold; budgets are kept; evaluations may fail; …

valley = BlackBoxProblem(lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2, lower=[-2, -1], upper=[2, 3], x0=[-1.2, 1.0])
for name in ("one_plus_one", "nelder_mead", "random"):
    result = optid.solve(valley, solver=name, budget=2000)
    plt.loglog(np.minimum.accumulate([point.fun for point in result.history]), label=name)
    if name == "one_plus_one":
        found = result.fun
plt.gca().set(title="Rosenbrock's valley", xlabel="evaluations", ylabel="best value", ylim=(1e-8, None))
plt.legend()
plt.savefig("custom_solver.png")
print(f"minimum found by it: {found:.1e}")
