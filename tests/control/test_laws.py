"""Control laws on arms with known answers: outer loops, gains, disturbances, delays, measurements, voltages."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import lti

from optid import DynamicModel, Joint, Link, Robot, library
from optid.control import (
    ComputedTorque,
    ExpressionMotion,
    Feedforward,
    GravityPD,
    Indices,
    OuterLoop,
    Reference,
    Simulation,
    VoltageLaw,
    critical_gain,
    simulate,
    tracking_indices,
)
from optid.errors import DataError, ShapeError, SolveError, UnknownNameError, UnsuitableSolverError
from optid.model import DCMotor
from optid.model.actuator import Actuator, with_actuators
from optid.simulation import Measurement, Plant
from optid.trajectory import PointToPoint


def mass(m: float = 2.0, friction: str = "none") -> DynamicModel:
    """A mass on a vertical slide: gravity −9.81 along it."""
    return DynamicModel(Robot((Joint("slide", "P", axis=(0.0, 0.0, 1.0)),), (Link("mass", m),)), friction)


def still(duration: float = 1.0, place: float = 0.1) -> Reference:
    import casadi as ca

    return Reference(ExpressionMotion(lambda t: ca.SX([place]) + 0 * t, duration))


def arm() -> DynamicModel:
    return DynamicModel(library.planar_2r(), "viscous")


def swing(duration: float = 1.0) -> Reference:
    return Reference(PointToPoint([0.2, -0.4], [0.9, 0.5], duration))


def test_critical_gains_do_not_overshoot() -> None:
    """V08, Ec. 60: e(t) = (1 + ω t) e^(−ω t) e0 from rest; with half the gain e changes sign."""
    assert critical_gain([100.0, 4.0]) == pytest.approx([20.0, 4.0])
    model = mass()
    law = ComputedTorque(model, OuterLoop.pd(100.0))
    run = simulate(Plant(model), law, still(0.6), period=None, q0=[0.0], record=0.01)
    expected = 0.1 * (1 + 10 * run.time) * np.exp(-10 * run.time)
    assert run.error[:, 0] == pytest.approx(expected, abs=1e-9)
    under = simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(100.0, 10.0)), still(0.6), period=None, q0=[0.0], record=0.01)
    assert under.error.min() < -0.01


def test_any_transfer_function_is_the_textbook_loop() -> None:
    """Computed torque makes 1/s² of each joint: with H(s) = (50 s² + 900 s + 4000)/(0.02 s² + s) the error from e0 is that of s² + H(s), by SciPy."""
    num, den = [50.0, 900.0, 4000.0], [0.02, 1.0, 0.0]
    model = arm()
    run = simulate(
        Plant(model), ComputedTorque(model, OuterLoop([num] * 2, [den] * 2)), swing(), period=None, q0=[0.25, -0.4], dq0=[0.0, 0.0], record=0.01, rtol=1e-10
    )
    # (s² den + num) E = s den e0: the response of E/e0 to an impulse
    below = np.polyadd(np.polymul([1.0, 0.0, 0.0], den), num)
    _, expected = lti(np.polymul([1.0, 0.0], den), below).impulse(T=run.time)
    assert run.error[:, 0] == pytest.approx(-0.05 * expected, abs=1e-7)
    assert np.abs(run.error[:, 1]).max() < 1e-9


def test_sampled_transfer_function_steps_exactly() -> None:
    """An integrator and a lag, held errors: by hand."""
    loop = OuterLoop([[1.0], [3.0]], [[1.0, 0.0], [0.5, 1.0]])
    Ad, Bd = loop.discrete(0.1)
    z = np.zeros(2)
    for _ in range(7):
        z = Ad @ z + Bd @ np.array([2.0, 2.0])
    assert loop.output(z, np.zeros(2), np.zeros(2)) == pytest.approx([2 * 0.7, 6 * (1 - np.exp(-0.7 / 0.5))])


def test_integral_action_removes_what_a_disturbance_leaves() -> None:
    """A constant force F leaves e = −F/(m kp) with PD, and nothing with PID."""
    model = mass()
    push = {"disturbance": lambda t: [6.0]}
    left = simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(400.0)), still(2.0), **push)
    assert left.error[-1, 0] == pytest.approx(-6.0 / (2.0 * 400.0), rel=1e-3)
    gone = simulate(Plant(model), ComputedTorque(model, OuterLoop.pid(400.0, 40.0, 2000.0)), still(4.0), **push)
    assert abs(gone.error[-1, 0]) < 1e-5


def test_what_a_wrong_mass_leaves() -> None:
    """All parameters 35 % too large: a hanging mass sits 0.35 g / (1.35 kp) too high, by hand; PID brings it down."""
    model = mass()
    wrong = 1.35 * model.nominal_parameters()
    run = simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(900.0), wrong), still(2.0))
    assert run.error[-1, 0] == pytest.approx(-0.35 * 9.81 / (1.35 * 900.0), rel=1e-4)


def test_laws_that_computed_torque_is_compared_with() -> None:
    """At rest gravity compensation is exact; on the move feedforward is better than it, and computed torque best (same position gain per inertia)."""
    model = arm()
    M = np.diag(model.mass_matrix(model.nominal_parameters(), [0.5, 0.0]))
    stiff = OuterLoop.pd(400.0 * M, 40.0 * M)
    laws = {"gravity": GravityPD(model, stiff), "feedforward": Feedforward(model, stiff), "computed": ComputedTorque(model, OuterLoop.pd(400.0))}
    runs = {name: simulate(Plant(model), law, swing()) for name, law in laws.items()}
    iae = {name: tracking_indices(run).joint.iae for name, run in runs.items()}
    assert (iae["feedforward"] < 0.2 * iae["gravity"]).all()
    assert (iae["computed"] <= iae["feedforward"] * 1.001).all()
    rest = simulate(Plant(model), laws["gravity"], Reference(PointToPoint([0.2, -0.4], [0.2, -0.4 + 1e-12], 1.0)), duration=0.5)
    assert np.abs(rest.error).max() < 1e-9


def test_a_delay_is_felt() -> None:
    """Stable with none; with 12 ms at a bandwidth of 100 rad/s and little damping the loop is lost."""
    model = mass()
    law = ComputedTorque(model, OuterLoop.pd(1e4, 60.0))
    good = simulate(Plant(model), law, still(0.5), q0=[0.09])
    assert abs(good.error[-1, 0]) < 1e-6
    assert np.abs(simulate(Plant(model), law, still(0.5), q0=[0.09], delay=12).error[-100:]).max() > 0.05


def test_until_the_first_command_acts_gravity_is_held() -> None:
    model = mass()
    run = simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(100.0)), still(0.02), delay=5)
    assert run.u[:5, 0] == pytest.approx(2 * 9.81)
    assert np.abs(run.error).max() < 1e-15


def test_measurements_are_counted_and_noisy() -> None:
    """Rest is reached to a count; the speed by differences of counts is a whole number of counts a period; seeds repeat, bit by bit."""
    model = mass(friction="viscous")
    pi = model.parameters({"fv1": 20.0}, model.nominal_parameters())
    count = 1e-4
    run = simulate(
        Plant(model, pi), ComputedTorque(model, OuterLoop.pd(100.0), pi), still(1.0), q0=[0.05], measurement=Measurement(resolution=count, speed="difference")
    )
    assert abs(run.error[-1, 0]) < 2 * count
    noisy = Measurement(noise=1e-5, speed_noise=1e-3)
    runs = [simulate(Plant(model, pi), ComputedTorque(model, OuterLoop.pd(100.0), pi), still(0.1), measurement=noisy, seed=seed).q for seed in (1, 1, 2)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])
    sense = Measurement(resolution=count, speed="difference").start(1e-3, 0, 1)
    sense(np.array([0.0]), np.array([1.0]))
    q, dq = sense(np.array([2.4e-4]), np.array([1.0]))
    assert q[0] == pytest.approx(2e-4)
    assert dq[0] == pytest.approx(0.2)


def test_voltages_track_as_torques_do_when_motors_are_fast() -> None:
    """With L = 0 the voltage gives its current at once: the motion tends to that under torques as it is held for shorter; L/R = 2 ms is followed too."""
    plain = DynamicModel(library.planar_2r(), "viscous", rotor_inertia=True)

    def run(L: float, period: float, voltage: bool = True) -> Simulation:
        actuators = (Actuator(DCMotor(L=L, R=0.5, kt=0.1, J=2e-5, B=1e-5), gear=100.0),) * 2
        model, pi = with_actuators(plain, actuators)
        law = ComputedTorque(model, OuterLoop.pd(400.0), pi)
        return simulate(Plant(model, pi, actuators if voltage else ()), VoltageLaw(law, actuators) if voltage else law, swing(), period=period, duration=0.4)

    away = []
    for period in (4e-4, 2e-4):
        volts, torque = run(0.0, period), run(0.0, period, voltage=False)
        assert volts.tau == pytest.approx(volts.current * 10.0)
        away.append(np.abs(volts.q - torque.q).max())
    assert away[1] < 0.6 * away[0] < 2e-3
    assert np.abs(run(1e-3, 2e-4).error).max() < 2e-3


def test_limited_voltage_limits_the_current() -> None:
    actuators = (Actuator(DCMotor(L=0.0, R=2.0, kt=0.1, J=1e-5, B=0.0), gear=50.0, max_voltage=10.0),)
    model, pi = with_actuators(DynamicModel(library.emps(), "viscous", rotor_inertia=True), actuators)
    reference = Reference(PointToPoint([0.0], [0.2], 0.1))
    run = simulate(Plant(model, pi, actuators), VoltageLaw(ComputedTorque(model, OuterLoop.pd(400.0), pi), actuators), reference)
    assert np.abs(run.u).max() > 10
    bound = (10.0 + 5.0 * np.abs(run.dq)) / 2.0
    assert (np.abs(run.current) <= bound + 1e-12).all()


def test_held_and_continuous_references() -> None:
    """Backward differences by hand, 0 at the first sample; a continuous one is the motion; after its end the motion is at rest."""
    motion = PointToPoint([0.0], [1.0], 1.0)
    held = Reference(motion, hold=0.1, derivatives="backward", lead=0.2)
    q = [motion.derivative([t], 0)[0, 0] for t in (0.2, 0.3, 0.4)]
    target = held.target([0.0, 0.05, 0.1, 0.25])
    assert target.q[:, 0] == pytest.approx([q[0], q[0], q[1], q[2]])
    assert target.dq[:, 0] == pytest.approx([0, 0, (q[1] - q[0]) / 0.1, (q[2] - q[1]) / 0.1])
    assert target.ddq[:, 0] == pytest.approx([0, 0, (q[1] - q[0]) / 0.01, (q[2] - 2 * q[1] + q[0]) / 0.01])
    assert held.edges(0.0, 0.35) == pytest.approx([0.1, 0.2, 0.3])
    assert held.duration == pytest.approx(0.8)
    late = Reference(motion).wanted([0.5, 2.0])
    assert late.q[:, 0] == pytest.approx([0.5, 1.0])
    assert late.dq[1] == 0.0


def test_indices_by_hand() -> None:
    """e = t over 2 s: IAE 2, ISE 8/3, rms √(4/3), peak 2 at the end; the sign of a peak is kept."""
    t = np.linspace(0, 2, 2001)
    found = Indices.of(t, np.stack([t, -t], axis=1), ("up", "down"))
    assert found["up"] == pytest.approx({"iae": 2.0, "ise": 8 / 3, "rms": np.sqrt(4 / 3), "peak": 2.0, "peak_time": 2.0}, rel=1e-6)
    assert found["down"]["peak"] == -2.0
    with pytest.raises(UnknownNameError, match="signal 'upp'"):
        found["upp"]
    with pytest.raises(DataError, match="finite errors at increasing times"):
        Indices.of([0.0, 0.0], [1.0, 2.0])
    with pytest.raises(ShapeError, match=r"\(N,\) and \(N, m\)"):
        Indices.of([0.0, 1.0], [1.0, 2.0, 3.0])


def test_wrong_loops_are_named() -> None:
    model = arm()
    with pytest.raises(DataError, match="degree 3 over 1, expected at most one more"):
        OuterLoop([[1, 0, 0, 0]], [[1, 1]])
    with pytest.raises(DataError, match="a denominator other than zero"):
        OuterLoop([[1.0]], [[0.0]])
    with pytest.raises(ShapeError, match="3 transfer functions, expected 2"):
        ComputedTorque(model, OuterLoop.pd([1.0, 2.0, 3.0]))
    with pytest.raises(DataError, match="not negative"):
        critical_gain(-1.0)
    with pytest.raises(ShapeError, match="reference: 1 joints, expected 2"):
        simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(1.0)), still())
    with pytest.raises(ShapeError, match="base vector goes with"):
        ComputedTorque(model, OuterLoop.pd(1.0), [1.0])
    with pytest.raises(UnknownNameError, match="Did you mean 'backward'"):
        Reference(still().motion, 0.1, "backwards")
    with pytest.raises(DataError, match="no hold"):
        Reference(still().motion, derivatives="backward")
    with pytest.raises(DataError, match="neither: both belong to samples"):
        simulate(Plant(model), ComputedTorque(model, OuterLoop.pd(1.0)), swing(), period=None, delay=1)

    class Program:
        def start(self, reference: Reference, period: float) -> None: ...

    with pytest.raises(UnsuitableSolverError, match="no continuous-time law"):
        simulate(Plant(model), Program(), swing(), period=None)
    with pytest.raises(SolveError, match="not finite"):
        simulate(Plant(mass()), ComputedTorque(mass(), OuterLoop.pd(1e9, 1.0)), still(0.3), q0=[5.0])


def test_torques_do_not_drive_motors_nor_volts_an_arm_without() -> None:
    """Mixed units gave motions without a word: 16 020 rad of error for volts taken as torques."""
    actuators = (Actuator(DCMotor(L=0.0, R=0.5, kt=0.1, J=2e-5, B=1e-5), gear=100.0),) * 2
    model, pi = with_actuators(DynamicModel(library.planar_2r(), "viscous", rotor_inertia=True), actuators)
    law = ComputedTorque(model, OuterLoop.pd(400.0), pi)
    with pytest.raises(DataError, match="Wrap the law in VoltageLaw"):
        simulate(Plant(model, pi, actuators), law, swing(), duration=0.1)
    with pytest.raises(DataError, match="voltage law: no motors"):
        simulate(Plant(model, pi), VoltageLaw(law, actuators), swing(), duration=0.1)
