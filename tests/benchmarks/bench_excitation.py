"""Excitation designs of :mod:`excitation_designs`, start to finish on two processes, and single starts: seconds against what a user waits for."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from excitation_designs import DESIGNS
from harness import Row, limit

import optid

STARTS = 16
SECONDS = {"ur10": 30.0, "ur10e": 30.0, "ur10_full": 30.0}


def rows() -> Iterator[Row]:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        begin = time.perf_counter()
        best = optid.solve(DESIGNS["irb140"](), solver="ipopt", starts=STARTS, seed=0, executor=pool)
        yield limit(f"irb140, {STARTS} starts, two processes (best {best.condition_number:.2f}, proven: {best.proven})", [time.perf_counter() - begin], 40.0)
    for name, seconds in SECONDS.items():
        begin = time.perf_counter()
        one = optid.solve(DESIGNS[name](), solver="ipopt", seed=0, on_failure="return")
        took = time.perf_counter() - begin
        yield limit(f"{name}, one start ({one.condition_number:.2f}, proven: {one.proven})", [took], seconds)
