"""What kind of recording a file or folder is, by its content and then by its name."""

from __future__ import annotations

from pathlib import Path

from optid.errors import FileError, MissingFileError, sentence

from .bag_source import MCAP_MAGIC, SQLITE_MAGIC
from .files import Pathlike, translated
from .mapping import Mapping

TEXT = (".csv", ".txt", ".tsv", ".dat", ".log", ".asc")
_BAGS = (".db3", ".mcap", ".bag")
_MAGIC = ((MCAP_MAGIC, "bag"), (SQLITE_MAGIC, "bag"), (b"#ROSBAG", "bag"), (b"PK\x03\x04", "npz"), (b"PK\x05\x06", "npz"), (b"MATLAB ", "mat"))
_REFUSED = (
    (b"\x93NUMPY", "a single NumPy array", "Save its columns by name: numpy.savez(file, t=..., q=...)."),
    (b"\x80\x04", "a Python pickle", "Pickles are never opened: they can run code. Save plain arrays with numpy.savez."),
    (b"PAR1", "a Parquet file", "Save it as CSV first."),
    (b"\x1f\x8b", "a compressed file", "Unpack it first."),
)
KNOWN = "a rosbag2 folder, .db3, .mcap, a text table (.csv, .txt), .mat or .npz"


def recording_kind(path: Pathlike, mapping: Mapping | None = None) -> str:
    """The kind of a recording: "bag" (rosbag2 or MCAP), "text", "mat" or "npz".

    Parameters
    ----------
    path : str or path
    mapping : Mapping, optional
        One that names files makes the path their folder.

    Raises
    ------
    MissingFileError, FileError
        Not there, or nothing that can be imported.
    """
    source = Path(path)
    if not source.exists():
        raise MissingFileError(sentence(f"recording {path}", "not found", KNOWN))
    if mapping is not None and mapping.files:
        return recording_kind(source / next(iter(mapping.files.values())))
    if source.is_dir():
        if (source / "metadata.yaml").is_file() or any(file.suffix in _BAGS for file in source.iterdir()):
            return "bag"
        raise FileError(sentence(f"folder {path}", "no metadata.yaml", KNOWN, "Logs of several files need a mapping that names them: files = {...}."))
    with translated(source), open(source, "rb") as raw:
        head = raw.read(8)
        raw.seek(512)
        hdf5 = b"\x89HDF\r\n\x1a\n" in (head, raw.read(8))
    suffix = source.suffix.lower()
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
    if kind is not None:
        return kind
    if hdf5 and suffix != ".mat":
        raise FileError(sentence(f"file {path}", "an HDF5 file", KNOWN, "An experiment file needs no import; a MATLAB 7.3 file ends in .mat."))
    for magic, found, hint in _REFUSED:
        if head.startswith(magic):
            raise FileError(sentence(f"file {path}", found, KNOWN, hint))
    if hdf5 or suffix == ".mat":
        return "mat"
    if suffix == ".npz":
        return "npz"
    return "bag" if suffix in _BAGS else "text"
