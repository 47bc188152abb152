"""The published trajectory of the IRB140 (G21, table 1)."""

from __future__ import annotations

import numpy as np
import pytest

from optid import BaseParameters, DynamicModel, library
from optid.trajectory.published import irb140_g21

KNOWN = tuple(f"{stem}{i}" for stem in ("m", "Ia", "fv") for i in (1, 2, 3))


def test_condition_number_of_the_published_optimum() -> None:
    """Published 36.3743; with these tables, tanh(dq) and 100 samples it evaluates to 36.743."""
    model = DynamicModel(library.irb140_lower_arm(), friction="viscous+coulomb", rotor_inertia=True, sign_width=1.0)
    base = BaseParameters.of(model, known=KNOWN)
    assert base.rank == 18
    trajectory = irb140_g21()
    W = base.regressor(*trajectory.evaluate(np.arange(100) * trajectory.duration / 100))
    assert np.linalg.cond(W) == pytest.approx(36.74, abs=0.05)
