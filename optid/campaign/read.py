"""A campaign file from disk."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from optid.errors import FileError, MissingFileError, sentence

from .schema import Campaign
from .tables import Place, table

_WANTED = "a campaign in TOML"


@dataclass(frozen=True)
class CampaignFile:
    """A campaign and where it stands.

    Attributes
    ----------
    path : Path
    campaign : Campaign
    raw : mapping
        The file's tables as they are written.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print(read_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml")).path.name)
    campaign.toml
    """

    path: Path
    campaign: Campaign
    raw: dict[str, Any]

    @property
    def name(self) -> str:
        """Of the file, for messages."""
        return self.path.name

    @property
    def folder(self) -> Path:
        """Folder that relative paths start from."""
        return self.path.parent

    @property
    def output(self) -> Path:
        """Folder of everything that is made."""
        return self.folder / self.campaign.output

    def place(self, path: str, number: int = 0) -> Place:
        """A table of the file, for messages."""
        return Place(self.name, path, number)


def read_campaign(path: str | PathLike[str]) -> CampaignFile:
    """Read a campaign file.

    Raises
    ------
    MissingFileError, FileError
        It is not there, or no TOML.
    UnknownNameError, DataError, LimitsError
        A key, kind or value that is wrong, with file, table and key.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print(read_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml")).campaign.robot.source)
    library:ur5
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
        raw = tomllib.loads(text)
    except FileNotFoundError:
        hint = "Write one with  optid new ROBOT."
        raise MissingFileError(sentence(f"campaign {str(file)!r}", "not found", _WANTED, hint)) from None
    except OSError as error:
        raise FileError(sentence(f"campaign {str(file)!r}", error.strerror or "not readable", _WANTED)) from None
    except UnicodeDecodeError as error:
        raise FileError(sentence(f"campaign {str(file)!r}", f"a byte at {error.start} that is not UTF-8", "UTF-8 text")) from None
    except (ValueError, RecursionError) as error:
        raise FileError(sentence(f"campaign {str(file)!r}", f"not TOML ({error})", _WANTED)) from None
    return CampaignFile(file, table(Campaign, raw, Place(file.name)), raw)
