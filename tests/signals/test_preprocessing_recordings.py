"""The pipeline on real recordings: derivatives against the recorders' own, and the published EMPS fit."""

from dataclasses import replace

import numpy as np
import pytest
import recorded

from optid.errors import DataWarning
from optid.experiment.trial import Trial
from optid.signals import Preprocessing, stamps_over_clock


def recording(*parts):
    path = recorded.DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the recording {'/'.join(parts)} is not beside the checkout")
    return path


def emps():
    recording("emps", "DATA_EMPS.mat")
    return recorded.emps(recorded.DATA, "DATA_EMPS.mat")


def ur10e(name):
    recording("ur10e", f"ur-{name}.csv")
    return recorded.ur10e(recorded.DATA, name)


def panda():
    text = {what: np.loadtxt(recording("panda", f"exciting_traj_{what}.txt")) for what in ("time", "positions", "velocity", "torques")}
    return Trial(time=text["time"], q=text["positions"].reshape(-1, 7), dq=text["velocity"].reshape(-1, 7), tau=text["torques"].reshape(-1, 7), name="panda")


def lwr4(run):
    recording("lwr4", f"measurements_{run}.npz")
    return recorded.lwr4(recorded.DATA, run)


def against(samples, trial, what):
    """(n,) rms difference to the trial's own signal at the same instants, over that signal's standard deviation."""
    own = np.stack([np.interp(samples.time, trial.time, column) for column in getattr(trial, what).T], axis=1)
    return np.sqrt(np.mean((getattr(samples, what) - own) ** 2, axis=0)) / own.std(axis=0)


def emps_fit(samples):
    columns = np.stack([samples.ddq[:, 0], samples.dq[:, 0], np.sign(samples.dq[:, 0]), np.ones(samples.n_samples)], axis=1)
    regressor, force, use = samples.decimated(columns), samples.decimated(samples.tau)[:, 0], samples.decimated_use()[:, 0]
    beta = np.linalg.lstsq(regressor[use], force[use], rcond=None)[0]
    return beta, regressor, force


def test_emps_protocol_gives_the_published_figures():
    """Janot, Gautier, Brunot 2019: M, Fv, Fc, offset = 95.1089, 203.5034, 20.3935, -3.1648; error 4.0834 %, cond 25.9883."""
    beta, regressor, force = emps_fit(Preprocessing(cutoff=100.0, torque_cutoff=None, trim=50, min_speed=0, decimate=10).apply(emps()))
    assert len(force) == 2475
    assert beta == pytest.approx([95.1089, 203.5034, 20.3935, -3.1648], rel=2e-3)
    residual = force - regressor @ beta
    assert np.linalg.norm(residual) / np.linalg.norm(force) == pytest.approx(0.0404, abs=2e-4)
    assert np.linalg.cond(regressor) == pytest.approx(26.007, abs=0.01)
    sigma = np.sqrt(residual @ residual / (len(force) - 4) * np.diag(np.linalg.inv(regressor.T @ regressor)))
    assert sigma == pytest.approx([0.1074, 1.136, 0.1004, 0.0440], rel=2e-3)


def test_emps_by_default_is_within_one_percent():
    beta, *_ = emps_fit(Preprocessing().apply(emps()))
    assert beta == pytest.approx([95.1089, 203.5034, 20.3935, -3.1648], rel=0.012)


@pytest.mark.parametrize("name", ["20_01_17-ptp_10_points", "20_02_10-30sec_12harm", "20_02_19_14harm50sec"])
def test_ur10e_by_default_agrees_with_the_robots_own_velocity(name):
    trial = ur10e(name)
    with pytest.warns(DataWarning, match="believed"):
        samples = Preprocessing().apply(trial)
    assert samples.rate == 100.0
    assert against(samples, trial, "dq").max() < 0.01
    standing = np.mean(trial.dq == 0, axis=0)
    assert np.all(np.mean(~samples.use, axis=0) > standing - 0.06)


def test_ur10e_protocol_filters_are_fractions_of_nyquist_on_an_even_clock():
    trial = ur10e("20_02_10-30sec_12harm").window(634, 3510)
    protocol = replace(recorded.UR10E_PROTOCOL, clock="nominal")
    samples = protocol.apply(trial)
    assert samples.n_samples == 2876
    assert np.array_equal(samples.q, trial.q)
    assert np.array_equal(samples.tau_raw, trial.tau)
    assert samples.rate == pytest.approx(2875 / (trial.time[-1] - trial.time[0]))


def test_panda_on_its_stamps():
    trial = panda()
    with pytest.warns(DataWarning, match="believed"):
        samples = Preprocessing().apply(trial)
    assert samples.rate == 1000.0
    assert samples.parts() == [slice(0, samples.n_samples)]  # gaps of up to 8.8 ms are bridged
    assert samples.counts["holes filled"] < 100
    assert against(samples, trial, "dq").max() < 0.02


def test_lwr4_has_an_exact_clock_read_late():
    trial = lwr4(3)
    assert stamps_over_clock(trial.time, trial.q) < 1e-3
    samples = Preprocessing(clock="nominal", start=3.0, stop=23.0).apply(trial)
    assert against(samples, trial, "dq").max() < 0.01
    assert against(samples, trial, "ddq").max() < 0.05
