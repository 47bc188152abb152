"""Structural checks of an opened file: everything that makes it foreign, hostile or damaged, as faults."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .fault import Fault
from .schema import FORMAT, SCHEMA_VERSION

if TYPE_CHECKING:
    import h5py

_SCALE_ATTRIBUTES = ("DIMENSION_LIST", "REFERENCE_LIST")
_FILTERS = {1: "gzip", 2: "shuffle", 3: "fletcher32", 32000: "lzf"}
_GZIP_LIMIT = 1100
_SLACK_BYTES = 64 * 2**20
_DEEPEST = 40  # more than values.py writes
_NO_LINKS = "Nothing outside the file is ever read: copy the data into the file."


def format_faults(file: h5py.File) -> Iterator[Fault]:
    """Whether the file says it is an experiment of a version that can be read."""
    wanted = f"format={FORMAT!r}"
    if "format" not in file.attrs:
        hint = "It is an HDF5 file of another program; read a MATLAB 7.3 file with import_mat."
        yield Fault("/@format", "no such attribute", wanted, hint)
        return
    for name in ("format", "schema_version"):
        if name in file.attrs:
            faults = list(attribute_faults(file, name))
            yield from faults
            if faults:
                return
    found = _text(file.attrs["format"])
    if found != FORMAT:
        yield Fault("/@format", repr(found), wanted, "It is an HDF5 file of another program.")
        return
    version: Any = file.attrs.get("schema_version")
    try:
        number = int(version)
    except (TypeError, ValueError):
        yield Fault("/@schema_version", "no such attribute" if version is None else repr(version), f"a whole number up to {SCHEMA_VERSION}")
        return
    if number > SCHEMA_VERSION:
        yield Fault("/@schema_version", str(number), f"at most {SCHEMA_VERSION}", "A newer optid wrote the file: upgrade optid to read it.")
    elif number < 1:
        yield Fault("/@schema_version", str(number), f"1 to {SCHEMA_VERSION}")


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def structure_faults(file: h5py.File) -> Iterator[Fault]:
    """Links that leave the file, data kept outside it, types that are never read, and sizes that only a bomb has.

    A soft link is allowed when it leads straight to a dataset of the file. A second name for a group is refused: it can make a file without end.
    """
    import h5py

    stack: list[h5py.Group] = [file]
    seen = {_address(file)}
    yield from _attribute_faults(file)
    while stack:
        group = stack.pop()
        for name in group:
            if not isinstance(name, str):
                yield Fault(f"{group.name.rstrip('/')}/{name!r}", "a name in broken Unicode", "names in UTF-8")
                continue
            place = f"{group.name.rstrip('/')}/{name}"
            fault = _link_fault(group, name, place)
            if fault is not None:
                yield fault
                continue
            item = group[name]
            address = _address(item)
            if address in seen:
                if isinstance(item, h5py.Group):
                    yield Fault(place, "a second name for a group", "one name for every group", "Copy the group instead.")
                continue
            seen.add(address)
            if isinstance(item, h5py.Group) and place.count("/") > _DEEPEST:
                yield Fault(place[:80] + "...", f"groups nested more than {_DEEPEST} deep", "a flatter file")
                return
            if isinstance(item, h5py.Group):
                stack.append(item)
            elif isinstance(item, h5py.Dataset):
                yield from dataset_faults(item, place)
            else:
                yield Fault(place, "a named data type", "groups and datasets")
                continue
            yield from _attribute_faults(item)


def sound_items(group: h5py.Group) -> Iterator[tuple[str, h5py.Group | h5py.Dataset]]:
    """The groups and datasets in ``group`` that can be read without leaving the file; the others are left out in silence."""
    for name in group:
        item = sound_item(group, name)
        if item is not None:
            yield name, item


def sound_item(group: h5py.Group, name: str) -> h5py.Group | h5py.Dataset | None:
    """The item of that name when it is there and can be read without leaving the file, else None."""
    import h5py

    if not isinstance(name, str) or group.get(name, getlink=True) is None or _link_fault(group, name, "") is not None:
        return None
    item = group[name]
    if isinstance(item, h5py.Dataset):
        return next((None for _ in dataset_faults(item, "")), item)
    return item if isinstance(item, h5py.Group) else None


def _address(item: h5py.HLObject) -> Any:
    import h5py

    return h5py.h5o.get_info(item.id).addr


def _link_fault(group: h5py.Group, name: str, place: str) -> Fault | None:
    """Why a link is not followed; a soft link must lead straight to a dataset that plain links of the same file reach too."""
    import h5py

    link = group.get(name, getlink=True)
    if isinstance(link, h5py.HardLink):
        return None
    if isinstance(link, h5py.ExternalLink):
        return Fault(place, f"an external link to {link.filename!r}", "data inside the file", _NO_LINKS)
    if not isinstance(link, h5py.SoftLink):
        return Fault(place, "an unknown kind of link", "data inside the file", _NO_LINKS)
    node: Any = group.file if link.path.startswith("/") else group
    for part in [part for part in link.path.split("/") if part not in ("", ".")]:
        step = node.get(part, getlink=True) if isinstance(node, h5py.Group) else None
        node = node[part] if isinstance(step, h5py.HardLink) else None
    if isinstance(node, h5py.Dataset):
        return None
    return Fault(place, f"a soft link to {link.path!r}", "a link that leads straight to a dataset of the file", _NO_LINKS)


def dataset_faults(item: h5py.Dataset, place: str) -> Iterator[Fault]:
    """What makes one dataset unreadable on principle: data outside the file, types that are never read, sizes that are not there."""
    import h5py

    if item.is_virtual:
        yield Fault(place, "a virtual dataset (its numbers are in other files)", "data inside the file", _NO_LINKS)
        return
    if item.external:
        yield Fault(place, f"numbers kept in the other file {item.external[0][0]!r}", "data inside the file", _NO_LINKS)
        return
    yield from _type_faults(item.id.get_type(), place)
    plist = item.id.get_create_plist()
    codes = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
    unknown = [code for code in codes if code not in _FILTERS]
    if unknown:
        yield Fault(place, f"compressed by the filter number {unknown[0]}", ", ".join(_FILTERS.values()), "Repack it with h5repack -f GZIP=1.")
    is_text = h5py.check_string_dtype(item.dtype) is not None
    stored, size = item.id.get_storage_size(), item.size or 0
    declared = size * (16 if is_text else item.dtype.itemsize)
    if declared > _SLACK_BYTES and declared > stored * _GZIP_LIMIT:
        yield Fault(place, f"{declared / 1e9:.3g} GB declared, {stored} bytes stored", "numbers that are there", "The file is damaged or hostile.")


def _type_faults(kind: h5py.h5t.TypeID, place: str) -> Iterator[Fault]:
    from h5py import h5t

    refused = {
        h5t.COMPOUND: "compound data",
        h5t.REFERENCE: "object references",
        h5t.OPAQUE: "opaque bytes",
        h5t.BITFIELD: "bit fields",
        h5t.ARRAY: "arrays in cells",
    }
    code = kind.get_class()
    if code in refused or (code == h5t.VLEN and not isinstance(kind, h5t.TypeStringID)):
        yield Fault(place, refused.get(code, "ragged data"), "numbers or text", "Such types are never read; store plain arrays.")


def attribute_faults(item: h5py.Group | h5py.Dataset, name: str) -> Iterator[Fault]:
    """What makes one attribute unreadable on principle (reading a damaged type can crash the HDF5 library)."""
    import h5py

    yield from _type_faults(h5py.h5a.open(item.id, name.encode()).get_type(), f"{item.name}@{name}")


def _attribute_faults(item: h5py.Group | h5py.Dataset) -> Iterator[Fault]:
    for name in item.attrs:
        if not isinstance(name, str):
            yield Fault(f"{item.name}@{name!r}", "a name in broken Unicode", "names in UTF-8")
        elif name not in _SCALE_ATTRIBUTES:
            yield from attribute_faults(item, name)
