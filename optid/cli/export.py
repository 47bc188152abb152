"""``optid export``: a fitted model in the files of other programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .console import note, say
from .guard import kept


def export(
    ctx: typer.Context,
    result: Annotated[Path, typer.Argument(metavar="RESULT.h5", help="Fitted model, from identify.")],
    c: Annotated[Path | None, typer.Option("--c", metavar="FOLDER", help="C99 functions: NAME.h and NAME.c, nothing needed but <math.h>.")] = None,
    urdf: Annotated[Path | None, typer.Option(metavar="FILE.urdf", help="The robot with the fitted bodies; needs a fit with --method physical.")] = None,
    casadi: Annotated[Path | None, typer.Option(metavar="FILE.casadi", help="CasADi function (q, dq, ddq) to (tau, g, f, M).")] = None,
    latex: Annotated[Path | None, typer.Option(metavar="FILE.tex", help="Table of the parameters, rounded to their standard deviations (booktabs).")] = None,
    siunitx: Annotated[bool, typer.Option("--siunitx", help="With --latex: numbers for the package siunitx.")] = False,
    matlab: Annotated[Path | None, typer.Option(metavar="FILE.mat", help="Parameters, covariance and names as a MAT file.")] = None,
    name: Annotated[str | None, typer.Option(help="With --c: prefix of the functions and name of the files; made from the robot's name.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace files that exist.")] = False,
) -> None:
    """Write a fitted model as C code, URDF, CasADi function, LaTeX table or MAT file."""
    from optid.errors import DataError, sentence
    from optid.export import fit_to_c, write_c, write_casadi, write_latex, write_matlab, write_urdf
    from optid.export.fit_files import check_free
    from optid.identification import load_result

    files = [file for file in (urdf, casadi, latex, matlab) if file is not None]
    if c is None and not files:
        raise DataError(sentence("optid export", "no file to write", "at least one of --c, --urdf, --casadi, --latex, --matlab"))
    for option, given, needed in (("--name", name, c), ("--siunitx", siunitx or None, latex)):
        if given is not None and needed is None:
            raise DataError(sentence(option, "given without what it is for", "--c" if option == "--name" else "--latex"))
    fit = load_result(result)
    if c is not None:
        code = fit_to_c(fit, name)
        files += [c / f"{code.name}.h", c / f"{code.name}.c"]
    for file in files:
        check_free(file, overwrite)
    written: list[Path] = []
    if urdf is not None:  # the one that can be refused comes first
        for text in write_urdf(fit, urdf, overwrite):
            note(f"optid: note: {text}")
        written.append(urdf)
    if c is not None:
        written += write_c(fit, c, name, overwrite)
    if casadi is not None:
        write_casadi(fit, casadi, overwrite)
        written.append(casadi)
    if latex is not None:
        write_latex(fit, latex, siunitx, overwrite)
        written.append(latex)
    if matlab is not None:
        write_matlab(fit, matlab, overwrite)
        written.append(matlab)
    for file in written:
        kept(ctx, file)
        say(f"written: {file}")
