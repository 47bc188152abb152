"""All faults of an experiment file at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from optid.errors import FileBusyError, FileError, MissingFileError, OptidError

from .checks import format_faults, sound_item, sound_items, structure_faults
from .fault import Fault
from .files import Pathlike, open_file
from .reader import read_robot
from .trial_check import trial_faults
from .typed import numbers, texts
from .values import read_mapping

if TYPE_CHECKING:
    import h5py


def validate_file(path: Pathlike) -> list[Fault]:
    """Every fault of an experiment file, errors before warnings; an empty list means that nothing was found.

    Foreign content, links out of the file, types that are never read; missing or wrong units, attributes, shapes and joint names; NaN and infinite numbers,
    backward and equal stamps, gaps (with samples counted from 0); angles that look like degrees; results whose parts do not fit.

    Raises
    ------
    MissingFileError, FileBusyError
        There is nothing to judge.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import validate_file
    >>> from optid.testing import example_file
    >>> with TemporaryDirectory() as folder:
    ...     print([fault for fault in validate_file(example_file(folder)) if fault.severity == "error"])
    []
    """
    try:
        with open_file(path) as file:
            foreign = list(format_faults(file))
            faults = foreign or _file_faults(file)
    except (MissingFileError, FileBusyError):
        raise
    except FileError as error:
        faults = [Fault.of(error)]
    return sorted(faults, key=lambda fault: fault.severity != "error")


def _file_faults(file: h5py.File) -> list[Fault]:
    import h5py

    faults = list(structure_faults(file))
    for name in ("title", "created", "generator"):
        if name not in file.attrs:
            faults.append(Fault(f"/@{name}", "no such attribute", "text", "", "warning"))
    robot_joints: tuple[str, ...] = ()
    robot = sound_item(file, "robot")
    if isinstance(robot, h5py.Group):
        found, robot_joints = _robot_faults(robot)
        faults += found
    faults += _group_faults(file, "trials", lambda group: trial_faults(group, robot_joints))
    faults += _group_faults(file, "results", _result_faults)
    trials = sound_item(file, "trials")
    if trials is None or not len(trials):
        faults.append(Fault("/trials", "no trial", "at least one trial", "", "warning"))
    return faults


def _group_faults(file: h5py.File, what: str, check: Callable[[h5py.Group], Iterator[Fault]]) -> list[Fault]:
    """The faults that ``check`` finds in every group of ``file[what]``."""
    import h5py

    faults: list[Fault] = []
    parent = sound_item(file, what)
    if parent is None:
        return faults
    if not isinstance(parent, h5py.Group):
        return [Fault(f"/{what}", "a dataset", "a group")]
    for _, item in sound_items(parent):
        if not isinstance(item, h5py.Group):
            faults.append(Fault(item.name, "a dataset", "a group"))
            continue
        try:
            faults.extend(check(item))
        except FileError as error:
            faults.append(Fault.of(error))
        except (OptidError, OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
            faults.append(Fault(item.name, f"unreadable ({str(error).splitlines()[0]})", "intact data"))
    return faults


def _robot_faults(group: h5py.Group) -> tuple[list[Fault], tuple[str, ...]]:
    try:
        robot, fault = read_robot(group)
    except OptidError as error:
        return [Fault.of(error)], ()
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as error:
        return [Fault("/robot", f"unreadable ({str(error).splitlines()[0]})", "a robot's name, description, gains and coupling")], ()
    faults = [] if fault is None else [fault]
    n = len(robot.joint_names)
    for what, value in (("gains", robot.gains), ("coupling", robot.coupling)):
        if n and value is not None and len(value) != n:
            faults.append(Fault(f"/robot/{what}", f"shape {value.shape}", f"{n} joints"))
    return faults, robot.joint_names


def _result_faults(group: h5py.Group) -> Iterator[Fault]:
    """Values, sigmas, units and covariance that do not fit the parameter names."""
    entries = read_mapping(group)
    if entries.get("parameter_names") is None:
        return
    names = texts(entries["parameter_names"], f"{group.name}/parameter_names")
    p = len(names)
    if len(set(names)) != p:
        yield Fault(f"{group.name}/parameter_names", "a name twice", "names that differ")
    shapes = {"values": (p,), "sigmas": (p,), "units": (p,), "covariance": (p, p)}
    for what, shape in shapes.items():
        if entries.get(what) is None:
            continue
        found = np.shape(entries[what])
        if found != shape:
            yield Fault(f"{group.name}/{what}", f"shape {found}", f"{shape}, as there are {p} parameters")
        elif what != "units" and not np.isfinite(numbers(entries[what], f"{group.name}/{what}")).all():
            yield Fault(f"{group.name}/{what}", "NaN or infinite numbers", "finite numbers", "", "warning")
