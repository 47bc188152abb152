"""A fitted model as a table of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .identification_result import IdentificationResult


def summary(fit: IdentificationResult, kind: str | None = None) -> str:
    """Parameters with their standard deviations, errors, and what to mind; with a ``kind`` of covariance its sigmas and 95 % intervals.

    Examples
    --------
    >>> from optid.problems.fit_table import summary
    >>> from optid.testing import example_fit
    >>> print(summary(example_fit()).splitlines()[8])
    120 equations, 6 base parameters, rank 6, condition number 43.66
    """
    width = max((len(f) for f in fit.formulas), default=9)
    lines = [f"{'parameter':<{width}}  {'value':>12}  {'sigma':>10}  {'rel. sigma':>10}" + ("" if kind is None else f"  95 % interval ({kind})")]
    for row in fit.rows(kind):
        numbers = f"{row['value']:>12.6g}  {row['sigma']:>10.3g}  {row['relative_sigma']:>10.2%}" if row["determined"] else f"{'undetermined':>12}"
        shown = f"  {row['lower']:.6g} … {row['upper']:.6g}" if kind is not None and row["determined"] else ""
        lines.append(f"{row['formula']:<{width}}  {numbers}{shown}")
    errors = fit.errors()
    lines.append("")
    lines.append(f"{fit.n_rows} equations, {fit.base.rank} base parameters, rank {fit.determinacy.rank}, condition number {fit.condition_number:.4g}")
    per_joint = ", ".join(f"{100 * e:.3g}" for e in errors.per_joint)
    lines.append(f"error against filtered torque: stacked {errors.stacked:.2%}, per joint {per_joint} %, mean per joint {errors.mean_per_joint:.2%}")
    if fit.reliable_kind != "white" and kind in (None, "white"):
        lines.append(f"warning: {fit.not_white()} sigma is for white residuals; interval() is consistent.")
    lines += [f"undetermined: {text}" for text in fit.undetermined]
    poor = fit.poorly_determined()
    if poor:
        lines.append(f"sigma above half of the value: {', '.join(poor)}")
    report = fit.physical_report()
    if not report.ok:
        lines.append(f"bodies that cannot exist: {', '.join(report.unphysical)} (of {report.source})")
    lines += [f"note: {text}" for text in fit.notes]
    return "\n".join(lines)
