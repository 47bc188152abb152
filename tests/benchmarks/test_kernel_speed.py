"""The same runs under pytest-benchmark: ``pytest tests/benchmarks/test_kernel_speed.py``."""

import numpy as np
import pytest
from bench_kernels import DynamicModel, casadi_run, panda, pinocchio_parameters, pinocchio_run, states, streamed_run, ur10e

from optid.kernels import JointFactors, Kernel

ROBOTS = {"six joints": ur10e, "seven joints": panda}


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("who", ["simd", "interpreter", "casadi", "pinocchio"])
def test_regressor_of_100000_samples(benchmark, robot, who):
    arm = ROBOTS[robot]()
    x = states(arm.n)
    model = DynamicModel(arm, friction="none")
    f = model.functions["regressor"]
    run = casadi_run(f, x) if who == "casadi" else pinocchio_run(arm, x) if who == "pinocchio" else streamed_run(f, who, x)
    benchmark.group = robot
    found = benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    last = [a[-3:] for a in x]
    single = [f(*row) for row in zip(*last, strict=True)]  # one call of CasADi a sample
    wanted = np.array([Y.nonzeros() if who == "casadi" else Y.full() for Y in single])
    if who == "casadi":
        found = found[0]
    if who == "pinocchio":  # its frames are its own: what both say is the torque
        found, wanted = found @ pinocchio_parameters(arm), wanted @ model.nominal_parameters()
    assert np.allclose(found[-3:], wanted, rtol=0, atol=1e-12 * np.abs(wanted).max())


@pytest.mark.parametrize("robot", ROBOTS)
def test_triangles_of_100000_samples(benchmark, robot):
    arm = ROBOTS[robot]()
    x = states(arm.n)
    kernel = Kernel(DynamicModel(arm, friction="none").functions["regressor"], "simd")

    def run():
        factors = JointFactors.empty(*kernel.shape)
        for part, Y in kernel.blocks(*x):
            factors = factors.update(Y, x[0][part])
        return factors

    benchmark.group = f"{robot}, triangles"
    assert benchmark.pedantic(run, rounds=3, warmup_rounds=1).counts[0] == len(x[0])
