"""A robot as TOML text: DH rows where it has them, explicit transforms where it has not; every float by its shortest exact digits."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from .joint import Drive, Joint
from .limits import Limits
from .link import Link
from .robot import Robot
from .transform import Transform

FORMAT, VERSION = "optid-robot", 1


def robot_to_toml(robot: Robot) -> str:
    """Text that :func:`optid.robot.toml_read.robot_from_toml` reads back to an equal robot.

    Angles of DH rows are written in degrees where that is exact, else in radians; keys say which.

    Examples
    --------
    >>> from optid import library
    >>> from optid.robot import robot_to_toml
    >>> print(robot_to_toml(library.planar_2r())[:17])
    format = "optid-r
    """
    table = robot.dh
    rows = table.rows if table is not None and _same_place(robot.joints, table.joints([j.name for j in robot.joints])) else None
    lines = [f"format = {_value(FORMAT)}", f"version = {VERSION}", f"name = {_value(robot.name)}"]
    lines.append(f"joints = {len(robot.joints)}")
    if rows is not None and table is not None:
        lines.append(f"convention = {_value(table.convention)}")
    lines.append(f"gravity = {_value(robot.gravity)}")
    lines += [f"{key} = {_transform(pose)}" for key, pose in (("base", robot.base), ("tool", robot.tool)) if pose != Transform()]
    if robot.coupling is not None:
        lines.append(f"coupling = {_value(robot.coupling)}")
    column = {joint: k for k, joint in enumerate(robot.independent)}
    follows = {m.joint: m for m in robot.mimic}
    for i, (joint, link) in enumerate(zip(robot.joints, robot.links, strict=True)):
        lines += ["", "[[joint]]", f"name = {_value(joint.name)}", f"kind = {_value(joint.kind)}"]
        if rows is not None:
            row = rows[i]
            lines += [f"a = {_value(row.a)}", _angle("alpha", row.alpha), f"d = {_value(row.d)}", _angle("theta", row.theta)]
        else:
            lines += [f"before = {_transform(joint.before)}", f"axis = {_value(joint.axis)}", f"after = {_transform(joint.after)}"]
        lines += [f"{key} = {_value(getattr(joint, key))}" for key in ("viscous", "coulomb") if getattr(joint, key)]
        if i in column:
            lines += _limits(robot.limits, column[i]) + _drive(robot.drives[column[i]])
        else:
            m = follows[i]
            lines += ["", "[joint.mimic]", f"joint = {_value(robot.joints[m.source].name)}"]
            lines += [f"multiplier = {_value(m.multiplier)}", f"offset = {_value(m.offset)}"]
        lines += _link(link)
    # a file cut off anywhere lacks this last table
    return "\n".join([*lines, "", "[end]"]) + "\n"


def _same_place(joints: Iterable[Joint], described: Iterable[Joint]) -> bool:
    return all((a.kind, a.before, a.axis, a.after) == (b.kind, b.before, b.axis, b.after) for a, b in zip(joints, described, strict=True))


def _value(value: str | float | Sequence[object]) -> str:
    if isinstance(value, str):
        # JSON escapes are TOML escapes but for one character
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(float(value))
    return f"[{', '.join(_value(item) for item in value)}]"  # type: ignore[arg-type]


def _angle(key: str, radians: float) -> str:
    degrees = round(math.degrees(radians), 9)
    return f"{key}_deg = {_value(degrees)}" if math.radians(degrees) == radians else f"{key} = {_value(radians)}"


def _transform(pose: Transform) -> str:
    parts = [f"xyz = {_value(pose.translation)}"] if any(pose.translation) else []
    parts += [f"rotation = {_value(pose.rotation)}"] if pose.rotation != Transform().rotation else []
    return f"{{{', '.join(parts)}}}"


def _limits(limits: Limits, k: int) -> list[str]:
    columns = {key: getattr(limits, key)[k] for key in ("lower", "upper", "velocity", "acceleration", "torque")}
    return [f"{key} = {_value(value)}" for key, value in columns.items() if math.isfinite(value)]


def _drive(drive: Drive) -> list[str]:
    default = Drive()
    values = {key: getattr(drive, key) for key in ("gear", "rotor_inertia", "torque_constant", "current_gain")}
    lines = [f"{key} = {_value(value)}" for key, value in values.items() if value is not None and value != getattr(default, key)]
    return ["", "[joint.drive]", *lines] if lines else []


def _link(link: Link) -> list[str]:
    lines = ["", "[joint.link]", f"name = {_value(link.name)}"]
    if link.mass:
        lines.append(f"mass = {_value(link.mass)}")
    if any(link.first_moment):
        lines.append(f"first_moment = {_value(link.first_moment)}")
    if any(link.inertia):
        lines.append(f"inertia = {_value(link.inertia)}  # xx xy xz yy yz zz about the frame's origin")
    return lines
