"""Input shapers as a baseline."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid.errors import DataError, UnknownNameError
from optid.flexibility.gains import Gains
from optid.flexibility.linear import linearise
from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.objectives import TailRule, settled
from optid.flexibility.shapers import ShapedMotion, Shaper
from optid.flexibility.two_axis import set_a
from optid.model.flexible_joint import Spring
from optid.trajectory import PointToPoint


def test_shapers_of_the_textbook() -> None:
    """ZV: A = [1, K]/(1+K) half a damped period apart; ZVD: [1, 2K, K²]/(1+K)²; both cancel their own vibration, ZVD with zero slope in frequency."""
    frequency, damping = 8.0, 0.1
    K = np.exp(-damping * np.pi / np.sqrt(1 - damping**2))
    period = 1 / (frequency * np.sqrt(1 - damping**2))
    zv, zvd = Shaper.of(frequency, damping), Shaper.of(frequency, damping, "ZVD")
    assert np.allclose(zv.times, [0, period / 2]) and np.allclose(zv.amplitudes, np.array([1, K]) / (1 + K))
    assert np.allclose(zvd.times, [0, period / 2, period]) and np.allclose(zvd.amplitudes, np.array([1, 2 * K, K**2]) / (1 + K) ** 2)
    assert zv.vibration(frequency, damping) < 1e-14 and zvd.vibration(frequency, damping) < 1e-14
    assert Shaper.of(8.0).vibration(8.4) > 5 * Shaper.of(8.0, kind="ZVD").vibration(8.4)
    both = Shaper.of(8.0).then(Shaper.of(13.0))
    assert np.isclose(both.amplitudes.sum(), 1) and np.isclose(both.delay, 0.5 / 8 + 0.5 / 13)
    assert both.vibration(8.0) < 1e-14 and both.vibration(13.0) < 1e-14
    with pytest.raises(UnknownNameError, match="kind of a shaper 'EI'"):
        Shaper.of(8.0, kind="EI")
    with pytest.raises(DataError, match="damping ratio 1"):
        Shaper.of(8.0, 1.0)


def test_shaped_motion() -> None:
    """The sum of delayed copies, at rest after its own end; derivatives by differences."""
    inner = PointToPoint(np.zeros(1), np.ones(1), 0.3, "ninth")
    motion = ShapedMotion(inner, Shaper.of(5.0, kind="ZVD"))
    assert np.isclose(motion.duration, 0.5)
    assert np.allclose(motion.derivative([0.0, 0.5, 0.8]), [[0.0], [1.0], [1.0]])
    t = np.linspace(0.01, 0.49, 97)
    slope = (motion.derivative(t + 1e-5) - motion.derivative(t - 1e-5)) / 2e-5
    assert np.allclose(slope, motion.derivative(t, 1), atol=1e-4 * np.abs(slope).max())


def test_copies_stand_before_their_start_and_after_their_end() -> None:
    """The quintic law's jerk, 60/T³ at both ends, jumps there: a tenth of a second into ZV at 2.5 Hz only the first copy moves, at its end only the second."""
    motion = ShapedMotion(PointToPoint(np.zeros(1), np.ones(1), 0.3, "quintic"), Shaper.of(2.5))
    first, last = 0.5 * (60 - 360 / 3 + 360 / 9) / 0.3**3, 0.5 * 60 / 0.3**3
    assert np.allclose(motion.derivative([-0.1, 0.1, 0.5, 0.6], 3)[:, 0], [0.0, first, last, 0.0], rtol=1e-9)


def test_shaping_costs_time_and_feedforward_does_not() -> None:
    """A controller that believes its joints stiff leaves vibration; shapers at the two closed-loop modes take most of it away and delay the move by more than
    half a period; the flexible feedforward leaves less, at once."""
    nominal = set_a()
    stiff = replace(nominal, joints=tuple(replace(joint, spring=Spring(1e9), damping=0.0) for joint in nominal.joints))
    loop = FlexibleLoop(nominal, stiff, Gains.of(nominal), step=1e-4)
    motion = PointToPoint(np.array([0.0, -1.3]), np.array([0.03, -1.27]), 0.237, "ninth")
    poles = linearise(nominal, [0.0, -1.3]).with_feedback(loop.gains).poles()
    modes = sorted({(round(abs(p) / 2 / np.pi, 6), round(-p.real / abs(p), 6)) for p in poles if p.imag > 1 and -p.real / abs(p) < 0.6})[:2]
    shaper = Shaper.of(*modes[0]).then(Shaper.of(*modes[1]))

    def left(run: FlexibleLoop, what: object) -> float:
        record = run.simulate(what, tail=0.5)  # type: ignore[arg-type]
        return float(TailRule(settled(record)).of_record(record)[0])

    plain, shaped, exact = left(loop, motion), left(loop, ShapedMotion(motion, shaper)), left(FlexibleLoop(nominal), motion)
    assert shaped < 0.25 * plain
    assert exact < 0.01 * plain
    assert shaper.delay > 0.5 / modes[0][0]
