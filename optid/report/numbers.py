"""The numbers of a fit and its validations, as plain values for JSON and for the report."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .verdict import verdict

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult


def to_dict(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> dict[str, Any]:
    """Everything that the report shows, as numbers and text; what is not finite becomes None.

    Keys: ``verdict, robot, model, parameters`` (one mapping each: ``formula, value, sigma, relative_sigma, lower, upper, determined``), ``known, fit`` (counts,
    condition, errors), ``undetermined, notes, validations, provenance``.
    """
    from optid.identification.result_file import versions

    errors, raw = fit.errors(), fit.errors("raw")
    names = fit.base.model.robot.joint_names
    return plain(
        {
            "verdict": verdict(fit, validations),
            "robot": {"name": fit.base.model.robot.name, "joints": names},
            "model": {"friction": fit.base.model.friction, "rotor_inertia": fit.base.model.rotor_inertia, "sign_width": fit.base.model.sign_width},
            "parameters": fit.rows(),
            "known": dict(fit.known),
            "fit": {
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
            },
            "undetermined": fit.undetermined,
            "notes": fit.notes,
            "validations": [v.to_dict() for v in validations],
            "provenance": {**fit.provenance, "solver": fit.solution.solver, "versions": versions()},
        }
    )


def to_json(fit: IdentificationResult, validations: Sequence[ValidationResult] = (), indent: int | None = 2) -> str:
    """:func:`to_dict` as JSON text (``null`` for what is not finite)."""
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
