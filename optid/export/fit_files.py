"""A fitted model in files of other programs. Every file is complete or it is not there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError, FileError, MissingFileError, RobotError, sentence
from optid.experiment.files import Pathlike, write_whole

from .identified import identified_functions
from .identified_c import fit_to_c
from .parameter_table import fit_to_latex, unit_latex

if TYPE_CHECKING:
    from optid.problems import IdentificationResult


def write_c(fit: IdentificationResult, folder: Pathlike, name: str | None = None, overwrite: bool = False) -> tuple[Path, Path]:
    """Write ``<name>.h`` and ``<name>.c`` of :func:`~optid.export.fit_to_c` into a folder, which is made when it is not there.

    Raises
    ------
    FileError
        A file exists and ``overwrite`` is False, or the folder cannot be written to.
    RobotError
        As :func:`~optid.export.fit_to_c`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.export import write_c
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> with TemporaryDirectory() as folder:
    ...     print([path.name for path in write_c(fit, folder, "arm")])
    ['arm.h', 'arm.c']
    """
    code = fit_to_c(fit, name)
    place = Path(folder)
    if not place.exists():
        _make_folder(place)
    files = (place / f"{code.name}.h", place / f"{code.name}.c")
    for file in files:
        check_free(file, overwrite)
    for file, text in zip(files, (code.header, code.source), strict=True):
        _write_text(file, text, overwrite)
    return files


def _make_folder(place: Path) -> None:
    try:
        place.mkdir()
    except FileNotFoundError:
        raise MissingFileError(sentence(f"folder {place.parent}", "not found", f"an existing folder for {place.name}")) from None
    except OSError as error:
        raise FileError(f"folder {place}: {error.strerror}, expected a place for a new folder.") from None


def write_latex(fit: IdentificationResult, path: Pathlike, siunitx: bool = False, overwrite: bool = False) -> None:
    """Write the table of :func:`~optid.export.fit_to_latex`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.export import write_latex
    >>> from optid.testing import example_fit
    >>> with TemporaryDirectory() as folder:
    ...     write_latex(example_fit(), Path(folder) / "table.tex")
    ...     print("tabular" in (Path(folder) / "table.tex").read_text(encoding="utf-8"))
    True
    """
    _write_text(Path(path), fit_to_latex(fit, siunitx), overwrite)


def write_casadi(fit: IdentificationResult, path: Pathlike, overwrite: bool = False) -> None:
    """Write one CasADi function ``(q, dq, ddq) → (tau, g, f, M)`` that ``casadi.Function.load(path)`` reads; see :func:`~optid.export.identified_functions`.

    A function of some of the results alone is ``f.factory("gravity", ["q"], ["g"])``.

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import casadi as ca
    >>> from optid.export import write_casadi
    >>> from optid.testing import example_fit, example_samples
    >>> samples = example_samples()
    >>> with TemporaryDirectory() as folder:
    ...     write_casadi(example_fit(), Path(folder) / "arm.casadi")
    ...     tau = ca.Function.load(str(Path(folder) / "arm.casadi"))(samples.q[0], samples.dq[0], samples.ddq[0])[0]
    >>> bool(np.allclose(tau.full().ravel(), samples.tau[0]))
    True
    """
    import casadi as ca

    parts = identified_functions(fit)
    n = fit.base.model.n
    symbols = {name: ca.SX.sym(name, n) for name in ("q", "dq", "ddq")}
    results = {function.name_out(0): function(*(symbols[a] for a in function.name_in())) for function in parts.values()}
    whole = ca.Function("identified", list(symbols.values()), list(results.values()), list(symbols), list(results))
    write_whole(path, lambda temporary: whole.save(os.fspath(temporary)), overwrite)


def write_matlab(fit: IdentificationResult, path: Pathlike, overwrite: bool = False) -> None:
    """Write a MAT file (version 5) with one structure ``fit``: names, formulas, units, beta, sigma, covariance, matrix (base from standard parameters), and the
    joints, in the shapes that they have here (vectors are columns).

    Examples
    --------
    >>> import numpy as np
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from scipy.io import loadmat
    >>> from optid.export import write_matlab
    >>> from optid.testing import example_fit
    >>> fit = example_fit()
    >>> with TemporaryDirectory() as folder:
    ...     write_matlab(fit, Path(folder) / "fit.mat")
    ...     found = loadmat(Path(folder) / "fit.mat", simplify_cells=True)["fit"]
    >>> bool(np.allclose(found["beta"], fit.beta))
    True
    """
    from scipy.io import savemat

    base, robot = fit.base, fit.base.model.robot
    kind = fit.reliable_kind
    covariance = fit.covariance(kind)
    standard = fit.standard_parameters
    entries: Mapping[str, Any] = {
        "names": _cells(base.names),
        "formulas": _cells(base.formulas),
        "units": _cells([unit_latex(name, robot).replace("\\,", " ").replace("$^2$", "^2") for name in base.names]),
        "beta": fit.beta[:, None],
        "sigma": np.sqrt(np.diag(covariance))[:, None],
        "covariance": covariance,
        "covariance_kind": kind,
        "matrix": base.matrix,
        "standard_names": _cells(base.model.parameter_names),
        "standard": standard[:, None],
        "joint_names": _cells(robot.joint_names),
        "method": fit.method,
    }

    write_whole(path, lambda temporary: savemat(os.fspath(temporary), {"fit": entries}, appendmat=False, do_compression=True), overwrite)


def _cells(texts: Any) -> np.ndarray:
    cells = np.empty((len(texts), 1), dtype=object)
    cells[:, 0] = list(texts)
    return cells


def write_urdf(fit: IdentificationResult, path: Pathlike, overwrite: bool = False) -> tuple[str, ...]:
    """Write the robot with the fitted bodies and friction as a URDF.

    Returns
    -------
    tuple of str
        What the model has and a URDF has no place for, one sentence each; the URDF gives the same torque but for these.

    Raises
    ------
    DataError
        The fit has no full set of standard parameters; the message names the links that would be no bodies.
    RobotError
        A body cannot exist; the message names its link.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid import Robot
    >>> from optid.export import write_urdf
    >>> from optid.testing import example_fit, example_model
    >>> fit = example_fit(0.01, 200, method="physical", prior=example_model().nominal_parameters())
    >>> with TemporaryDirectory() as folder:
    ...     _ = write_urdf(fit, Path(folder) / "arm.urdf")
    ...     print(round(Robot.from_urdf(Path(folder) / "arm.urdf").links[1].mass, 2))
    1.5
    """
    from optid.identification.write_back import identified_robot
    from optid.robot import robot_to_urdf

    if fit.details.standard is None:
        report = fit.physical_report()
        links = f"As near to the robot's own bodies as they allow, {', '.join(report.unphysical)} would be no bodies. " if report.unphysical else ""
        hint = f"{links}Fit with method='physical'."
        raise DataError(sentence(f"URDF of the fit by {fit.method!r}", "base parameters alone, which are no bodies", "bodies of all links", hint))
    robot = identified_robot(fit)
    _write_text(Path(path), robot_to_urdf(robot), overwrite)
    return _lost(fit)


def _lost(fit: IdentificationResult) -> tuple[str, ...]:
    """What a URDF cannot hold of a fitted model."""
    model, robot = fit.base.model, fit.base.model.robot
    values = dict(zip(model.parameter_names, fit.standard_parameters, strict=True))
    lost = []
    if any(robot.gravity[:2]) or robot.gravity[2] != -9.81:
        lost.append(f"A URDF does not say where gravity points: read it with gravity={tuple(float(x) for x in robot.gravity)}.")
    if any(name.startswith("Ia") and value for name, value in values.items()):
        lost.append("A URDF has no place for rotor inertia: give the drives again (Robot.with_drives), or keep the robot as TOML.")
    if any(name.startswith("fo") and value for name, value in values.items()):
        lost.append("A URDF has no place for the friction's offset: it is left out.")
    if "asymmetric" in model.friction:
        lost.append("A URDF has one friction for both directions: the mean is written.")
    if robot.coupling is not None:
        lost.append("A URDF has no place for coupled motors: give the coupling again (Robot.with_coupling).")
    if model.basis:
        lost.append("A URDF has no place for user-supplied torque columns: they are left out.")
    return tuple(lost)


def check_free(path: Pathlike, overwrite: bool) -> None:
    """Raise FileError when a file exists and may not be replaced.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.errors import FileError
    >>> from optid.export.fit_files import check_free
    >>> with TemporaryDirectory() as folder:
    ...     check_free(Path(folder) / "new.c", overwrite=False)
    ...     _ = (Path(folder) / "old.c").write_text("")
    ...     try:
    ...         check_free(Path(folder) / "old.c", overwrite=False)
    ...     except FileError:
    ...         print("kept")
    kept
    """
    if Path(path).exists() and not overwrite:
        raise FileError(sentence(f"file {path}", "it exists already", "a new name", "Pass overwrite=True to replace it."))


def _write_text(path: Path, text: str, overwrite: bool) -> None:
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise RobotError(sentence(f"file {path}", "a name with half a Unicode character", "text")) from None

    def fill(temporary: Path) -> None:
        temporary.write_bytes(data)

    write_whole(path, fill, overwrite)
