"""Pages: every number and every text on them comes out of one mapping of facts, by its place in it, and says which.

The page is one file. Scripts run only when their hash is the one that the page states; nothing is loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from optid.errors import require

from .chart import Chart, per_panel
from .live import library, live
from .still import draw, png
from .units import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS = 100_000
"""Points of all live panels of a page together: it stays below 6 MB whatever is shown."""
PER_PANEL = 6000


@dataclass(frozen=True, eq=False)
class Picture:
    """A picture that is not zoomed."""

    image: bytes
    alt: str

    @classmethod
    def of(cls, figure: Figure, alt: str) -> Picture:
        """From a matplotlib figure."""
        return cls(png(figure), alt)


def shown(value: Any, style: str = "number") -> str:
    """A value as the page writes it; a dash for what is not known."""
    formats: dict[str, Callable[[Any], str]] = {
        "number": lambda x: f"{x:.6g}",
        "short": lambda x: f"{x:.3g}",
        "percent": percent,
        "fixed": lambda x: f"{x:.4f}",
        "share": lambda x: f"{100 * x:.3g}%",
        "milli": lambda x: f"{1e3 * x:.4g}",
        "text": str,
    }
    return "–" if value is None else formats[style](value)


def at(facts: Any, pointer: str) -> Any:
    """The value at a JSON pointer (RFC 6901) such as ``/parameters/0/value``."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        facts = facts[int(key)] if isinstance(facts, Sequence) else facts[key]
    return facts


def escaped(key: str) -> str:
    """A key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def flat(values: Mapping[str, Any], pointer: str, prefix: str = "") -> list[tuple[str, str]]:
    """Labels and pointers of everything in nested mappings."""
    found: list[tuple[str, str]] = []
    for key, value in values.items():
        place = f"{pointer}/{escaped(key)}"
        found += flat(value, place, f"{prefix}{key} ") if isinstance(value, Mapping) else [(f"{prefix}{key}", place)]
    return found


def render(template: str, facts: Mapping[str, Any], charts: Mapping[str, Chart], pictures: Mapping[str, Picture], **context: Any) -> str:
    """A page.

    Parameters
    ----------
    template : str
        Of ``templates/``.
    facts : mapping
        Plain values: what the page shows.
    charts : mapping name → Chart
        Zoomed in a browser; on paper and without scripts the picture of the same name stands for them.
    pictures : mapping name → Picture
    **context
        For the template.
    """
    jinja2 = require("jinja2", "app")
    markup: Any = jinja2.utils.markupsafe.Markup
    loader = jinja2.PackageLoader("optid.report", "templates")
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined)

    def number(pointer: str, style: str = "number") -> Any:
        value = at(facts, pointer)
        machine = "" if value is None else json.dumps(value)
        return markup('<data value="{}" data-path="{}" data-style="{}">{}</data>').format(machine, pointer, style, shown(value, style))

    def text(pointer: str) -> Any:
        return markup('<span data-path="{}">{}</span>').format(pointer, at(facts, pointer))

    def key(pointer: str, label: str = "") -> Any:
        name = label or pointer.rsplit("/", 1)[1].replace("~1", "/").replace("~0", "~")
        return markup('<span data-key="{}">{}</span>').format(pointer, name)

    def cell(pointer: str) -> Any:
        value = at(facts, pointer)
        if isinstance(value, list):
            return markup(", ").join(cell(f"{pointer}/{k}") for k in range(len(value)))
        return text(pointer) if isinstance(value, (str, bool)) else number(pointer, "number" if isinstance(value, float) else "text")

    most = per_panel(list(charts.values()), POINTS, PER_PANEL)
    data = {name: _script(live(chart, most)) for name, chart in charts.items()}
    script = _asset("report.js") if charts else ""
    scripts = [library(), script] if charts else []
    environment.globals |= {"n": number, "t": text, "key": key, "cell": cell, "escaped": escaped, "facts": facts}
    environment.globals |= {"at": lambda pointer: at(facts, pointer), "flat": lambda pointer: flat(at(facts, pointer), pointer)}
    return str(
        environment.get_template(template).render(
            style=markup(_asset("style.css")),
            scripts=[markup(each) for each in scripts],
            policy=markup(" ".join(_hash(each) for each in scripts) or "'none'"),
            data={name: markup(each) for name, each in data.items()},
            charts=charts,
            thinned={name: chart.n_points > most for name, chart in charts.items()},
            legends={name: [(label, markup(_swatch(look))) for label, look in chart.legend()] for name, chart in charts.items()},
            images={name: f"data:image/png;base64,{base64.b64encode(each.image).decode()}" for name, each in pictures.items()},
            alts={name: each.alt for name, each in pictures.items()},
            **context,
        )
    )


def pictures_of(charts: Mapping[str, Chart]) -> dict[str, Picture]:
    """What stands for charts on paper."""
    return {name: Picture.of(draw(chart), chart.alt) for name, chart in charts.items()}


def _asset(name: str) -> str:
    return files("optid.report").joinpath("templates", name).read_text(encoding="utf-8")


def _script(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _hash(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def _swatch(look: Any) -> str:
    """A small drawing of a line for a legend."""
    if look is None:
        from .chart import BAND

        inside = f'<rect width="26" height="10" fill="{BAND}" fill-opacity="0.55"/>'
    else:
        dash = f' stroke-dasharray="{" ".join(str(2 * d) for d in look.dash)}"' if look.dash else ""
        inside = f'<line x1="0" y1="5" x2="26" y2="5" stroke="{look.color}" stroke-width="{max(look.width, 1.0) * 1.5}"{dash}/>'
    return f'<svg width="26" height="10" aria-hidden="true" focusable="false">{inside}</svg>'
