"""From the columns of a log to a trial: shapes, units, order, and the checks that data from outside need."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping as Dict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, DataWarning, ShapeError, UnknownNameError, sentence

from .joints import match_joints
from .log import Block, Log
from .mapping import Mapping
from .samples import degree_faults, rows_text, stamp_faults
from .stamps import forward_rows
from .trial import Trial
from .units import factor_to_si, factors_to_si

Array = NDArray[np.float64]
_ABSURD = {"time": 1e11}
_ABSURD_SIGNAL = 1e9
_PARTIAL = "Pass partial=True to take the good rows."
_CURRENT = re.compile(r"curr|ampere|(^|[_\W])amps?([_\W]|$)|^i([_\d].*)?$", re.IGNORECASE)


def assemble(logs: Dict[str, Log], mapping: Mapping, name: str, joint_names: Sequence[str] | None, partial: bool, attributes: Dict[str, Any]) -> Trial:
    """Make a trial from logs.

    Parameters
    ----------
    logs : mapping signal (and "time") → Log
    joint_names : names, optional
        Joint order wanted; the columns are brought into it by name.
    partial : bool
        Leave out rows that are no good, with a count, instead of refusing them.

    Raises
    ------
    DataError, ShapeError, UnknownNameError
        See :func:`optid.experiment.import_csv`.
    """
    blocks = {what: _reshaped(logs[what].block(columns), mapping, what, logs[what], partial) for what, columns in mapping.signals.items()}
    for what, block in blocks.items():
        _check_current(what, block, mapping, logs[what])
    if mapping.time is not None:
        blocks["time"] = logs["time"].block(mapping.time)
        if blocks["time"].values.shape[1] != 1:
            raise DataError(sentence(f"time in {logs['time'].where}", f"{blocks['time'].values.shape[1]} columns", "one column of stamps"))
    names = _joint_names(blocks, mapping, logs)
    blocks = _same_length(blocks, logs, partial)
    n = blocks["q"].values.shape[1]
    signals: dict[str, Any] = {what: blocks[what].values * _factors(mapping, what, n, logs[what]) for what in mapping.signals}
    if mapping.time is not None:
        signals["time"] = blocks["time"].values[:, 0] * factor_to_si("time", str(mapping.unit("time") or "s"), logs["time"].where)
    else:
        signals["time"] = np.arange(len(blocks["q"].rows)) / float(mapping.rate or 1.0)
    keep = _good_rows(signals, blocks, logs, partial)
    if not keep.all():
        signals = {what: value[keep] for what, value in signals.items()}
    _suspect(signals, mapping, logs)
    dropped = int(np.sum(~keep))
    trial = Trial(
        **signals,
        joint_names=names,
        role=mapping.role,
        period=mapping.period,
        name=name,
        sources=dict.fromkeys(mapping.signals, mapping.source),
        attributes={**attributes, "rows_read": len(keep), "rows_dropped": dropped},
    )
    if joint_names is not None:
        trial = match_joints(trial, joint_names)
    elif not names and n > 1:
        message = f"{logs['q'].where}: no joint names; the columns are taken in the order they have. Give joint_names=, many drivers sort joints by name."
        warnings.warn(message, DataWarning, stacklevel=4)
    return trial if mapping.gains is None else trial.with_torque_from_current(mapping.gains)


def _reshaped(block: Block, mapping: Mapping, what: str, log: Log, partial: bool) -> Block:
    """One number a line: (N·joints, 1) becomes (N, joints); ``partial`` leaves an incomplete last sample out."""
    joints = mapping.joints
    if joints is None or joints == block.values.shape[1] or block.values.shape[1] != 1:
        return block
    rest = len(block.values) % joints
    if rest and not partial:
        found = f"{len(block.values)} numbers"
        hint = f"The file was cut off, or joints= is wrong. {_PARTIAL}"
        raise ShapeError(sentence(f"{what} in {log.where}", found, f"a multiple of {joints}, one number a joint and sample", hint))
    whole = len(block.values) - rest
    labels = tuple(f"{block.labels[0]}, joint {j + 1}" for j in range(joints))
    return Block(block.values[:whole].reshape(-1, joints), labels, block.rows[:whole:joints])


def _check_current(what: str, block: Block, mapping: Mapping, log: Log) -> None:
    """A motor current is not taken for a torque, unless the unit is stated."""
    if what != "tau" or mapping.unit("tau") is not None:
        return
    labels = [label.split(" ", 1)[-1].strip("'\"") for label in block.labels]
    if any(_CURRENT.search(label) for label in labels):
        hint = "Import it as current= and give gains= [N m/A], or state units={'tau': 'N m'} when it is a torque."
        raise DataError(sentence(f"tau in {log.where}", f"{block.labels[0]}, which looks like a motor current", "torque", hint))
    if any("effort" in label.lower() for label in labels):
        message = f"tau in {log.where}: {block.labels[0]} holds motor current [A] with some drivers."
        warnings.warn(f"{message} State units={{'tau': 'N m'}} when it is a torque, else import it as current= with gains=.", DataWarning, stacklevel=5)


def _joint_names(blocks: dict[str, Block], mapping: Mapping, logs: Dict[str, Log]) -> tuple[str, ...]:
    """Names given, stored, or read from the header; columns found by name are brought into the order of ``q`` (in place)."""
    given = mapping.joint_names
    names = logs["q"].names(given) if isinstance(given, str) else tuple(str(x) for x in given)
    if names or any(star.isdigit() or not star for star in blocks["q"].stars) or not blocks["q"].stars:
        return names
    names = blocks["q"].stars
    for what, block in blocks.items():
        if block.stars and block.stars != names and what != "time":
            if sorted(block.stars) != sorted(names):
                raise UnknownNameError(sentence(f"joints of {what} in {logs[what].where}", ", ".join(block.stars), f"those of q: {', '.join(names)}"))
            order = [block.stars.index(x) for x in names]
            blocks[what] = Block(block.values[:, order], tuple(block.labels[k] for k in order), block.rows, names)
    return names


def _same_length(blocks: dict[str, Block], logs: Dict[str, Log], partial: bool) -> dict[str, Block]:
    """Check that all signals have as many rows and joints; ``partial`` cuts longer files to the shortest."""
    n = blocks["q"].values.shape[1]
    for what, block in blocks.items():
        if what != "time" and block.values.shape[1] != n:
            raise ShapeError(sentence(f"{what} in {logs[what].where}", f"{block.values.shape[1]} columns", f"{n}, as q has"))
    lengths = {what: len(block.rows) for what, block in blocks.items()}
    rows = min(lengths.values())
    if rows == max(lengths.values()):
        return blocks
    shortest = min(lengths, key=lambda what: lengths[what])
    longest = max(lengths, key=lambda what: lengths[what])
    found = f"{rows} samples of {shortest} and {lengths[longest]} of {longest}"
    if not partial:
        raise ShapeError(sentence(logs[shortest].where, found, "equally many", _PARTIAL))
    warnings.warn(f"{logs[shortest].where}: {found}; cut to {rows}.", DataWarning, stacklevel=5)
    return {what: Block(b.values[:rows], b.labels, b.rows[:rows], b.stars) for what, b in blocks.items()}


def _factors(mapping: Mapping, what: str, n: int, log: Log) -> Array:
    unit = mapping.unit(what)
    factors = np.ones(n) if unit is None else factors_to_si(what, unit, n, log.where)
    scale = np.asarray(mapping.scale.get(what, 1.0), dtype=float)
    if scale.shape not in ((), (n,)) or not np.isfinite(scale).all():
        raise ShapeError(sentence(f"scale of {what} for {log.where}", f"shape {scale.shape}", f"one finite factor or ({n},)"))
    return factors * scale


def _good_rows(signals: dict[str, Array], blocks: dict[str, Block], logs: Dict[str, Log], partial: bool) -> NDArray[np.bool_]:
    """Rows whose numbers are finite and possible and whose stamps run forward.

    Raises
    ------
    DataError
        A row that is none of it (unless ``partial``), by row and column; or fewer than half of the rows are good.
    """
    possible = np.ones(len(signals["q"]), dtype=bool)
    for what, value in signals.items():
        limit = _ABSURD.get(what, _ABSURD_SIGNAL)
        table = value[:, None] if value.ndim == 1 else value
        wrong = ~(np.abs(table) <= limit)
        if not wrong.any():
            continue
        possible &= ~wrong.any(axis=1)
        if not partial:
            k, j = np.argwhere(wrong)[0]
            block, log = blocks[what], logs[what]
            count = int(wrong.any(axis=1).sum())
            place = f"{log.where}, {log.row_word} {block.rows[k]}, {block.labels[j]} ({what})"
            more = f"{count} {log.row_word}s are like that ({rows_text(block.rows[wrong.any(axis=1)])}). " if count > 1 else ""
            raise DataError(sentence(place, f"{table[k, j]:.6g}", f"a finite number below {limit:.0e}", f"{more}{_PARTIAL}"))
    keep = possible.copy()
    time, log = signals["time"], logs.get("time", logs["q"])
    rows = blocks["time"].rows if "time" in blocks else blocks["q"].rows
    if partial:
        keep[possible] = forward_rows(time[possible])
        _report_dropped(keep, possible, rows, log, logs)
    elif (np.diff(time) < 0).any():
        k = int(np.flatnonzero(np.diff(time) < 0)[0])
        found = f"the stamp goes back from {time[k]:.9g} s to {time[k + 1]:.9g} s"
        count = int(np.sum(np.diff(time) < 0))
        raise DataError(sentence(f"{log.where}, {log.row_word} {rows[k + 1]}", found, "increasing stamps", f"{count} steps go back. {_PARTIAL}"))
    return keep


def _report_dropped(keep: NDArray[np.bool_], possible: NDArray[np.bool_], rows: NDArray[np.intp], log: Log, logs: Dict[str, Log]) -> None:
    if keep.all():
        return
    broken = {row for other in logs.values() for row in other.broken}
    cut = np.isin(rows, list(broken)) & ~possible
    parts = ((cut, "incomplete"), (~possible & ~cut, "impossible numbers"), (possible & ~keep, "stamps out of order"))
    reasons = "; ".join(f"{int(mask.sum())} with {text} ({rows_text(rows[mask])})" for mask, text in parts if mask.any())
    message = f"{log.where}: {int(keep.sum())} good {log.row_word}s of {len(keep)}, left out are {reasons.replace('with incomplete', 'incomplete')}."
    if 2 * keep.sum() < len(keep):
        raise DataError(f"{message} Fewer than half are good: check the columns and units of the mapping.")
    warnings.warn(message, DataWarning, stacklevel=6)


def _suspect(signals: dict[str, Array], mapping: Mapping, logs: Dict[str, Log]) -> None:
    """Warn of what may be wrong: equal stamps, angles that look like degrees."""
    time = signals["time"]
    faults = [fault for fault in stamp_faults(time, f"time of {logs.get('time', logs['q']).where}") if fault.severity == "error"]
    dq = signals.get("dq") if mapping.unit("dq") is None else None
    places = (f"q of {logs['q'].where}", f"dq of {logs.get('dq', logs['q']).where}")
    stated = mapping.unit("q") is not None
    faults += [fault for fault in degree_faults(signals["q"], dq, time, places) if not (stated and fault.place == places[0])]
    for fault in faults:
        warnings.warn(str(fault), DataWarning, stacklevel=5)
