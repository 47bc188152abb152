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
    >>> import numpy as np
    >>> from optid import DynamicModel, identify, library, validate
    >>> from optid.signals import Samples
    >>> model = DynamicModel(library.planar_2r(), friction="none")
    >>> state = np.random.default_rng(0).standard_normal((3, 60, 2))
    >>> samples = Samples.from_arrays(*state, model.inverse_dynamics(model.nominal_parameters(), *state), rate=100)
    >>> fit = identify(model, samples)
    >>> from optid.report import text_report
    >>> "Izz1 + 0.25*m2" in text_report(fit)
    True
    """
    return "\n\n".join([verdict(fit, validations), assess(fit, validations).headline, fit.summary(), *(v.summary() for v in validations)])
