"""Opening experiment files with care, and replacing them whole.

A file is data from a stranger: it is opened only when it is what it claims to be, and what HDF5 raises becomes one clear sentence.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from optid.errors import FileBusyError, FileError, MissingFileError, OptidError, sentence

from .heaps import endless_heaps

if TYPE_CHECKING:
    import h5py

Pathlike = str | os.PathLike[str]

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_STRANGERS = (
    (b"PK\x03\x04", "a ZIP or NPZ file", "Read an NPZ with import_npz."),
    (b"MATLAB 5.0", "a MATLAB file", "Read it with import_mat."),
    (b"CDF", "a netCDF-3 file", "Convert it to netCDF-4 or CSV first."),
    (b"\x80\x04", "a Python pickle", "Pickles are never opened: they can run code."),
)
_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)
IN_MEMORY = 2**26
"""Bytes of data up to which a file is made in memory before it is written."""
_WANTED = "an optid experiment file (HDF5)"


@contextmanager
def translated(path: Pathlike) -> Iterator[None]:
    """Turn whatever HDF5 or the system raises about ``path`` into a FileError, a FileBusyError or a MissingFileError."""
    try:
        yield
    except OptidError:
        raise
    except FileNotFoundError as error:
        place = Path(path)
        if not place.parent.exists():
            raise MissingFileError(sentence(f"folder {place.parent}", "not found", f"an existing folder for {place.name}")) from error
        raise MissingFileError(sentence(f"file {path}", "not found", "an existing file")) from error
    except IsADirectoryError as error:
        raise FileError(sentence(f"file {path}", "a folder", "a file")) from error
    except PermissionError as error:
        raise FileError(sentence(f"file {path}", "no permission", "a file and folder that may be opened")) from error
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, OverflowError, MemoryError, UnicodeError) as error:
        raise _explained(path, error) from error


def _explained(path: Pathlike, error: Exception) -> FileError:
    text = str(error)
    if isinstance(error, OSError) and (error.errno == errno.EAGAIN or "unable to lock" in text or "already open" in text):
        return FileBusyError(
            sentence(
                f"file {path}", "held open by another program (or by this one)", "a file that nobody writes", "Close it there, or try again when it is done."
            )
        )
    if any(getattr(error, "errno", None) == code or os.strerror(code) in text for code in _FULL):
        return FileError(sentence(f"file {path}", "no room (the disk is full, or a limit on file sizes is reached)", "room for the file"))
    if "truncated" in text:
        found, hint = "cut short (truncated)", "Copy it again from where it came."
    elif "filter returned failure" in text or "checksum" in text.lower():
        found, hint = "damaged data (checksum or compression error)", "Copy it again from where it came."
    else:
        found, hint = f"unreadable ({text.splitlines()[0][:160] if text else type(error).__name__})", "The file is damaged, or no experiment file."
    return FileError(sentence(f"file {path}", found, _WANTED, hint))


@contextmanager
def open_file(path: Pathlike, mode: str = "r") -> Iterator[h5py.File]:
    """An HDF5 file, open for the body of the ``with``.

    Raises
    ------
    MissingFileError, FileBusyError, FileError
        Not there, held by a writer, or not an HDF5 file.
    """
    import h5py

    with translated(path):
        check_signature(path)
        for address in endless_heaps(path):
            hint = "Copy it again from where it came."
            raise FileError(sentence(f"file {path}, byte {address}", "damaged text storage", _WANTED, hint))
        with h5py.File(os.fspath(path), mode) as file:
            try:
                yield file
            except OptidError as error:
                if f"file {path}" in str(error):
                    raise
                raise type(error)(f"file {path}, {error}") from error


@contextmanager
def writable(path: Pathlike, mode: str, size: int) -> Iterator[h5py.File]:
    """An HDF5 file to be written (``"w"``) or changed (``"r+"``): in memory first where it is small, so that a full disk is one error of the system.

    HDF5 itself goes on to write when a file on disk is closed for want of room, complains once for every object, and may crash.

    Parameters
    ----------
    size : int
        Bytes of the data, about.
    """
    import h5py

    if size > IN_MEMORY:
        with h5py.File(os.fspath(path), mode, track_order=True) as file:
            yield file
        return
    with h5py.File(os.fspath(path), mode, track_order=True, driver="core", backing_store=False) as file:
        yield file
        file.flush()
        image = file.id.get_file_image()
    Path(path).write_bytes(image)


def check_signature(path: Pathlike) -> None:
    """Raise FileError when the first bytes are not those of HDF5, saying what the file looks like instead."""
    with translated(path), open(path, "rb") as raw:
        head = raw.read(512)
        at = 512
        # HDF5 allows a user block of 512, 1024, 2048, … bytes before the signature (MATLAB writes one)
        while head[:8] != _SIGNATURE and raw.seek(at) == at and (probe := raw.read(8)):
            if probe == _SIGNATURE:
                return
            at *= 2
    if head[:8] == _SIGNATURE:
        return
    if not head:
        raise FileError(sentence(f"file {path}", "an empty file", _WANTED))
    for magic, found, hint in _STRANGERS:
        if head.startswith(magic):
            raise FileError(sentence(f"file {path}", found, _WANTED, hint))
    text = head.count(0) == 0
    raise FileError(sentence(f"file {path}", "a text file" if text else "unknown content", _WANTED, "Read a CSV with import_csv." if text else ""))


def write_whole(path: Pathlike, fill: Callable[[Path], None], overwrite: bool) -> None:
    """Make a file in one step: ``fill`` writes a temporary file in the same folder, which then takes the name ``path``.

    Raises
    ------
    FileError
        The file exists and ``overwrite`` is False, or the folder does not exist.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not overwrite:
        raise FileError(sentence(f"file {path}", "it exists already", "a new name", "Pass overwrite=True to replace it."))
    if not target.parent.is_dir():
        raise MissingFileError(sentence(f"folder {target.parent}", "not found", f"an existing folder for {target.name}"))
    with translated(path):
        temporary = target.with_name(f".{target.name}.{os.getpid()}-{threading.get_ident()}.tmp")
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            fill(temporary)
            _sync(temporary)
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            os.replace(temporary, target)
        finally:
            with suppress(FileNotFoundError):
                temporary.unlink()


def _sync(path: Path) -> None:
    with open(path, "rb+") as raw:
        os.fsync(raw.fileno())
