"""The folder of a campaign's results: one run at a time, every file whole, and a record of what each was made from."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from pathlib import Path, PurePosixPath
from typing import Any

from optid.errors import FileBusyError, FileError, MissingFileError, sentence
from optid.lock import taken

STATE = "campaign.json"
TEMPORARY = ".campaign.json.tmp"
LOCK = ".lock"
WORK = ".work"
PIECES = ".pieces"
FORMAT, VERSION = "optid-campaign", 1


@dataclass
class Hashes:
    """SHA-256 of files, each read once as long as it does not change."""

    known: dict[Path, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def of(self, path: Path) -> str:
        """Hash of a file; empty when it cannot be read (who opens it says why)."""
        try:
            status = path.stat()
            stamp = (status.st_ino, status.st_size, status.st_mtime_ns)
            if path not in self.known or self.known[path][0] != stamp:
                with open(path, "rb") as raw:
                    self.known[path] = stamp, file_digest(raw, "sha256").hexdigest()
            return self.known[path][1]
        except OSError:
            return ""


@dataclass(frozen=True)
class Record:
    """What a task left.

    Attributes
    ----------
    key : str
        Hash of everything that its outputs depend on.
    inputs, outputs : mapping file → SHA-256
        Inputs as the campaign names them, outputs from the folder.
    """

    key: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


@dataclass
class ResultFolder:
    """The folder and its record.

    Attributes
    ----------
    path : Path
    campaign : Path
        The file whose results it holds.
    records : mapping task → Record
    """

    path: Path
    campaign: Path
    records: dict[str, Record] = field(default_factory=dict)

    @classmethod
    def seen(cls, path: Path, campaign: Path) -> ResultFolder:
        """The folder as it is; nothing is made or written.

        Raises
        ------
        FileError, MissingFileError
            It is no folder, holds files of something else or of another campaign, its record is damaged, or the folder around it is missing.
        """
        if not path.exists():
            if not path.parent.is_dir():
                raise MissingFileError(sentence(f"folder {path.parent}", "not found", f"an existing folder to make {path.name} in"))
            return cls(path, campaign)
        if not path.is_dir():
            raise FileError(sentence(f"output {path}", "a file", "a folder"))
        state = path / STATE
        if state.is_file():
            return cls(path, campaign, _records(state, campaign))
        strange = next((entry.name for entry in sorted(path.iterdir()) if entry.name not in (LOCK, TEMPORARY)), None)
        if strange is not None:
            hint = "Give output another name; files of something else are never touched."
            raise FileError(sentence(f"output folder {path}", f"{strange} in it, and no {STATE}", "a new or empty folder, or one of a campaign", hint))
        return cls(path, campaign)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder and hold it against other runs; what a killed run left half is removed.

        Raises
        ------
        FileBusyError
            Another run is at work in it.
        FileError
            It cannot be made or written.
        """
        try:
            self.path.mkdir(exist_ok=True)
            lock = open(self.path / LOCK, "a+b")  # noqa: SIM115
        except OSError as error:
            raise FileError(sentence(f"folder {self.path}", error.strerror or str(error), "a folder that can be written")) from error
        with lock:
            if not taken(lock):
                raise FileBusyError(sentence(f"folder {self.path}", "another run is at work in it", "one run at a time", "Wait for it, or stop it."))
            if (self.path / STATE).is_file():
                self.records = _records(self.path / STATE, self.campaign)
            else:
                self._save()
            shutil.rmtree(self.path / WORK, ignore_errors=True)
            try:
                yield
            finally:
                shutil.rmtree(self.path / WORK, ignore_errors=True)

    @contextmanager
    def work(self) -> Iterator[Path]:
        """An empty folder for the files of a task."""
        folder = self.path / WORK
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir()
        except OSError as error:
            raise FileError(sentence(f"folder {self.path}", error.strerror or str(error), "a folder that can be written")) from error
        yield folder

    def publish(self, task: str, folder: Path, key: str, inputs: Mapping[str, str], hashes: Hashes) -> Record:
        """Move the files of a task to their places, each in one step, and record them; files that it made before and no longer makes are removed."""
        files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        try:
            for file in files:
                target = self.path / file
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(folder / file, target)
            record = Record(key, dict(inputs), {file.as_posix(): hashes.of(self.path / file) for file in files})
            before = self.records.get(task)
            elsewhere = {name for other, each in self.records.items() if other != task for name in each.outputs}
            for name in before.outputs if before is not None else ():
                if name not in record.outputs and name not in elsewhere:
                    (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise FileError(sentence(f"folder {self.path}", error.strerror or str(error), "room for the results")) from error
        self.records[task] = record
        self._save()
        return record

    def sound(self, record: Record, hashes: Hashes) -> bool:
        """Whether the files of a record are there as they were made."""
        return all(hashes.of(self.path / name) == wanted for name, wanted in record.outputs.items())

    def drop_pieces(self) -> None:
        """Remove what was kept for going on within a task."""
        shutil.rmtree(self.path / PIECES, ignore_errors=True)

    def _save(self) -> None:
        tasks = {name: {"key": r.key, "inputs": dict(r.inputs), "outputs": dict(r.outputs)} for name, r in sorted(self.records.items())}
        state = {"format": FORMAT, "version": VERSION, "campaign": self.campaign.name, "tasks": tasks}
        text = json.dumps(state, indent=1, ensure_ascii=False) + "\n"
        temporary = self.path / TEMPORARY
        try:
            with open(temporary, "w", encoding="utf-8", newline="\n") as raw:
                raw.write(text)
                raw.flush()
                os.fsync(raw.fileno())
            os.replace(temporary, self.path / STATE)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise FileError(sentence(f"file {self.path / STATE}", error.strerror or str(error), "a file that can be written")) from error


def _records(state: Path, campaign: Path) -> dict[str, Record]:
    """What the record of a folder says.

    Raises
    ------
    FileError
        It is damaged, of something else, or of another campaign that is still there.
    """
    hint = "Remove it to have everything done again."
    try:
        found: Any = json.loads(state.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise FileError(sentence(f"format of {state}", repr(found["format"]), repr(FORMAT), "Give output another name."))
        if found["version"] != VERSION:
            raise FileError(sentence(f"version of {state}", found["version"], VERSION, "Another optid wrote it: give output another name."))
        other = campaign.with_name(PurePosixPath(str(found["campaign"])).name)
        if other.name != campaign.name and other.exists():
            raise FileError(sentence(f"output folder {state.parent}", f"results of {other.name}", f"those of {campaign.name}", "Give output another name."))
        return {str(name): Record(str(task["key"]), _texts(task["inputs"]), _inside(task["outputs"])) for name, task in found["tasks"].items()}
    except FileError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise FileError(sentence(f"file {state}", "damaged", "the record of a campaign", hint)) from error


def _texts(values: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in values.items()}


def _inside(values: Any) -> dict[str, str]:
    """Files of the folder with their hashes; a name that leads out of it is refused, for old files are removed by name."""
    found = _texts(values)
    for name in found:
        path = PurePosixPath(name)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or not path.parts:
            raise ValueError(name)
    return found
