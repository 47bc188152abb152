"""All faults of one stored trial."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.errors import DataError, FileError

from .checks import attribute_faults, sound_item
from .fault import Fault
from .reader import stored_joint_names
from .samples import column_name, degree_faults, rows_text, stamp_faults
from .schema import SIGNAL_UNITS, SOURCES
from .trial import ROLES, SIGNALS, good_period
from .typed import is_complete, number_attribute, text_attribute, units_attribute
from .units import factors_to_si

if TYPE_CHECKING:
    import h5py

Array = NDArray[np.float64]


def trial_faults(group: h5py.Group, robot_joints: tuple[str, ...]) -> Iterator[Fault]:
    """Every fault of a trial.

    Parameters
    ----------
    group : h5py.Group
    robot_joints : tuple of str
        Joint names of the robot in the same file, empty when it says none.
    """
    place = group.name
    yield from _attribute_faults(group)
    items = {what: item for what in ("time", *SIGNALS, "valid") if (item := sound_item(group, what)) is not None}
    for what in ("time", "q"):
        if group.get(what, getlink=True) is None:
            yield Fault(f"{place}/{what}", "not there", "time and q in every trial")
    if not any(what in items for what in ("tau", "current")):
        yield Fault(place, "neither tau nor current", "a torque or a current to identify from", "", "warning")
    columns: dict[str, Array] = {}
    for what, item in items.items():
        value, faults = _numbers(item)
        yield from faults
        if value is not None:
            columns[what] = value
    for what, item in items.items():
        yield from _unit_faults(item, what)
    rows = len(columns["time"]) if "time" in columns and columns["time"].ndim == 1 else None
    shape: tuple[int, ...] = getattr(items.get("q"), "shape", None) or ()
    n = int(shape[1]) if len(shape) == 2 else 1
    bad = list(_shape_faults(group, columns, rows, n))
    yield from bad
    yield from _joint_faults(group, n, robot_joints)
    wrong = {fault.place for fault in bad}
    good = {what: value for what, value in columns.items() if f"{place}/{what}" not in wrong}
    yield from _sample_faults(good, place, stored_joint_names(group), _stated_factors(group, good, n))


def _attribute_faults(group: h5py.Group) -> Iterator[Fault]:
    role = text_attribute(group, "role")
    if not role:
        yield Fault(f"{group.name}@role", "no such attribute", " or ".join(map(repr, ROLES)), "It is taken as 'identification'.", "warning")
    elif role not in ROLES:
        yield Fault(f"{group.name}@role", repr(role), " or ".join(map(repr, ROLES)))
    period = number_attribute(group, "period")
    if not good_period(period):
        yield Fault(f"{group.name}@period", str(period), "a positive number [s]")
    if not is_complete(group):
        hint = "Every flushed sample is there; optid.experiment.recover makes a clean file."
        yield Fault(group.name, "a recording that was cut off", "a recording that was closed", hint, "warning")


def _numbers(dataset: h5py.Dataset) -> tuple[Array | None, list[Fault]]:
    place = dataset.name
    if getattr(dataset, "shape", None) is None or dataset.dtype.kind not in "fiub":
        return None, [Fault(place, "not an array of numbers", "real numbers")]
    try:
        value = np.asarray(dataset[()], dtype=float)
    except (OSError, RuntimeError, ValueError, MemoryError) as error:
        return None, [Fault(place, f"unreadable ({str(error).splitlines()[0]})", "numbers", "The data are damaged: copy the file again from where it came.")]
    faults = []
    if dataset.dtype.kind == "f" and dataset.dtype.itemsize < 8:
        hint = "Stamps near 1.7e9 s then stand 128 s apart." if dataset.name.endswith("/time") else "Digits were lost."
        faults.append(Fault(place, f"stored as {dataset.dtype}", "float64", hint, "error" if dataset.name.endswith("/time") else "warning"))
    return value, faults


def _unit_faults(dataset: h5py.Dataset, what: str) -> Iterator[Fault]:
    place = dataset.name
    if what == "valid":
        return
    wanted = "s" if what == "time" else SIGNAL_UNITS[what]
    if "units" not in dataset.attrs:
        yield Fault(f"{place}@units", "no such attribute", repr(wanted), f"Numbers without a unit are taken as {wanted}.")
    else:
        try:
            units = units_attribute(dataset)
            factors_to_si(what, units, len(units) if isinstance(units, list) else 1, place)
        except DataError as error:
            yield Fault.of(error, f"{place}@units")
        except FileError as error:
            if not any(attribute_faults(dataset, "units")):  # which are listed with the structure
                yield Fault.of(error)
    if what == "time":
        return
    source = text_attribute(dataset, "source")
    if source not in SOURCES:
        found = repr(source) if source else "no such attribute"
        yield Fault(f"{place}@source", found, "one of " + ", ".join(SOURCES), "", "warning")


def _shape_faults(group: h5py.Group, columns: dict[str, Array], rows: int | None, n: int) -> Iterator[Fault]:
    finished = is_complete(group)
    for what, value in columns.items():
        place = f"{group.name}/{what}"
        if what in ("time", "valid"):
            if value.ndim != 1:
                yield Fault(place, f"shape {value.shape}", "(N,)")
                continue
        elif value.ndim > 2 or value.ndim == 0 or (value.shape[1] if value.ndim == 2 else 1) != n:
            yield Fault(place, f"shape {value.shape}", f"({'N' if rows is None else rows}, {n}), samples by joints")
            continue
        if rows is not None and len(value) != rows and finished:
            yield Fault(place, f"{len(value)} samples", f"{rows}, as time has")
    if "valid" in columns and not np.isin(columns["valid"], (0, 1)).all():
        yield Fault(f"{group.name}/valid", "other numbers than 0 and 1", "0 and 1")


def _joint_faults(group: h5py.Group, n: int, robot_joints: tuple[str, ...]) -> Iterator[Fault]:
    names, place = stored_joint_names(group), f"{group.name}/joint"
    if not names:
        if n > 1:
            yield Fault(
                place, "no joint names", f"{n} names", "The columns are then taken in the order they have; many drivers sort joints by name.", "warning"
            )
        return
    if len(names) != n:
        yield Fault(place, f"{len(names)} names", f"{n}, one per column of q")
    for name in sorted({x for x in names if names.count(x) > 1}):
        yield Fault(place, f"the name {name!r} {names.count(name)} times", "names that differ")
    if "" in names:
        yield Fault(place, "an empty name", "a name for every joint")
    if robot_joints and set(names) != set(robot_joints):
        unknown = [x for x in names if x not in robot_joints]
        missing = [x for x in robot_joints if x not in names]
        found = f"unknown: {', '.join(unknown) or 'none'}; missing: {', '.join(missing) or 'none'}"
        yield Fault(place, found, f"the robot's joints {', '.join(robot_joints)}")


def _stated_factors(group: h5py.Group, columns: dict[str, Array], n: int) -> dict[str, Array]:
    """Factors to SI of the signals whose unit can be read."""
    factors: dict[str, Array] = {}
    for what in columns:
        if what != "valid" and "units" in group[what].attrs:
            try:
                factors[what] = factors_to_si(what, units_attribute(group[what]), 1 if what == "time" else n, "")
            except (DataError, FileError):
                continue
    return factors


def _table(value: Array) -> Array:
    return value[:, None] if value.ndim == 1 else value


def _sample_faults(columns: dict[str, Array], place: str, names: tuple[str, ...], factors: dict[str, Array]) -> Iterator[Fault]:
    """Numbers that are none, stamps, degrees."""
    time = columns.get("time")
    rows = min((len(value) for value in columns.values()), default=0)
    valid = columns["valid"][:rows] != 0 if "valid" in columns else np.ones(rows, dtype=bool)
    for what in SIGNALS:
        if what not in columns:
            continue
        table = _table(columns[what][:rows])
        wrong = ~np.isfinite(table) & valid[:, None]
        for column in np.flatnonzero(wrong.any(axis=0)):
            bad = np.flatnonzero(wrong[:, column])
            where = f"{place}/{what}, sample {rows_text(bad)}, {column_name(names if len(names) == table.shape[1] else (), int(column))}"
            yield Fault(where, f"{len(bad)} numbers that are NaN or infinite", "finite numbers", "Read with partial=True to have them marked invalid.")
    if time is None:
        return
    time = time[:rows]
    lost = np.flatnonzero(~np.isfinite(time))
    if len(lost):
        yield Fault(f"{place}/time, sample {rows_text(lost)}", f"{len(lost)} stamps that are NaN or infinite", "finite stamps")
        return
    yield from stamp_faults(time, f"{place}/time")
    if "q" in columns and rows:
        one = np.ones(1)
        q = _table(columns["q"][:rows]) * factors.get("q", one)
        dq = _table(columns["dq"][:rows]) * factors.get("dq", one) if "dq" in columns else None
        yield from degree_faults(q, dq, time * factors.get("time", one), (f"{place}/q", f"{place}/dq"))
