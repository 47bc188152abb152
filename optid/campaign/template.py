"""A campaign file to begin with: the robot and its limits filled in, everything else explained and commented out."""

from __future__ import annotations

import math
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from optid.errors import FileError, MissingFileError, sentence
from optid.robot import Robot
from optid.signals import Preprocessing

from .documentation import Entry, entries, summary
from .read import CampaignFile
from .reference import kind_in_words, toml_value
from .robots import LIBRARY, missing_robot, robot_of
from .schema import Campaign, DesignPart, ExportPart, ReportPart
from .schema_robot import BodyPart, LimitsPart, ModelPart, RobotPart

WIDTH = 110
COMMON = ("clock", "rate", "cutoff", "torque_cutoff", "start", "stop", "min_speed", "decimate")
"""Options of the preprocessing that are often needed; the schema has them all."""

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_EXAMPLES = {"mass": 1.0}


def new_campaign(robot: str | PathLike[str], path: str | PathLike[str], tip: str | None = None) -> Path:
    """Write a campaign file for a robot; an existing file is never replaced.

    Parameters
    ----------
    robot : path of a robot file (.toml, .urdf), or library:NAME
    path : of the campaign file
    tip : str, optional
        Last link of the chain in a URDF that branches.

    Raises
    ------
    FileError, MissingFileError
        The file exists, or its folder does not.
    OptidError
        The robot cannot be read.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print(new_campaign("library:ur5", f"{folder}/campaign.toml").exists())
    True
    """
    target = Path(path)
    text = campaign_text(robot, target, tip)
    try:
        with open(target, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise FileError(sentence(f"file {target}", "it exists already", "a new name", "It may hold your settings: it is never replaced.")) from None
    except FileNotFoundError:
        raise MissingFileError(sentence(f"folder {target.parent}", "not found", f"an existing folder for {target.name}")) from None
    except OSError as error:
        raise FileError(sentence(f"file {target}", error.strerror or str(error), "a file that can be written")) from None
    return target


def campaign_text(robot: str | PathLike[str], path: str | PathLike[str], tip: str | None = None) -> str:
    """The text of :func:`new_campaign` for a file at ``path``, from whose folder paths start.

    Examples
    --------
    >>> from optid.campaign import campaign_text
    >>> 'source = "library:ur5"' in campaign_text("library:ur5", "campaign.toml")
    True
    """
    target = Path(path)
    given = str(robot)
    if not given.startswith(LIBRARY) and not Path(given).exists():
        raise missing_robot("robot", Path(), given)
    source = given if given.startswith(LIBRARY) else _relative(given, target.parent)
    arm = robot_of(CampaignFile(target, Campaign(RobotPart(source, tip)), {}))
    return "\n".join(_lines(arm, source, tip, target.name)) + "\n"


def _relative(path: str, folder: Path) -> str:
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # another drive
        return Path(path).resolve().as_posix()


def _lines(robot: Robot, source: str, tip: str | None, name: str) -> Iterator[str]:
    yield from (
        f"# Campaign of the robot {toml_value(robot.name)}. Lines such as #KEY = VALUE are defaults or examples: remove the # to change them.",
        f"#     optid run {name} --dry-run        check everything, print the plan, write nothing",
        f"#     optid run {name} --only design    design the motion to record (when there is a table [design])",
        f"#     optid run {name}                  do whatever is not done yet",
        "# Paths start from this file's folder. SI units and radians; KEY_deg takes degrees. Every key is explained by  optid run --schema",
        "",
        f"title = {toml_value(robot.name)}",
        'output = "results"',
        'methods = ["wls"]  # estimators, compared when there are several: ["wls", "huber", "physical"]',
        *_keys(Campaign, ("seed", "workers")),
        "",
        "[robot]",
        f"source = {toml_value(source)}",
        *((f"tip = {toml_value(tip)}",) if tip is not None else _keys(RobotPart, ("tip",))),
        "",
        *_table("robot.payload", BodyPart),
        "",
        *_table("model", ModelPart, active=True),
        "",
        *_table("limits", LimitsPart, ("position", "velocity", "acceleration", "torque"), active=True),
    )
    for k in range(robot.n):
        yield from _joint(robot, k)
    yield from (
        "",
        *_table("design", DesignPart, [key for key in entries(DesignPart) if key != "export"]),
        "",
        *_table("design.export", ExportPart),
        "",
        "# Recordings, as many tables as there are kinds. Experiment files know their roles; other recordings (CSV, MAT, NPZ, rosbag2, MCAP) are imported.",
        "[[recordings]]",
        'files = "recordings/*.h5"',
        "",
        "#[[recordings]]",
        '#files = "logs/*.csv"',
        '#role = "validation"  # or "identification"',
        '#mapping = {time = "t", q = "q_*", tau = "tau_*", units = {q = "deg", tau = "N m"}}',
        "",
        *_table("preprocessing", Preprocessing, COMMON, active=True),
        "",
        *_table("report", ReportPart, active=True),
    )


def _joint(robot: Robot, k: int) -> Iterator[str]:
    """Limits of a joint: those that the robot's description states, and places for the others."""
    name = robot.joint_names[k]
    revolute = robot.joints[robot.independent[k]].revolute
    header = name if _BARE.fullmatch(name) else toml_value(name)
    yield from ("", f"[limits.joint.{header}]")
    units = {"lower": "rad", "upper": "rad", "velocity": "rad/s", "acceleration": "rad/s²", "torque": "N m"}
    if not revolute:
        units = {"lower": "m", "upper": "m", "velocity": "m/s", "acceleration": "m/s²", "torque": "N"}
    for key, unit in units.items():
        value = getattr(robot.limits, key)[k]
        if math.isinf(value):
            yield f"#{key} = {toml_value(value)}  # [{unit}] not in the robot's description"
            continue
        degrees = round(math.degrees(value), 9)
        if unit.startswith("rad") and math.radians(degrees) == value:
            yield f"{key}_deg = {toml_value(degrees)}"
        else:
            yield f"{key} = {toml_value(value)}  # [{unit}]"


def _table(path: str, kind: type, keys: Sequence[str] | None = None, active: bool = False) -> Iterator[str]:
    """A table with what it means and its keys commented out; its header, too, when it is not active."""
    yield from _comment(summary(kind) if kind is not Preprocessing else "Preparation of the recordings; the schema has more options.")
    yield f"[{path}]" if active else f"#[{path}]"
    yield from _keys(kind, keys)


def _keys(kind: type, keys: Sequence[str] | None = None) -> Iterator[str]:
    known = entries(kind)
    for key in known if keys is None else keys:
        entry = known[key]
        line = f"#{key} = {_default(entry)}"
        words = kind_in_words(entry)
        unit = f"[{entry.unit}] " if entry.unit else ""
        meaning = f"{words}: {entry.text}" if words.startswith('"') else f"{unit}{entry.text}"
        explained = f"{line}  # {meaning}" if meaning else line
        if len(explained) <= WIDTH:
            yield explained.rstrip()
        else:
            yield from _comment(meaning)
            yield line


def _default(entry: Entry) -> str:
    value: Any = _EXAMPLES.get(entry.name, entry.default)
    return '"none"' if value is None else toml_value(value)


def _comment(text: str) -> Iterator[str]:
    for line in textwrap.wrap(text.replace("``", ""), WIDTH):
        yield f"# {line}"
