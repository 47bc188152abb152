"""Logs of other programs as trials. Nothing is ever unpickled or executed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Mapping as Dict
from dataclasses import replace
from hashlib import file_digest
from pathlib import Path

from optid.errors import DataError, DataWarning, FileError, sentence, unknown_name

from .assemble import assemble
from .bag_log import CLOCKS, BagLog
from .bag_source import storage_files
from .files import Pathlike, translated
from .kinds import recording_kind
from .log import Log
from .mapping import Mapping
from .mat_log import MatLog
from .npz_log import NpzLog
from .text_log import TextLog
from .trial import Trial

Source = Pathlike | Dict[str, Pathlike]
EFFORTS = ("torque", "current", "none")


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

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import import_csv
    >>> from optid.experiment import Mapping
    >>> with TemporaryDirectory() as folder:
    ...     log = Path(folder) / "log.csv"
    ...     _ = log.write_text("t,pos_swing,tau_swing 0.0,0,1 0.1,90,2 0.2,180,3".replace(" ", chr(10)))
    ...     trial = import_csv(log, Mapping(q="pos_*", tau="tau_*", time="t", units={"q": "deg", "tau": "N m"}))
    >>> trial.joint_names, trial.q.round(4).ravel().tolist()
    (('swing',), [0.0, 1.5708, 3.1416])
    """
    return _import(path, Mapping.of(mapping), joint_names, partial, name, lambda file, m: TextLog(file, m, partial))


def import_mat(path: Source, mapping: Mapping | Pathlike, *, joint_names: Sequence[str] | None = None, partial: bool = False, name: str | None = None) -> Trial:
    """Read a MATLAB file (versions 4 to 7.3) as a trial; see :func:`import_csv` for the parameters and errors. Samples are counted from 0 in messages.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from scipy.io import savemat
    >>> from optid import import_mat
    >>> from optid.experiment import Mapping
    >>> with TemporaryDirectory() as folder:
    ...     savemat(Path(folder) / "log.mat", {"t": np.arange(3) * 0.1, "q": np.zeros((3, 2)), "tau": np.ones((3, 2))})
    ...     trial = import_mat(Path(folder) / "log.mat", Mapping(q="q", tau="tau", time="t", joint_names=("a", "b")))
    >>> trial.n_samples, trial.n
    (3, 2)
    """
    return _import(path, Mapping.of(mapping), joint_names, partial, name, MatLog)


def import_npz(path: Source, mapping: Mapping | Pathlike, *, joint_names: Sequence[str] | None = None, partial: bool = False, name: str | None = None) -> Trial:
    """Read a NumPy ``.npz`` archive as a trial; see :func:`import_csv` for the parameters and errors. Pickled arrays are refused.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from optid import import_npz
    >>> from optid.experiment import Mapping
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "log.npz", t=np.arange(3) * 0.1, q=np.zeros((3, 2)), tau=np.ones((3, 2)))
    ...     trial = import_npz(Path(folder) / "log.npz", Mapping(q="q", tau="tau", time="t", joint_names=("a", "b")))
    >>> trial.n_samples, trial.n
    (3, 2)
    """
    return _import(path, Mapping.of(mapping), joint_names, partial, name, NpzLog)


def import_bag(
    path: Pathlike,
    mapping: Mapping | Pathlike | None = None,
    *,
    effort: str | None = None,
    topic: str | None = None,
    clock: str | None = None,
    joint_names: Sequence[str] | None = None,
    partial: bool = False,
    name: str | None = None,
) -> Trial:
    """Read the joint states (``sensor_msgs/JointState``) of a rosbag2 recording or an MCAP file as a trial. Needs the extra ``formats``.

    Parameters
    ----------
    path : str or path
        A rosbag2 folder (SQLite or MCAP storage), a ``.db3`` file or an ``.mcap`` file (messages in CDR or JSON).
    mapping : Mapping, or path of a TOML file with one, optional
        For units, factors or gains; its columns are "position", "velocity", "effort", and "header" or "log" for the time. Without it everything is SI.
    effort : "torque", "current" or "none"
        What the messages' effort is: some drivers publish motor current there. It must be said when there is one and no mapping.
    topic : str, optional
        Needed when several topics hold joint states.
    clock : "header" or "log", optional
        Stamps of the messages, or when they were recorded; the stamps when there are any. Time counts from the first message, whose time is kept in
        ``trial.attributes["start_ns"]``.
    joint_names : names, optional
        Joints wanted, in this order (usually ``robot.joint_names``). Messages name their joints in any order; others are left out with a DataWarning.
    partial : bool
        Take the good messages of a damaged recording, as in :func:`import_csv`; a file whose end is missing gives what is there.
    name : str, optional
        Name of the trial; the name of the recording when not given.

    Raises
    ------
    MissingExtraError
        The extra ``formats`` is not installed.
    MissingFileError, FileError, DataError, UnknownNameError
        Not there, damaged, no or several topics with joint states, effort not said, a joint that is not there, or as :func:`import_csv`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.errors import FileError
    >>> from optid.experiment import import_bag
    >>> with TemporaryDirectory() as folder:
    ...     (Path(folder) / "log.csv").touch()
    ...     try:
    ...         import_bag(Path(folder) / "log.csv", effort="torque")
    ...     except FileError:
    ...         print("no bag")
    no bag
    """
    source = Path(path)
    given = None if mapping is None else Mapping.of(mapping)
    for what, value, known in (("effort", effort, EFFORTS), ("clock", clock, CLOCKS)):
        if value is None:
            continue
        if value not in known:
            raise unknown_name(what, value, known)
        if given is not None:
            raise DataError(sentence(what, "given beside a mapping", "one of them", "Say it in the mapping."))
    wanted = joint_names if joint_names is not None else () if given is None or isinstance(given.joint_names, str) else given.joint_names
    files = storage_files(source)
    log = BagLog(source, topic, tuple(wanted), partial)
    columns = replace(given or _bag_mapping(log, effort, clock), joint_names=log.joint_names)
    stamps = columns.time if columns.time in CLOCKS else "log"
    attributes = {"imported_from": _hashes(files), "topic": log.topic, "clock": stamps, "start_ns": log.start_ns[str(stamps)]}
    return assemble(dict.fromkeys((*columns.signals, "time"), log), columns, name or source.stem, joint_names, partial, attributes)


def _bag_mapping(log: BagLog, effort: str | None, clock: str | None) -> Mapping:
    """The columns of a recording whose numbers are SI."""
    if clock is None:
        clock = "header" if log.stamped() else "log"
        if clock == "log":
            message = f"{log.where}: the messages hold no stamps; the times they were recorded at are taken, with the jitter of the recorder."
            warnings.warn(message, DataWarning, stacklevel=4)
    if "effort" in log.signals and effort is None:
        raise DataError(sentence(f"effort of {log.where}", "not said what it is", " or ".join(EFFORTS), "Some drivers publish motor current [A]: say effort=."))
    if "effort" not in log.signals and effort in ("torque", "current"):
        raise DataError(sentence(f"effort of {log.where}", "none in any message", f"the {effort}", "Say effort='none' to take the motion alone."))
    return Mapping(
        q="position",
        dq="velocity" if "velocity" in log.signals else None,
        tau="effort" if effort == "torque" else None,
        current="effort" if effort == "current" else None,
        time=clock,
        units={"tau": "N m"},
    )


def import_recording(
    path: Pathlike,
    mapping: Mapping | Pathlike | None = None,
    *,
    effort: str | None = None,
    topic: str | None = None,
    clock: str | None = None,
    joint_names: Sequence[str] | None = None,
    partial: bool = False,
    name: str | None = None,
) -> Trial:
    """Read a recording of any kind that optid knows, by what it is (:func:`recording_kind`).

    Parameters and errors are those of :func:`import_bag` and :func:`import_csv`. All but recordings of joint states need a mapping; ``effort``, ``topic`` and
    ``clock`` belong to those.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from optid.experiment import Mapping, import_recording
    >>> with TemporaryDirectory() as folder:
    ...     np.savez(Path(folder) / "log.npz", t=np.arange(3) * 0.1, q=np.zeros((3, 2)), tau=np.ones((3, 2)))
    ...     trial = import_recording(Path(folder) / "log.npz", Mapping(q="q", tau="tau", time="t", joint_names=("a", "b")))
    >>> trial.n_samples, trial.n
    (3, 2)
    """
    columns = None if mapping is None else Mapping.of(mapping)
    kind = recording_kind(path, columns)
    if kind == "bag":
        return import_bag(path, columns, effort=effort, topic=topic, clock=clock, joint_names=joint_names, partial=partial, name=name)
    for what, value in (("effort", effort), ("topic", topic), ("clock", clock)):
        if value is not None:
            raise DataError(sentence(what, f"given for {path}", "a recording of ROS messages", "For other logs say in the mapping what is what."))
    if columns is None:
        raise DataError(sentence(f"file {path}", "no mapping", "which column is which signal", "Give a mapping; see optid.experiment.Mapping."))
    reader = {"text": import_csv, "mat": import_mat, "npz": import_npz}[kind]
    return reader(path, columns, joint_names=joint_names, partial=partial, name=name)


def _import(
    path: Source, mapping: Mapping, joint_names: Sequence[str] | None, partial: bool, name: str | None, open_log: Callable[[Path, Mapping], Log]
) -> Trial:
    files = _files(path, mapping)
    opened: dict[Path, Log] = {}
    for file in files.values():
        if file not in opened:
            opened[file] = open_log(file, mapping)
    label = name or (Path(path).stem if isinstance(path, (str, os.PathLike)) else files["q"].stem)
    logs = {what: opened[file] for what, file in files.items()}
    return assemble(logs, mapping, label, joint_names, partial, {"imported_from": _hashes(opened)})


def _hashes(files: Iterable[Path]) -> dict[str, str]:
    """SHA-256 of files by their names."""
    found = {}
    for file in files:
        with translated(file), open(file, "rb") as raw:
            found[file.name] = file_digest(raw, "sha256").hexdigest()
    return found


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
