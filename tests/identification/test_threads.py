"""Linear algebra of an identification: its matrices are small, and a library that divides them among threads costs several times as long."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from optid import DynamicModel, identify, library
from optid.kernels.blas import one_thread
from optid.signals import Samples


def threads() -> set[int]:
    return {entry["num_threads"] for entry in threadpool_info() if entry["user_api"] == "blas"}


def test_linear_algebra_keeps_to_one_thread_and_the_caller_gets_his_back() -> None:
    model = DynamicModel(library.planar_2r())
    state = np.random.default_rng(0).standard_normal((3, 200, 2))
    samples = Samples.from_arrays(*state, model.inverse_dynamics(model.nominal_parameters(), *state), rate=100)
    with one_thread():
        pass  # all libraries are loaded now
    before, seen = threads(), []
    identify(model, samples, progress=lambda done, total: seen.append(threads()))
    assert seen and all(found == {1} for found in seen)
    assert threads() == before
