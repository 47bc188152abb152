"""Loops that several tests share: compiled once."""

from __future__ import annotations

import pytest

from optid.flexibility.loop import FlexibleLoop
from optid.flexibility.two_axis import set_a, set_b


@pytest.fixture(scope="session")
def loop_a() -> FlexibleLoop:
    """Set A, controlled by its own model."""
    return FlexibleLoop(set_a())


@pytest.fixture(scope="session")
def loop_b() -> FlexibleLoop:
    """Set B, controlled by its own model."""
    return FlexibleLoop(set_b())
