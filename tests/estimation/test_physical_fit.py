"""Bodies that can exist: the cone, the smooth coordinates, both measures of distance, limits, and what plain fits read out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from optid import BaseParameters, DHRow, DynamicModel, IdentificationResult, Link, Robot, identify, library, solve
from optid.errors import DataError, LimitsError, RobotError, SolveError, UnknownNameError
from optid.identification.complete import physical_set
from optid.identification.write_back import identified_robot, write_robot
from optid.problems import PhysicalIdentification, Prior
from optid.problems.log_cholesky import coordinates_of, parameters_of, triangle
from optid.problems.physical_bodies import BodyLimits, Box, Ellipsoid, eigenvalues
from optid.problems.physical_report import nearest_standard
from optid.robot import Drive
from optid.robot.physical import check_link, pseudo_inertia
from optid.signals import Samples


def arm(n: int = 3, friction: str = "viscous+coulomb") -> DynamicModel:
    rng = np.random.default_rng(3)
    rows = [DHRow(a=0.4, alpha=np.pi / 2 * (i % 2)) for i in range(n)]
    links = [Link.from_com(3 - i, rng.uniform(-0.2, 0.2, 3), np.diag(rng.uniform(0.05, 0.08, 3)), f"link{i + 1}") for i in range(n)]
    robot = Robot.from_dh(rows, "standard", links=links, drives=[Drive.reflected(0.3)] * n).with_friction(2.0, 1.0)
    return DynamicModel(robot, friction=friction)


def noisy(model: DynamicModel, count: int = 100, noise: float = 1.0, seed: int = 0, pi: np.ndarray | None = None, reach: float = 1.0) -> Samples:
    rng = np.random.default_rng(seed)
    q, dq, ddq = (reach * rng.standard_normal((count, model.n)) for _ in range(3))
    tau = model.inverse_dynamics(model.nominal_parameters() if pi is None else pi, q, dq, ddq)
    return Samples.from_arrays(q, dq, ddq, tau + noise * rng.standard_normal(tau.shape), rate=100)


def posed(model: DynamicModel, samples: Samples, **options: object) -> PhysicalIdentification:
    fit = identify(model, samples)
    return PhysicalIdentification(fit.base, fit.factors, fit.weights, **options)  # type: ignore[arg-type]


# -- data without noise -----------------------------------------------------------------------------------------------------------------------------------


def thin_and_empty() -> Robot:
    """A link without a body, then a thin rod and a body that is no edge case."""
    links = [Link("empty"), Link.from_com(1.0, (0.1, 0, 0), (0, 0.01, 0.01), "rod"), Link.from_com(1.0, (0.1, 0.02, 0), (0.01, 0.012, 0.013), "body")]
    return Robot.from_dh([DHRow(a=0.1, alpha=1.0), DHRow(a=0.3), DHRow(a=0.2)], "standard", links=links)


def rod() -> Robot:
    return Robot.from_dh([DHRow(a=0.1)], "standard", links=[Link.from_com(1.0, (0.1, 0, 0), (0, 0.01, 0.01), "rod")])


@pytest.mark.parametrize("friction", ["viscous+coulomb", "none"])
@pytest.mark.parametrize(
    ("robot", "close"),
    [(library.planar_2r(), 1e-9), (library.panda(), 1e-9), (rod(), 1e-9), (thin_and_empty(), 1e-6)],
    ids=["planar", "panda", "one joint", "zero mass"],
)
@pytest.mark.parametrize("trusted", [True, False])
def test_exact_torque_gives_the_truth(robot: Robot, close: float, friction: str, trusted: bool) -> None:
    """Simulated without noise, bodies at the boundary and friction at zero included: base parameters to 1e-9, whether the prior is right or 30 % off.

    Only a link without mass, all of whose parameters the distance to the boundary moves, is found to that distance (1e-6 of the scaled body).
    """
    model = DynamicModel(robot, friction=friction)
    pi = model.nominal_parameters()
    base = BaseParameters.of(model)
    fit = identify(base, noisy(model, 1000, noise=0.0), method="physical", prior=pi if trusted else 1.3 * pi)
    truth = base.beta(pi)
    assert np.abs(fit.beta - truth).max() <= close * np.abs(truth).max()
    assert fit.physical_report().ok


def test_exact_torque_costs_no_residual() -> None:
    """What is left at the level of rounding is not compared."""
    model = DynamicModel(library.planar_2r(), friction="none")
    fit = identify(model, noisy(model, 200, noise=0.0), method="physical", prior=model.nominal_parameters())
    assert fit.details.residual_increase is None
    assert not any("above that of least squares" in note for note in fit.notes)


# -- the test of a body -----------------------------------------------------------------------------------------------------------------------------------


def test_pseudo_inertia_of_two_bodies() -> None:
    """C53: Io = diag(.1, .1, .1) with h = (.5, 0, 0) cannot be, diag(.1, .35, .35) can."""
    wrong, right = ([1, 0.5, 0, 0, a, 0, 0, b, 0, b] for a, b in ((0.1, 0.1), (0.1, 0.35)))
    assert eigenvalues(wrong)[0] == pytest.approx([-0.1646557, 0.05, 0.05, 1.2146557], abs=1e-7)
    assert eigenvalues(right)[0] == pytest.approx([0.0396722, 0.05, 0.05, 1.2603278], abs=1e-7)
    assert check_link(Link.from_parameters(wrong, "arm")) and not check_link(Link.from_parameters(right, "arm"))


@pytest.mark.parametrize(
    "inertia, amount",
    [
        ((7.798716588e-05, 5.1716641e-06, 2.425498752e-05, 8.701457658e-05, 1.249373671e-05, 2.604813454e-05), "3.4877e-06"),
        ((1.15e-4, 5.2e-5, 2.5e-5, 1.53e-4, 3.4e-5, 1.9e-4), "5.7514e-06"),
        ((2661.9e-6, -31.029e-6, 9.34e-6, 2302.5e-6, 151.466e-6, 1676359e-6), "1.6714"),
    ],
)
def test_report_names_link_inequality_and_amount(inertia: tuple[float, ...], amount: str) -> None:
    """C52, C54: positive definite tensors that break the triangle inequality, as standard parameters of a fit."""
    model = DynamicModel(Robot.from_dh([DHRow(a=0.1)], "standard", links=[Link("gripper", 1.0)]), friction="none")
    fit = identify(model, noisy(model, noise=0.1))
    pi = Link.from_com(1.0, (0, 0, 0), inertia).parameters
    report = replace(fit, details=replace(fit.details, standard=pi)).physical_report()
    assert report.unphysical == ("gripper",)
    assert "gripper" in report.summary() and "triangle inequality" in report.summary() and amount in report.summary()


# -- coordinates ------------------------------------------------------------------------------------------------------------------------------------------


def test_log_cholesky_coordinates_there_and_back() -> None:
    """1e-12; the determinant is exp(8α + 2(d1 + d2 + d3))."""
    pi = Link.from_com(2.0, (0.1, -0.2, 0.05), (0.03, 0.002, -0.001, 0.04, 0.003, 0.05)).parameters
    theta = coordinates_of(pseudo_inertia(pi))
    U = triangle(theta)
    assert np.array([float(v) for v in parameters_of(U @ U.T)]) == pytest.approx(pi, rel=1e-12)
    assert np.linalg.det(U @ U.T) == pytest.approx(np.exp(8 * theta[0] + 2 * theta[1:4].sum()))


@pytest.mark.parametrize("limited", [False, True])
def test_cone_and_smooth_coordinates_have_one_optimum(limited: bool) -> None:
    """Objective to 1e-7, base parameters to 1e-4 of their size; with and without ranges, boxes and ellipsoids."""
    model = arm()
    samples = noisy(model, 60, 3.0)
    limits = BodyLimits(1e-3, {"link1": (2.0, 2.5)}, {"link2": Box((-0.1, -0.1, -0.1), (0.1, 0.1, 0.1)), "link3": Ellipsoid((0, 0, 0), (0.05, 0.1, 0.1))})
    options = {"damping": 0.5, "limits": limits if limited else BodyLimits()}
    convex = solve(posed(model, samples, **options), solver="clarabel")
    smooth = solve(posed(model, samples, coordinates="log-cholesky", **options), solver="ipopt")
    assert smooth.solution.fun == pytest.approx(convex.solution.fun, rel=1e-6)
    assert smooth.beta == pytest.approx(convex.beta, rel=1e-3, abs=1e-4)
    assert convex.physical_report().ok and smooth.physical_report().ok
    if limited:
        for fit in (convex, smooth):
            bodies = [Link.from_parameters(fit.standard_parameters[k : k + 10]) for k in (0, 10, 20)]
            assert 2.0 - 1e-6 <= bodies[0].mass <= 2.5 + 1e-6
            assert np.abs(bodies[1].com).max() <= 0.1 + 1e-6
            assert np.sum((bodies[2].com / [0.05, 0.1, 0.1]) ** 2) <= 1 + 1e-5
            assert eigenvalues(fit.standard_parameters[:30]).min() >= 1e-3


def test_entropic_optimum_is_stationary_in_the_convex_coordinates() -> None:
    """The problem is convex in π and its optimum inside the cone, so a vanishing gradient there proves it, whatever coordinates found it."""
    model = arm(friction="none")
    problem = posed(model, noisy(model, 60, 3.0), damping=2.0, measure="entropic", coordinates="log-cholesky")
    fit = solve(problem, solver="ipopt")
    pi, prior = fit.standard_parameters, model.nominal_parameters()
    A, b = problem.data
    B = problem.base.matrix

    def objective(x: np.ndarray) -> float:
        value = 0.5 * np.sum((A @ B @ x - b) ** 2)
        for k in (0, 10, 20):
            J, J0 = pseudo_inertia(x[k : k + 10]), pseudo_inertia(prior[k : k + 10])
            value += 0.5 * 4.0 * (-np.linalg.slogdet(J)[1] + np.linalg.slogdet(J0)[1] + np.trace(np.linalg.solve(J0, J)) - 4)
        return float(value)

    step = 1e-6 * problem.scales
    gradient = np.array([(objective(pi + h) - objective(pi - h)) / 2e-6 for h in np.diag(step)])
    assert np.abs(gradient).max() < 1e-4 * abs(objective(prior))
    assert objective(pi) == pytest.approx(fit.solution.fun, rel=1e-6)


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_distance_to_the_prior_has_no_units(factor: float) -> None:
    """The same arm in other units of length and mass: base parameters scale along, λ stays (1e-5)."""
    model = arm()
    samples = noisy(model, 60, 3.0)
    rows = [DHRow(a=0.4 * factor, alpha=np.pi / 2 * (i % 2)) for i in range(3)]
    power = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2])
    links = [Link.from_parameters(link.parameters * factor**power, link.name) for link in model.robot.links]
    other = DynamicModel(
        Robot.from_dh(rows, "standard", model.robot.gravity * np.array(factor), links=links).with_friction(2.0 * factor**2, 1.0 * factor**2),
        friction=model.friction,
    )
    scaled = Samples.from_arrays(samples.q, samples.dq, samples.ddq, samples.tau * factor**2, rate=100)
    for measure in ("euclidean", "entropic"):
        first, second = (identify(m, s, method="physical", damping=3.0, measure=measure) for m, s in ((model, samples), (other, scaled)))
        unit = np.concatenate([np.tile(factor ** power.astype(float), 3), np.full(6, factor**2)])
        assert second.standard_parameters / unit == pytest.approx(first.standard_parameters, rel=1e-4, abs=1e-5)


# -- estimates --------------------------------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ur() -> tuple[BaseParameters, Samples]:
    """A UR10e, 240 random states, noise of 2 % of each joint's torque range."""
    model = DynamicModel(library.ur10e(), rotor_inertia=True)
    rng = np.random.default_rng(0)
    q, dq, ddq = (rng.standard_normal((240, 6)) for _ in range(3))
    pi = model.nominal_parameters()
    for j in range(1, 7):
        pi[model.index(f"fv{j}")], pi[model.index(f"fc{j}")] = 10 / j, 5 / j
    tau = model.inverse_dynamics(pi, q, dq, ddq)
    return BaseParameters.of(model), Samples.from_arrays(q, dq, ddq, tau + 0.02 * np.ptp(tau, axis=0) * rng.standard_normal(tau.shape), rate=100)


@pytest.fixture(scope="module")
def plain(ur: tuple[BaseParameters, Samples]) -> IdentificationResult:
    return identify(*ur)


@pytest.fixture(scope="module")
def physical(ur: tuple[BaseParameters, Samples]) -> IdentificationResult:
    return identify(*ur, method="physical")


def test_six_joints_short_motion_two_percent_noise(plain: IdentificationResult, physical: IdentificationResult) -> None:
    """C51: the plain fit flags its links; the constrained one passes on every link with a residual at most 5 % above."""
    assert {"link5", "link6"} <= set(plain.physical_report().unphysical)
    assert "bodies that cannot exist" in plain.summary() and "link6" in plain.summary()
    assert physical.physical_report().ok and eigenvalues(physical.standard_parameters[:60]).min() > 0
    assert 0 <= physical.details.residual_increase <= 0.05
    assert physical.beta == pytest.approx(physical.base.beta(physical.standard_parameters), rel=1e-9)
    index = physical.base.model.index
    assert all(physical.standard_parameters[index(f"{stem}{j}")] >= -1e-9 for stem in ("Ia", "fv", "fc") for j in range(1, 7))


def test_margin_tightens(ur: tuple[BaseParameters, Samples]) -> None:
    """C51: the smallest eigenvalue 0 is accepted for margin 0 and refused for 1e-6; every link of a fit keeps the margin asked for."""
    rod = [1.0, 0, 0, 0, 0, 0, 0, 0.1, 0, 0.1]
    assert eigenvalues(rod)[0, 0] == pytest.approx(0, abs=1e-15)
    assert eigenvalues(rod)[0, 0] >= 0.0 - 1e-15 and not eigenvalues(rod)[0, 0] >= 1e-6
    residual = []
    for margin in (0.0, 1e-4, 1e-3):
        fit = identify(*ur, method="physical", margin=margin, damping=0.1)
        assert eigenvalues(fit.standard_parameters[:60]).min() >= margin
        residual.append(fit.details.residual_increase)
    assert residual[0] < residual[1] < residual[2]
    with pytest.raises(DataError, match=r"margin of the bodies: -1e-06, expected a finite number >= 0. It tightens"):
        identify(*ur, method="physical", margin=-1e-6)


def test_noise_free_data_return_the_truth() -> None:
    """Bodies inside the cone, no noise: base parameters to 1e-6, although the prior is 20 % off."""
    model = arm()
    samples = noisy(model, noise=0.0)
    fit = identify(model, samples, method="physical", prior=model.nominal_parameters() * 1.2, damping=1e-2)
    assert fit.beta == pytest.approx(fit.base.beta(model.nominal_parameters()), rel=1e-6, abs=1e-7)


def test_mass_matrix_is_positive_definite_everywhere(plain: IdentificationResult, physical: IdentificationResult) -> None:
    """10 000 random postures; the plain estimate fails in most. It depends on base parameters only, so any standard set that belongs to them serves."""
    model = plain.base.model
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (10_000, 6))
    found = [np.linalg.eigvalsh(model.mass_matrix(pi, q))[:, 0] for pi in (physical.standard_parameters, plain.base.standard(plain.beta))]
    assert found[0].min() > 0
    assert np.mean(found[1] <= 0) > 0.5


def test_sigmas_of_the_prior_are_taken_at_their_word() -> None:
    """Bayes: with every sigma stated and no constraint at work the estimate is that of the damped fit (1e-5)."""
    model = arm()
    prior = Prior.of(model, relative=0.2)
    prior = Prior(model, prior.values, np.where(np.isinf(prior.sigmas), 1.0, prior.sigmas))
    samples = noisy(model, noise=0.05)
    damped, physical = (identify(model, samples, method=method, prior=prior) for method in ("damped", "physical"))
    assert physical.details.damping == damped.details.damping == 1.0
    assert not physical.details.at_bound
    assert physical.beta == pytest.approx(damped.beta, rel=1e-5, abs=1e-6)
    assert physical.sigma == pytest.approx(damped.sigma, rel=1e-3)


def test_known_parameters_stay() -> None:
    model = arm()
    samples = noisy(model)
    for coordinates in ("cone", "log-cholesky"):
        fit = identify(model, samples, method="physical", known={"m3": 1.0, "fc2": 1.0, "mx3": model.nominal_parameters()[21]}, coordinates=coordinates)
        assert fit.standard_parameters[[model.index("m3"), model.index("fc2")]] == pytest.approx([1.0, 1.0], rel=1e-6)
        assert fit.physical_report().ok


def test_robot_without_bodies_gets_some() -> None:
    """No prior at all: bodies that can exist and predict as well as least squares."""
    model = arm()
    bare = model.with_robot(model.robot.with_links([Link(f"link{k}") for k in (1, 2, 3)]))
    samples = noisy(model, 200, 0.5)
    fit = identify(bare, samples, method="physical")
    assert fit.physical_report().ok
    assert fit.details.residual_increase < 0.05
    with pytest.raises(DataError, match=r"prior of link 'link1': no body of positive pseudo-inertia.*euclidean"):
        identify(bare, samples, method="physical", measure="entropic")


def test_boundary_is_named() -> None:
    """A bob of 2 kg at 0.3 m cannot have less than 0.18 kg m² about the axis, nor friction that pushes: both limits are named."""
    links = [Link.from_com(2.0, (0.3, 0, 0), (0.01, 0.01, 0.01), "bob")]
    model = DynamicModel(Robot.from_dh([DHRow()], "standard", (0, -9.81, 0), links=links), friction="viscous+coulomb")
    truth = model.parameters({"fc1": -0.5, "fv1": 1.0, "Izz1": 0.1}, model.nominal_parameters())
    fit = identify(model, noisy(model, 400, 0.05, pi=truth), method="physical", masses={"bob": (2, 2)}, damping=1e-2)
    assert set(fit.details.at_bound) == {"pseudo-inertia of bob", "fc1 = 0", "m1 = 2"}
    assert any("boundary of what can exist" in note for note in fit.notes)
    assert fit.details.residual_increase > 0.1


# -- full sets and write-back -----------------------------------------------------------------------------------------------------------------------------


def test_full_set_predicts_the_same_torque() -> None:
    """From base parameters to bodies that can exist: beta to 1e-8, nearest to the prior where no constraint is at work."""
    model = arm()
    fit = identify(model, noisy(model, noise=0.0), method="ols")
    prior = model.nominal_parameters()
    prior[model.index("m3")] *= 1.1
    full = physical_set(fit, prior)
    assert full.physical_report().ok
    assert full.base.beta(full.standard_parameters) == pytest.approx(fit.beta, rel=1e-7, abs=1e-8)
    frame = PhysicalIdentification(fit.base, fit.factors, fit.weights, Prior.of(model, prior))
    B, s = fit.base.matrix, frame.scales
    nearest = prior + s * (np.linalg.pinv(B * s) @ (fit.beta - B @ prior))
    assert full.standard_parameters == pytest.approx(nearest, rel=1e-5, abs=1e-6)


def test_full_set_that_does_not_exist_is_refused(plain: IdentificationResult) -> None:
    with pytest.raises(SolveError, match=r"none that predict exactly the fitted torque.*method='physical'"):
        physical_set(plain)


@pytest.mark.parametrize("suffix", [".urdf", ".toml"])
def test_write_back(tmp_path_factory: pytest.TempPathFactory, suffix: str) -> None:
    """The file read back predicts the fitted torque (1e-8), with friction and rotor inertia; offsets have no place in a robot file."""
    model = replace(arm(), rotor_inertia=True)
    pi = model.nominal_parameters()
    fit = identify(model, noisy(model, noise=0.2), method="physical")
    path = tmp_path_factory.mktemp("robot") / f"arm{suffix}"
    write_robot(fit, path)
    read = Robot.from_urdf(path) if suffix == ".urdf" else Robot.load(path)
    again = replace(model, robot=read.with_drives(identified_robot(fit).drives))
    q, dq, ddq = (np.random.default_rng(5).standard_normal((20, 3)) for _ in range(3))
    assert again.inverse_dynamics(again.nominal_parameters(), q, dq, ddq) == pytest.approx(fit.predict(q, dq, ddq), abs=1e-8)
    assert again.nominal_parameters().shape == pi.shape


def test_write_back_is_refused_for_what_cannot_exist(tmp_path_factory: pytest.TempPathFactory, plain: IdentificationResult) -> None:
    path = tmp_path_factory.mktemp("robot") / "ur.toml"
    with pytest.raises(DataError, match=r"fit by 'wls': base parameters alone, expected a full set"):
        write_robot(plain, path)
    pi = nearest_standard(plain)
    with pytest.raises(RobotError, match=r"write-back refused: (inertia|mass) of link 'link\d'"):
        write_robot(replace(plain, details=replace(plain.details, standard=pi)), path)
    assert not path.exists()


def test_standard_parameters_of_a_plain_fit_are_those_that_stand_alone() -> None:
    """Of a horizontal 2R arm's parameters my2 and mx2 stand alone, the first link's inertia does not."""
    links = [Link.from_com(2, (0.2, 0, 0), (0, 0, 0.03)), Link.from_com(1.5, (0.15, -0.02, 0), (0, 0, 0.02))]
    model = DynamicModel(Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", (0, 0, 0), links=links))
    pi = identify(model, noisy(model, noise=0.0), method="ols").standard_parameters
    found = {name: pi[model.index(name)] for name in ("my2", "mx2", "Izz2", "Izz1", "m2", "fc1")}
    assert [found["mx2"], found["my2"]] == pytest.approx([0.225, -0.03])
    assert np.isnan(found["Izz1"]) and np.isnan(found["m2"])
    assert found["fc1"] == pytest.approx(0, abs=1e-9)


def test_limits_that_cannot_be() -> None:
    model = arm()
    samples = noisy(model)
    with pytest.raises(UnknownNameError, match=r"link 'link9': unknown name.*Did you mean 'link"):
        identify(model, samples, method="physical", masses={"link9": (0, 1)})
    with pytest.raises(LimitsError, match=r"mass range of link 'link1': \[3, 2\] kg"):
        identify(model, samples, method="physical", masses={"link1": (3, 2)})
    with pytest.raises(LimitsError, match=r"box of the centre of mass of link 'link1'"):
        identify(model, samples, method="physical", centres={"link1": Box((1, 0, 0), (0, 0, 0))})
    with pytest.raises(UnknownNameError, match=r"measure 'entropy'.*Did you mean 'entropic'"):
        identify(model, samples, method="physical", measure="entropy")
    base = BaseParameters.of(model)
    with pytest.raises(DataError, match=r"coordinates of an entropic fit: 'cone', expected 'log-cholesky'"):
        PhysicalIdentification(base, identify(base, samples).factors, measure="entropic")


def test_prior_costs_what_noise_gives(ur: tuple[BaseParameters, Samples], plain: IdentificationResult, physical: IdentificationResult) -> None:
    """White noise: least squares takes r/(rows − r) of the residual's power, and so much the prior may cost beyond the best bodies (to 10 %)."""
    best = identify(*ur, method="physical", damping=1e-2, residuals=False)
    squared = [(1 + fit.details.residual_increase) ** 2 for fit in (best, physical)]
    assert squared[1] - squared[0] == pytest.approx(plain.base.rank / (plain.n_rows - plain.base.rank), rel=0.1)
    note = next(text for text in physical.notes if text.startswith("prior: λ"))
    assert "times the residual of the best bodies" in note
