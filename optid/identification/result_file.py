"""A fitted model in an experiment file: everything that prediction, validation and reports need, as numbers and text.

The robot is stored as TOML text, the data as their triangular factors (:class:`optid.kernels.JointFactors`), so a loaded result gives the same sigmas, errors
and predictions as the one that was saved. Nothing is pickled. The file is an experiment file without trials: ``/robot`` and ``/results/identification``.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, FileBusyError, FileError, MissingFileError, OptidError, sentence
from optid.experiment import Experiment, RobotInfo
from optid.experiment.typed import flag, mapping, number, numbers, text, texts
from optid.kernels import JointFactors
from optid.model import DynamicModel
from optid.problems.equations import Equations
from optid.problems.fit_details import FitDetails
from optid.problems.identification_result import IdentificationResult
from optid.regressor import BaseParameters
from optid.robot import robot_from_toml, robot_to_toml
from optid.signals import Nyquist, Preprocessing
from optid.solvers import Solution

FORMAT = "optid-identification"
NAME = "identification"
_SOLUTION = ("x", "fun", "max_violation", "status", "message", "n_evaluations", "seed", "solver", "problem", "names", "loses")


def versions() -> dict[str, str]:
    """Versions of optid and of what it computes with."""
    from importlib.metadata import PackageNotFoundError, version

    from optid import __version__

    found = {"optid": __version__, "python": platform.python_version()}
    for package in ("numpy", "scipy", "casadi", "h5py"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


# -- writing ----------------------------------------------------------------------------------------------------------------------------------------


def result_mapping(fit: IdentificationResult) -> dict[str, Any]:
    """A fitted model as nested mappings of numbers and text, for :func:`optid.experiment.add_results` or a file of its own."""
    base, model = fit.base, fit.base.model
    ends = fit.interval()
    return {
        "format": FORMAT,
        "parameter_names": list(fit.formulas),
        "values": fit.beta,
        "sigmas": fit.sigma,
        "lower": ends[:, 0],
        "upper": ends[:, 1],
        "covariance": fit.covariance(),
        "model": {
            "friction": list(model.friction),
            "rotor_inertia": model.rotor_inertia,
            "sign_width": np.atleast_1d(model.sign_width),
            "basis_names": [name for b in model.basis for name in b.names],
        },
        "base": {
            "standard_names": list(model.parameter_names),
            "independent": np.array(base.independent, dtype=np.int64),
            "matrix": base.matrix,
            "known": list(base.known),
            "singular_values": base.singular_values,
            "thresholds": base.thresholds,
        },
        "known": {name: float(value) for name, value in fit.known.items()},
        "factors": {"triangles": fit.factors.triangles, "counts": fit.factors.counts, "sums": fit.factors.sums, "n_columns": fit.factors.n_columns},
        "weights": fit.weights,
        "minimum_norm": fit.minimum_norm,
        "method": fit.method,
        "details": fit.details.to_mapping(),
        "solution": {name: getattr(fit.solution, name) for name in _SOLUTION},
        "preprocessing": None if fit.preprocessing is None else _plain(fit.preprocessing),
        "trials": list(fit.trials),
        "notes": list(fit.notes),
        "provenance": dict(fit.provenance),
        "versions": versions(),
    }


def _plain(options: Any) -> Any:
    """An options dataclass as a mapping; a Nyquist fraction keeps its kind."""
    if isinstance(options, Nyquist):
        return {"nyquist": asdict(options)}
    if is_dataclass(options) and not isinstance(options, type):
        return {f.name: _plain(getattr(options, f.name)) for f in fields(options)}
    return options


def check_target(path: str | PathLike[str], overwrite: bool = False, inputs: Iterable[str | PathLike[str]] = ()) -> None:
    """Check that a fitted model may be written to ``path``, before the work that it takes.

    Parameters
    ----------
    overwrite : bool
        A fitted model may be replaced. Any other file never is: it may be the recording itself.
    inputs : paths
        Files that the model is made from.

    Raises
    ------
    FileError
        ``path`` is one of the inputs, exists and is no fitted model, or exists and ``overwrite`` is False.
    MissingFileError
        The folder is missing.
    """
    target = Path(path)
    if not target.parent.is_dir():
        raise MissingFileError(sentence(f"folder {target.parent}", "not found", f"an existing folder for {target.name}"))
    if not target.exists():
        return
    if any(Path(file).exists() and target.samefile(file) for file in inputs):
        raise FileError(sentence(f"file {path}", "an input of this fit", "a file of its own for the fitted model", "Inputs are never written over."))
    if not _is_fitted_model(target):
        hint = "What is no fitted model is never written over; remove it yourself if it is not needed."
        raise FileError(sentence(f"file {path}", "it exists and is no fitted model", "a new name, or a fitted model to replace", hint))
    if not overwrite:
        raise FileError(sentence(f"file {path}", "it exists already", "a new name", "Pass overwrite=True to replace it."))


def _is_fitted_model(path: Path) -> bool:
    """Whether a file holds a fitted model and no recording."""
    from optid.experiment import read_experiment
    from optid.experiment.stored import open_trials

    try:
        return not open_trials(path) and any(map(_is_result, read_experiment(path).results.values()))
    except FileBusyError:
        raise
    except OptidError:
        return False


def _is_result(stored: Mapping[str, Any]) -> bool:
    return isinstance(stored.get("format"), str) and stored["format"] == FORMAT


def save_result(fit: IdentificationResult, path: str | PathLike[str], overwrite: bool = False, created: str | None = None) -> None:
    """Write a fitted model to an experiment file (HDF5) that :func:`load_result` reads.

    Parameters
    ----------
    overwrite : bool
        Replace an existing fitted model. A file that is none, such as a recording, is never replaced.
    created : str, optional
        Date and time written into the file, now by default. With a date given, equal fits give equal files: the time the solver took is not stored.

    Raises
    ------
    FileError
        The folder is missing or closed; the file exists and ``overwrite`` is False, or is no fitted model.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import load_result, save_result
    >>> from optid.testing import example_fit
    >>> with TemporaryDirectory() as folder:
    ...     save_result(example_fit(), Path(folder) / "model.h5")
    ...     print(load_result(Path(folder) / "model.h5"))
    IdentificationResult('planar 2R', wls, 6 parameters, error 0.00%)
    """
    from optid.experiment import write_experiment

    check_target(path, overwrite)
    robot = fit.base.model.robot
    info = RobotInfo.of(robot, fit.base.model.parameter_names, description=robot_to_toml(robot))
    experiment = Experiment(title=f"identification of {robot.name}", robot=info, results={NAME: result_mapping(fit)})
    write_experiment(experiment if created is None else replace(experiment, created=created), path, overwrite)


# -- reading ----------------------------------------------------------------------------------------------------------------------------------------


def load_result(path: str | PathLike[str], name: str = NAME, model: DynamicModel | None = None) -> IdentificationResult:
    """Read a fitted model.

    Parameters
    ----------
    path : str or path
        An experiment file with a result of :func:`save_result`.
    name : str
        Of the result in the file.
    model : DynamicModel, optional
        Needed only for a model with user-supplied torque columns: functions are never read from a file.

    Raises
    ------
    MissingFileError, FileError
        Not there, damaged, or without such a result.
    DataError
        The model given is not the one of the file.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import load_result, save_result
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> with TemporaryDirectory() as folder:
    ...     save_result(fit, Path(folder) / "model.h5")
    ...     print(bool(np.array_equal(load_result(Path(folder) / "model.h5").beta, fit.beta)))
    True
    """
    from optid.experiment import read_experiment

    experiment = read_experiment(path)
    where = f"result {name!r} in file {path}"
    stored = experiment.results.get(name)
    if stored is None or not _is_result(stored):
        found = ", ".join(map(repr, experiment.results)) or "none"
        hint = "It is a recording: run  optid identify  on it." if experiment.trials else ""
        raise FileError(sentence(f"results in file {path}", found, f"a fitted model named {name!r}", hint))
    if experiment.robot is None or not experiment.robot.description:
        raise FileError(sentence(f"robot in file {path}", "no description", "the robot's TOML text"))
    try:
        return _result(stored, experiment.robot.description, model, where)
    except OptidError as error:
        if f"file {path}" in str(error):
            raise
        raise FileError(f"{where}: {error}") from error
    except KeyError as error:
        raise FileError(sentence(where, f"no entry {error.args[0]!r}", "the entries written by save_result", "The file is damaged.")) from error
    except (TypeError, IndexError, AttributeError, ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        hint = f"The file is damaged ({error})."
        raise FileError(sentence(where, "entries that do not fit together", "the entries written by save_result", hint)) from error


def _result(stored: Mapping[str, Any], description: str, given: DynamicModel | None, where: str) -> IdentificationResult:
    model = _model(stored["model"], description, given, where)
    base = _base(mapping(stored["base"], f"base of {where}"), model, where)
    r, n = base.rank, model.n
    entry = mapping(stored["factors"], f"factors of {where}")
    columns = int(number(entry["n_columns"], f"columns of the factors of {where}"))
    triangles, sums = (numbers(entry[what], f"{what} of {where}", finite=True) for what in ("triangles", "sums"))
    factors = JointFactors(triangles, numbers(entry["counts"], f"counts of {where}", whole=True), sums, columns)
    size = r + (sums.shape[1] - columns if sums.ndim == 2 else 0)
    _expect({"triangles": (triangles, (n, size, size)), "counts": (factors.counts, (n,)), "sums": (sums, (n, size))}, f"factors of {where}")
    vectors = {what: numbers(stored[what], f"{what} of {where}", finite=what == "minimum_norm") for what in ("values", "weights", "minimum_norm")}
    _expect({"values": (vectors["values"], (r,)), "weights": (vectors["weights"], (n,)), "minimum_norm": (vectors["minimum_norm"], (r,))}, where)
    if columns != r or size <= r:
        raise FileError(sentence(f"factors of {where}", f"{columns} columns and {size - columns} targets", f"{r} columns and a target"))
    entry = mapping(stored.get("details", {}), f"details of {where}")
    details = FitDetails.from_mapping(entry)
    _expect(details.shapes(r, model.p, n), f"details of {where}")
    if details.residuals is not None:
        for what in ("scores", "independent"):
            numbers(getattr(details.residuals, what), f"{what} of the residuals of {where}", finite=True)
    return IdentificationResult(
        base,
        vectors["values"],
        vectors["weights"],
        factors,
        Equations.of(base.names, factors, vectors["weights"], details).determinacy,
        {str(k): number(v, f"known parameter {k!r} of {where}") for k, v in mapping(stored["known"], f"known parameters of {where}").items()},
        text(stored["method"], f"method of {where}"),
        _solution(stored["solution"], where),
        vectors["minimum_norm"],
        None if stored["preprocessing"] is None else _preprocessing(stored["preprocessing"], f"preprocessing of {where}"),
        texts(stored["trials"], f"trials of {where}"),
        texts(stored["notes"], f"notes of {where}"),
        dict(mapping(stored["provenance"], f"provenance of {where}")),
        details,
    )


def _expect(arrays: Mapping[str, tuple[NDArray[Any], tuple[int, ...]]], where: str) -> None:
    for what, (array, shape) in arrays.items():
        if array.shape != shape:
            raise FileError(sentence(f"{what} of {where}", f"shape {array.shape}", f"{shape}", "The file is damaged."))


def _model(stored: Mapping[str, Any], description: str, given: DynamicModel | None, where: str) -> DynamicModel:
    if given is not None:
        return given
    stored = mapping(stored, f"model of {where}")
    extra = texts(stored["basis_names"], f"names of the torque columns of {where}")
    if extra:
        raise DataError(
            sentence(where, f"torque columns of the user ({', '.join(extra)})", "the model given beside the file", "Call load_result(path, model=...).")
        )
    widths = np.atleast_1d(numbers(stored["sign_width"], f"sign width of {where}"))
    width: float | tuple[float, ...] = float(widths[0]) if len(widths) == 1 else tuple(float(w) for w in widths)
    robot = robot_from_toml(description, f"robot of {where}")
    return DynamicModel(robot, texts(stored["friction"], f"friction of {where}"), flag(stored["rotor_inertia"], f"rotor inertia of {where}"), width)


def _base(stored: Mapping[str, Any], model: DynamicModel, where: str) -> BaseParameters:
    names = texts(stored["standard_names"], f"standard parameters of {where}")
    if names != model.parameter_names:
        at = next((k for k, (a, b) in enumerate(zip(names, model.parameter_names, strict=False)) if a != b), min(len(names), model.p))
        found = names[at] if at < len(names) else "no more"
        wanted = model.parameter_names[at] if at < model.p else "no more"
        raise DataError(sentence(f"parameter {at + 1} of {where}", found, f"{wanted}, as in the model"))
    independent = tuple(numbers(stored["independent"], f"independent columns of {where}", whole=True).ravel().tolist())
    matrix, thresholds = (numbers(stored[what], f"{what} of {where}", finite=True) for what in ("matrix", "thresholds"))
    shape = (len(independent), model.p)
    _expect({"matrix": (matrix, shape), "thresholds": (thresholds, shape)}, f"base parameters of {where}")
    if any(not 0 <= k < model.p for k in independent):
        raise FileError(sentence(f"independent columns of {where}", independent, f"numbers from 0 to {model.p - 1}", "The file is damaged."))
    known = texts(stored["known"], f"known standard parameters of {where}")
    return BaseParameters(model, independent, matrix, known, numbers(stored["singular_values"], f"singular values of {where}", finite=True), thresholds)


def _solution(stored: Mapping[str, Any], where: str) -> Solution:
    stored = mapping(stored, f"solution of {where}")
    values = {name: stored[name] for name in _SOLUTION}
    values |= {what: texts(values[what], f"{what} of the solution of {where}") for what in ("names", "loses")}
    values |= {what: text(values[what], f"{what} of the solution of {where}") for what in ("status", "message", "solver", "problem")}
    values |= {what: number(values[what], f"{what} of the solution of {where}") for what in ("fun", "max_violation")}
    values |= {what: int(number(values[what], f"{what} of the solution of {where}")) for what in ("n_evaluations", "seed")}
    values |= {"wall_time": float("nan"), "x": numbers(values["x"], f"x of the solution of {where}")}
    return Solution(**values)


def _preprocessing(stored: Any, where: str) -> Preprocessing:
    """The options; a value of the wrong kind is a fault of the file."""
    try:
        options: Preprocessing = _options(Preprocessing, mapping(stored, where), where)
    except DataError as error:
        raise FileError(f"{where}: {error}") from error
    return options


def _options(kind: type, stored: Mapping[str, Any], where: str) -> Any:
    """An options dataclass from its mapping."""
    known = [f.name for f in fields(kind)]
    unknown = [key for key in stored if key not in known]
    if unknown:
        raise FileError(sentence(where, f"the option {unknown[0]!r}", f"options of {kind.__name__}", "A newer optid wrote it."))
    values: dict[str, Any] = {}
    for key, value in stored.items():
        if isinstance(value, Mapping) and set(value) == {"nyquist"}:
            value = Nyquist(**value["nyquist"])
        elif isinstance(value, Mapping):
            value = _options(_nested(kind, key), value, where)
        values[key] = value
    return kind(**values)


def _nested(kind: type, key: str) -> type:
    """The options class behind a field that holds options of its own."""
    if key == "periodic":
        from optid.signals import PeriodicOptions

        return PeriodicOptions
    raise KeyError(f"{kind.__name__}.{key}")
