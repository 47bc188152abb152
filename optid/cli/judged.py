"""What a report shows beside a fit: its own data, and the recordings as they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .console import note

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.report import Recording
    from optid.validation import ValidationResult

DRAWN = 2**18
"""Samples of a long trial of the fit that are predicted for a report: its beginning."""


def training_scores(fit: IdentificationResult, files: Sequence[Path], most: int) -> list[ValidationResult]:
    """Predictions of the first ``most`` trials that the fit was made from; of a long one its beginning."""
    from dataclasses import replace

    from optid.errors import OptidError
    from optid.experiment.stored import open_trials
    from optid.validation import validate

    found: list[ValidationResult] = []
    for file in files:
        for stored in open_trials(file, "identification"):
            if len(found) == most:
                return found
            if stored.n_samples <= DRAWN or not stored.plain:
                trial = stored.whole()
            else:
                trial = stored.window(0, DRAWN, stored.signals)
                trial = replace(trial, name=f"{trial.name} (its first {DRAWN} samples)")
            try:
                found.append(validate(fit, trial))
            except OptidError as error:  # such as a beginning that lies outside the time window
                note(f"optid: note: not drawn: {error}")
    return found


def recordings_of(files: Sequence[Path]) -> list[Recording]:
    """All trials of the files, as they were recorded."""
    from optid.report import recordings_in

    return recordings_in(files)
