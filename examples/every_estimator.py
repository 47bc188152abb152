"""What each estimator is for: recordings of a simulated arm with one fault each, least squares beside the estimator that knows of it."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from optid import Preprocessing, Trial, identify, identify_power
from optid.problems import ClosedLoop
from optid.signals import Samples
from optid.simulation.irb140_story import irb140_base
from optid.trajectory import irb140_g21

RATE, ENCODER = 500, 2 * np.pi / 65536 / np.sqrt(12)  # Hz; standard deviation of the rounding of 65536 counts a turn
base, motion, rng = irb140_base(), irb140_g21(), np.random.default_rng(1)
truth, time = base.beta(base.model.nominal_parameters()), np.arange(6 * RATE) / RATE
W = base.regressor(*(0.7 * motion.derivative(time, order) + 0.3 * (order == 0) for order in range(3)))  # another motion, to judge by


def error(beta: np.ndarray) -> float:
    """Torque error on the other motion [%]."""
    return 100 * float(np.linalg.norm(W @ (beta - truth)) / np.linalg.norm(W @ truth))


def controller(q: Any, dq: Any, r: Any) -> Any:
    return np.array([4000.0, 4000.0, 2000.0]) * (r[:3] - q) + np.array([160.0, 160.0, 80.0]) * (r[3:] - dq)


def recording(name: str, tau: np.ndarray, noise: float = 0.0) -> Trial:
    return Trial(time, clean.q + noise * rng.standard_normal(clean.q.shape), tau=tau, joint_names=base.model.robot.joint_names, name=name)


loop = ClosedLoop(controller, lambda t: np.hstack([motion.derivative(t, 0), motion.derivative(t, 1)]))
wanted = Samples.from_arrays(*(motion.derivative(time, order) for order in range(3)), np.zeros((len(time), 3)), rate=RATE)
clean = loop.motion(base, truth, wanted, base.known_parameters())
tau = clean.tau + [0.5, 0.5, 0.25] * rng.standard_normal((len(time), 3))
shaking = tau + 40 * rng.standard_normal((len(time), 1)) * [1.0, 0.8, -0.5]
hits = tau + 300 * (rng.random((len(time), 3)) < 0.005)
limits = {name: tuple(sorted((0.5 * value, 1.5 * value))) for name, value in zip(base.names, truth, strict=True)}
in_loop = {method: {"loop": loop} for method in ("iv", "didim", "output_error")}
faults: list[tuple[str, Trial, float | None, dict[str, Any]]] = [
    ("noise that joints share", recording("shaking", shaking), None, {"gls": {}}),
    ("spikes in the torque", recording("hits", hits), None, {"huber": {}}),
    ("1.2 s of motion", recording("short", tau), 1.2, {"essential": {}, "damped": {}}),
    ("0.5 s, limits known", recording("shorter", tau), 0.5, {"constrained": {"bounds": limits}}),
    ("noisy encoders", recording("noisy", tau, 10 * ENCODER), None, {"tls": {"position_sigma": 10 * ENCODER}, **in_loop}),
]
for fault, trial, stop, others in faults:
    options = Preprocessing(cutoff=30, min_speed=0.0, clock="nominal", stop=stop)
    for method, more in {"wls": {}, **others}.items():
        found = error(identify(base, trial, method=method, preprocessing=options, **more).minimum_norm)
        plt.barh(f"{fault}: {method}", found, color="tab:gray" if method == "wls" else "tab:blue")
        print(f"{fault:<24} {method:<12} {found:8.3f} %")
energy = identify_power(base, recording("energy", tau), interval=0.1, preprocessing=Preprocessing(cutoff=30, min_speed=0.0, clock="nominal"))
print(f"{'no accelerations':<24} {'power model':<12} {error(energy.beta):8.3f} %")
plt.gca().invert_yaxis()
plt.gca().set(xscale="log", xlabel="torque error on another motion [%]")
plt.savefig("every_estimator.png", bbox_inches="tight")
