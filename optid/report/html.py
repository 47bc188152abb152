"""The report of a fit: one HTML page that needs no network, and beside it its numbers (JSON, HDF5) and pictures (PNG)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from .chart import Chart
from .folder import fill
from .numbers import plain, to_dict
from .page import Picture, pictures_of, render
from .plots import plot_parameters, plot_singular_values
from .torque_charts import torque_charts
from .units import torque_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult

    from .quality import Recording


METHODS = {"wls": "weighted least squares", "ols": "ordinary least squares"}
KINDS = {"identify": "identification", "validate": "validation", "demo": "demonstration"}
MOST_DRAWN = 3
"""Trials that are drawn; of further ones the page holds the numbers."""


@dataclass(frozen=True)
class Table:
    """A table of a report, after the tests.

    Attributes
    ----------
    title, text : str
    columns : k names
    rows : sequences of k cells, text or numbers
    figure : matplotlib Figure, optional
        Shown below it.

    Examples
    --------
    >>> from optid.report import Table
    >>> Table("gears", ["joint", "gear"], [["swing", 100]]).title
    'gears'
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    text: str = ""
    figure: Figure | None = None


def html_report(
    fit: IdentificationResult,
    validations: Sequence[ValidationResult] = (),
    *,
    truth: ArrayLike | None = None,
    tables: Sequence[Table] = (),
    title: str | None = None,
    training: Sequence[ValidationResult] = (),
    recordings: Sequence[Recording] = (),
    kind: str = "identify",
) -> str:
    """The report as one page of HTML, with everything inside.

    Parameters
    ----------
    truth : (r,), optional
        True values of the base parameters, of a simulated robot.
    tables : sequence of Table
        Shown after the tests.
    title : str, optional
    training : sequence of ValidationResult
        Predictions of the fit's own data; shown as such.
    recordings : sequence of Recording
        The trials as they were recorded (:func:`optid.report.recordings_in`).
    kind : str
        The command: "identify", "validate" or "demo".

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import html_report
    >>> from optid.testing import example_fit, example_samples
    >>> fit = example_fit()
    >>> html_report(fit, [validate(fit, example_samples())]).startswith("<!")
    True
    """
    return _Report.of(fit, validations, truth, tables, title, training, recordings, kind).page()


def write_report(
    path: str | PathLike[str],
    fit: IdentificationResult,
    validations: Sequence[ValidationResult] = (),
    *,
    truth: ArrayLike | None = None,
    tables: Sequence[Table] = (),
    title: str | None = None,
    extra: Mapping[str, Any] | None = None,
    training: Sequence[ValidationResult] = (),
    recordings: Sequence[Recording] = (),
    kind: str = "identify",
) -> Path:
    """Write ``report.html``, ``results.json``, ``results.h5`` and the pictures (PNG) into a folder.

    Parameters
    ----------
    path : folder, made when it is not there
    truth, tables, title, training, recordings, kind : see :func:`html_report`
    extra : mapping, optional
        Added to the numbers.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    FileError
        The folder cannot be written, or its ``results.h5`` is a file of another kind.

    Examples
    --------
    >>> from optid import validate
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.report import write_report
    >>> from optid.testing import example_fit, example_samples
    >>> fit = example_fit()
    >>> with TemporaryDirectory() as folder:
    ...     print(write_report(folder, fit, [validate(fit, example_samples())]).name)
    report.html
    """
    report = _Report.of(fit, validations, truth, tables, title, training, recordings, kind)
    facts = report.facts | plain(extra or {})
    return fill(path, report.page(facts), facts, {name: each.image for name, each in report.pictures.items()}, {"identification": fit})


@dataclass(frozen=True, eq=False)
class _Report:
    """What a page is made from."""

    facts: dict[str, Any]
    charts: dict[str, Chart]
    pictures: dict[str, Picture]
    context: dict[str, Any]

    @classmethod
    def of(
        cls,
        fit: IdentificationResult,
        validations: Sequence[ValidationResult],
        truth: ArrayLike | None,
        tables: Sequence[Table],
        title: str | None,
        training: Sequence[ValidationResult],
        recordings: Sequence[Recording],
        kind: str,
    ) -> _Report:
        robot = fit.base.model.robot
        facts = to_dict(fit, validations, training=training, recordings=recordings, truth=truth, kind=kind, title=title)
        if tables:
            facts["tables"] = [plain({"title": t.title, "text": t.text, "columns": t.columns, "rows": t.rows}) for t in tables]
        trials = [(f"{k}", v) for k, v in enumerate(validations, start=1)] + [(f"own-{k}", v) for k, v in enumerate(training, start=1)]
        charts = {f"{chart.name}-{tail}": chart for tail, v in trials[:MOST_DRAWN] for chart in torque_charts(v, robot, fit)}
        pictures = pictures_of(charts)
        pictures["parameters"] = Picture.of(plot_parameters(fit, truth), "Base parameters with their 95 % intervals, and their relative standard deviations.")
        pictures["singular_values"] = Picture.of(plot_singular_values(fit), "Singular values of the weighted regressor with columns of unit norm.")
        pictures |= {f"table-{k}": Picture.of(t.figure, t.title) for k, t in enumerate(tables, start=1) if t.figure is not None}
        context = {
            "tables": facts.get("tables", []),
            "what": KINDS.get(kind, kind),
            "method": METHODS.get(fit.method, fit.method),
            "units": [torque_unit(robot, j) for j in range(robot.n)],
        }
        return cls(facts, charts, pictures, context)

    def page(self, facts: Mapping[str, Any] | None = None) -> str:
        return render("report.html", self.facts if facts is None else facts, self.charts, self.pictures, **self.context)
