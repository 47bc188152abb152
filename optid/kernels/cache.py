"""Folder of compiled kernels: private to the user, written atomically, and nothing in it is trusted before it has been looked at."""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

KEPT_FILES = 256
"""Libraries kept; the longest unused go first."""

LIBRARY_NAME = re.compile(r"kernel-[0-9a-f]{64}\.so")
"""Names this room gives to its libraries; it removes nothing else."""

STALE_SECONDS = 86400.0
"""Age after which the build folder of a process that died is removed."""


class CacheError(Exception):
    """The cache cannot be used; its text says why. Never leaves this room."""


def folder() -> Path:
    """The cache folder: ``kernels`` in ``OPTID_CACHE_DIR``, or in ``optid`` of the platform's cache folder of the user."""
    own = os.environ.get("OPTID_CACHE_DIR")
    if own:
        return Path(own).expanduser().absolute() / "kernels"
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "optid" / "kernels"


def opened(path: Path) -> Path:
    """The folder, made when missing, once it is certain that only this user can write to it.

    Raises
    ------
    CacheError
        It cannot be made, is a link, belongs to somebody else, or lies where others may replace it.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check(path, stat.S_ISDIR, "folder")
        for parent in path.resolve().parents:
            mode = parent.stat().st_mode
            if os.name == "posix" and mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
                raise CacheError(f"everybody may replace files in {parent}")
    except OSError as error:
        raise CacheError(f"the cache folder {path} cannot be used ({error.strerror})") from error
    return path


def find(directory: Path, name: str) -> Path | None:
    """A file of the cache, or None when it is not there.

    Raises
    ------
    CacheError
        It is a link, or belongs to or can be written by somebody else.
    """
    path = directory / name
    try:
        _check(path, stat.S_ISREG, "file")
        os.utime(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CacheError(f"the cached file {path} cannot be used ({error.strerror})") from error
    return path


def publish(directory: Path, name: str, build: Callable[[Path], Path]) -> Path:
    """Build a file in a private folder inside the cache and move it to its name in one step; several processes may do so at once."""
    try:
        _tidy(directory)
        with tempfile.TemporaryDirectory(prefix=".build-", dir=directory) as temporary:
            made = build(Path(temporary))
            made.chmod(0o700)
            os.replace(made, directory / name)
    except OSError as error:
        raise CacheError(f"the cache folder {directory} cannot be written ({error.strerror})") from error
    return directory / name


def _check(path: Path, kind: Callable[[int], bool], what: str) -> None:
    status = path.lstat()
    if not kind(status.st_mode):
        raise CacheError(f"{path} is not a plain {what}")
    if os.name != "posix":
        return
    if status.st_uid != os.getuid():
        raise CacheError(f"the cached {what} {path} belongs to another user")
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise CacheError(f"others may write to the cached {what} {path}")


def _tidy(directory: Path) -> None:
    """Remove build folders of processes that died, and the longest unused libraries."""
    aged = []
    for entry in os.scandir(directory):
        try:
            when = entry.stat(follow_symlinks=False).st_mtime
        except FileNotFoundError:
            continue
        if entry.name.startswith(".build-"):
            if time.time() - when > STALE_SECONDS:
                shutil.rmtree(entry.path, ignore_errors=True)
        elif LIBRARY_NAME.fullmatch(entry.name):
            aged.append((when, entry.path))
    for _, path in sorted(aged)[: max(len(aged) - KEPT_FILES + 1, 0)]:
        Path(path).unlink(missing_ok=True)
