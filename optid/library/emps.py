"""The EMPS benchmark: an electro-mechanical positioning system."""

from __future__ import annotations

from optid.robot import Drive, Joint, Link, Robot


def emps() -> Robot:
    """One horizontal prismatic axis, along x of the base; gravity does not act on it.

    Mass (with the rotor in it), viscous and Coulomb friction are the published least-squares estimates 95.1089 kg, 203.5034 N s/m and 20.3935 N; the drive's
    gain 35.15065 N/V turns the recorded control voltage (in place of a current) into force: Janot, Gautier & Brunot, *Data set and reference models of
    EMPS*, 2019.

    Examples
    --------
    >>> from optid import library
    >>> library.emps().joints[0].revolute
    False
    """
    slide = Joint("slide", "P", axis=(1.0, 0.0, 0.0), viscous=203.5034, coulomb=20.3935)
    return Robot((slide,), (Link("carriage", 95.1089),), drives=(Drive(current_gain=35.15065),), name="EMPS")
