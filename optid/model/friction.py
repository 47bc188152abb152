"""Joint friction that is linear in its parameters.

Terms, each one parameter per coordinate::

    viscous     fv·v          coulomb  fc·sign(v)         offset  fo
    asymmetric  fvp·v, fcp for v > 0 and fvn·v, fcn for v < 0 (fcn is negative for a friction that resists)

``sign(0) = 0``. With ``sign_width`` w > 0 the sign is the smooth ``tanh(v / w)`` (G21 uses w = 1 rad/s), for design and simulation. Where motors and joints are
coupled, v is the motors' velocity: friction acts on motors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import casadi as ca

from optid.errors import RobotError, sentence, unknown_name

TERMS: dict[str, tuple[str, ...]] = {"viscous": ("fv",), "coulomb": ("fc",), "offset": ("fo",), "asymmetric": ("fvp", "fcp", "fvn", "fcn")}
"""Friction terms, in the one order used everywhere, and the stems of their parameters."""


def friction_terms(friction: str | Sequence[str] | None) -> tuple[str, ...]:
    """Terms in the documented order, from a sequence or a text such as ``"viscous+coulomb"`` or ``"none"``."""
    if friction is None or friction == "none":
        return ()
    if not isinstance(friction, Iterable):
        raise RobotError(sentence("friction", repr(friction), 'terms such as ("viscous", "coulomb"), or a text such as "viscous+coulomb"'))
    names = [x.strip() for x in friction.split("+")] if isinstance(friction, str) else list(friction)
    for name in names:
        if name not in tuple(TERMS):
            raise unknown_name("friction term", name, TERMS)
    if "asymmetric" in names and len(names) > 1:
        raise RobotError(sentence("friction", " + ".join(names), '"asymmetric" alone', "It already holds viscous, Coulomb and offset friction."))
    return tuple(name for name in TERMS if name in names)


def friction_stems(terms: Sequence[str]) -> tuple[str, ...]:
    """Parameter stems of the terms, e.g. ``("fv", "fc")``."""
    return tuple(stem for term in terms for stem in TERMS[term])


def smooth_sign(v: ca.SX, width: float) -> ca.SX:
    """``sign(v)`` for width 0, else ``tanh(v / width)``."""
    return ca.sign(v) if width <= 1e-300 else ca.tanh(v / width)


def friction_columns(terms: Sequence[str], velocity: ca.SX, widths: Sequence[float]) -> list[ca.SX]:
    """For every stem, the diagonal entries (n,): friction torque of coordinate j per unit parameter j."""
    n = velocity.numel()
    sign = ca.vertcat(*[smooth_sign(velocity[j], widths[j]) for j in range(n)])
    columns: dict[str, ca.SX] = {"fv": velocity, "fc": sign, "fo": ca.SX.ones(n)}
    if "asymmetric" in terms:
        forward = ca.if_else(velocity > 0, 1.0, 0.0) if max(widths) == 0 else (1 + sign) / 2
        backward = ca.if_else(velocity < 0, 1.0, 0.0) if max(widths) == 0 else (1 - sign) / 2
        columns |= {"fvp": forward * velocity, "fcp": forward, "fvn": backward * velocity, "fcn": backward}
    return [columns[stem] for stem in friction_stems(terms)]
