"""A design is the same to the last bit for any number of threads, and machine code is taken by its size alone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, Limits
from optid.errors import DataError
from optid.kernels import Kernel
from optid.kernels.blas import one_thread
from optid.library import planar_2r, ur10e
from optid.problems import Excitation

SCRIPT = """
import hashlib, numpy as np
from optid import BaseParameters, DynamicModel, Limits
from optid.library import ur10e
from optid.problems import Excitation
limits = Limits.of(6, position=2.0, velocity=2.0, acceleration=6.0)
base = BaseParameters.of(DynamicModel(ur10e(), ("viscous", "coulomb"), sign_width=0.1))
problem = Excitation(base, harmonics=5, period=10.0, limits=limits, samples=200, compiled=False)
x = problem.random_start(np.random.default_rng(0))
design, criterion = problem.design, problem.criterion
found = [design.value(x, criterion, 4.0), design.gradient(x, criterion, 4.0), design.hessian(x, criterion, 4.0), design.quality(x).singular_values]
print(hashlib.sha256(b"".join(np.asarray(part).tobytes() for part in found)).hexdigest())
"""


def test_threads_change_no_bit() -> None:
    def run(threads: str) -> str:
        env = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        return subprocess.run([sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True, check=True).stdout

    assert run("1") == run("2")


def test_the_number_of_threads_comes_back() -> None:
    info = pytest.importorskip("threadpoolctl").threadpool_info

    def threads() -> list[int]:
        return [library["num_threads"] for library in info() if library["user_api"] == "blas"]

    np.linalg.eigvalsh(np.eye(2))
    before = threads()
    with one_thread():
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
    assert threads() == before


def test_machine_code_is_taken_where_it_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def prepared(kernel: Kernel, n: int) -> Kernel:
        asked.append(n)
        return replace(kernel, backend="simd" if n > 100_000 else "interpreter")

    monkeypatch.setattr(Kernel, "prepared", prepared)
    small = Excitation(
        BaseParameters.of(DynamicModel(planar_2r(), friction=())), 2, 2.0, Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0), samples=40
    )
    large = Excitation(BaseParameters.of(DynamicModel(ur10e(), friction=())), 5, 10.0, Limits.of(6, position=2.0, velocity=2.0, acceleration=6.0), samples=200)
    assert (small.backend, large.backend) == ("interpreter", "simd")
    assert asked == [2000 * 40, 2000 * 200]
    assert replace(large, compiled=False).backend == "interpreter"
    with pytest.raises(DataError, match="compiled of an excitation: 'yes', expected True or False"):
        replace(small, compiled="yes")  # type: ignore[arg-type]
