"""``optid doctor``: what this machine has, what is missing for what, and the command that installs it."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import typer

from .arguments import Json
from .console import say, show_json
from .guard import EXIT_WRONG

OK, MISSING, BROKEN = "ok", "missing", "broken"

CORE = ("numpy", "scipy", "casadi", "h5py", "nevergrad", "threadpoolctl")
EXTRAS: dict[str, tuple[str, str]] = {
    "matplotlib": ("app", "plots"),
    "rich": ("app", "tables and progress on the command line"),
    "typer": ("app", "the command line"),
    "jinja2": ("app", "HTML reports"),
    "bokeh": ("app", "plots of reports that zoom"),
    "clarabel": ("app", "physically consistent fits (without it: ipopt, slower)"),
    "mcap": ("formats", "recordings in MCAP"),
    "rosbags": ("formats", "recordings of ROS 2"),
    "distributed": ("distributed", "batches on many machines"),
    "xarray": ("netcdf", "experiment files in xarray"),
    "h5netcdf": ("netcdf", "experiment files in xarray"),
    "netCDF4": ("netcdf", "experiment files as netCDF"),
    "sympy": ("symbolic", "typeset equations"),
}
"""Optional packages, by the module that is imported: the extra that installs it, and what it is for."""

PYTHON = (3, 11)
AGREEMENT = 1e-12
"""Largest difference of compiled and interpreted numbers, relative to the largest."""


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes
    ----------
    name, found : str
    state : "ok", "missing" or "broken"
        Only what is broken makes the core unusable.
    purpose : str
        What it is for.
    remedy : str
        What to do about it.
    """

    name: str
    found: str
    state: str = OK
    purpose: str = ""
    remedy: str = ""


def doctor(json: Json = False) -> None:
    """Say what this machine has (versions, compiler, solvers, processors, memory, extras) and what is missing for what."""
    findings = list(examine())
    healthy = all(finding.state != BROKEN for finding in findings)
    if json:
        show_json({"healthy": healthy, "findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            say(f"{finding.state:<8} {finding.name:<16} {finding.found}")
            if finding.remedy:
                say(f"{'':<8} {'':<16} for {finding.purpose or 'everything'}:  {finding.remedy}")
        say()
        say("Everything that optid needs is there." if healthy else "The core is broken: optid cannot work like this.")
    if not healthy:
        raise typer.Exit(EXIT_WRONG)


def examine() -> Iterator[Finding]:
    """Look at everything, cheap things first; nothing raises."""
    from optid import __version__

    yield Finding("optid", __version__)
    enough = sys.version_info >= PYTHON
    wanted = ".".join(map(str, PYTHON))
    yield Finding("Python", platform.python_version(), OK if enough else BROKEN, remedy="" if enough else f"install Python {wanted} or newer.")
    yield Finding("system", f"{platform.system()} {platform.release()} on {platform.machine()}")
    yield _processors()
    yield _memory()
    core = [_core(name) for name in CORE]
    yield from core
    yield from (_extra(module) for module in EXTRAS)
    if all(finding.state == OK for finding in core):
        yield from _solvers()
        yield from _kernels()


def _processors() -> Finding:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    bound = os.environ.get("OMP_NUM_THREADS")
    return Finding("processors", f"{count}" + (f" (OMP_NUM_THREADS={bound})" if bound else ""))


def _memory() -> Finding:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return Finding("memory", "not told by this system")
    return Finding("memory", f"{total / 2**30:.1f} GiB")


def _installed(module: str) -> str:
    try:
        return version(module)
    except PackageNotFoundError:
        return "unknown version"


def _core(name: str) -> Finding:
    """A package without which nothing works; nevergrad is looked for, not imported (that takes seconds)."""
    remedy = f"python -m pip install --upgrade {name}"
    try:
        if find_spec(name) is None:
            return Finding(name, "not installed", BROKEN, "core", remedy)
        if name != "nevergrad":
            import_module(name)
    except Exception as error:  # a broken package may raise anything
        return Finding(name, f"does not import ({str(error).splitlines()[0][:80] if str(error) else type(error).__name__})", BROKEN, "core", remedy)
    return Finding(name, _installed(name), OK, "core")


def _extra(module: str) -> Finding:
    extra, purpose = EXTRAS[module]
    if find_spec(module) is not None:
        return Finding(module, _installed(module), OK, purpose)
    return Finding(module, "not installed", MISSING, purpose, f"python -m pip install 'optid[{extra}]'")


def _solvers() -> Iterator[Finding]:
    import casadi as ca

    from optid.solvers import available_solvers

    yield Finding("solvers", ", ".join(available_solvers()), OK, "optid.solve")
    for name, there in (("ipopt", ca.has_nlpsol("ipopt")), ("qrqp", ca.has_conic("qrqp"))):
        remedy = "" if there else "python -m pip install --force-reinstall casadi"
        yield Finding(f"casadi's {name}", "loads" if there else "does not load", OK if there else BROKEN, "designs and constrained fits", remedy)


def _kernels() -> Iterator[Finding]:
    """The cache folder, the compiler, and whether a kernel compiles and agrees with the interpreter."""
    from optid.kernels.cache import CacheError, folder, opened
    from optid.kernels.toolchain import CompilerError, Toolchain

    purpose = "compiled kernels (without them: several times slower)"
    place = folder()
    usable = True
    try:
        files = [entry.stat().st_size for entry in os.scandir(opened(place)) if entry.name.endswith(".so")]
        mode = place.stat().st_mode & 0o777
        yield Finding("kernel cache", f"{place}, mode {mode:o}, {len(files)} kernels, {sum(files) / 2**20:.1f} MiB", OK, purpose)
    except (CacheError, OSError) as error:
        usable = False
        yield Finding("kernel cache", str(error), MISSING, purpose, "set OPTID_CACHE_DIR to a folder that only you can write to.")
    try:
        command = Toolchain.of_this_machine().command
        yield Finding("C compiler", command[0], OK, purpose)
    except CompilerError as error:
        install = {"darwin": "xcode-select --install", "win32": "use WSL: kernels are compiled on Linux and macOS"}.get(sys.platform, "sudo apt install gcc")
        yield Finding("C compiler", str(error), MISSING, purpose, install)
        return
    if usable:
        yield _trial_kernel(purpose)


def _trial_kernel(purpose: str) -> Finding:
    import casadi as ca
    import numpy as np

    from optid.kernels.choice import Choice
    from optid.kernels.interpreter import Interpreter

    q, p = ca.SX.sym("q", 2), ca.SX.sym("p", 2)
    function = ca.Function("trial", [q, p], [ca.vertcat(p[0] * ca.sin(q[0]) + ca.cos(q[1]), ca.tanh(q[0] * q[1]) * p[1])], ["q", "p"], ["tau"])
    interpreter = Interpreter(function)
    native = Choice("simd", interpreter).native(1)
    if native is None:
        return Finding("trial kernel", "does not compile", MISSING, purpose, "see the warning above, or set CC to another compiler.")
    inputs = [np.random.default_rng(0).normal(size=(64, 2)), np.array([2.0, 3.0])]
    out = [np.zeros((64, 2)) for _ in range(2)]
    interpreter.evaluate(inputs, out[0])
    native.evaluate(inputs, out[1])
    apart = float(np.abs(out[0] - out[1]).max() / np.abs(out[0]).max())
    if apart > AGREEMENT:
        return Finding("trial kernel", f"differs from the interpreter by {apart:.1e}", BROKEN, purpose, "set CC to another compiler.")
    return Finding("trial kernel", f"compiles, agrees to {max(apart, 1e-17):.0e}", OK, purpose)
