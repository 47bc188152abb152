"""The text report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .use import assess
from .verdict import verdict

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult


def text_report(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> str:
    """Verdict, what the model may be used for, parameters and scores as text.

    Examples
    --------
    >>> from optid.report import text_report
    >>> from optid.testing import example_fit
    >>> "Izz1 + 0.25*m2" in text_report(example_fit())
    True
    """
    return "\n\n".join([verdict(fit, validations), assess(fit, validations).headline, fit.summary(), *(v.summary() for v in validations)])
