"""The text report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .verdict import verdict

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult


def text_report(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> str:
    """Verdict, parameters and scores as text."""
    return "\n\n".join([verdict(fit, validations), fit.summary(), *(v.summary() for v in validations)])
