"""Every error and warning optid raises on purpose.

One base, :class:`OptidError`; each leaf is also the builtin that fits, so ``except ValueError`` keeps working. A message is one sentence of the form
``<what> <where>: <found>, expected <wanted>. <what to do>`` (:func:`sentence` builds it).
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class OptidError(Exception):
    """Base of all errors raised by optid."""


class RobotError(OptidError, ValueError):
    """A robot description is wrong, or asks for something that is not supported."""


class ShapeError(OptidError, ValueError):
    """An array has the wrong shape."""


class DataError(OptidError, ValueError):
    """Measured data cannot be used as it is (NaN, backward time stamps, wrong units, too short, ...)."""


class FileError(OptidError, ValueError):
    """A file is malformed, truncated, foreign or hostile."""


class MissingFileError(FileError, FileNotFoundError):
    """A file or folder is not there."""


class FileBusyError(FileError, BlockingIOError):
    """A file is held open by another process."""


class UnknownNameError(OptidError, ValueError):
    """A name (parameter, joint, solver, ...) is not known; the message suggests close ones."""


class RankError(OptidError, ValueError):
    """The data cannot determine what was asked for."""


class LimitsError(OptidError, ValueError):
    """Limits contradict each other, or a motion breaks them."""


class UnreachableError(OptidError, ValueError):
    """No posture of the robot reaches a target."""


class SingularError(OptidError, ValueError):
    """A posture, a target or a mass matrix is singular, so that the answer is not determined."""


class UnsuitableSolverError(OptidError, TypeError):
    """The solver cannot take this problem."""


class SolveError(OptidError, RuntimeError):
    """A solve failed; ``solution`` holds the best point found.

    Attributes
    ----------
    solution : optid.solvers.Solution or None
    """

    def __init__(self, message: str, solution: Any = None) -> None:
        super().__init__(message)
        self.solution = solution


class MissingExtraError(OptidError, ImportError):
    """An optional dependency is not installed; the message names the command that installs it."""


class OptidWarning(UserWarning):
    """Base of all warnings issued by optid."""


class DataWarning(OptidWarning):
    """Data look suspicious (degrees, jitter, joint order, ...)."""


class PhysicalWarning(OptidWarning):
    """A parameter set describes a body that cannot exist."""


def sentence(what: str, found: object, expected: object, hint: str = "") -> str:
    """Build an error message ``<what>: <found>, expected <expected>. <hint>``."""
    text = f"{what}: {found}, expected {expected}."
    return f"{text} {hint}".rstrip()


def unknown_name(kind: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """Error for a name that is not known, with a suggestion when one is close."""
    names = list(known)
    close = get_close_matches(str(name), names, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else ""
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
    return UnknownNameError(sentence(f"{kind} {name!r}", "unknown name", f"one of {shown or '(none)'}", hint))


def require(module: str, extra: str) -> Any:
    """Import an optional dependency or raise :class:`MissingExtraError` with the command that installs it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{module} is not installed: install it with  pip install 'optid[{extra}]'.") from error
