"""The numbers of a fit and its validations, as plain values for JSON and for the report."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import DataError

from .use import assess
from .verdict import verdict
from .whiteness import residual_whiteness

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult

    from .quality import Recording

POOR = 0.5
"""Parameters whose sigma is above this part of their value are pointed out."""


def to_dict(
    fit: IdentificationResult,
    validations: Sequence[ValidationResult] = (),
    *,
    training: Sequence[ValidationResult] = (),
    recordings: Sequence[Recording] = (),
    truth: ArrayLike | None = None,
    kind: str = "identify",
    title: str | None = None,
) -> dict[str, Any]:
    """Everything that the report shows, as numbers and text; what is not finite becomes None.

    Keys: ``kind, title, verdict, assessment`` (what the model may be used for, with thresholds), ``robot, model, parameters`` (one mapping each: ``formula,
    value, sigma, relative_sigma, lower, upper, determined, poor``, and ``truth, inside`` where it is known), ``known, fit`` (counts, condition, errors,
    whiteness), ``undetermined, physical, notes, dropped, validations, training, recordings, provenance``.

    Parameters
    ----------
    validations : sequence of ValidationResult
        Trials that the fit has not seen.
    training : sequence of ValidationResult
        Trials of the fit itself, predicted.
    recordings : sequence of Recording
        The trials as they were recorded.
    truth : (r,), optional
        True base parameters, of a simulated robot.

    Examples
    --------
    >>> from optid.report import to_dict
    >>> from optid.testing import example_fit
    >>> isinstance(to_dict(example_fit()), dict)
    True
    """
    return plain(
        {
            "kind": kind,
            "title": title or f"Dynamic model of {fit.base.model.robot.name}",
            "verdict": verdict(fit, validations),
            "assessment": assess(fit, validations).to_dict(),
            "robot": {"name": fit.base.model.robot.name, "joints": fit.base.model.robot.joint_names, "n_joints": fit.base.model.n},
            "model": {"friction": fit.base.model.friction, "rotor_inertia": fit.base.model.rotor_inertia, "sign_width": fit.base.model.sign_width},
            "parameters": parameter_rows(fit, truth),
            "known": dict(fit.known),
            "fit": _fit(fit),
            "undetermined": fit.undetermined,
            "physical": _physical(fit),
            "notes": fit.notes,
            "n_dropped": len(fit.details.dropped),
            "dropped": [dropped._asdict() for dropped in fit.details.dropped],
            "validations": [validation_facts(v) for v in validations],
            "training": [validation_facts(v) for v in training],
            "recordings": [recording.to_dict() for recording in recordings],
            "provenance": provenance_facts(fit),
        }
    )


def parameter_rows(fit: IdentificationResult, truth: ArrayLike | None = None) -> list[dict[str, Any]]:
    """One mapping a base parameter."""
    rows = [row | {"poor": bool(row["determined"] and row["relative_sigma"] > POOR)} for row in fit.rows()]
    if truth is not None:
        true = np.asarray(truth, dtype=float)
        rows = [row | {"truth": float(t), "inside": bool(row["lower"] <= t <= row["upper"])} for row, t in zip(rows, true, strict=True)]
    return rows


def _fit(fit: IdentificationResult) -> dict[str, Any]:
    errors, raw = fit.errors(), fit.errors("raw")
    kept = fit.details.residuals
    names = fit.base.model.robot.joint_names
    white = None
    if kept is not None:
        lag_one = kept.autocorrelation[:, 1]
        white = [{"joint": name, "p_value": p, "lag_one": rho} for name, p, rho in zip(names, kept.whiteness, lag_one, strict=True)]
    return {
        "method": fit.method,
        "trials": fit.trials,
        "rows": fit.n_rows,
        "rank": fit.determinacy.rank,
        "base_parameters": fit.base.rank,
        "degrees_of_freedom": fit.degrees_of_freedom,
        "condition_number": fit.condition_number,
        "scaled_condition_number": fit.determinacy.scaled_condition_number,
        "singular_values": fit.determinacy.singular_values,
        "noise_variance": fit.noise_variance,
        "residual_std": fit.residual_std,
        "weights": fit.weights,
        "error_filtered": {"stacked": errors.stacked, "per_joint": errors.per_joint, "mean_per_joint": errors.mean_per_joint},
        "error_raw": {"stacked": raw.stacked, "per_joint": raw.per_joint, "mean_per_joint": raw.mean_per_joint},
        "intervals": fit.reliable_kind,
        "whiteness": white,
    }


def _physical(fit: IdentificationResult) -> dict[str, Any]:
    report = fit.physical_report()
    links = [
        {"name": v.name, "mass": v.parameters[0], "smallest_eigenvalue": v.eigenvalues[0], "can_exist": not v.faults, "faults": v.faults} for v in report.links
    ]
    return {"all_can_exist": report.ok, "source": report.source, "links": links}


def validation_facts(v: ValidationResult) -> dict[str, Any]:
    """The scores of a validation, its length, and whether its residuals are white."""
    found = v.to_dict() | {"seconds": float(v.time[-1] - v.time[0]) if len(v.time) else 0.0, "samples": len(v.time), "rate": v.rate, "whiteness": None}
    with suppress(DataError):
        w = residual_whiteness(v)
        rows = zip(v.joints, w.autocorrelation[:, 1], w.p_values, w.white, strict=True)
        joints = [{"joint": j.name, "lag_one": rho, "p_value": p, "white": ok} for j, rho, p, ok in rows]
        found["whiteness"] = {"bound": w.bound, "joints": joints}
    return found


def provenance_facts(fit: IdentificationResult) -> dict[str, Any]:
    """Where a fit comes from: command, seed, inputs with their hashes, solver, versions."""
    from optid.identification.result_file import versions

    return {**fit.provenance, "solver": fit.solution.solver, "versions": versions()}


def to_json(fit: IdentificationResult, validations: Sequence[ValidationResult] = (), indent: int | None = 2) -> str:
    """:func:`to_dict` as JSON text (``null`` for what is not finite).

    Examples
    --------
    >>> import json
    >>> from optid.report import to_json
    >>> from optid.testing import example_fit
    >>> isinstance(json.loads(to_json(example_fit())), dict)
    True
    """
    return json.dumps(to_dict(fit, validations), indent=indent, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """Python numbers, text, lists and mappings of it; NaN and infinite numbers as None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
