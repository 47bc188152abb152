"""Where the public recordings lie: beside the checkout, never in it."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from recorded import DATA


@pytest.fixture(scope="session")
def recordings() -> Path:
    """Folder of the recordings; the test is skipped without it."""
    if not DATA.is_dir():
        pytest.skip(f"no recordings at ../{DATA.parent.name}/{DATA.name} beside the checkout")
    return DATA


@pytest.fixture(autouse=True)
def _jittery_stamps_are_expected() -> None:
    """Real stamps jitter and optid says so; these tests are about the fits."""
    warnings.filterwarnings("ignore", "Time stamps spread")
