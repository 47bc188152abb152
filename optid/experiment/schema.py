"""Names, units and storage rules of an experiment file (HDF5, a netCDF-4 subset).

::

    /                format="optid-experiment" schema_version title created generator default NX_class
    /attributes      free notes
    /robot           name, description (TOML or URDF text) with its hash, joint and parameter names, gains, coupling
    /design          optional: coefficients, period, criterion, solver, seed
    /trials/<name>   role, period, complete; time [s]; joint (names, or 0 … n−1); q, dq, ddq, tau, current with units and source; valid (uint8)
    /results/<name>  parameter names, values, sigmas, units, covariance, options, seed, versions, hashes

Numbers are float64, compressed with gzip-1 after shuffle and guarded by a checksum; ``time`` and ``joint`` are dimension scales.

MATLAB (and whatever else counts the first dimension fastest) reads every array with its dimensions reversed, so that a signal (N, n) becomes n by N and a
matrix becomes its transpose: ``q = h5read('arm.h5', '/trials/run/q').'``. The file says so in its attribute ``matlab_note``.
"""

from __future__ import annotations

import re

FORMAT = "optid-experiment"
SCHEMA_VERSION = 1
SOURCES = ("measured", "commanded", "derived")
CHUNK_ROWS = 4096

MATLAB_NOTE = (
    "Dimensions are stored in row-major order; MATLAB's h5read reverses them: a signal of N samples and n joints arrives as n-by-N, a matrix as its transpose. "
    "Transpose what is read: q = h5read(file, '/trials/NAME/q').'"
)
"""Attribute ``matlab_note`` of every file."""

SIGNAL_UNITS = {"q": "rad", "dq": "rad/s", "ddq": "rad/s^2", "tau": "N m", "current": "A"}
"""Unit written beside each signal (a prismatic joint's column is in m, m/s, m/s², N)."""

PRISMATIC_UNITS = {"q": "m", "dq": "m/s", "ddq": "m/s^2", "tau": "N"}

RESERVED = frozenset({"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST", "DIMENSION_LABELS", "NX_class", "default", "signal", "axes", "encoding", "kind"})
"""Attribute names that the format itself uses (dimension scales, NeXus, the encoding of values)."""

_ESCAPED = re.compile(r"[\x00-\x1f\x7f/%]|^\.+$|^ | $|^_")


def escape(name: str) -> str:
    """A name that HDF5 and netCDF take as one link: ``/``, ``%``, control characters and edge cases are percent-encoded."""
    text = _ESCAPED.sub(lambda m: "".join(f"%{ord(c):02X}" for c in m.group()), name)
    return f"%{ord(text[0]):02X}{text[1:]}" if text in RESERVED or text.startswith("dim_") else text


def unescape(name: str) -> str:
    """Inverse of :func:`escape`."""
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), name)
