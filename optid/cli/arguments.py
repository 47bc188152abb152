"""Arguments that several commands share, and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from optid.errors import DataError, MissingFileError, RobotError, sentence, unknown_name

if TYPE_CHECKING:
    from optid.model import DynamicModel
    from optid.robot import Robot

RobotArgument = Annotated[str, typer.Argument(metavar="ROBOT", help="Robot file (.toml, .urdf, MJCF .xml), or library:NAME such as library:panda.")]
Tip = Annotated[str | None, typer.Option(help="Last link of the chain in a URDF or MJCF that branches.")]
Friction = Annotated[str, typer.Option(help="Friction terms joined by +: viscous, coulomb, offset; or asymmetric; or none.")]
RotorInertia = Annotated[bool, typer.Option("--rotor-inertia", help="One reflected rotor inertia per joint as a parameter of its own.")]
SignWidth = Annotated[float, typer.Option(help="Width w, in rad/s, of tanh(v/w) in place of the sign of Coulomb friction; 0 is the sign.")]
Known = Annotated[
    list[str] | None, typer.Option(metavar="NAME[=VALUE]", help="A parameter that is not fitted, e.g. m1=31.5; without a value the robot's own. Repeatable.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Report = Annotated[Path | None, typer.Option("--report", metavar="DIR", help="Write an HTML report there, with its numbers (JSON, HDF5) and plots.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything random.")]

LIBRARY = "library:"


def library_names() -> list[str]:
    """Robots that ``library:NAME`` offers."""
    from optid import library

    return sorted(library.__all__)


def robot_of(text: str, tip: str | None = None) -> Robot:
    """The robot that a ROBOT argument means."""
    from optid.robot import Robot, load_robot

    if text.startswith(LIBRARY):
        from optid import library

        name = text.removeprefix(LIBRARY)
        if name not in library_names():
            raise unknown_name("robot of the library", name, library_names())
        made = getattr(library, name)()
        if not isinstance(made, Robot):
            raise RobotError(sentence(f"robot {text!r}", type(made).__name__, "a robot"))
        return made
    path = Path(text)
    if not path.exists():
        close = f"Did you mean {LIBRARY}{text}?" if text in library_names() else ""
        raise MissingFileError(sentence(f"robot file {text!r}", "not found", "a .toml, .urdf or .xml file, or library:NAME", close))
    return load_robot(path, tip)


def model_of(robot: Robot, friction: str, rotor_inertia: bool, sign_width: float | tuple[float, ...] = 0.0) -> DynamicModel:
    """The model that the options mean."""
    from optid.model import DynamicModel

    return DynamicModel(robot, friction, rotor_inertia, sign_width)  # type: ignore[arg-type]


def known_of(model: DynamicModel, items: Sequence[str] | None) -> dict[str, float]:
    """Known parameters with their values; a bare name takes the robot's own, and a bare stem (``m``, ``Ia``) all of its kind."""
    nominal = model.nominal_parameters()
    found: dict[str, float] = {}
    for item in items or ():
        name, equals, text = item.partition("=")
        family = [p for p in model.parameter_names if p.rstrip("0123456789") == name]
        if not equals and name not in model.parameter_names and family:
            found |= {p: float(nominal[model.index(p)]) for p in family}
            continue
        at = model.index(name)
        try:
            found[name] = float(text) if equals else float(nominal[at])
        except ValueError:
            raise DataError(sentence(f"known parameter {name!r}", repr(text), "a number, such as m1=31.5")) from None
    return found


def cutoff_of(text: str, what: str) -> float | str | None:
    """A cut-off option: Hz, ``auto`` or ``none``."""
    if text in ("auto", "none"):
        return None if text == "none" else "auto"
    try:
        return float(text)
    except ValueError:
        raise DataError(sentence(what, repr(text), "a number of Hz, auto or none")) from None
