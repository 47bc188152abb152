"""Logs of other programs as trials. Nothing is ever unpickled or executed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from collections.abc import Mapping as Dict
from hashlib import sha256
from pathlib import Path

from optid.errors import FileError, sentence

from .assemble import assemble
from .files import Pathlike
from .log import Log
from .mapping import Mapping
from .mat_log import MatLog
from .npz_log import NpzLog
from .text_log import TextLog
from .trial import Trial

Source = Pathlike | Dict[str, Pathlike]


def import_csv(path: Source, mapping: Mapping | Pathlike, *, joint_names: Sequence[str] | None = None, partial: bool = False, name: str | None = None) -> Trial:
    """Read a text table (CSV, TSV, blanks, one number a line) as a trial.

    Parameters
    ----------
    path : str or path, or mapping signal → path
        The file; with ``mapping.files`` the folder of the files.
    mapping : Mapping, or path of a TOML file with one
    joint_names : names, optional
        Joint order wanted (usually ``robot.joint_names``): columns are reordered by name.
    partial : bool
        Take the good rows of a damaged file: rows that are cut short, hold NaN or impossible numbers, or whose stamps do not run forward are left out, with a
        DataWarning that counts them; ``trial.attributes["rows_dropped"]`` holds the count.
    name : str, optional
        Name of the trial; the name of the file when not given.

    Returns
    -------
    Trial
        SI units. Its attributes hold the file names, their hashes, the rows read and dropped.

    Raises
    ------
    MissingFileError, FileError
        Not there, not text, cut short (with row), a cell that is no number (with row and column).
    DataError
        NaN, infinite or impossible numbers (with row and column), stamps that go back, a unit that does not fit, a current given as torque.
    UnknownNameError
        A column or joint name that is not there.
    ShapeError
        Signals of different widths or lengths.

    Warns
    -----
    DataWarning
        Angles that look like degrees, equal stamps, no joint names, a torque column called "effort".
    """
    return _import(path, Mapping.of(mapping), joint_names, partial, name, lambda file, m: TextLog(file, m, partial))


def import_mat(path: Source, mapping: Mapping | Pathlike, *, joint_names: Sequence[str] | None = None, partial: bool = False, name: str | None = None) -> Trial:
    """Read a MATLAB file (versions 4 to 7.3) as a trial; see :func:`import_csv` for the parameters and errors. Samples are counted from 0 in messages."""
    return _import(path, Mapping.of(mapping), joint_names, partial, name, MatLog)


def import_npz(path: Source, mapping: Mapping | Pathlike, *, joint_names: Sequence[str] | None = None, partial: bool = False, name: str | None = None) -> Trial:
    """Read a NumPy ``.npz`` archive as a trial; see :func:`import_csv` for the parameters and errors. Pickled arrays are refused."""
    return _import(path, Mapping.of(mapping), joint_names, partial, name, NpzLog)


def _import(
    path: Source, mapping: Mapping, joint_names: Sequence[str] | None, partial: bool, name: str | None, open_log: Callable[[Path, Mapping], Log]
) -> Trial:
    files = _files(path, mapping)
    opened: dict[Path, Log] = {}
    for file in files.values():
        if file not in opened:
            opened[file] = open_log(file, mapping)
    label = name or (Path(path).stem if isinstance(path, (str, os.PathLike)) else files["q"].stem)
    hashes = {file.name: sha256(file.read_bytes()).hexdigest() for file in opened}
    return assemble({what: opened[file] for what, file in files.items()}, mapping, label, joint_names, partial, {"imported_from": hashes})


def _files(path: Source, mapping: Mapping) -> dict[str, Path]:
    """The file of every signal that is mapped."""
    wanted = [*mapping.signals, *(("time",) if mapping.time is not None else ())]
    if isinstance(path, Dict):
        missing = [what for what in wanted if what not in path]
        if missing:
            raise FileError(sentence("files to import", f"none for {missing[0]}", f"a file for each of {', '.join(wanted)}"))
        return {what: Path(path[what]) for what in wanted}
    base = Path(path)
    if not mapping.files:
        return dict.fromkeys(wanted, base)
    missing = [what for what in wanted if what not in mapping.files]
    if missing:
        raise FileError(sentence("files of the mapping", f"none for {missing[0]}", f"a file for each of {', '.join(wanted)}"))
    return {what: base / mapping.files[what] for what in wanted}
