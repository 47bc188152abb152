"""Encoder noise in a closed loop pulls least squares away from the truth; instrumental variables are not pulled."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from optid import Preprocessing, Trial, identify
from optid.problems import ClosedLoop
from optid.simulation import Plant
from optid.simulation.irb140_story import irb140_base
from optid.trajectory import irb140_g21

KP, KV = np.array([4000.0, 4000.0, 2000.0]), np.array([160.0, 160.0, 80.0])
ENCODER = 2 * np.pi / 65536 / np.sqrt(12)
COUNT, PERIOD = 10_000, 1e-3

base, motion = irb140_base(), irb140_g21()
truth = base.beta(base.model.nominal_parameters())


def record(noise: float) -> Trial:
    """Ten seconds under a sampled controller that reads noisy positions and differences them."""
    rng, plant = np.random.default_rng(0), Plant(base.model, step=PERIOD)
    time = np.arange(COUNT) * PERIOD
    wanted, speed = motion.derivative(time, 0), motion.derivative(time, 1)
    state = plant.state(wanted[0], speed[0])
    q, u = np.zeros((COUNT, 3)), np.zeros((COUNT, 3))
    for k in range(COUNT):
        q[k] = state.q + noise * rng.standard_normal(3)
        seen = (q[k] - q[k - 1]) / PERIOD if k else state.dq
        u[k] = KP * (wanted[k] - q[k]) + KV * (speed[k] - seen)
        state = plant.advance(state, u[k], PERIOD)
    tau = np.vstack([u[:1], (u[1:] + u[:-1]) / 2])  # torque is held between samples: its mean about each stamp
    return Trial(time, q, tau=tau + rng.standard_normal((COUNT, 3)) * [0.5, 0.5, 0.25], joint_names=base.model.robot.joint_names)


def controller(q: Any, dq: Any, r: Any) -> Any:
    """Torque of the controller; r holds the wanted positions and speeds."""
    return KP * (r[:3] - q) + KV * (r[3:] - dq)


loop = ClosedLoop(controller, lambda time: np.hstack([motion.derivative(time, 0), motion.derivative(time, 1)]))
options = Preprocessing(cutoff=30, min_speed=0.0, clock="nominal", decimate=10)
found = {}
plt.axhspan(-1.96, 1.96, color="lightgrey", label="where 95 % should lie")
for times in (1, 10):
    trial = record(times * ENCODER)
    for method, more in (("wls", {}), ("iv", {"loop": loop})):
        fit = identify(base, trial, method=method, preprocessing=options, **more)
        z = (fit.beta - truth) / np.sqrt(np.diag(fit.covariance(fit.reliable_kind)))
        if times == 10:
            plt.plot(z, "o" if method == "iv" else "x", label={"wls": "least squares", "iv": "instrumental variables"}[method])
        found[method, times] = float(np.sqrt(np.mean(z**2)))
        print(f"{times:>2} x encoder noise, {method:<3}: off by {found[method, times]:.2f} standard deviations rms, {np.abs(z).max():.2f} at worst")
print(f"at ten times the noise: least squares {found['wls', 10]:.2f}, instrumental variables {found['iv', 10]:.2f}")
plt.gca().set(title="ten times the encoder's noise", xlabel="base parameter", ylabel="(estimate − truth) / σ")
plt.legend()
plt.savefig("closed_loop_bias.png")
