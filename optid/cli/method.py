"""Options of estimation methods on the command line, and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optid.errors import DataError, MissingFileError, OptidError, sentence, unknown_name

from .arguments import LIBRARY, robot_of

if TYPE_CHECKING:
    from optid.model import DynamicModel
    from optid.signals import Preprocessing

METHOD_NAMES = ("ols", "wls", "gls", "huber", "essential", "damped", "constrained", "physical", "iv", "didim", "output_error", "tls")
COVARIANCES = ("white", "hac", "bootstrap")

Method = Annotated[str, typer.Option(metavar="NAME", help=f"Estimation method: {', '.join(METHOD_NAMES)}.")]
MethodOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="A field of the method, e.g. damping=gcv, allowance=1.05, measure=entropic, level=0.99. Repeatable."),
]
PriorOption = Annotated[
    list[str] | None,
    typer.Option(
        "--prior",
        metavar="SOURCE",
        help="What is believed before: a robot (.toml, .urdf, library:NAME), a physical fit (.h5), or NAME=VALUE or NAME=VALUE:SIGMA, repeatable. "
        "Default: ROBOT itself.",
    ),
]
PriorSigma = Annotated[float | None, typer.Option(metavar="SHARE", help="Standard deviation of all that the prior states, as a part of its size: 0.3.")]
Bounds = Annotated[
    list[str] | None, typer.Option("--bound", metavar="NAME=LOW:HIGH", help="For constrained: bounds of a base parameter, either may be missing. Repeatable.")
]
Masses = Annotated[list[str] | None, typer.Option("--mass", metavar="LINK=LOW:HIGH", help="For physical: range of a link's mass in kg. Repeatable.")]
Boxes = Annotated[
    list[str] | None,
    typer.Option("--com-box", metavar="LINK=X:X,Y:Y,Z:Z", help="For physical: box of a link's centre of mass in the link frame, in m. Repeatable."),
]
Loop = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.py[:NAME]", help="For iv, didim, output_error: Python file that makes the ClosedLoop or CommandedMotion NAME (loop). It is run."
    ),
]
Covariance = Annotated[str | None, typer.Option(metavar="KIND", help="Of the sigmas and intervals shown: white, hac (correlated in time) or bootstrap.")]
SignWidthOrAuto = Annotated[
    str, typer.Option(help="Width w, in rad/s, of tanh(v/w) in place of the sign of Coulomb friction; 0 is the sign; auto: from the noise at standstill.")
]
RobotOut = Annotated[
    Path | None, typer.Option("--write-robot", metavar="FILE", help="Write the fitted bodies back: a robot file (.toml, with its DH rows) or a URDF (.urdf).")
]


def options_of(
    method: str, options: Sequence[str] | None, bounds: Sequence[str] | None, masses: Sequence[str] | None, boxes: Sequence[str] | None, loop: str | None
) -> dict[str, Any]:
    """Fields of the method's class; unknown ones are refused with a suggestion before any work."""
    from optid.identification.methods import make_method
    from optid.problems.physical_bodies import Box

    found: dict[str, Any] = {}
    for item in options or ():
        name, text = _pair(item, "--option", "damping=gcv")
        found[name.replace("-", "_")] = _value(text)
    if isinstance(found.get("keep"), str):
        found["keep"] = (found["keep"],)
    if bounds:
        found["bounds"] = {name: _range(text, f"--bound {name}") for name, text in (_pair(item, "--bound", "fc1=0:") for item in bounds)}
    if masses:
        pairs = [(name, _range(text, f"--mass {name}")) for name, text in (_pair(item, "--mass", "forearm=2:5") for item in masses)]
        found["masses"] = {name: (low or 0.0, float("inf") if high is None else high) for name, (low, high) in pairs}
    if boxes:
        found["centres"] = {}
        for name, text in (_pair(item, "--com-box", "forearm=-0.1:0.1,-0.1:0.1,0:0.5") for item in boxes):
            ends = [_range(part, f"--com-box {name}") for part in text.split(",")]
            if len(ends) != 3 or any(None in pair for pair in ends):
                raise DataError(sentence(f"--com-box {name}", repr(text), "three ranges, such as -0.1:0.1,-0.1:0.1,0:0.5"))
            found["centres"][name] = Box(*zip(*ends, strict=True))
    if loop is not None:
        found["loop"] = _from_file(loop)
    make_method(method, found)
    return found


def prior_of(model: DynamicModel, sources: Sequence[str] | None, relative: float | None) -> Any:
    """The prior that the options mean, None for the method's own choice."""
    from optid.identification import load_result
    from optid.problems import Prior

    if not sources and relative is None:
        return None
    named: dict[str, Any] = {}
    start: Any = None
    for source in sources or ():
        if "=" in source:
            name, text = _pair(source, "--prior", "m3=2.1:0.2")
            low, high = _range(text, f"--prior {name}") if ":" in text else (_number(text, f"--prior {name}"), None)
            named[name] = low if high is None else (low, high)
        elif start is not None:
            raise DataError(sentence("--prior", "two files", "one robot or fit, and NAME=VALUE items"))
        else:
            fit = source.lower().endswith((".h5", ".hdf5")) and not source.startswith(LIBRARY)
            start = load_result(source) if fit else robot_of(source)
    prior = Prior.of(model, start)
    if named:
        with_names = Prior.of(model, named)
        at = [model.index(name) for name in named]
        values, sigmas = prior.values.copy(), prior.sigmas.copy()
        values[at], sigmas[at] = with_names.values[at], with_names.sigmas[at]
        prior = Prior(model, values, sigmas)
    return prior if relative is None else prior.with_relative_sigmas(relative)


def sign_width_of(text: str, files: Sequence[Path], preprocessing: Preprocessing) -> float | tuple[float, ...]:
    """A width in rad/s; "auto" takes the median over the recordings that show a standstill."""
    if text != "auto":
        return _number(text, "--sign-width", "a speed such as 0.01, or auto")
    import numpy as np

    from optid.experiment import read_experiment
    from optid.statistics import sign_width

    found: list[tuple[float, ...]] = []
    faults: list[OptidError] = []
    for file in files:
        try:
            found += [sign_width(trial, preprocessing) for trial in read_experiment(file).with_role("identification")]
        except OptidError as error:
            faults.append(error)
    if not found:
        raise DataError(sentence("--sign-width auto", f"no recording with a standstill ({faults[0] if faults else 'none'})", "one", "State a width in rad/s."))
    return tuple(float(w) for w in np.median(found, axis=0))


def checked_covariance(kind: str | None) -> str | None:
    """A kind of covariance."""
    if kind is not None and kind not in COVARIANCES:
        raise unknown_name("kind of covariance", kind, COVARIANCES)
    return kind


def check_robot_out(path: Path, method: str) -> None:
    """Refuse, before the work, a robot file that could not be written."""
    if path.suffix.lower() not in (".toml", ".urdf"):
        raise DataError(sentence(f"--write-robot {path}", f"the ending {path.suffix!r}", ".toml or .urdf"))
    if path.exists():
        raise DataError(sentence(f"--write-robot {path}", "a file that exists", "a new name", "Robot files are never written over."))
    if not path.resolve().parent.is_dir():
        raise MissingFileError(sentence(f"folder {path.parent}", "not found", f"an existing folder for {path.name}"))
    if method != "physical":
        raise DataError(sentence(f"--write-robot with --method {method}", "base parameters alone", "bodies of all links", "Use --method physical."))


def _pair(item: str, option: str, example: str) -> tuple[str, str]:
    name, equals, text = item.partition("=")
    if not equals or not name.strip() or not text.strip():
        raise DataError(sentence(option, repr(item), f"NAME=VALUE, such as {option} {example}"))
    return name.strip(), text.strip()


def _number(text: str, what: str, wanted: str = "a number") -> float:
    try:
        return float(text)
    except ValueError:
        raise DataError(sentence(what, repr(text), wanted)) from None


def _range(text: str, what: str) -> tuple[float | None, float | None]:
    low, colon, high = text.partition(":")
    if not colon:
        raise DataError(sentence(what, repr(text), "a range LOW:HIGH, such as 0:5 or 0:"))
    return (_number(low, what) if low.strip() else None, _number(high, what) if high.strip() else None)


def _value(text: str) -> Any:
    """A number, true, false, a list with commas in between, or the text itself."""
    if "," in text:
        return tuple(_value(part.strip()) for part in text.split(",") if part.strip())
    words = {"true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _from_file(where: str) -> Any:
    """An object that a Python file of the user makes."""
    from importlib.util import module_from_spec, spec_from_file_location

    text, _, name = where.partition(".py:") if ".py:" in where else (where.removesuffix(".py"), "", "loop")
    path = Path(f"{text}.py")
    if not path.is_file():
        raise MissingFileError(sentence(f"--loop {where}", f"no file {path}", "a Python file, such as controller.py:loop"))
    spec = spec_from_file_location(f"optid_user_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise DataError(sentence(f"--loop {where}", "a file that Python cannot load", "a Python file"))
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's own code raises
        raise DataError(sentence(f"--loop {path}", f"{type(error).__name__} while it ran: {error}", "a file that runs")) from error
    if not hasattr(module, name):
        raise unknown_name(f"object in {path}", name, [known for known in vars(module) if not known.startswith("_")])
    return getattr(module, name)
