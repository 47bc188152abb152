"""Arms in a plane."""

from __future__ import annotations

from optid.robot import DHRow, Link, Robot


def planar_2r(vertical: bool = True) -> Robot:
    """Two revolute axes along z of the base, 0.5 m apart, modified DH; gravity along −y (vertical plane) or −z (horizontal plane).

    The textbook example of groupings (6 base parameters in the vertical plane, 4 in the horizontal one). With these bodies the base parameters are, by hand,
    mx1 + 0.5 m2 = 1.15, my1 = 0.02, Izz1 + 0.25 m2 = 0.4852, mx2 = 0.225, my2 = −0.03, Izz2 = 0.05435.

    Examples
    --------
    >>> from optid import BaseParameters, DynamicModel, library
    >>> [BaseParameters.of(DynamicModel(library.planar_2r(vertical), friction="none")).rank for vertical in (True, False)]
    [6, 4]
    """
    links = [
        Link.from_com(2.0, (0.2, 0.01, 0.0), (0.03, 0.03, 0.03), "link1"),
        Link.from_com(1.5, (0.15, -0.02, 0.0), (0.02, 0.02, 0.02), "link2"),
    ]
    gravity = (0.0, -9.81, 0.0) if vertical else (0.0, 0.0, -9.81)
    return Robot.from_dh([DHRow(), DHRow(a=0.5)], "modified", gravity=gravity, links=links, name="planar 2R")
