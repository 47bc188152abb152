"""Motions of simulated arms with known answers: energy, friction at rest, motors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

from optid import DHRow, DynamicModel, Joint, Link, Robot, library
from optid.errors import DataError, RobotError, ShapeError, SingularError, SolveError
from optid.model import DCMotor
from optid.model.actuator import Actuator, needed_current, needed_voltage, with_actuators
from optid.simulation import BatchPlant, Plant, State, forward_dynamics, integrate, mechanical_energy
from optid.simulation.friction_side import break_away


def slide(viscous: float = 0.0, coulomb: float = 0.0, mass: float = 2.0) -> DynamicModel:
    """A mass on a horizontal slide."""
    joint = Joint("slide", "P", axis=(1.0, 0.0, 0.0), viscous=viscous, coulomb=coulomb)
    return DynamicModel(Robot((joint,), (Link("mass", mass),)), ("viscous", "coulomb"))


@pytest.mark.parametrize(("name", "speed"), [("planar_2r", 0.0), ("scara_v08", 0.8), ("panda", 0.3)])
def test_energy_drifts_below_1e9_in_ten_seconds(name: str, speed: float) -> None:
    """No input, no friction: kinetic plus potential energy stays, relative to the kinetic energy that passes through."""
    model = DynamicModel(getattr(library, name)(), "none", rotor_inertia=True)
    pi = model.nominal_parameters() + np.where([n.startswith("Ia") for n in model.parameter_names], 0.05, 0.0)
    plant = Plant(model, pi)
    start = plant.state(np.full(model.n, 0.3), np.full(model.n, speed))
    if name == "scara_v08":
        start.dq[3] = 0.0
    states = integrate(plant, start, np.linspace(0, 10, 41), rtol=1e-12, atol=1e-13)
    kinetic, potential = mechanical_energy(model, pi, states.q, states.dq)
    total = kinetic + potential
    assert np.abs(total - total[0]).max() < 1e-9 * kinetic.max()


def test_fixed_steps_converge_with_order_four() -> None:
    """Half the step, a sixteenth of the error."""
    model = DynamicModel(library.planar_2r(), "none")
    exact = integrate(Plant(model), Plant(model).state([0.3, 0.4]), [0.0, 0.5], rtol=1e-13, atol=1e-14).q[-1, 0]
    plants = [Plant(model, step=h) for h in (1.25e-3, 0.625e-3)]
    errors = [abs(plant.advance(plant.state([0.3, 0.4]), [0.0, 0.0], 0.5).q[0] - exact) for plant in plants]
    assert 14 < errors[0] / errors[1] < 20


def test_power_balance_with_friction() -> None:
    """Work of the drives = change of energy + heat of friction, with a smooth sign; the heat from the model's own friction torque."""
    model = DynamicModel(library.planar_2r(), "viscous+coulomb", sign_width=0.05)
    pi = model.parameters({"fv1": 0.3, "fv2": 0.2, "fc1": 0.5, "fc2": 0.4}, model.nominal_parameters())
    plant = Plant(model, pi)
    time = np.linspace(0, 2, 8001)

    def inputs(t: float, state: State) -> list[float]:
        return [12 + 6 * np.sin(5 * t), 2 * np.cos(7 * t)]

    states = integrate(plant, plant.state([0.2, -0.5]), time, inputs, rtol=1e-11)
    tau = np.array([inputs(t, states) for t in time])
    zero = np.zeros_like(states.q)
    rigid = DynamicModel(library.planar_2r(), "none")
    friction = model.inverse_dynamics(pi, states.q, states.dq, zero) - rigid.inverse_dynamics(rigid.nominal_parameters(), states.q, states.dq, zero)
    work = trapezoid((tau * states.dq).sum(axis=1), time)
    heat = trapezoid((friction * states.dq).sum(axis=1), time)
    energy = np.sum(mechanical_energy(model, pi, states.q[[0, -1]], states.dq[[0, -1]]), axis=0)
    assert heat > 1
    assert work == pytest.approx(energy[1] - energy[0] + heat, abs=2e-6 * abs(work))


def test_a_sliding_mass_stops_where_it_should_and_stays() -> None:
    """m dv/dt = −fc − fv v: rest after (m/fv) ln(1 + fv v0/fc), at m/fv (v0 − (fc/fv) ln(1 + fv v0/fc))."""
    m, fv, fc, v0 = 2.0, 0.7, 0.5, 0.4
    time = m / fv * np.log(1 + fv * v0 / fc)
    place = m / fv * (v0 - fc / fv * np.log(1 + fv * v0 / fc))
    plant = Plant(slide(fv, fc, m), step=1e-3)
    before = plant.advance(plant.state([0.0], [v0]), [0.0], time - 1e-6)
    assert before.dq[0] == pytest.approx(fc / m * 1e-6, rel=1e-3)
    after = plant.advance(before, [0.0], 1.0)
    assert after.dq[0] == 0.0
    assert after.q[0] == pytest.approx(place, rel=1e-10)
    held = plant.advance(after, [0.499], 1.0)
    assert np.array_equal(held, after)
    moved = plant.advance(after, [0.501], 1e-2)
    assert moved.dq[0] == pytest.approx(0.001 / m * 1e-2, rel=1e-2)
    assert plant.advance(after, [-0.8], 1e-2).dq[0] == pytest.approx(-0.3 / m * 1e-2, rel=1e-2)


def test_a_reversal_passes_through_rest() -> None:
    """Pushed back at constant force: decelerates with F + fc, then accelerates the other way with F − fc."""
    plant = Plant(slide(0.0, 0.5, 1.0), step=0.05)
    state = plant.advance(plant.state([0.0], [0.3]), [-1.1], 1.0)
    stop = 0.3 / 1.6
    assert state.dq[0] == pytest.approx(-0.6 * (1.0 - stop), rel=1e-10)
    assert state.q[0] == pytest.approx(0.5 * 0.3 * stop - 0.3 * (1.0 - stop) ** 2, rel=1e-10)


def test_coupled_axes_stand_by_their_motors() -> None:
    """C37: q = C θ, motor friction (2, 3): with q2 still and q1 moving both motors turn, and both rub: 5 and 3 N m at the joints."""
    robot = library.planar_2r(vertical=False).with_coupling([[1.0, 0.0], [-1.0, 1.0]])
    model = DynamicModel(robot, "coulomb")
    pi = model.parameters({"fc1": 2.0, "fc2": 3.0}, model.nominal_parameters())
    plant = Plant(model, pi)
    none = DynamicModel(library.planar_2r(vertical=False), "none")
    rubbed = plant.advance(plant.state([0.1, 0.2], [0.5, 0.0]), [0.0, 0.0], 1e-6)
    expected = forward_dynamics(none, none.nominal_parameters(), [0.1, 0.2], [0.5, 0.0], [-5.0, -3.0])
    assert (rubbed.dq - [0.5, 0.0]) / 1e-6 == pytest.approx(expected, rel=1e-5)
    # at rest the motors hold up to 2 and 3 N m: C'τ = (τ1 − τ2, τ2)
    still = plant.state([0.1, 0.2])
    assert np.array_equal(plant.advance(still, [4.8, 2.9], 0.1), still)
    started = plant.advance(still, [5.2, 2.9], 1e-3)
    assert started.dq[0] != 0
    assert started.dq.sum() == pytest.approx(0.0, abs=1e-18)  # motor 2 (θ2 = q1 + q2) stands


@pytest.mark.parametrize("seed", range(20))
def test_break_away_satisfies_its_conditions(seed: int) -> None:
    """The one solution of the complementarity problem, checked condition by condition; uniqueness follows from A > 0."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    B = rng.standard_normal((n, n))
    A = B @ B.T + 0.1 * np.eye(n)
    lower, upper = -rng.uniform(0, 2, n), rng.uniform(0, 2, n)
    load = 3 * rng.standard_normal(n)
    standing = rng.random(n) < 0.8
    start = break_away(A, load, standing, lower, upper)
    friction = np.where(start > 0, upper, np.where(start < 0, lower, 0.0)) * standing
    held = standing & (start == 0)
    if held.any():
        friction[held] = np.linalg.solve(A[np.ix_(held, held)], (A @ (load - friction))[held])
    a = A @ (load - friction)
    assert ((friction >= lower - 1e-9) & (friction <= upper + 1e-9))[standing].all()
    assert np.abs(a[held]).max(initial=0) < 1e-9
    assert (a * start >= -1e-9).all()
    assert (start[~standing] == 0).all()


def test_motor_speed_settles_at_the_no_load_speed() -> None:
    """V = R i + kt w and kt i = B w at the end: w = V kt / (kt² + R B); and the electrical power balance V i = R i² + L i di/dt + kt i w."""
    motor = DCMotor(L=2e-3, R=1.5, kt=0.08, J=4e-4, B=1e-4)
    robot = Robot.from_dh([DHRow()], "modified", links=[Link("rotor", 0.0)])
    model, pi = with_actuators(DynamicModel(robot, "viscous", rotor_inertia=True), [Actuator(motor, gear=50.0)])
    plant = Plant(model, pi, (Actuator(motor, gear=50.0),))
    assert plant.largest_step == pytest.approx(1e-4)
    end = plant.advance(plant.state([0.0]), [24.0], 3.0)
    assert 50 * end.dq[0] == pytest.approx(24 * 0.08 / (0.08**2 + 1.5 * 1e-4), rel=1e-9)
    assert end.current[0] == pytest.approx(1e-4 * 50 * end.dq[0] / 0.08, rel=1e-6)
    time = np.linspace(0, 0.05, 4001)
    states = integrate(plant, plant.state([0.0]), time, lambda t, s: [24.0], rtol=1e-11)
    i, w = states.current[:, 0], 50 * states.dq[:, 0]
    stored = 0.5 * 2e-3 * i**2 + 0.5 * 4e-4 * w**2
    lost = 1.5 * i**2 + 1e-4 * w**2
    assert trapezoid(24 * i, time) == pytest.approx(stored[-1] + trapezoid(lost, time), rel=1e-6)


def test_power_balance_with_motors_and_coulomb_friction() -> None:
    """Electrical work = heat of windings, of viscous and of Coulomb friction + change of mechanical and magnetic energy, through reversals and standstills."""
    motors = [Actuator(DCMotor(L=2e-3, R=0.8, kt=0.1, J=2e-4, B=1e-4), gear=60.0), Actuator(DCMotor(L=1e-3, R=1.2, kt=0.06, J=5e-5, B=5e-5), gear=40.0)]
    arm = DynamicModel(library.planar_2r(), "viscous+coulomb", rotor_inertia=True)
    rubbing = arm.parameters({"fc1": 3.0, "fc2": 2.0, "fv1": 0.2, "fv2": 0.1}, arm.nominal_parameters())
    model, pi = with_actuators(arm, motors, rubbing)
    plant = Plant(model, pi, tuple(motors))
    h, state, states, volts = 5e-5, plant.state([0.2, -0.5]), [], []
    for k in range(20001):
        states.append(np.stack(state))
        volts.append([6 + 10 * np.sin(12 * (k + 0.5) * h), 5 * np.sin(17 * (k + 0.5) * h)])
        state = plant.advance(state, volts[-1], h)
    q, dq, i = np.moveaxis(np.array(states), 1, 0)
    R, L = np.array([[m.motor.R, m.motor.L] for m in motors]).T
    fv, fc = ([pi[model.index(f"{stem}{j}")] for j in (1, 2)] for stem in ("fv", "fc"))
    # the voltage is constant over a step
    work = float((np.array(volts)[:-1] * (i[1:] + i[:-1]) / 2).sum() * h)
    windings, viscous, coulomb = (float(trapezoid(x, dx=h, axis=0).sum()) for x in (R * i**2, fv * dq**2, fc * np.abs(dq)))
    mechanical = np.sum(mechanical_energy(model, pi, q[[0, -1]], dq[[0, -1]]), axis=0)
    magnetic = float((L * (i[-1] ** 2 - i[0] ** 2) / 2).sum())
    assert work == pytest.approx(windings + viscous + coulomb + mechanical[1] - mechanical[0] + magnetic, rel=4e-6)
    assert coulomb > 0.1 * work
    assert (np.diff(np.sign(dq[:, 1])) != 0).sum() > 5
    assert (dq[:, 1] == 0).mean() > 0.03


def test_needed_current_and_voltage_undo_the_motor() -> None:
    """C40: 0.12 N m/A behind 101 give 18.18 N m at 1.5 A; the voltage of a simulated motion is the one that was applied."""
    motor = DCMotor(L=1e-3, R=0.8, kt=0.12, J=1e-4, B=0.0)
    a = Actuator(motor, gear=101.0)
    assert needed_current([a], [18.18])[0] == pytest.approx(1.5)
    model, pi = with_actuators(DynamicModel(library.emps(), "viscous", rotor_inertia=True), [Actuator(motor, gear=101.0)])
    plant = Plant(model, pi, (a,))
    time = np.linspace(0, 0.2, 20001)
    states = integrate(plant, plant.state([0.0]), time, lambda t, s: [40 * np.sin(30 * t)], rtol=1e-11)
    tau = states.current * a.gain
    volts = needed_voltage([a], tau, states.dq, np.gradient(tau, time, axis=0, edge_order=2))
    assert np.abs(volts[:, 0] - 40 * np.sin(30 * time)).max() < 1e-3


def test_a_batch_is_many_single_steps() -> None:
    model = DynamicModel(library.planar_2r(), "viscous+coulomb", sign_width=0.02)
    pi = model.parameters({"fv1": 0.3, "fv2": 0.2, "fc1": 0.5, "fc2": 0.4}, model.nominal_parameters())
    plant = Plant(model, pi, step=1e-3)
    rng = np.random.default_rng(0)
    q, dq, u = rng.uniform(-1, 1, (3, 40, 2))
    many = BatchPlant(plant).advance(State(q, dq, np.zeros_like(q)), u, 0.02, [0.1, 0.0])
    for k in (0, 17, 39):
        one = plant.advance(plant.state(q[k], dq[k]), u[k], 0.02, [0.1, 0.0])
        assert many.q[k] == pytest.approx(one.q, abs=1e-13)
        assert many.dq[k] == pytest.approx(one.dq, abs=1e-12)


@pytest.mark.parametrize("backend", ["interpreter", "simd", "auto"])
def test_backends_of_a_batch_agree(backend: str) -> None:
    """To 1e-12 of the interpreter; "auto" settles on machine code where copies times steps pay for it, and not for a short call."""
    plant = Plant(DynamicModel(library.planar_2r(), "viscous"), step=1e-3)
    rng = np.random.default_rng(1)
    many = State(*rng.uniform(-1, 1, (3, 300, 2)))
    batch = BatchPlant(plant, backend)
    found = batch.advance(many, [3.0, 1.0], 0.05)
    assert found.q == pytest.approx(BatchPlant(plant, "interpreter").advance(many, [3.0, 1.0], 0.05).q, rel=1e-12, abs=1e-13)
    asked = {steps: batch.kernel(steps).backend for steps in (100, 10**7)}
    assert asked == {"auto": {100: "interpreter", 10**7: "simd"}}.get(backend, dict.fromkeys((100, 10**7), backend))


def test_what_cannot_be_simulated_is_named() -> None:
    model = slide(0.1, 0.5)
    with pytest.raises(RobotError, match=r"exact sign, expected a smooth sign\. Use model\.with_sign_width"):
        BatchPlant(Plant(model))
    with pytest.raises(DataError, match="NaN or infinite"):
        Plant(model, np.full(model.p, np.nan))
    with pytest.raises(SingularError, match="not positive definite"):
        Plant(slide(mass=0.0))
    with pytest.raises(ShapeError, match="1 finite numbers"):
        Plant(model).state([0.0, 1.0])
    with pytest.raises(DataError, match="step of a plant"):
        Plant(model, step=0.0)
    with pytest.raises(ShapeError, match="actuators of a plant: 2, expected 1"):
        Plant(model, actuators=(Actuator(DCMotor(0, 1, 1, 0, 0)),) * 2)
    with pytest.raises(RobotError, match="R of an actuator's motor: 0"):
        Actuator(DCMotor(0, 0, 1, 0, 0))
    with pytest.raises(SolveError, match="not finite"):
        plant = Plant(slide())
        plant.advance(plant.state([0.0]), [np.inf], 1e-3)
