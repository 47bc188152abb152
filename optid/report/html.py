"""The report as one HTML page that needs no network, with its plots and numbers beside it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from optid.errors import FileError, require, sentence

from .numbers import plain, to_dict
from .plots import figures
from .units import percent, torque_unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult


METHODS = {"wls": "weighted least squares", "ols": "ordinary least squares"}


@dataclass(frozen=True)
class Table:
    """A table for the top of a report.

    Attributes
    ----------
    title, text : str
    columns : k names
    rows : sequences of k cells, text or numbers
    figure : matplotlib Figure, optional
        Shown below it.
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
) -> str:
    """The report as one page of HTML, images inside.

    Parameters
    ----------
    truth : (r,), optional
        True values of the base parameters, of a simulated robot.
    tables : sequence of Table
        Shown after the verdict.
    title : str, optional
    """
    numbers = to_dict(fit, validations)
    images = {name: png(figure) for name, figure in all_figures(fit, validations, truth, tables).items()}
    return _page(fit, numbers, validations, images, truth, tables, title)


def write_report(
    path: str | PathLike[str],
    fit: IdentificationResult,
    validations: Sequence[ValidationResult] = (),
    *,
    truth: ArrayLike | None = None,
    tables: Sequence[Table] = (),
    title: str | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Path:
    """Write ``report.html``, ``results.json`` and the plots (PNG) into a folder.

    Parameters
    ----------
    path : folder, made when it is not there
    truth, tables, title : see :func:`html_report`
    extra : mapping, optional
        Added to ``results.json``.

    Returns
    -------
    Path
        Of ``report.html``.
    """
    import json

    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        numbers = to_dict(fit, validations) | plain(extra or {})
        images = {name: png(figure) for name, figure in all_figures(fit, validations, truth, tables).items()}
        for name, image in images.items():
            (folder / f"{name}.png").write_bytes(image)
        _write(folder / "results.json", json.dumps(numbers, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        page = folder / "report.html"
        _write(page, _page(fit, numbers, validations, images, truth, tables, title))
    except OSError as error:
        raise FileError(sentence(f"folder {folder}", error.strerror or str(error), "a folder that can be written")) from error
    return page


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _page(
    fit: IdentificationResult,
    numbers: Mapping[str, Any],
    validations: Sequence[ValidationResult],
    images: Mapping[str, bytes],
    truth: ArrayLike | None,
    tables: Sequence[Table],
    title: str | None,
) -> str:
    from importlib.resources import files

    jinja2 = require("jinja2", "app")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    environment.filters |= {"number": _number, "short": _short, "percent": percent}
    environment.globals["grid"] = lambda table: jinja2.utils.markupsafe.Markup(environment.from_string(_GRID).render(table=table))
    template = environment.from_string(files("optid.report").joinpath("templates/report.html").read_text(encoding="utf-8"))
    joints = fit.base.model.robot.n
    inline = {name: f"data:image/png;base64,{base64.b64encode(image).decode()}" for name, image in images.items()}
    return str(
        template.render(
            title=title or f"Dynamic model of {fit.base.model.robot.name}",
            subtitle=f"{joints} joint{'s' if joints > 1 else ''}, {fit.base.rank} base parameters, {fit.n_rows} equations; SI units.",
            numbers=numbers,
            method=METHODS.get(fit.method, fit.method),
            images=inline,
            scores=[_scores(v, fit) for v in validations],
            tables=[
                {"title": t.title, "text": t.text, "columns": t.columns, "rows": t.rows, "image": inline.get(f"table-{k}", "")}
                for k, t in enumerate(tables, start=1)
            ],
            truth=None if truth is None else np.asarray(truth, dtype=float).tolist(),
            provenance=list(_flat(numbers["provenance"])),
        )
    )


_GRID = """<div class="wide"><table><tr>{% for c in table.columns %}<th>{{ c }}</th>{% endfor %}</tr>
{% for row in table.rows %}<tr>{% for cell in row %}<td>{{ cell if cell is string else cell | short }}</td>{% endfor %}</tr>
{% endfor %}</table></div>"""


def _scores(v: ValidationResult, fit: IdentificationResult) -> dict[str, Any]:
    columns = ("joint", "rms error", "largest", "relative", "against raw", "R²", "a constant's rms", "noise of one measurement", "relative, moving", "moving")
    rows = []
    for k, j in enumerate(v.joints):
        unit = torque_unit(fit.base.model.robot, k)
        floor = "not known" if j.noise_floor is None else f"{_short(j.noise_floor)} {unit}"
        sizes = [f"{_short(x)} {unit}" for x in (j.rms, j.largest, j.constant)]
        r_squared = f"{j.r_squared:.4f}" if np.isfinite(j.r_squared) else "–"
        row = (
            j.name,
            sizes[0],
            sizes[1],
            percent(j.relative),
            percent(j.relative_raw),
            r_squared,
            sizes[2],
            floor,
            percent(j.moving),
            percent(j.moving_share),
        )
        rows.append(row)
    return {"columns": columns, "rows": rows}


def png(figure: Figure) -> bytes:
    """A figure as PNG, without anything that differs from run to run."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def all_figures(fit: IdentificationResult, validations: Sequence[ValidationResult], truth: ArrayLike | None, tables: Sequence[Table]) -> dict[str, Figure]:
    """The plots of the report and those of its tables, by name."""
    return figures(fit, validations, truth) | {f"table-{k}": t.figure for k, t in enumerate(tables, start=1) if t.figure is not None}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Any:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key} ")
        else:
            yield f"{prefix}{key}", value


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.6g}"


def _short(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"
