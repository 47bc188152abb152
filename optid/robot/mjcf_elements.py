"""Elements of MJCF: what the compiler section says, default classes, orientations in all their forms, inertials."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from optid.errors import RobotError, sentence, unknown_name

from .link import Link, inertia_matrix
from .transform import Transform, exact_cos_sin
from .urdf_xml import number, numbers

COMPILED = "Save the compiled model:  mujoco.mj_saveLastXML(file, model)  writes everything out."
_ORIENTATIONS = {"quat": 4, "axisangle": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
_BODY_CHANGES = ("settotalmass", "boundmass", "boundinertia")
_MAIN = "main"


@dataclass(frozen=True)
class Compiler:
    """What ``<compiler>`` says.

    Attributes
    ----------
    angle : float
        Factor from the file's angles to radians; ``unit`` is "deg" or "rad".
    eulerseq : str
    autolimits : bool
    """

    angle: float
    unit: str
    eulerseq: str
    autolimits: bool

    @classmethod
    def of(cls, root: Element, where: str) -> Compiler:
        """From all ``<compiler>`` sections; later ones win."""
        said: dict[str, str] = {}
        for element in root.findall("compiler"):
            said |= element.attrib
        place = f"<compiler> of {where}"
        for key in _BODY_CHANGES:
            if number(_element(said), key, place, -1.0) > 0:
                raise RobotError(sentence(place, f"{key}={said[key]!r}", "bodies as they are written", COMPILED))
        for key, wrong in (("inertiafromgeom", "true"), ("balanceinertia", "true"), ("coordinate", "global")):
            if said.get(key) == wrong:
                raise RobotError(sentence(place, f"{key}={wrong!r}", "bodies as they are written", COMPILED))
        choices = {"angle": ("degree", "radian"), "autolimits": ("true", "false")}
        for key, known in choices.items():
            if said.get(key, known[0]) not in known:
                raise RobotError(sentence(f"{key} of {place}", repr(said[key]), " or ".join(known)))
        sequence = said.get("eulerseq", "xyz")
        if len(sequence) != 3 or set(sequence.lower()) - set("xyz"):
            raise RobotError(sentence(f"eulerseq of {place}", repr(sequence), "three of x, y, z, X, Y, Z"))
        degrees = said.get("angle", "degree") == "degree"
        return cls(math.pi / 180 if degrees else 1.0, "deg" if degrees else "rad", sequence, said.get("autolimits", "true") == "true")

    def pose(self, element: Element, place: str) -> Transform:
        """Position and orientation of an element; missing parts are zero.

        Raises
        ------
        RobotError
            For two orientations, or one that is none.
        """
        position = numbers(element, "pos", 3, place, (0.0, 0.0, 0.0))
        given = [key for key in _ORIENTATIONS if element.get(key) is not None]
        if len(given) > 1:
            raise RobotError(sentence(place, f"both {given[0]} and {given[1]}", "one orientation"))
        if not given:
            return Transform.trans(*position)
        values = numbers(element, given[0], _ORIENTATIONS[given[0]], place)
        rotation = self._rotation(given[0], np.array(values), place)
        return Transform.trans(*position) @ Transform.of(rotation)

    def _rotation(self, kind: str, values: NDArray[np.float64], place: str) -> NDArray[np.float64]:
        if kind == "euler":
            turned = np.eye(3)
            for letter, value in zip(self.eulerseq, values, strict=True):
                turn = Transform.rot(letter.lower(), float(value) * self.angle).R
                turned = turned @ turn if letter.islower() else turn @ turned
            return turned
        if kind == "axisangle":
            return about(_unit(values[:3], f"axisangle of {place}"), float(values[3]) * self.angle)
        if kind == "quat":
            w, x, y, z = _unit(values, f"quat of {place}")
            return np.array(
                [
                    [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                    [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
                    [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
                ]
            )
        if kind == "xyaxes":
            x = _unit(values[:3], f"x axis of {place}")
            y = _unit(values[3:] - x * float(x @ values[3:]), f"y axis of {place}")
            return np.column_stack([x, y, np.cross(x, y)])
        z = _unit(values, f"zaxis of {place}")
        cross = np.cross([0.0, 0.0, 1.0], z)
        size = float(np.linalg.norm(cross))
        if size < 1e-12:
            return np.eye(3) if z[2] > 0 else np.diag([1.0, -1.0, -1.0])
        return about(cross / size, math.atan2(size, float(z[2])))


def about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    """Rotation (3, 3) about a unit axis."""
    c, s = exact_cos_sin(angle)
    x, y, z = axis
    return c * np.eye(3) + s * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) + (1 - c) * np.outer(axis, axis)


def _unit(values: NDArray[np.float64], what: str) -> NDArray[np.float64]:
    size = float(np.linalg.norm(values))
    if size < 1e-12:
        raise RobotError(sentence(what, "zero length", "a direction"))
    return values / size


class Defaults:
    """Default classes: attributes of elements that say nothing themselves."""

    def __init__(self, classes: dict[str, dict[str, dict[str, str]]]) -> None:
        self._classes = classes

    @classmethod
    def of(cls, root: Element, where: str) -> Defaults:
        """From all ``<default>`` sections."""
        classes: dict[str, dict[str, dict[str, str]]] = {_MAIN: {}}
        stack = [(element, element.get("class", _MAIN), _MAIN) for element in root.findall("default")]
        while stack:
            element, name, parent = stack.pop(0)
            if not name:
                raise RobotError(sentence(f"<default> in {where}", "no class", "a name"))
            own = {tag: dict(values) for tag, values in classes.get(parent, {}).items()} if name not in classes else classes[name]
            for item in element:
                if item.tag != "default":
                    own[item.tag] = own.get(item.tag, {}) | item.attrib
            classes[name] = own
            stack.extend((item, item.get("class", ""), name) for item in element.findall("default"))
        return cls(classes)

    def values(self, element: Element, tags: str | tuple[str, ...], inherited: str | None, where: str) -> Element:
        """The element with what its class adds: its own, that of the body around it, or the main one. Kinds that share defaults are given together."""
        name = element.get("class") or inherited or _MAIN
        if name not in self._classes:
            raise unknown_name(f"default class in {where}", name, self._classes)
        added: dict[str, str] = {}
        for tag in (tags,) if isinstance(tags, str) else tags:
            added |= self._classes[name].get(tag, {})
        return _element(added | element.attrib)


def _element(values: dict[str, str]) -> Element:
    return Element("values", dict(values))


def read_inertial(element: Element, body: str, compiler: Compiler) -> Link:
    """The body of an ``<inertial>``; its frame may be turned, its moments may be a diagonal or the full matrix (xx, yy, zz, xy, xz, yz)."""
    place = f"<inertial> of body {body!r}"
    numbers(element, "pos", 3, place)
    mass = number(element, "mass", place)
    frame = compiler.pose(element, place)
    has = [key for key in ("diaginertia", "fullinertia") if element.get(key) is not None]
    if len(has) != 1:
        raise RobotError(sentence(place, " and ".join(has) or "no moments of inertia", "one of diaginertia and fullinertia", "" if has else COMPILED))
    if has[0] == "diaginertia":
        turned = frame.R @ np.diag(numbers(element, "diaginertia", 3, place)) @ frame.R.T
    else:
        if any(element.get(key) is not None for key in _ORIENTATIONS):
            raise RobotError(sentence(place, "an orientation beside fullinertia", "moments about the body's axes"))
        xx, yy, zz, xy, xz, yz = numbers(element, "fullinertia", 6, place)
        turned = inertia_matrix((xx, xy, xz, yy, yz, zz))
    return Link.from_com(mass, frame.p, (turned + turned.T) / 2, body)


def refuse(root: Element, tags: Iterable[str], where: str, hint: str) -> None:
    """Raise RobotError for the first element of these kinds."""
    for element in root.iter():
        if element.tag in tags:
            named = next((f" {key}={element.get(key)!r}" for key in ("file", "name", "prefix") if element.get(key)), "")
            raise RobotError(sentence(where, f"<{element.tag}{named}>", "a model that is written out", hint))
