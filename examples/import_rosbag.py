"""From a rosbag2 recording to a model: joints sorted by name and a gripper among them, as ROS drivers publish them, and a look first."""

import tempfile
import warnings
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from optid import DynamicModel, identify, library
from optid.errors import DataError
from optid.experiment import Preview, import_bag, suspect

robot = library.ur5()
model = DynamicModel(robot, "viscous+coulomb")
truth = model.nominal_parameters() + [{"fv": 3.0, "fc": 5.0}.get(name[:2], 0.0) for name in model.parameter_names]

# twenty seconds of a UR5 at 250 Hz
t = np.arange(5000) / 250
w, phase = 2 * np.pi * np.array([0.1, 0.25, 0.45]), np.random.default_rng(0).uniform(0, 6, (6, 3))
angle = w * t[:, None, None] + phase
q, dq, ddq = (0.4 / w * np.sin(angle)).sum(2), (0.4 * np.cos(angle)).sum(2), -(0.4 * w * np.sin(angle)).sum(2)
tau = model.inverse_dynamics(truth, q, dq, ddq)

# as a driver publishes it: joints sorted by name, the gripper's too
names = sorted([*robot.joint_names, "gripper"])
order = [robot.joint_names.index(name) for name in names if name != "gripper"]
store, kind = get_typestore(Stores.ROS2_HUMBLE), "sensor_msgs/msg/JointState"
State, Header, Time = (store.types[x] for x in (kind, "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
folder = Path(tempfile.mkdtemp()) / "monday"
with Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP) as bag:
    topic = bag.add_connection("/joint_states", kind, typestore=store)
    for k in range(len(t)):
        stamp = Time(k // 250, k % 250 * 4_000_000)
        state = State(Header(stamp, "base"), names, *(np.insert(x[k, order], names.index("gripper"), 0.0) for x in (q, dq, tau)))
        bag.write(topic, 4_000_000 * k, store.serialize_cdr(state, kind))

with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    try:
        import_bag(folder, joint_names=robot.joint_names)
    except DataError as error:
        print(error.args[0].partition("topic ")[2])
    trial = import_bag(folder, effort="torque", joint_names=robot.joint_names)
    sorted_by_name = import_bag(folder, effort="torque", joint_names=[robot.joint_names[j] for j in order])
print(str(notes[0].message).partition("topic ")[2])
print(f"{trial.n_samples} samples in {Preview.of(trial, robot).pace}; suspicions: {len(suspect(trial, robot))}")
print("without the names:", suspect(replace(sorted_by_name, joint_names=()), robot)[0])

fit = identify(model, trial)
curves = {"measured": trial.tau, "predicted": fit.predict(q, dq, ddq), "predicted, sorted by name": fit.predict(q[:, order], dq[:, order], ddq[:, order])}
for (label, torque), line in zip(curves.items(), ("-", "--", ":"), strict=True):
    plt.plot(t, torque[:, 1], line, label=label)
plt.gca().set(title=f"torque of {robot.joint_names[1]}", xlabel="time [s]", ylabel="torque [N m]")
plt.legend()
plt.savefig("import_rosbag.png")
print(f"largest error of the predicted torque: {np.abs(trial.tau - fit.predict(q, dq, ddq)).max() / np.abs(tau).max():.1e}")
