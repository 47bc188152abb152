"""A payload found while the robot moves: causal filters, recursive least squares, and what is known second by second."""

import matplotlib.pyplot as plt
import numpy as np

from optid import DHRow, DynamicModel, Link, Preprocessing, Robot, Trial, identify
from optid.identification.online import OnlineOptions, OnlinePayload

RATE = 500.0
rows = [
    DHRow(alpha=np.pi / 2, d=0.089159),
    DHRow(a=-0.425),
    DHRow(a=-0.39225),
    DHRow(alpha=np.pi / 2, d=0.10915),
    DHRow(alpha=-np.pi / 2, d=0.09465),
    DHRow(d=0.0823),
]
body = np.random.default_rng(0)
links = [Link.from_com(body.uniform(1, 6), body.uniform(-0.1, 0.1, 3), np.diag(body.uniform(0.01, 0.05, 3))) for _ in rows]
arm = Robot.from_dh(rows, "standard", links=links, name="six joints").with_friction(viscous=[2.0] * 6, coulomb=[1.0] * 6)
payload = Link.from_com(1.5, (0.02, -0.01, 0.08), np.diag([0.004, 0.005, 0.003]))
held = np.array(links[-1].parameters) + np.array(payload.parameters)
empty = DynamicModel(arm, friction="viscous+coulomb", sign_width=0.05)
loaded = empty.with_robot(arm.with_links([*links[:-1], Link("loaded", float(held[0]), tuple(held[1:4]), tuple(held[4:]))]))


def run(model: DynamicModel, seconds: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and noisy torques of slow sines on all joints."""
    rng = np.random.default_rng(seed)
    t, w, phase = np.arange(0, seconds, 1 / RATE), 2 * np.pi * rng.uniform(0.15, 0.6, (4, 6)), rng.uniform(0, 6, (4, 6))
    angle = t[:, None, None] * w + phase
    q, dq, ddq = (0.4 * np.sin(angle)).sum(axis=1), (0.4 * w * np.cos(angle)).sum(axis=1), -(0.4 * w**2 * np.sin(angle)).sum(axis=1)
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq)
    return q, tau + 0.2 * rng.standard_normal(tau.shape)


q, tau = run(empty, 30, 1)
trial = Trial(np.arange(len(q)) / RATE, q, tau=tau, joint_names=arm.joint_names, name="empty")
fit = identify(empty, trial, preprocessing=Preprocessing(cutoff=30.0, torque_cutoff=30.0, min_speed=0.0))

online = OnlinePayload(fit, OnlineOptions(RATE, elastic_frequency=6.0, torque_sigma=0.2))
print(f"cut-off {online.cutoff:g} Hz, five times the elastic frequency; estimates are {1e3 * online.delay:.1f} ms old")
q, tau = run(loaded, 30, 2)
mass = []
for second in range(30):
    part = slice(int(second * RATE), int((second + 1) * RATE))
    online.update(q[part], tau[part])
    mass.append(online.estimate["m"])
    if second + 1 in (1, 2, 5, 10, 30):
        now = online.estimate
        print(f"after {second + 1:>2} s: m {now['m']:.4f} kg, mz {now['mz']:.4f} kg m, Ixx {now['Ixx']:.4f} kg m²")
print(f"truth:       m {payload.parameters[0]:.4f} kg, mz {payload.parameters[3]:.4f} kg m, Ixx {payload.parameters[4]:.4f} kg m²")
print(f"mass error after 30 s: {100 * abs(online.estimate['m'] / payload.parameters[0] - 1):.2f} %")
plt.plot(range(1, 31), mass, "o-", label="found on-line")
plt.axhline(payload.parameters[0], color="tab:red", label="truth")
plt.gca().set(xlabel="time [s]", ylabel="mass of the payload [kg]")
plt.legend()
plt.savefig("payload_online.png")
