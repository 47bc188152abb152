"""A question of your own in thirty lines, posed once and answered by every solver that fits: in which posture does a UR10e hold a load with least torque?

Prints the sum of the squared shares of the drives' torques that the best solver reaches, over that of an arbitrary posture with the tool at the same point.
"""

from dataclasses import dataclass
from typing import Any

import casadi as ca
import matplotlib.pyplot as plt
import numpy as np

import optid
from optid import DynamicModel, Link, library
from optid.kinematics import frame_transform
from optid.problems import InverseKinematics, Nlp
from optid.solvers import Solution


@dataclass(frozen=True)
class EasiestPosture:
    """Least sum over the joints of (gravity torque / torque limit)², with the tool at ``point`` [m]."""

    model: DynamicModel
    point: tuple[float, float, float]

    def form(self) -> Nlp:
        """Pose it: symbols, objective, constraints, bounds, where to start. Derivatives follow from the expressions."""
        n, pi = self.model.n, ca.SX(self.model.nominal_parameters())
        q, still = ca.SX.sym("q", n), ca.SX.zeros(n)
        share = self.model.torque_expression(pi, q, still, still) / ca.SX(np.array(self.model.robot.limits.torque))
        _, tool = frame_transform(self.model.robot, q)
        return Nlp(q, ca.sumsqr(share), g=tool, lbg=self.point, ubg=self.point, lbx=-3, ubx=3, x0=np.full(n, 0.5), start=self.start)

    def start(self, rng: np.random.Generator) -> Any:
        return rng.uniform(-3, 3, self.model.n)

    def interpret(self, solution: Solution) -> tuple[Any, Any]:
        """Read the answer: posture and shares of the drives' torques."""
        return solution, self.shares(solution.x)

    def shares(self, q: Any) -> Any:
        return np.abs(self.model.gravity_torque(self.model.nominal_parameters(), q)) / self.model.robot.limits.torque


robot, load = library.ur10e(), Link.from_com(8.0, (0, 0, 0.1), np.eye(3) * 0.02)
problem = EasiestPosture(DynamicModel(robot.with_links([*robot.links[:-1], robot.links[-1].lumped(load)]), "none"), (0.7, 0.2, 0.5))
any_posture = optid.solve(InverseKinematics(robot, problem.point)).q
columns = {"any": problem.shares(any_posture)}
for name in optid.available_solvers(problem):
    solution, columns[name] = optid.solve(problem, solver=name, starts=8, seed=0)
    print(f"{name:<13} {solution.fun:.5f}, {solution.wall_time:.2f} s")
for k, (name, share) in enumerate(columns.items()):
    plt.bar(np.arange(6) + 0.13 * k, 100 * share, 0.13, label=name)
plt.xticks(np.arange(6) + 0.25, [name.replace("_", "\n") for name in robot.joint_names])
plt.ylabel("gravity torque [% of the drive's limit]")
plt.legend()
plt.savefig("custom_problem.png")
print(f"torque left: {min(sum(s**2) for s in columns.values()) / sum(columns['any'] ** 2):.1%}")
