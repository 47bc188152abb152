"""Stiffness of a joint from recordings with encoders on both sides of the gear.

Residuals of such fits are strongly correlated in time, and the answer moves with the cut-off of the filters. Intervals here contain both: a long-run (HAC)
covariance at every cut-off, and the hull over the cut-offs. They know nothing of torques that the fit leaves out (a counterbalance, other axes): compare
recordings of different motions. A value that makes no sense is not returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, ShapeError, sentence
from optid.model.arguments import instance, not_negative, positive, real, whole
from optid.robot.transform import finite_number
from optid.signals.derivatives import savgol
from optid.signals.filters import lowpass, settling_samples
from optid.statistics.intervals import quantile
from optid.statistics.long_run import long_run_covariance

Array = NDArray[np.float64]

CUTOFFS = (2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
LEAST = 0.1
"""Share of the torque beside friction that the deflection has to explain."""


@dataclass(frozen=True)
class CutoffFit:
    """The fit at one cut-off.

    Attributes
    ----------
    cutoff : float [Hz]
    stiffness : float [N m/rad]
    sigma, white_sigma : float
        Standard deviations: long-run, and as if the residuals were white (far too small).
    reverse : float
        The stiffness when deflection is fitted to torque instead: errors of the deflection pull ``stiffness`` down, errors of the torque push this one up.
    explained : float
        Part of the torque's variance that the fit explains.
    damping : float [N m s/rad]
        NaN when it was not fitted.
    rotor_inertia : float [kg m²]
        Fitted, or as given.
    """

    cutoff: float
    stiffness: float
    sigma: float
    white_sigma: float
    reverse: float
    explained: float
    damping: float
    rotor_inertia: float


@dataclass(frozen=True)
class StiffnessEstimate:
    """Stiffness of one joint.

    Attributes
    ----------
    stiffness : float [N m/rad]
        Median over the cut-offs; NaN when the fits make no sense.
    interval : (low, high) [N m/rad]
        Hull of the intervals at all cut-offs.
    fits : tuple of CutoffFit
    damping : float [N m s/rad]
    rotor_inertia : float [kg m²]
        Medians over the cut-offs.
    reason : str
        Why there is no answer; empty when there is one.
    """

    stiffness: float
    interval: tuple[float, float]
    fits: tuple[CutoffFit, ...]
    damping: float
    rotor_inertia: float
    reason: str = ""

    @property
    def usable(self) -> bool:
        """Whether there is an answer."""
        return not self.reason


def stiffness_from_encoders(
    motor: ArrayLike,
    link: ArrayLike,
    torque: ArrayLike,
    rate: float,
    gear: float,
    rotor_inertia: float | None,
    damping: bool = False,
    cutoffs: Sequence[float] = CUTOFFS,
    order: int = 4,
    level: float = 0.95,
) -> StiffnessEstimate:
    """Stiffness from motor and link angles and the motor's torque.

    The torque that passes the gear, ``gear (τ − Jm gear q̈m)``, is fitted by the deflection ``qm − ql``, the motor's speed, its sign (friction) and a constant,
    all passed through the same zero-phase low-pass.

    Parameters
    ----------
    motor, link : (N,) [rad]
        Both on the arm side of the gear.
    torque : (N,) [N m]
        Motor side.
    rate : float [Hz]
    gear : float
    rotor_inertia : float or None [kg m²]
        Motor side; None fits it, too.
    damping : bool
        Fit the speed of the deflection, too. It shows only where the joint vibrates; in a slow recording it costs more than it explains.
    cutoffs : sequence of float [Hz]
        All are tried; the answer has to hold at all of them.
    level : float
        Of the intervals.

    Returns
    -------
    StiffnessEstimate
        Without an answer, and with the reason, where the stiffness is negative, its sign open, or most of the torque unexplained, at any cut-off.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import stiffness_from_encoders
    >>> t = np.arange(0, 60, 0.005)
    >>> link = np.sin(2 * np.pi * 0.5 * t)
    >>> twist = 1e-4 * (np.sin(2 * np.pi * 0.3 * t) + np.cos(2 * np.pi * 0.7 * t))
    >>> found = stiffness_from_encoders(link + twist, link, 1e6 * twist, 200.0, gear=1.0, rotor_inertia=0.0)
    >>> round(found.stiffness / 1e6, 6)
    1.0
    """
    qm, ql, tau = (numbers(x, f"{what} of a stiffness") for what, x in (("motor", motor), ("link", link), ("torque", torque)))
    check_recording(rate, gear, level)
    rotor_inertia = None if rotor_inertia is None else not_negative(rotor_inertia, "rotor inertia of a stiffness", "a finite number >= 0 [kg m²], or None")
    tries = finite(np.atleast_1d(numbers(cutoffs, "cut-offs of a stiffness")), (None,), "cut-offs of a stiffness").tolist()
    order = whole(order, "order of a filter", 1)
    instance(damping, bool, "damping of a stiffness")
    if qm.ndim != 1 or qm.shape != ql.shape or qm.shape != tau.shape:
        raise ShapeError(sentence("motor, link and torque", f"shapes {qm.shape}, {ql.shape}, {tau.shape}", "three vectors of one length"))
    if not tries:
        raise DataError(sentence("cut-offs of a stiffness", "none", "one or more [Hz]"))
    if len(qm) < 2 or np.ptp(tau) == 0:
        raise DataError(sentence("torque of a stiffness", f"{len(tau)} samples, all the same", "a torque that bends the joint"))
    if np.ptp(qm - ql) <= 1e-12 * np.ptp(qm):
        raise DataError(sentence("link angle", "equal to the motor angle up to a constant", "a deflection", "Is the link encoder there at all?"))
    fits = tuple(_at_cutoff(qm, ql, tau, rate, gear, rotor_inertia, damping, cutoff, order) for cutoff in tries)
    t = quantile(np.inf, level)
    low, high = min(f.stiffness - t * f.sigma for f in fits), max(f.stiffness + t * f.sigma for f in fits)
    middle = float(np.median([f.stiffness for f in fits]))
    reason = ""
    worst = min(fits, key=lambda f: f.stiffness)
    if worst.stiffness <= 0:
        reason = f"the stiffness is negative ({worst.stiffness:.3g} N m/rad at {worst.cutoff:g} Hz): what was measured is not the bending of this joint"
    elif low <= 0:
        reason = f"the interval begins below zero ({low:.3g} N m/rad): the recording does not bend this joint enough"
    elif (share := min(f.stiffness / f.reverse for f in fits)) < LEAST:
        reason = f"the deflection explains {max(share, 0.0):.1%} of the torque beside friction: the two hardly belong together"
    damper, rotor = (float(np.median([getattr(f, what) for f in fits])) for what in ("damping", "rotor_inertia"))
    return StiffnessEstimate(np.nan if reason else middle, (low, high), fits, damper, rotor, reason)


def check_recording(rate: float, gear: float, level: float) -> None:
    """Refuse a rate, a gear or a level of intervals that cannot be."""
    if not 0 < real(level, "level of an interval") < 1:
        raise DataError(sentence("level of an interval", level, "a number between 0 and 1"))
    positive(rate, "rate of a recording", "a frequency above 0 [Hz]")
    if finite_number(gear, "gear of a joint") == 0.0:
        raise DataError(sentence("gear of a joint", gear, "a finite ratio other than zero"))


def rated(x: Array, rate: float, order: int = 1) -> Array:
    """First or second derivative (N,) of samples, exact for polynomials of degree 4."""
    return savgol(x, rate, 5 / rate, 4, order)


def _at_cutoff(qm: Array, ql: Array, tau: Array, rate: float, gear: float, rotor_inertia: float | None, damping: bool, cutoff: float, order: int) -> CutoffFit:
    def smooth(x: Array) -> Array:
        return lowpass(x, cutoff, rate, order)

    q = smooth(qm)
    speed, spin = rated(q, rate), gear**2 * rated(q, rate, 2)
    bend = smooth(qm - ql)
    parts = [bend, speed, smooth(np.sign(speed)), np.ones_like(q)]
    parts += [rated(bend, rate)] if damping else []
    parts += [spin] if rotor_inertia is None else []
    columns, passed = np.column_stack(parts), gear * smooth(tau) - (rotor_inertia or 0.0) * spin
    edge = settling_samples(cutoff, rate, order)
    if len(q) < 4 * edge + 20:
        raise DataError(
            sentence(f"recording for a stiffness at {cutoff:g} Hz", f"{len(q)} samples", f"at least {4 * edge + 20}", "Record longer, or raise the cut-off.")
        )
    keep = slice(edge, len(q) - edge)
    columns, passed = columns[keep], passed[keep]
    size = np.sqrt(np.mean(columns**2, axis=0))
    size[size == 0] = 1.0
    scaled = columns / size
    inverse = np.linalg.pinv(scaled.T @ scaled)
    beta = inverse @ scaled.T @ passed
    residual = passed - scaled @ beta
    spread = inverse @ long_run_covariance(scaled * residual[:, None]) @ inverse
    white = np.sqrt(inverse[0, 0] * residual @ residual / max(len(passed) - len(beta), 1))
    level = max(float(np.std(passed)), 1e-300)
    back = np.linalg.lstsq(np.column_stack([passed / level, scaled[:, 1:]]), columns[:, 0], rcond=None)[0][0] / level
    return CutoffFit(
        float(cutoff),
        float(beta[0] / size[0]),
        float(np.sqrt(max(spread[0, 0], 0.0)) / size[0]),
        float(white / size[0]),
        float(1 / back) if back != 0 else np.inf,
        float(1 - np.var(residual) / level**2),
        float(beta[4] / size[4]) if damping else np.nan,
        float(beta[-1] / size[-1]) if rotor_inertia is None else rotor_inertia,
    )
