"""Robot files: TOML in and out, URDF and MJCF in."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

from optid.errors import FileError, MissingFileError, sentence

from .mjcf import robot_from_mjcf
from .robot import Robot
from .toml_read import robot_from_toml
from .toml_write import robot_to_toml
from .urdf import robot_from_urdf
from .urdf_xml import read_xml


def load_robot(path: str | PathLike[str], tip: str | None = None) -> Robot:
    """Read a robot from a TOML file (:func:`~optid.robot.toml_read.robot_from_toml`), a URDF (``.urdf``, ``.xml``) or an MJCF file (``.xml``, ``.mjcf``).

    ``tip`` is the last link of the chain in a URDF or MJCF that branches.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import library
    >>> from optid.robot import load_robot
    >>> with TemporaryDirectory() as folder:
    ...     library.ur5().save(Path(folder) / "arm.toml")
    ...     print(load_robot(Path(folder) / "arm.toml") == library.ur5())
    True
    """
    file = _path(path)
    suffix = file.suffix.lower()
    if suffix in (".urdf", ".xacro"):
        return robot_from_urdf(file, tip)
    if suffix in (".xml", ".mjcf"):
        root, _, _ = read_xml(file, "robot")
        return robot_from_mjcf(file, tip) if root.tag == "mujoco" else robot_from_urdf(file, tip)
    if suffix != ".toml":
        raise FileError(sentence(f"robot file {file.name!r}", f"suffix {file.suffix!r}", ".toml, .urdf or .xml"))
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise MissingFileError(sentence(f"robot file {str(file)!r}", "not found", "an existing file")) from None
    except OSError as error:
        raise FileError(f"robot file {str(file)!r}: {error.strerror}, expected a readable file.") from None
    except UnicodeDecodeError as error:
        raise FileError(sentence(file.name, f"a byte at {error.start} that is not UTF-8", "UTF-8 text")) from None
    return robot_from_toml(text, file.name)


def save_robot(robot: Robot, path: str | PathLike[str]) -> None:
    """Write a TOML file; it is complete or it is not there.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import Robot, library
    >>> from optid.robot import save_robot
    >>> with TemporaryDirectory() as folder:
    ...     save_robot(library.panda(), Path(folder) / "panda.toml")
    ...     print(Robot.load(Path(folder) / "panda.toml"))
    Robot('Panda', 7 joints: joint1, joint2, joint3, joint4, joint5, joint6, joint7)
    """
    file = _path(path)
    if file.suffix.lower() != ".toml":
        raise FileError(sentence(f"robot file {file.name!r}", f"suffix {file.suffix!r}", ".toml", "For URDF text use optid.robot.robot_to_urdf."))
    part = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        part.write_text(robot_to_toml(robot), encoding="utf-8", newline="\n")
        os.replace(part, file)
    except (OSError, UnicodeEncodeError) as error:
        part.unlink(missing_ok=True)
        raise FileError(f"robot file {str(file)!r}: {getattr(error, 'strerror', None) or error}, expected text in a writable folder.") from None


def _path(path: str | PathLike[str]) -> Path:
    if not isinstance(path, (str, PathLike)):
        raise FileError(sentence("robot file", repr(path), "a path"))
    return Path(path)
