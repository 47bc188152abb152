"""The equations of motion of a SCARA as Valencia 2008 prints them, Ec. 25–28. Most of them are wrong: data to compare with, not to compute with."""

from __future__ import annotations

from collections.abc import Mapping

from optid.robot import DHRow, Link, Robot

_SHARED = "Izz2 + Izz3 + Izz4 + Sx2**2*m2 + Sy2**2*m2 + Sx3*a2*m3 + Sx4*a2*m4"
_TURNED = "- 2*Sy2*a2*m2*c2*s2 + 2*a2**2*c2**2*m2 + 2*a2**2*c2**2*m3 + 2*a2**2*c2**2*m4"
_SPEED = "- 2*Sx2*a2*m2*c2*s2 - 2*Sy2*a2*m2*c2**2 + Sy3*a2*m3 + Sy4*a2*m4 - 2*a2**2*c2*s2*(m2 + m3 + m4)"

PRINTED: Mapping[tuple[int, str], str] = {
    (1, "ddq1"): "Izz1 + Izz2 + Izz3 + Izz4 + m1*(Sx1**2 + Sy1**2) + 2*Sx1*a1*m1 + a1**2*m1 + Sx1*a2*c2*m4 - Sy1*a2*m4*s2 + Sx2**2*m2 + Sy2**2*m2"
    " + Sx2*a1*c2*m2 - Sy2*a1*m2*s2 + 2*Sx2*a2*m2 + 2*Sx2*a2*c2**2*m2 + Sx3*a1*c2*m3 + Sx3*a2*m3 - Sy3*a1*m3*s2 + Sx4*a1*c2*m4 + Sx4*a2*m4 - Sy4*a1*m4*s2"
    f" + 3*a1*a2*c2*m2 + 2*a1*a2*c2*m3 + 3*a1*a2*c2*m4 + a2**2*m2 {_TURNED}",
    (1, "ddq2"): f"{_SHARED} + 2*Sx2*a2*m2 + 2*Sx2*a2*c2**2*m2 + a2**2*m2 {_TURNED}",
    (1, "ddq4"): "Izz4",
    (1, "dq1**2"): f"s2*(-Sx1*a2*m4 + Sx2*a1*m2 + Sx3*a1*m3 + Sx4*a1*m4 + a1*a2*m2 - a1*a2*m4) + c2*(-Sy1*a2*m4 + Sy2*a1*m2 + Sy3*a1*m3 + Sy4*a1*m4) {_SPEED}",
    (1, "dq2**2"): _SPEED,
    (1, "dq1*dq2"): f"2*({_SPEED})",
    (2, "ddq1"): f"{_SHARED} + 3*Sx2*a2*m2 + Sx2*a1*c2*m2 - Sy2*a1*m2*s2 + Sx3*a1*c2*m3 - Sy3*a1*m3*s2 + Sx4*a1*c2*m4 - Sy4*a1*m4*s2"
    " + 2*a1*a2*c2*m2 + a1*a2*c2*m3 + a1*a2*c2*m4 + 2*a2**2*m2 + a2**2*m3 + a2**2*m4",
    (2, "ddq2"): f"{_SHARED} + 3*Sx2*a2*m2 + 2*a2**2*m2 + a2**2*m3 + a2**2*m4",
    (2, "ddq4"): "Izz4",
    (2, "dq1**2"): "s2*a1*(Sx2*m2 + Sx3*m3 + Sx4*m4 + 2*a2*m2 + a2*m3 + a2*m4) + c2*a1*(Sy2*m2 + Sy3*m3 + Sy4*m4) - Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4",
    (2, "dq2**2"): "-Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4",
    (2, "dq1*dq2"): "2*(-Sy2*a2*m2 + Sy3*a2*m3 + Sy4*a2*m4)",
    (3, "ddq3"): "m3 + m4",
    (3, "1"): "g*(m3 + m4)",
    (4, "ddq1"): "Izz4 + Sx4*a1*c2*m4 + Sx4*a2*m4 - Sy4*a1*m4*s2",
    (4, "ddq2"): "Izz4 + Sx4*a2*m4",
    (4, "ddq4"): "Izz4",
    (4, "dq1**2"): "s2*Sx4*a1*m4 + c2*Sy4*a1*m4 + Sy4*a2*m4",
    (4, "dq2**2"): "Sy4*a2*m4",
    (4, "dq1*dq2"): "2*Sy4*a2*m4",
}
"""By axis and factor. c2, s2: of q2; a1, a2: lengths; Sx, Sy: centres of mass in frames at the links' far ends (standard DH); Izz: about the centres of mass.
Signs that the print has lost follow from the source's own listing. For :func:`optid.export.coefficient_errors`."""


def printed_arm() -> Robot:
    """The arm that the equations are meant for: axes R-R-P-R, z up, links of 0.27 and 0.23 m (only that there are two lengths matters).

    Examples
    --------
    >>> from optid.library.valencia_printed import printed_arm
    >>> [joint.kind for joint in printed_arm().joints]
    ['R', 'R', 'P', 'R']
    """
    rows = [DHRow(a=0.27), DHRow(a=0.23), DHRow(joint="P"), DHRow()]
    return Robot.from_dh(rows, "standard", links=[Link(f"link{j}") for j in range(1, 5)], name="SCARA")
