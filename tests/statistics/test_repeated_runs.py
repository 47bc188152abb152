"""A robot that runs the same motion twice: the two estimates differ as their intervals say (KUKA LWR4+, runs 1 and 2)."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from recorded import DATA, LWR4_AS_RECORDED, lwr4

from optid import BaseParameters, DynamicModel, IdentificationResult, Robot, identify

AS_RECORDED = replace(LWR4_AS_RECORDED, clock="nominal")


@pytest.fixture(scope="module")
def fits() -> tuple[IdentificationResult, IdentificationResult]:
    if not DATA.is_dir():
        pytest.skip("no recordings at ../shared/data beside the checkout")
    base = BaseParameters.of(DynamicModel(Robot.from_urdf(DATA / "lwr4" / "kuka_lwr4.urdf")))

    def fit(run: int) -> IdentificationResult:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Time stamps spread")
            return identify(base, lwr4(DATA, run), preprocessing=AS_RECORDED)

    return fit(1), fit(2)


@pytest.mark.parametrize("kind", ["hac", "bootstrap"])
def test_differences_in_standard_deviations(fits: tuple[IdentificationResult, IdentificationResult], kind: str) -> None:
    """64 parameters: root mean square near 1, about 95 % below 1.96 (found: 1.08 and 94 % by HAC)."""
    a, b = fits
    z = (a.beta - b.beta) / np.sqrt(np.diag(a.covariance(kind)) + np.diag(b.covariance(kind)))
    assert 0.8 < np.sqrt(np.mean(z**2)) < 1.25
    assert np.mean(np.abs(z) < 1.96) >= 0.9


def test_plain_intervals_would_lie_ten_times(fits: tuple[IdentificationResult, IdentificationResult]) -> None:
    a, b = fits
    z = (a.beta - b.beta) / np.hypot(a.sigma, b.sigma)
    assert np.sqrt(np.mean(z**2)) > 5
    assert a.reliable_kind == "hac" and np.nanmedian(a.inflation) > 5
