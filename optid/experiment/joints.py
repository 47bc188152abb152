"""Bringing the columns of a trial into the joint order of a model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from optid.errors import DataWarning, ShapeError, sentence

from .trial import Trial


def match_joints(trial: Trial, joint_names: Sequence[str]) -> Trial:
    """The trial with its columns in the order of ``joint_names`` (usually those of a robot).

    A trial that carries no names is taken in its own order, with a :class:`optid.errors.DataWarning`: drivers often sort joints by name.

    Raises
    ------
    UnknownNameError
        A name is missing or unknown.
    ShapeError
        A trial without names has another number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from optid import Trial
    >>> from optid.experiment import match_joints
    >>> trial = Trial([0.0, 0.1], [[1.0, 2.0], [3.0, 4.0]], tau=[[0.0, 0.0]] * 2, joint_names=("b", "a"))
    >>> match_joints(trial, ["a", "b"]).q[0]
    array([2., 1.])
    """
    wanted = tuple(joint_names)
    if trial.joint_names == wanted:
        return trial
    if trial.joint_names:
        return trial.reordered(wanted)
    if trial.n != len(wanted):
        raise ShapeError(sentence(f"trial {trial.name!r}", f"{trial.n} joints", f"{len(wanted)}: {', '.join(wanted)}"))
    if trial.n > 1:
        message = f"trial {trial.name!r}: no joint names are stored; its columns are taken in the order {', '.join(wanted)}."
        warnings.warn(f"{message} Give joint_names= when you import or record.", DataWarning, stacklevel=2)
    return trial
