"""The same runs under pytest-benchmark: ``pytest tests/benchmarks/test_kernel_speed.py``."""

import pytest
from bench_kernels import DynamicModel, casadi_run, panda, pinocchio_run, states, streamed_run, ur10e

from optid.kernels import JointFactors, Kernel

ROBOTS = {"six joints": ur10e, "seven joints": panda}


@pytest.mark.parametrize("robot", ROBOTS)
@pytest.mark.parametrize("who", ["simd", "interpreter", "casadi", "pinocchio"])
def test_regressor_of_100000_samples(benchmark, robot, who):
    arm = ROBOTS[robot]()
    x = states(arm.n)
    f = DynamicModel(arm, friction="none").functions["regressor"]
    run = casadi_run(f, x) if who == "casadi" else pinocchio_run(arm, x) if who == "pinocchio" else streamed_run(f, who, x)
    benchmark.group = robot
    benchmark.pedantic(run, rounds=3, warmup_rounds=1)


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
