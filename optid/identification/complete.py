"""A full, physically consistent set of standard parameters out of a fit of base parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from optid.errors import RankError, SolveError, sentence
from optid.problems.identification_result import IdentificationResult
from optid.problems.nearest_physical import NearestPhysical
from optid.problems.physical import PhysicalIdentification
from optid.problems.physical_bodies import BodyLimits
from optid.problems.prior import Prior
from optid.solvers import solve


def physical_set(fit: IdentificationResult, prior: Any = None, limits: BodyLimits | None = None, solver: str | None = None) -> IdentificationResult:
    """The same fit with a full set of standard parameters: bodies that can exist, nearest to the prior, with exactly the fitted torque.

    Parameters
    ----------
    fit : IdentificationResult
        All of its base parameters must be determined.
    prior : optional
        See :meth:`optid.problems.Prior.of`; default the robot's own bodies.
    limits : BodyLimits, optional
        Margin, mass ranges, places of the centres of mass.
    solver : str, optional
        One that takes cones; default the installed one.

    Returns
    -------
    IdentificationResult
        With ``standard_parameters``; estimates and sigmas are those of ``fit``.

    Raises
    ------
    RankError
        Some base parameters are undetermined.
    SolveError
        No bodies that can exist predict this torque.

    Examples
    --------
    >>> from optid.identification import physical_set
    >>> from optid.testing import example_fit, example_model
    >>> physical_set(example_fit(), prior=example_model().nominal_parameters()).physical_report().ok
    True
    """
    if fit.undetermined:
        raise RankError(sentence("base parameters", f"undetermined {', '.join(fit.undetermined)}", "all determined", "Fit with method='physical'."))
    frame = PhysicalIdentification(
        fit.base, fit.factors, fit.weights, Prior.of(fit.base.model, prior), limits=limits or BodyLimits(), positive=False, known=fit.known
    )
    try:
        pi = solve(NearestPhysical(frame, fit.minimum_norm), solver=solver)
    except SolveError as error:
        hint = "Fit with method='physical' for the nearest torque of such bodies."
        raise SolveError(sentence("bodies that can exist", "none that predict exactly the fitted torque", "at least one set", hint), error.solution) from error
    return replace(fit, details=replace(fit.details, standard=pi))
