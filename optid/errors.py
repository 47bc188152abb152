"""Every error and warning optid raises on purpose.

One base, :class:`OptidError`; each leaf is also the builtin that fits, so ``except ValueError`` keeps working. A message is one sentence of the form
``<what> <where>: <found>, expected <wanted>. <what to do>`` (:func:`sentence` builds it).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class OptidError(Exception):
    """Base of all errors raised by optid.

    Examples
    --------
    >>> import optid
    >>> try:
    ...     optid.library.ur5().with_friction(viscous=[1.0, 2.0])
    ... except optid.OptidError as error:
    ...     print(error)
    viscous friction of robot 'UR5': shape (2,), expected a scalar or (6,).
    """


class RobotError(OptidError, ValueError):
    """A robot description is wrong, or asks for something that is not supported.

    Examples
    --------
    >>> from optid import DHRow
    >>> DHRow(a=float("nan"))
    Traceback (most recent call last):
        ...
    optid.errors.RobotError: a of a DH row: nan, expected a finite number.
    """


class ShapeError(OptidError, ValueError):
    """An array has the wrong shape.

    Examples
    --------
    >>> from optid.problems import LeastSquares
    >>> LeastSquares([[1.0, 2.0]], [1.0, 2.0])
    Traceback (most recent call last):
        ...
    optid.errors.ShapeError: b: shape (2,), expected shape (1,).
    """


class DataError(OptidError, ValueError):
    """Measured data cannot be used as it is (NaN, backward time stamps, wrong units, too short, ...).

    Examples
    --------
    >>> import optid
    >>> optid.identify(optid.DynamicModel(optid.library.ur5()), [])
    Traceback (most recent call last):
        ...
    optid.errors.DataError: trials: none, expected at least one.
    """


class FileError(OptidError, ValueError):
    """A file is malformed, truncated, foreign or hostile.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import optid
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder) / "not.h5"
    ...     _ = file.write_text("no HDF5")
    ...     try:
    ...         optid.read_experiment(file)
    ...     except optid.errors.FileError as error:
    ...         print(str(error).replace(folder, "…"))
    file …/not.h5: a text file, expected an optid experiment file (HDF5). Read a CSV with import_csv.
    """


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder is not there.

    Examples
    --------
    >>> import optid
    >>> optid.read_experiment("nowhere.h5")
    Traceback (most recent call last):
        ...
    optid.errors.MissingFileError: file nowhere.h5: not found, expected an existing file.
    """


class FileBusyError(FileError, BlockingIOError):
    """A file is held open by another process.

    Examples
    --------
    >>> from optid.errors import FileBusyError, FileError
    >>> issubclass(FileBusyError, FileError)
    True
    """


class UnknownNameError(OptidError, ValueError):
    """A name (parameter, joint, solver, ...) is not known; the message suggests close ones.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> DynamicModel(library.planar_2r()).index("mx22")
    Traceback (most recent call last):
        ...
    optid.errors.UnknownNameError: parameter 'mx22': unknown name, expected one of m1, mx1, my1, mz1, Ixx1, Ixy1, ...
    """


class RankError(OptidError, ValueError):
    """The data cannot determine what was asked for.

    Examples
    --------
    >>> from optid.problems import Regression
    >>> Regression([[1.0, 2.0]], [1.0])
    Traceback (most recent call last):
        ...
    optid.errors.RankError: regression: 1 rows of rank 1, expected at least 2 rows for 2 columns. Record more samples.
    """


class LimitsError(OptidError, ValueError):
    """Limits contradict each other, or a motion breaks them.

    Examples
    --------
    >>> from optid import Limits
    >>> Limits.of(1, lower=1.0, upper=-1.0)
    Traceback (most recent call last):
        ...
    optid.errors.LimitsError: position limits of 'joint 1': lower 1 > upper -1, expected lower <= upper.
    """


class UnreachableError(OptidError, ValueError):
    """No posture of the robot reaches a target.

    Examples
    --------
    >>> from optid.kinematics import inverse_two_axis
    >>> inverse_two_axis(1.0, 1.0, (3.0, 0.0))
    Traceback (most recent call last):
        ...
    optid.errors.UnreachableError: target 0 of the two-axis arm: 3 m from its first axis, expected 0 … 2 m. 1 of ...
    """


class SingularError(OptidError, ValueError):
    """A posture, a target or a mass matrix is singular, so that the answer is not determined.

    Examples
    --------
    >>> from optid import DynamicModel, library
    >>> from optid.simulation import forward_dynamics
    >>> model = DynamicModel(library.iiwa(), friction="none")  # no bodies
    >>> forward_dynamics(model, model.nominal_parameters(), [0] * 7, [0] * 7, [1] * 7)
    Traceback (most recent call last):
        ...
    optid.errors.SingularError: mass matrix of robot 'LBR iiwa 7 R800': singular, expected positive definite. ...
    """


class UnsuitableSolverError(OptidError, TypeError):
    """The solver cannot take this problem.

    Examples
    --------
    >>> import optid
    >>> from optid.problems import BlackBox
    >>> optid.solve(BlackBox(lambda x: 0.0, lower=[0], upper=[1]), solver="ipopt")
    Traceback (most recent call last):
        ...
    optid.errors.UnsuitableSolverError: solver 'ipopt' cannot take this BlackBox problem: it takes Nlp, and a ...
    """


class SolveError(OptidError, RuntimeError):
    """A solve failed; ``solution`` holds the best point found.

    Attributes
    ----------
    solution : optid.solvers.Solution or None

    Examples
    --------
    >>> import optid
    >>> from optid.problems import BlackBox
    >>> try:
    ...     optid.solve(BlackBox(lambda x: None, lower=[0], upper=[1]), solver="random", budget=3)
    ... except optid.errors.SolveError as error:
    ...     print(error.solution.n_failed)
    3
    """

    def __init__(self, message: str, solution: Any = None) -> None:
        super().__init__(message)
        self.solution = solution


class MissingExtraError(OptidError, ImportError):
    """An optional dependency is not installed; the message names the command that installs it.

    Examples
    --------
    >>> from optid.errors import require
    >>> require("no_such_module", "app")
    Traceback (most recent call last):
        ...
    optid.errors.MissingExtraError: no_such_module is not installed: install it with  pip install 'optid[app]'.
    """


class OptidWarning(UserWarning):
    """Base of all warnings issued by optid.

    Examples
    --------
    >>> import warnings
    >>> from optid.errors import DataWarning, OptidWarning
    >>> issubclass(DataWarning, OptidWarning)
    True
    """


class DataWarning(OptidWarning):
    """Data look suspicious (degrees, jitter, joint order, ...).

    Examples
    --------
    >>> from optid.errors import DataWarning
    >>> issubclass(DataWarning, UserWarning)
    True
    """


class PhysicalWarning(OptidWarning):
    """A parameter set describes a body that cannot exist.

    Examples
    --------
    >>> from optid.errors import OptidWarning, PhysicalWarning
    >>> issubclass(PhysicalWarning, OptidWarning)
    True
    """


def sentence(what: str, found: object, expected: object, hint: str = "") -> str:
    """Build an error message ``<what>: <found>, expected <expected>. <hint>``.

    Examples
    --------
    >>> from optid.errors import sentence
    >>> sentence("rate of the log", -5, "a positive number", "Look at its time column.")
    'rate of the log: -5, expected a positive number. Look at its time column.'
    """
    shown = str(found)
    if "\n" in shown:  # an array of several rows
        shown = " ".join(shown.split())
    text = f"{what}: {shown}, expected {expected}."
    return f"{text} {hint}".rstrip()


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Error for a name that is not known, with a suggestion when one is close.

    Examples
    --------
    >>> from optid.errors import unknown_name
    >>> print(unknown_name("solver", "ipot", ["ipopt", "qp"]))
    solver 'ipot': unknown name, expected one of ipopt, qp. Did you mean 'ipopt'?
    """
    names = list(known)
    close = get_close_matches(str(name), names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return UnknownNameError(sentence(f"{kind} {name!r}", "unknown name", f"one of {shown or '(none)'}", hint))


def require(module: str, extra: str) -> Any:
    """Import an optional dependency or raise :class:`MissingExtraError` with the command that installs it.

    Examples
    --------
    >>> from optid.errors import require
    >>> require("json", "app").dumps([1])
    '[1]'
    """
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{module} is not installed: install it with  pip install 'optid[{extra}]'.") from error
