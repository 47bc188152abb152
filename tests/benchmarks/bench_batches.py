"""Two hundred trials in twenty files: two worker processes against one, each with one thread."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
from harness import Row, compare
from long_recording import DERIVED, model, write

from optid import BaseParameters, identify_batch

FILES = 20
TRIALS = 10
SAMPLES = 20_000


def rows() -> Iterator[Row]:
    base = BaseParameters.of(model())
    with tempfile.TemporaryDirectory() as folder:
        files = [write(Path(folder) / f"{k:02}.h5", dict.fromkeys((f"trial {i}" for i in range(TRIALS)), SAMPLES), ("q", "tau"), k) for k in range(FILES)]

        def batch(count: int) -> np.ndarray:
            with patch.dict(os.environ, OMP_NUM_THREADS="1"):  # here only: later rows have all processors
                return identify_batch(files, base, preprocessing=DERIVED, workers=count, residuals=False).result.beta

        if not np.array_equal(batch(1), batch(2)):
            raise SystemExit("two workers give other bits than one")
        yield compare(f"{FILES * TRIALS} trials in {FILES} files, two workers", lambda: batch(2), "one worker", lambda: batch(1), 1.7, rounds=3)
