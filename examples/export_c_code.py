"""From a fit to a controller: the identified UR10e as C functions, compiled here and asked for the torque of a motion that the fit has not seen."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from optid import DynamicModel, identify, library
from optid.export import fit_to_latex, write_c
from optid.signals import Samples

robot = library.ur10e()
model = DynamicModel(robot, "viscous+coulomb", rotor_inertia=True)
truth = model.nominal_parameters() + [{"fv": 8.0, "fc": 6.0}.get(name[:2], 0.0) for name in model.parameter_names]
rng = np.random.default_rng(0)
q, dq, ddq = rng.standard_normal((3, 600, 6))
tau = model.inverse_dynamics(truth, q, dq, ddq)
fit = identify(model, Samples.from_arrays(q, dq, ddq, tau + 0.02 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape), rate=100))
print("\n".join(fit_to_latex(fit).splitlines()[3:8]))

folder = Path(tempfile.mkdtemp())
header, source = write_c(fit, folder, "ur10e")
print("\n".join(line for line in header.read_text().splitlines() if line.startswith("void")))
print(f"{source.name}: {len(source.read_text().splitlines())} lines")

# a motion: two seconds of all joints at once
t = np.linspace(0, 2, 500)[:, None]
w = 2 * np.pi * np.linspace(0.3, 0.8, 6)
motion = np.sin(w * t) - 0.5, w * np.cos(w * t), -(w**2) * np.sin(w * t)
expected = fit.predict(*motion)
found = expected.copy()  # where there is no compiler there is nothing to compare
compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
if compiler:
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, str(source), "-o", str(folder / "ur10e.so"), "-lm"], check=True)
    code = ctypes.CDLL(str(folder / "ur10e.so"))
    vector = np.ctypeslib.ndpointer(dtype=float, shape=(6,), flags="C")
    code.ur10e_inverse_dynamics.argtypes, code.ur10e_inverse_dynamics.restype = [vector] * 4, None
    for k in range(len(t)):
        code.ur10e_inverse_dynamics(*(np.ascontiguousarray(x[k]) for x in motion), found[k])

plt.plot(t, model.inverse_dynamics(truth, *motion)[:, 1], color="lightgrey", linewidth=5, label="the robot")
plt.plot(t, found[:, 1], label="the C code")
plt.gca().set(title=f"torque of {robot.joint_names[1]}", xlabel="time [s]", ylabel="torque [N m]")
plt.legend()
plt.savefig("export_c_code.png")
print(f"largest difference of the C code's torque, relative: {np.abs(found - expected).max() / np.abs(expected).max():.1e}")
