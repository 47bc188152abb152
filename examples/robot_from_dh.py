"""Your own robot from its DH table: rows, bodies, drives and limits; look at it, save it as TOML and as URDF, and read both back.

The convention is always named: the same numbers in the other one are another robot.
Prints the largest difference in torque between before and after.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from optid import BaseParameters, DHRow, Drive, DynamicModel, Limits, Link, Robot
from optid.kinematics import forward_kinematics
from optid.robot import robot_to_urdf

half_pi = np.pi / 2
rows = [DHRow(a=0.07, alpha=-half_pi, d=0.35), DHRow(a=0.36, theta=-half_pi), DHRow(alpha=-half_pi), DHRow(d=0.38, alpha=half_pi)]

# Bodies from the CAD program: mass, centre of mass in the link's frame, inertia about the centre of mass.
links = [
    Link.from_com(30.0, (-0.03, 0.05, 0.0), np.diag([0.5, 0.5, 0.4]), "column"),
    Link.from_com(14.0, (-0.20, 0.0, 0.05), np.diag([0.06, 0.30, 0.30]), "upper arm"),
    Link.from_com(8.0, (0.0, 0.0, 0.05), np.diag([0.05, 0.05, 0.03]), "elbow"),
    Link.from_com(4.0, (0.0, 0.12, 0.0), np.diag([0.05, 0.01, 0.05]), "forearm"),
]
drives = [Drive(gear=gear, rotor_inertia=inertia) for gear, inertia in ((100, 2e-4), (120, 2e-4), (100, 1e-4), (80, 3e-5))]
limits = Limits.of(4, position=np.radians([170, 100, 60, 180]), velocity=np.radians([200, 200, 260, 360]), acceleration=20.0, torque=(300, 300, 150, 40))

robot = Robot.from_dh(rows, "standard", links=links, joint_names=("turn", "shoulder", "elbow", "roll"), limits=limits, drives=drives, name="my arm")
robot = robot.with_friction(viscous=[10, 10, 6, 2], coulomb=[8, 8, 5, 1])
model = DynamicModel(robot, friction="viscous+coulomb", rotor_inertia=True)
print(f"{robot.name}: {model.p} parameters, of which motion can reveal {BaseParameters.of(model).rank} combinations")

# Look at it: is the tool where the drawing says? Origins of the frames, from the base to the tool, in three postures.
postures = {"zero": np.zeros(4), "raised": np.array([0.0, -0.6, -0.8, 0.0]), "stretched": np.array([0.0, half_pi, -half_pi, 0.0])}
axes = plt.figure().add_subplot(aspect="equal", xlabel="x [m]", ylabel="z [m]", title=robot.name)
for name, q in postures.items():
    points = np.array([np.zeros(3), *(forward_kinematics(robot, q, k)[:3, 3] for k in range(4))])
    axes.plot(points[:, 0], points[:, 2], "o-", label=name)
    print(f"{name:<10} tool at {np.round(points[-1], 3)}")
axes.legend()
plt.savefig("robot_from_dh.png")

state = np.random.default_rng(0).uniform(-1, 1, (3, 100, 4))
tau = model.inverse_dynamics(model.nominal_parameters(), *state)
worst = 0.0
with tempfile.TemporaryDirectory() as folder:
    for suffix in ("toml", "urdf"):
        file = Path(folder) / f"my_arm.{suffix}"
        robot.save(file) if suffix == "toml" else file.write_text(robot_to_urdf(robot), encoding="utf-8")
        again = DynamicModel(Robot.load(file).with_drives(drives), friction="viscous+coulomb", rotor_inertia=True)
        worst = max(worst, float(np.abs(again.inverse_dynamics(again.nominal_parameters(), *state) - tau).max()))
print(f"largest difference in torque after reading back: {worst:.1e} N m")
