"""Recording to disk while the robot moves, so that a crash loses next to nothing."""

from __future__ import annotations

import errno
import logging
import math
import os
import time as clock
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.errors import DataError, FileError, MissingFileError, ShapeError, sentence

from .experiment import RobotInfo
from .files import Pathlike, translated
from .schema import SIGNAL_UNITS
from .trial import Trial

if TYPE_CHECKING:
    import h5py

_METADATA_BYTES = 65536
_log = logging.getLogger(__name__)


class Recorder:
    """Writes one trial row by row; a context manager.

    Rows go to ``<path>.part``, which is a readable experiment file after every flush: when the process dies, even by ``kill -9``, every flushed row is there
    (:func:`optid.read_experiment` takes the ``.part`` file, :func:`recover` makes a clean file of it). A clean end of the ``with`` block renames it to
    ``path``; after an exception the ``.part`` file stays.

    Parameters
    ----------
    path : str or path
        File to make, one trial in it.
    joint_names : n names
    signals : names of the signals, ``q`` among them
    n : int, optional
        Number of joints, when they have no names.
    rate : float [Hz]
        About how many rows come in a second; sets the size of the blocks on disk.
    flush_period, sync_period : float [s]
        Rows are handed to the system at least this often (as long as rows come), and forced onto the disk this often; ``sync_period=math.inf`` never forces.
    name, role, period, sources, attributes
        As in :class:`Trial`; ``sources`` is "measured" for every signal when not given.
    title : str
    robot : RobotInfo, optional
    overwrite : bool
        Replace ``path`` when it exists. A ``.part`` file that is there is never replaced: it is somebody's recording.

    Raises
    ------
    FileError, FileBusyError, MissingFileError
        The file or its ``.part`` exists, the folder is missing or closed.
    ShapeError, DataError
        Wrong numbers of names or columns, or signals that are not known.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid import Recorder, read_experiment
    >>> with TemporaryDirectory() as folder:
    ...     with Recorder(f"{folder}/run.h5", ["swing"], ("q", "tau")) as recorder:
    ...         for k in range(5):
    ...             recorder.append(0.001 * k, q=[0.1 * k], tau=[1.0])
    ...     print(read_experiment(f"{folder}/run.h5")["trial"].n_samples)
    5
    """

    def __init__(
        self,
        path: Pathlike,
        joint_names: Sequence[str] = (),
        signals: Sequence[str] = ("q", "dq", "tau"),
        *,
        n: int | None = None,
        rate: float = 1000.0,
        flush_period: float = 0.2,
        sync_period: float = 1.0,
        name: str = "trial",
        role: str = "identification",
        period: float | None = None,
        sources: Mapping[str, str] | None = None,
        attributes: Mapping[str, Any] | None = None,
        title: str = "",
        robot: RobotInfo | None = None,
        overwrite: bool = False,
    ) -> None:
        self.path = Path(path)
        self.part_path = Path(f"{self.path}.part")
        self.n_rows = 0
        self.n_flushed = 0
        self._signals = tuple(signals)
        self._n = n if n is not None else len(joint_names)
        self._periods = (flush_period, sync_period)
        self._pending: list[tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], NDArray[np.bool_]]] = []
        self._file: h5py.File | None = None
        self._check(joint_names, overwrite)
        notes = Trial(
            time=np.zeros(0),
            q=np.zeros((0, self._n)),
            joint_names=tuple(joint_names),
            role=role,
            period=period,
            name=name,
            sources=dict.fromkeys(self._signals, "measured") if sources is None else sources,
            attributes=attributes or {},
        )
        self._rows_per_chunk = max(16, min(65536, math.ceil(rate)))
        self._open(notes, title, robot)
        self._last_flush = self._last_sync = clock.monotonic()

    def _check(self, joint_names: Sequence[str], overwrite: bool) -> None:
        where = f"recording {self.path}"
        unknown = [signal for signal in self._signals if signal not in SIGNAL_UNITS]
        if unknown or "q" not in self._signals:
            raise DataError(sentence(f"signals of {where}", ", ".join(map(repr, unknown)) or "no q", f"q and others of {', '.join(SIGNAL_UNITS)}"))
        if self._n < 1 or (joint_names and len(joint_names) != self._n):
            raise ShapeError(sentence(f"joints of {where}", f"{len(joint_names)} names and n={self._n}", "a name for every joint, or n= alone"))
        if not self.path.parent.is_dir():
            raise MissingFileError(sentence(f"folder {self.path.parent}", "not found", f"an existing folder for {self.path.name}"))
        if self.path.exists() and not overwrite:
            raise FileError(sentence(f"file {self.path}", "it exists already", "a new name", "Pass overwrite=True to replace it."))
        if self.part_path.exists():
            hint = "Save it with optid.experiment.recover, or delete it."
            raise FileError(sentence(f"file {self.part_path}", "a recording that was cut off is there (or one that is running)", "no such file", hint))

    def _open(self, notes: Trial, title: str, robot: RobotInfo | None) -> None:
        import h5py

        from .values import check_name
        from .writer import check_joint_names, create_trial, write_robot, write_root, write_trial_notes

        check_joint_names(notes.joint_names, f"recording {self.path}")
        with translated(self.part_path):
            # the default file format: the newer ones mark a file as open and would refuse it after a crash
            self._file = h5py.File(self.part_path, "x", track_order=True)
            try:
                write_root(self._file, title, datetime.now(UTC).isoformat(timespec="seconds"), notes.name)
                if robot is not None:
                    write_robot(self._file, robot)
                link = check_name(notes.name, "the trials")
                self._group = create_trial(self._file["trials"], link, self._n, notes.joint_names, self._signals, {}, self._rows_per_chunk)
                write_trial_notes(self._group, notes)
                self._group.attrs["complete"] = np.uint8(0)
                self._file.flush()
            except BaseException:
                self._file.close()
                self.part_path.unlink(missing_ok=True)
                raise

    def append(self, time: ArrayLike, *, valid: ArrayLike = True, **signals: ArrayLike) -> None:
        """Add one row, or a block of rows.

        Parameters
        ----------
        time : scalar or (k,) [s]
        valid : bool or (k,) bool
            Rows with NaN or infinite numbers are marked invalid in any case.
        **signals : (n,) or (k, n)
            Every signal of the recorder, SI units.

        Raises
        ------
        DataError
            A signal is missing or unknown, a stamp is no finite number, or the recorder is closed.
        ShapeError
            A signal of another shape.
        """
        where = f"recording {self.path}"
        if self._file is None:
            raise DataError(sentence(where, "closed", "an open recorder to append to"))
        stamps = np.array(time, dtype=float).reshape(-1)
        if not np.isfinite(stamps).all():
            raise DataError(sentence(f"time of {where}, row {self.n_rows}", str(stamps), "finite stamps"))
        if signals.keys() != set(self._signals):
            raise DataError(sentence(where, f"signals {', '.join(signals) or 'none'}", ", ".join(self._signals)))
        shape = (len(stamps), self._n)
        rows: dict[str, NDArray[np.float64]] = {}
        good = np.broadcast_to(np.asarray(valid, dtype=bool), stamps.shape).copy()
        for signal, value in signals.items():
            table = np.array(value, dtype=float)
            if table.size != shape[0] * shape[1] or table.shape not in (shape, shape[1:], shape[:1], ()):
                raise ShapeError(sentence(f"{signal} of {where}, row {self.n_rows}", f"shape {table.shape}", f"{shape}, rows by joints"))
            rows[signal] = table.reshape(shape)
            good &= np.isfinite(rows[signal]).all(axis=1)
        self._pending.append((stamps, rows, good))
        self.n_rows += len(stamps)
        if self.n_rows - self.n_flushed >= self._rows_per_chunk or clock.monotonic() - self._last_flush >= self._periods[0]:
            self.flush()

    def flush(self, sync: bool | None = None) -> None:
        """Hand all rows to the system; ``sync`` forces them onto the disk (by default when the sync period has passed)."""
        if self._file is None:
            return
        with translated(self.part_path):
            if self._pending:
                self._reserve()
                self._write(
                    np.concatenate([stamps for stamps, _, _ in self._pending]),
                    {signal: np.concatenate([rows[signal] for _, rows, _ in self._pending]) for signal in self._signals},
                    np.concatenate([good for _, _, good in self._pending]),
                )
                self._pending.clear()
            self._file.flush()
            self.n_flushed = self.n_rows
            self._last_flush = clock.monotonic()
            if sync or (sync is None and self._last_flush - self._last_sync >= self._periods[1]):
                os.fsync(self._file.id.get_vfd_handle())
                self._last_sync = self._last_flush

    def _reserve(self) -> None:
        """Ask the system for the room that a flush may need: a full disk is met before HDF5 has written half of it, which would cost the whole file."""
        if self._file is None or not hasattr(os, "posix_fallocate"):
            return
        row_bytes = 8 * (1 + self._n * len(self._signals)) + 1
        need = (self.n_rows - self.n_flushed + 2 * self._rows_per_chunk) * row_bytes + _METADATA_BYTES
        try:
            os.posix_fallocate(self._file.id.get_vfd_handle(), self._file.id.get_filesize(), need)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):
                raise

    def _write(self, stamps: NDArray[np.float64], rows: dict[str, NDArray[np.float64]], good: NDArray[np.bool_]) -> None:
        start, stop = self.n_flushed, self.n_flushed + len(stamps)
        for name, value in (("time", stamps), *rows.items(), ("valid", good.astype(np.uint8))):
            self._group[name].resize(stop, axis=0)
            self._group[name][start:stop] = value

    def close(self) -> None:
        """Write what is left, mark the recording complete and give the file its final name."""
        if self._file is None:
            return
        self.flush(sync=False)
        with translated(self.part_path):
            self._group.attrs["complete"] = np.uint8(1)
            self._file.flush()
            os.fsync(self._file.id.get_vfd_handle())
        self._release()
        with translated(self.path):
            os.replace(self.part_path, self.path)

    def _release(self) -> None:
        """Close the file and give back the room that was reserved for the next flush."""
        if self._file is None:
            return
        with translated(self.part_path):
            size = self._file.id.get_filesize()
            self._file.close()
            self._file = None
            if self.part_path.stat().st_size > size:
                os.truncate(self.part_path, size)

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
            return
        if self._file is None:
            return
        try:
            self.flush(sync=True)
        except FileError as failure:
            _log.error("%d rows of the recording are lost: %s", self.n_rows - self.n_flushed, failure)
        self._release()
        _log.warning("recording stopped by %s; its %d rows are in %s", kind.__name__, self.n_flushed, self.part_path)


def recover(path: Pathlike, target: Pathlike | None = None, overwrite: bool = False) -> Path:
    """Make a clean experiment file of the ``.part`` file that a crash left behind.

    Parameters
    ----------
    path : str or path
        The ``.part`` file; it is kept.
    target : str or path, optional
        File to make; by default the name without ``.part``.
    overwrite : bool

    Returns
    -------
    Path
        The file made.

    Raises
    ------
    FileError
        Not readable, or ``target`` exists.

    Examples
    --------
    >>> from optid.errors import FileError
    >>> from optid import recover
    >>> try:
    ...     recover("run.h5.part")
    ... except FileError as error:
    ...     print(type(error).__name__)
    MissingFileError
    """
    from .reader import read_experiment
    from .writer import write_experiment

    source = Path(path)
    if target is None and source.suffix != ".part":
        raise FileError(sentence(f"file {path}", "no name that ends in .part", "the .part file of a recording", "Or give target=."))
    made = Path(target) if target is not None else source.with_suffix("")
    write_experiment(read_experiment(source, partial=True), made, overwrite=overwrite)
    return made
