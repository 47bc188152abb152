"""An identified model as C99 for a controller, with the estimates as numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import casadi as ca

from .c_code import CSource, c_name, check_name, definition, signature
from .identified import FUNCTIONS, identified_functions

if TYPE_CHECKING:
    from optid.problems import IdentificationResult

_WHAT = {
    "inverse_dynamics": "Torque of a motion, friction included.",
    "gravity": "Torque that holds the arm still, without friction.",
    "friction": "Friction torque.",
    "mass_matrix": "Mass matrix, row by row; rotors included where they were modelled.",
}


def fit_to_c(fit: IdentificationResult, name: str | None = None) -> CSource:
    """C functions of an identified model.

    Parameters
    ----------
    fit : IdentificationResult
        By any method; base parameters alone are enough.
    name : str, optional
        A C identifier, the prefix of all functions; made from the robot's name when not given.

    Returns
    -------
    CSource
        ``<name>_inverse_dynamics(q, dq, ddq, tau)``, ``<name>_gravity(q, g)``, ``<name>_friction(dq, f)``, ``<name>_mass_matrix(q, M)``. Arrays of n doubles
        (n·n for M, row by row), SI units; the header says which joint is which. No memory is allocated, nothing is kept between calls, ``<math.h>`` is all that
        is needed.

    Notes
    -----
    Compiles without a warning with ``-std=c99 -Wall -Wextra -pedantic`` and as C++, and agrees with :meth:`IdentificationResult.predict` to rounding.

    Raises
    ------
    RobotError
        A name that is no C identifier; user-supplied torque columns that are not scalar operations.

    Examples
    --------
    >>> from optid.export import fit_to_c
    >>> from optid.testing import example_fit
    >>> fit_to_c(example_fit(), "arm").name
    'arm'
    """
    robot, n = fit.base.model.robot, fit.base.model.n
    name = c_name(robot.name) if name is None else name
    check_name(name)
    prototypes, bodies = [], []
    for function, (arguments, result) in FUNCTIONS.items():
        columns = n if function == "mass_matrix" else 1
        head = signature(f"{name}_{function}", dict.fromkeys(arguments, n), result, n * columns)
        prototypes.append(f"/* {_WHAT[function]} */\n{head};")
        bodies.append(
            definition(head, arguments, result, (n, columns), _of_scalars(fit, function), {f"{a}{j}": f"{a}[{j}]" for a in arguments for j in range(n)})
        )
    guard = f"{name.upper()}_H"
    header = [
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f"/* Robot {_comment(robot.name)}, identified with the method {_comment(fit.method)} from {fit.n_rows} equations.",
        *_joint_lines(fit),
        "*/",
        f"#define {name.upper()}_JOINTS {n}",
        "",
        "#ifdef __cplusplus",
        'extern "C" {',
        "#endif",
        "",
        "\n\n".join(prototypes),
        "",
        "#ifdef __cplusplus",
        "}",
        "#endif",
        "",
        "#endif",
        "",
    ]
    source = "\n".join([f'#include "{name}.h"', "", "#include <math.h>", "", "\n\n".join(bodies), ""])
    return CSource(source, "\n".join(header), name)


def _of_scalars(fit: IdentificationResult, function: str) -> ca.Function:
    """One of the functions with every element of its arguments as an input of its own."""
    arguments, result = FUNCTIONS[function]
    n = fit.base.model.n
    scalars = {a: [ca.SX.sym(f"{a}{j}") for j in range(n)] for a in arguments}
    names = [f"{a}{j}" for a in arguments for j in range(n)]
    value = identified_functions(fit)[function](*(ca.vertcat(*scalars[a]) for a in arguments))
    return ca.Function(function, [x for a in arguments for x in scalars[a]], [value], names, [result])


def _joint_lines(fit: IdentificationResult) -> list[str]:
    """What the elements of the vectors are."""
    robot = fit.base.model.robot
    lines = ["   Element k belongs to joint k:"]
    for k, joint in enumerate(robot.joints[i] for i in robot.independent):
        position, force = ("rad", "N m") if joint.revolute else ("m", "N")
        lines.append(f"   {k}  {_comment(joint.name)}: q [{position}], dq [{position}/s], ddq [{position}/s^2], tau, g and f [{force}]")
    gravity = ", ".join(f"{x:g}" for x in robot.gravity)
    return [*lines, f"   Gravity in the base frame: ({gravity}) m/s^2."]


def _comment(text: str) -> str:
    """A name from a file as it may stand in a comment: printable ASCII without slashes, stars, question marks and backslashes."""
    return re.sub(r"[^A-Za-z0-9 _.:+()-]", "_", text)
