"""The folder of a report: the page, its numbers for other programs, its pictures."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import FileError, sentence

if TYPE_CHECKING:
    from optid.problems import IdentificationResult

FORMAT = "optid-report"


def fill(path: str | PathLike[str], page: str, facts: Mapping[str, Any], images: Mapping[str, bytes], fits: Mapping[str, IdentificationResult]) -> Path:
    """Write ``report.html``, ``results.json``, ``results.h5`` and the images into a folder, which is made when it is not there.

    ``results.h5`` is an experiment file without trials. ``/results/report`` holds the facts: a list of alike entries, such as the parameters, is one column for
    each of their names (unknown numbers are NaN, yes and no are 1 and 0), other lists are groups ``1``, ``2``, …; and ``/results/NAME`` each fitted model as
    :func:`optid.load_result` reads it.

    Parameters
    ----------
    fits : mapping name → fit
        Models of one robot.

    Returns
    -------
    Path
        Of ``report.html``.

    Raises
    ------
    FileError
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, image in images.items():
            (folder / f"{name}.png").write_bytes(image)
        _replace(folder / "results.json", json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
        _write_h5(folder / "results.h5", facts, fits)
        _replace(folder / "report.html", page)
    except OSError as error:
        raise FileError(sentence(f"folder {folder}", error.strerror or str(error), "a folder that can be written")) from error
    return folder / "report.html"


def _replace(path: Path, text: str) -> None:
    """Write a whole file, or none."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    os.replace(part, path)


def _write_h5(path: Path, facts: Mapping[str, Any], fits: Mapping[str, IdentificationResult]) -> None:
    from optid.experiment import Experiment, RobotInfo, read_experiment, write_experiment
    from optid.identification.result_file import result_mapping
    from optid.robot import robot_to_toml

    if path.exists() and "report" not in read_experiment(path).results:
        raise FileError(sentence(f"file {path}", "no results of a report", "nothing, or those of an earlier report", "Choose another folder."))
    robot = None
    if fits:
        model = next(iter(fits.values())).base.model
        robot = RobotInfo.of(model.robot, model.parameter_names, description=robot_to_toml(model.robot))
    results = {name: result_mapping(fit) for name, fit in fits.items()} | {"report": {"format": FORMAT, **columns(facts)}}
    write_experiment(Experiment(title="results of a report", robot=robot, results=results, created=""), path, overwrite=True)


def columns(value: Any) -> Any:
    """Facts as HDF5 keeps them best: tables column by column, lists of numbers as arrays with NaN for what is unknown."""
    if isinstance(value, Mapping):
        return {key: columns(item) for key, item in value.items()}
    if value is None or isinstance(value, bool):
        return float("nan") if value is None else int(value)
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return value
    if all(isinstance(item, Mapping) for item in value):
        names = list(value[0])
        flat = all(list(item) == names and not any(isinstance(x, (Mapping, list)) for x in item.values()) for item in value)
        if flat:
            return {name: columns([item[name] for item in value]) for name in names}
        return {str(k): columns(item) for k, item in enumerate(value, start=1)}
    if all(item is None or (isinstance(item, (int, float)) and not isinstance(item, bool)) for item in value):
        if all(isinstance(item, int) for item in value):
            return np.array(value, dtype=np.int64)
        return np.array([np.nan if item is None else item for item in value], dtype=float)
    if all(isinstance(item, bool) for item in value):
        return np.array(value, dtype=np.uint8)
    if all(isinstance(item, str) for item in value):
        return list(value)
    return {str(k): columns(item) for k, item in enumerate(value, start=1)}
