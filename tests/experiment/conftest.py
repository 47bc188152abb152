from __future__ import annotations

import numpy as np
import pytest

from optid.experiment import Experiment, RobotInfo, Trial


@pytest.fixture
def trial() -> Trial:
    rng = np.random.default_rng(1)
    return Trial(
        time=1.7e9 + 0.004 * np.arange(300),
        q=rng.uniform(-1, 1, (300, 2)),
        dq=rng.normal(size=(300, 2)),
        tau=rng.normal(size=(300, 2)),
        joint_names=("j1", "jé"),
        sources={"q": "measured", "dq": "derived", "tau": "measured"},
        period=0.6,
        name="run 1",
    )


@pytest.fixture
def experiment(trial: Trial) -> Experiment:
    rng = np.random.default_rng(2)
    names = tuple(f"p{k}" for k in range(100))
    fit = {"parameter_names": names, "values": rng.normal(size=100), "sigmas": rng.uniform(size=100), "covariance": rng.normal(size=(100, 100)), "seed": 3}
    return Experiment(
        title="two joints",
        trials=[trial],
        robot=RobotInfo("arm", "name = 'arm'\n" * 500, ("j1", "jé"), ("m1", "fc1"), gains=[10.0, 8.5], coupling=[[1.0, 0.0], [0.5, 1.0]]),
        design={"coefficients": rng.normal(size=(3, 4)), "criterion": "cond", "seed": 7},
        results={"weighted": fit},
        attributes={"operator": "jé"},
    )
