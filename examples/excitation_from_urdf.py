"""From a URDF to a motion for the controller: limits are read, the best experiment is designed, proven, and printed as a table.

The URDF is written here so that the example needs no file; give your own with  optid.Robot.from_urdf("robot.urdf").
"""

import optid
from optid import BaseParameters, DynamicModel, Robot
from optid.problems import Excitation
from optid.report.design_plots import plot_motion
from optid.trajectory.export import to_csv

URDF = """<robot name="two links">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="3"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.15 0 0"/><mass value="2"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.03"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="1.5" velocity="3" effort="40"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="4" effort="15"/></joint>
</robot>"""

robot = Robot.from_urdf(URDF)
base = BaseParameters.of(DynamicModel(robot, friction="viscous+coulomb", sign_width=0.1))
print(f"{base.rank} base parameters")

# Position, speed and torque limits come from the URDF; rest=True starts and ends at rest.
limits = robot.limits.scaled(position=0.8, velocity=0.7, torque=0.8)
problem = Excitation(base, harmonics=5, period=6.0, limits=limits, rest=True)
result = optid.solve(problem, starts=2, seed=0)
print(result.quality.table())
for report in (*result.checks, *result.path_reports):
    print(report)

table = result.export(to_csv, rate=100.0).text
print(f"table for the controller: {len(table.splitlines())} lines of time, position, velocity and acceleration")
print(f"condition number {result.condition_number:.2f}, proven: {result.proven}")
plot_motion(result).savefig("excitation_from_urdf.png")
