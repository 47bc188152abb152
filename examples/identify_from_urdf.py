"""A robot described by a URDF: read it, simulate a recording of it, and find its base parameters again.

With a real robot, put its URDF in place of the text and ``optid.read_experiment("file.h5")`` in place of the simulated recording. Prints the largest error of
a base parameter in the end: there is no noise, so it is what central differences at 200 Hz cost.
"""

import numpy as np

from optid import BaseParameters, DynamicModel, Preprocessing, Robot, identify
from optid.report import plot_parameters
from optid.simulation import Clock, simulate_recording
from optid.trajectory import Fourier

URDF = """
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0.2 0 0.01" rpy="0 0 0.3"/><mass value="4.0"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.09" iyz="0" izz="0.08"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0.15 0.02 0"/><mass value="2.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0.0005" iyy="0.04" iyz="0" izz="0.045"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><origin xyz="0 0 0.3" rpy="0 0 0"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="3" effort="80"/><dynamics damping="1.2" friction="0.8"/>
  </joint>
  <joint name="elbow" type="continuous">
    <parent link="upper"/><child link="lower"/><origin xyz="0.4 0 0" rpy="1.5707963267948966 0 0"/><axis xyz="0 0 1"/>
    <dynamics damping="0.6" friction="0.4"/>
  </joint>
</robot>
"""

robot = Robot.from_urdf(URDF)
model = DynamicModel(robot, friction=("viscous", "coulomb"))
base = BaseParameters.of(model)
print(f"{robot.name}: joints {', '.join(robot.joint_names)}; {base.rank} base parameters of {model.p}")

# A motion of three harmonics over 6 s, from a fixed seed, and its recording at 200 Hz with the URDF's own parameters.
rng = np.random.default_rng(1)
motion = Fourier(np.zeros(2), rng.normal(0, 0.3, (2, 3)), rng.normal(0, 0.3, (2, 3)), period=6.0, joint_names=robot.joint_names)
trial = simulate_recording(model, model.nominal_parameters(), motion, clock=Clock(0.005))

# Exact positions need no filter.
fit = identify(base, trial, preprocessing=Preprocessing(cutoff=None, min_speed=0.02))

# What remains is no noise but the error of the differences, so that values say more than standard deviations (fit.summary() has these).
truth = base.beta(model.nominal_parameters())
for formula, value, true in zip(fit.formulas, fit.beta, truth, strict=True):
    print(f"{formula:<16} {value:>10.6f}  true {true:>10.6f}")
for joint, share in zip(robot.joint_names, fit.errors().per_joint, strict=True):
    print(f"{joint}: error against the torque {100 * share:.4f} %")
print(f"largest error of a base parameter: {np.abs(fit.beta - truth).max():.1e}")
plot_parameters(fit, truth).savefig("identify_from_urdf.png")
