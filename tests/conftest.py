"""Of the whole suite: compiled kernels go into a folder of its own, and what a module asks of the log ends with it."""

import logging
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "recordings"))
"""For ``recorded``, the readers of public recordings."""


@pytest.fixture(scope="session", autouse=True)
def kernel_cache() -> Iterator[None]:
    """The user's cache is neither read nor filled; worker processes inherit the folder."""
    if "OPTID_CACHE_DIR" in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="optid-tests-") as folder:
        os.environ["OPTID_CACHE_DIR"] = folder
        yield
        del os.environ["OPTID_CACHE_DIR"]


@pytest.fixture(scope="module", autouse=True)
def log_level() -> Iterator[None]:
    """Messages that one module does not want are there again in the next."""
    logger = logging.getLogger("optid")
    before = logger.level
    yield
    logger.setLevel(before)
