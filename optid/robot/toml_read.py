"""A robot from TOML text, every fault with its place and its cause."""

from __future__ import annotations

import math
import tomllib
from typing import Any

from optid.errors import FileError, RobotError, sentence, unknown_name

from .dh import DHRow, DHTable
from .joint import Drive, Joint
from .limits import Limits
from .link import Link
from .robot import STANDARD_GRAVITY, Mimic, Robot
from .toml_table import Table, at
from .toml_write import FORMAT, VERSION
from .transform import Transform

_TOP = ("format", "version", "name", "joints", "convention", "gravity", "base", "tool", "coupling", "joint", "end")
_DH = ("a", "alpha", "alpha_deg", "d", "theta", "theta_deg")
_PLACE = ("before", "axis", "after")
_JOINT = ("name", "kind", "viscous", "coulomb", "link", "mimic")
_LIMITS = ("lower", "lower_deg", "upper", "upper_deg", "velocity", "velocity_deg", "acceleration", "acceleration_deg", "torque")
_COORDINATE = (*_LIMITS, "drive")
_LINK = ("name", "mass", "first_moment", "inertia", "com", "inertia_about_com")
_DRIVE = ("gear", "rotor_inertia", "torque_constant", "current_gain")
_MIMIC = ("joint", "multiplier", "offset")
_POSE = ("xyz", "rpy", "rpy_deg", "rotation")


def robot_from_toml(text: str, where: str = "robot TOML") -> Robot:
    """A robot from TOML text.

    Top level: ``name``, ``gravity``, ``base`` and ``tool`` (``{xyz, rpy | rpy_deg | rotation}``), ``coupling``, ``convention``. Then one ``[[joint]]`` per
    joint, from the base: ``name``, ``kind`` ("R" or "P"), the DH row ``a, alpha, d, theta`` (with ``convention``) or ``before, axis, after`` (without),
    nominal friction ``viscous, coulomb``, limits ``lower, upper, velocity, acceleration, torque``, and tables ``[joint.link]`` (``mass``, ``first_moment`` and
    ``inertia`` about the frame's origin, or ``com`` and ``inertia_about_com``), ``[joint.drive]`` and ``[joint.mimic]``. SI and radians; angles take a suffix
    ``_deg``. ``joints`` may state their number; such a file ends with the empty table ``[end]``, so that one that was cut off is seen.

    Raises
    ------
    FileError
        For text that is not TOML, was cut off, or describes something else.
    UnknownNameError
        For a key that is not known, with a suggestion.
    RobotError
        For a wrong value, with its place.

    Examples
    --------
    >>> from optid import library
    >>> from optid.robot import robot_from_toml, robot_to_toml
    >>> robot_from_toml(robot_to_toml(library.planar_2r())).joint_names
    ('joint1', 'joint2')
    """
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: not valid TOML ({error}). Repair the file.") from None
    if data.get("format", FORMAT) != FORMAT:
        raise FileError(sentence(f"format of {where}", repr(data["format"]), repr(FORMAT)))
    if data.get("version", VERSION) != VERSION:
        raise FileError(sentence(f"version of {where}", repr(data["version"]), str(VERSION), "A newer optid wrote it: update optid."))
    top = Table(data, where)
    top.only(_TOP)
    items = data.get("joint", [])
    if not isinstance(items, list) or not items or not all(isinstance(item, dict) for item in items):
        raise RobotError(sentence(where, "no [[joint]]", "one [[joint]] table per joint, from the base"))
    _whole(data, len(items), where)
    tables = [Table(item, f"[[joint]] {i + 1} ({item.get('name', 'unnamed')}) of {where}") for i, item in enumerate(items)]
    names = [table.text("name", f"joint{i + 1}") for i, table in enumerate(tables)]
    dh = _dh_table(top, tables)
    joints = []
    for i, table in enumerate(tables):
        table.only((*(_DH if dh else _PLACE), *_JOINT, *(() if "mimic" in table.values else _COORDINATE)))
        with at(table.place):
            placed = dh.joints(names)[i] if dh else _placed(table, names[i])
            friction = {key: table.number(key, 0.0) for key in ("viscous", "coulomb")}
            joints.append(Joint(placed.name, placed.kind, placed.before, placed.axis, placed.after, **friction))
    free = [table for table in tables if "mimic" not in table.values]
    with at(where):
        return Robot(
            tuple(joints),
            tuple(_link(table.table("link"), f"link{i + 1}") for i, table in enumerate(tables)),
            top.vector("gravity", 3, STANDARD_GRAVITY),  # type: ignore[arg-type]
            tuple(_drive(table.table("drive")) for table in free),
            _limits(free, tuple(name for name, table in zip(names, tables, strict=True) if table in free)),
            top.matrix("coupling", len(free)),
            tuple(_mimic(table.table("mimic"), i, names) for i, table in enumerate(tables) if table not in free),
            _pose(top.table("base")),
            _pose(top.table("tool")),
            top.text("name", "robot"),
            source=text,
            dh=dh,
        )


def _whole(data: dict[str, Any], found: int, where: str) -> None:
    """A file cut off between two lines is still valid TOML: one that states its number of joints has all of them and the table ``[end]``."""
    stated = data.get("joints")
    if stated is None:
        return
    if not isinstance(stated, int) or isinstance(stated, bool) or stated < 1:
        raise RobotError(sentence(f"joints of {where}", repr(stated), "the number of its [[joint]] tables"))
    if stated != found:
        raise FileError(
            sentence(where, f"{found} [[joint]]", f"joints = {stated}", "The file is cut off, or its count is wrong: get it whole, or correct the count.")
        )
    if data.get("end") != {}:
        raise FileError(sentence(where, "joints without a closing table", "[end] after the last joint", "The file is cut off: get it whole."))


def _dh_table(top: Table, tables: list[Table]) -> DHTable | None:
    convention = top.text("convention", "")
    if not convention:
        used = [key for table in tables for key in table.values if key in _DH]
        if used:
            raise RobotError(sentence(top.place, f"DH rows ({used[0]}) without a convention", 'convention = "standard" or "modified"'))
        return None
    rows = []
    for table in tables:
        with at(table.place):
            rows.append(DHRow(table.number("a", 0.0), table.angle("alpha", 0.0), table.number("d", 0.0), table.angle("theta", 0.0), table.text("kind", "R")))
    with at(top.place):
        return DHTable(convention, tuple(rows))


def _placed(table: Table, name: str) -> Joint:
    axis = table.vector("axis", 3, (0.0, 0.0, 1.0))
    return Joint(name, table.text("kind", "R"), _pose(table.table("before")), axis, _pose(table.table("after")))  # type: ignore[arg-type]


def _pose(table: Table) -> Transform:
    table.only(_POSE)
    turns = [key for key in ("rpy", "rpy_deg", "rotation") if key in table.values]
    if len(turns) > 1:
        raise RobotError(sentence(table.place, " and ".join(turns), "one of them"))
    xyz = table.vector("xyz", 3, (0.0, 0.0, 0.0))
    with at(table.place):
        rotation = table.matrix("rotation", 3)
        if rotation is not None:
            return Transform.of(rotation, xyz)
        degrees = table.vector("rpy_deg", 3, (0.0, 0.0, 0.0))
        return Transform.from_xyz_rpy(xyz, table.vector("rpy", 3, tuple(math.radians(x) for x in degrees)))


def _link(table: Table, default_name: str) -> Link:
    table.only(_LINK)
    name, mass = table.text("name", default_name), table.number("mass", 0.0)
    about_com = [key for key in ("com", "inertia_about_com") if key in table.values]
    about_origin = [key for key in ("first_moment", "inertia") if key in table.values]
    if about_com and about_origin:
        raise RobotError(sentence(table.place, f"{about_com[0]} and {about_origin[0]}", "com with inertia_about_com, or first_moment with inertia"))
    with at(table.place):
        if about_com:
            return Link.from_com(mass, table.vector("com", 3, (0.0,) * 3), _tensor(table, "inertia_about_com"), name)
        return Link(name, mass, table.vector("first_moment", 3, (0.0,) * 3), _tensor(table, "inertia"))  # type: ignore[arg-type]


def _tensor(table: Table, key: str) -> tuple[Any, ...]:
    """Three, six or 3x3 numbers; what they mean is the link's to say."""
    value = table.values.get(key, (0.0,) * 6)
    if isinstance(value, list) and len(value) == 3 and isinstance(value[0], list):
        return table.matrix(key, 3) or ()
    if not isinstance(value, (list, tuple)) or len(value) not in (3, 6):
        raise table.wrong(key, "a diagonal of three, the six elements xx xy xz yy yz zz, or a 3x3 matrix")
    return table.vector(key, len(value), (0.0,) * 6)


def _drive(table: Table) -> Drive:
    table.only(_DRIVE)
    constants = {key: table.number(key, 0.0) for key in ("torque_constant", "current_gain") if key in table.values}
    with at(table.place):
        return Drive(table.number("gear", 1.0), table.number("rotor_inertia", 0.0), **constants)


def _mimic(table: Table, joint: int, names: list[str]) -> Mimic:
    table.only(_MIMIC)
    source = table.text("joint", "")
    if source not in names:
        raise unknown_name(f"joint of {table.place}:", source, names)
    return Mimic(joint, names.index(source), table.number("multiplier", 1.0), table.number("offset", 0.0))


def _limits(tables: list[Table], names: tuple[str, ...]) -> Limits:
    def column(key: str, default: float) -> list[float]:
        return [table.number(key, default, True) if key == "torque" else table.angle(key, default, True) for table in tables]

    return Limits.of(
        len(tables),
        lower=column("lower", -math.inf),
        upper=column("upper", math.inf),
        velocity=column("velocity", math.inf),
        acceleration=column("acceleration", math.inf),
        torque=column("torque", math.inf),
        names=names,
    )
