"""The best motion, predicted by the linearised loop and checked by simulation."""

from __future__ import annotations

import numpy as np

from optid.flexibility.inputs import best_input, input_quality
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.plants import on_stand
from optid.flexibility.surfaces import experiment


def simulated_curvature(loop: FlexibleLoop, name: tuple[str, str, str]) -> np.ndarray:
    """∫ u_i u_j dt after the motion, of the torque that one percent of Υ adds."""
    motion = experiment(loop, *name)
    record = loop.simulate(motion, [[100, 100], [101, 100], [100, 101]], tail=0.7)
    after = (record.torque[1:] - record.torque[0])[:, record.time >= motion.duration + 0.05]
    after = after - after[:, -1:]
    return np.einsum("ikn,jkn->ij", after, after) / loop.rate


def test_linear_loop_predicts_the_valley(loop_a: FlexibleLoop) -> None:
    """Direction of the valley within 4°, size of the vibration within a factor 2, for a coupled, a decoupled and a bowl-shaped case."""
    for name in (("zero", "+-", "short"), ("stretched", "++", "short"), ("folded", "+-", "short")):
        predicted, simulated = input_quality(loop_a, experiment(loop_a, *name)).curvature, simulated_curvature(loop_a, name)
        angles = []
        for curvature in (predicted, simulated):
            along = np.linalg.eigh(curvature)[1][:, 0]
            angles.append(np.degrees(np.arctan(along[0] / along[1])))
        assert abs(angles[0] - angles[1]) < 4
        ratio = np.sqrt(np.diag(predicted) / np.diag(simulated))
        strong = np.diag(simulated) > 1e-4 * simulated.max()
        assert np.all((ratio[strong] > 0.5) & (ratio[strong] < 2))


def test_a_stand_changes_the_best_input(loop_a: FlexibleLoop) -> None:
    """The plant may have joints without motors; on a stiff stand everything is as without one."""
    motion = experiment(loop_a, "stretched", "++", "short")
    alone = input_quality(loop_a, motion).curvature
    for stiffness, same in ((1e9, True), (1e7, False)):
        plant = on_stand(loop_a.plant, stiffness, 1e4, inertia=50.0)
        found = input_quality(FlexibleLoop(plant, loop_a.plant, backend="interpreter"), motion).curvature
        assert np.allclose(found, alone, rtol=0.05, atol=0.02 * np.abs(alone).max()) == same


def test_best_input_shows_the_weakest_direction(loop_a: FlexibleLoop) -> None:
    """At the zero posture the "+-" moves hide the second Υ (J23 = J33), and long moves excite less: the choice falls on "++ short", as in the simulation."""
    names = {f"{d} {s}": ("zero", d, s) for d in ("++", "+-") for s in ("long", "short")}
    best, found = best_input(loop_a, {name: experiment(loop_a, *where) for name, where in names.items()})
    weakest = {name: np.linalg.eigvalsh(simulated_curvature(loop_a, where))[0] for name, where in names.items()}
    assert best == "++ short" == max(weakest, key=lambda name: weakest[name])
    assert found["+- short"].shows(1) < 0.02 * found["+- short"].shows(0)
    assert found["++ short"].condition < 1e3 < found["+- short"].condition
