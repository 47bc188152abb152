"""Robot XML as elements: read without executing or expanding anything, with numbers whose errors name their place."""

from __future__ import annotations

import logging
import math
import re
from os import PathLike, fspath
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from optid.errors import FileError, MissingFileError, RobotError, sentence

log = logging.getLogger(__name__)

_DECLARATION = re.compile(r"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def read_robot_xml(path_or_text: str | PathLike[str]) -> tuple[Element, str, str]:
    """The ``<robot>`` element of a URDF file or text.

    Returns
    -------
    root : Element
    text : str
    where : str
        Name of the file, or "URDF text", for messages.

    Raises
    ------
    FileError
        For a file that cannot be read, is not XML, declares a DOCTYPE or entities, is a xacro, or has another root element.
    MissingFileError
        For a file that is not there.
    """
    root, text, where = read_xml(path_or_text, "URDF")
    _refuse_xacro(root, where)
    if root.tag != "robot":
        hint = "Read it with Robot.from_mjcf." if root.tag == "mujoco" else "Convert an SDF file to URDF first."
        raise FileError(sentence(where, f"root element <{root.tag}>", "<robot>", hint))
    return root, text, where


def read_xml(path_or_text: str | PathLike[str], kind: str) -> tuple[Element, str, str]:
    """The root element of an XML file or text of a kind ("URDF", "MJCF"), whatever it is; else as :func:`read_robot_xml`."""
    text, where = _text(path_or_text, kind)
    if _DECLARATION.search(text):
        raise FileError(sentence(where, "a DOCTYPE or ENTITY declaration", f"plain {kind} without declarations", f"Remove it; {kind} needs none."))
    try:
        return ElementTree.fromstring(text), text, where
    except ElementTree.ParseError as error:
        if "xacro:" in text:
            raise FileError(sentence(where, "xacro macros", "plain URDF", _expand(where))) from None
        line, column = error.position
        raise FileError(f"{where}, line {line}, column {column}: not well-formed XML ({str(error).split(':')[0]}). Repair the file.") from None


def _expand(where: str) -> str:
    """How a xacro becomes a URDF."""
    name = where if where.endswith((".xacro", ".urdf", ".xml")) else "robot.xacro"
    stem = name.partition(".")[0]
    target = f"{stem}.urdf" if name != f"{stem}.urdf" else f"{stem}_expanded.urdf"
    return f"Expand it first:  xacro {name} > {target}  (pip install xacro, or ros2 run xacro xacro)."


def _text(path_or_text: str | PathLike[str], kind: str) -> tuple[str, str]:
    given = fspath(path_or_text) if isinstance(path_or_text, (str, PathLike)) else None
    if not isinstance(given, str):
        raise FileError(sentence(kind, type(path_or_text).__name__, f"a path or the text of a {kind}"))
    if given.lstrip("\ufeff \t\r\n").startswith("<"):
        return given.lstrip("\ufeff \t\r\n"), f"{kind} text"
    try:
        raw = Path(given).read_bytes()
    except FileNotFoundError:
        raise MissingFileError(f"{kind} {given[:200]!r}: not found, expected the path of a {kind} file, or its text starting with '<'.") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{kind} {given[:200]!r}: {reason}, expected the path of a {kind} file, or its text starting with '<'.") from None
    if given.endswith(".xacro"):
        raise FileError(sentence(Path(given).name, "a xacro file", "plain URDF", _expand(Path(given).name)))
    try:
        return raw.decode("utf-8-sig").lstrip(), Path(given).name
    except UnicodeDecodeError as error:
        raise FileError(sentence(Path(given).name, f"a byte at {error.start} that is not UTF-8", "UTF-8 text", "Save the file as UTF-8.")) from None


def _refuse_xacro(root: Element, where: str) -> None:
    for element in root.iter():
        macro = isinstance(element.tag, str) and element.tag.startswith("{") and "xacro" in element.tag.partition("}")[0]
        substituted = next((value for value in element.attrib.values() if "${" in value or "$(" in value), None)
        if macro or substituted:
            found = f"the expression {substituted!r}" if substituted else f"the macro <xacro:{element.tag.partition('}')[2]}>"
            raise FileError(sentence(where, found, "plain URDF", _expand(where)))


def child(parent: Element, tag: str, place: str) -> Element | None:
    """The first child with this tag, or None; a second one is ignored, as other readers do, and logged."""
    found = parent.findall(tag)
    if len(found) > 1:
        log.warning("%s has %d <%s> elements; the first is used", place, len(found), tag)
    return found[0] if found else None


def attribute(element: Element | None, name: str, place: str) -> str:
    """A required attribute's text."""
    value = None if element is None else element.get(name)
    if element is None or not value:
        raise RobotError(sentence(place, f"no {name}", f"the attribute {name}"))
    return value


def numbers(element: Element | None, name: str, count: int, place: str, default: tuple[float, ...] | None = None, infinite: bool = False) -> tuple[float, ...]:
    """``count`` finite (or, if allowed, infinite) numbers of an attribute; ``default`` when the element or the attribute is not there."""
    text = None if element is None else element.get(name)
    if text is None:
        if default is None:
            raise RobotError(sentence(place, f"no {name}", "a number" if count == 1 else f"{count} numbers"))
        return default
    try:
        values = tuple(float(word) for word in text.split())
    except ValueError:
        values = ()
    if len(values) != count or not all(math.isfinite(v) or (infinite and math.isinf(v)) for v in values):
        raise RobotError(sentence(f"{name} of {place}", repr(text), "a finite number" if count == 1 else f"{count} finite numbers"))
    return values


def number(element: Element | None, name: str, place: str, default: float | None = None, infinite: bool = False) -> float:
    """One number of an attribute, as in :func:`numbers`."""
    return numbers(element, name, 1, place, None if default is None else (default,), infinite)[0]
