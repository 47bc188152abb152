"""Stiffness of a joint from its motor alone: rotor, spring, damper and load fitted to the motor's angle and torque.

The motor hardly sees the load but near the antiresonance, and friction hides it easily. Fits are repeated at several cut-offs, intervals are long-run ones, and
what is not determined is not returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray

from optid.arrays import finite, numbers
from optid.errors import DataError, ShapeError, sentence
from optid.model.arguments import positive
from optid.signals.filters import lowpass, settling_samples
from optid.statistics.intervals import quantile
from optid.statistics.long_run import long_run_covariance

from .stiffness import check_recording, rated

Array = NDArray[np.float64]

MULTIPLES = (4.0, 6.0, 9.0)
"""Cut-offs that are tried, in antiresonances."""
REACH = 0.7
"""How far from its guess the antiresonance is looked for, on either side of its logarithm."""
LEAST = 0.2
"""Share of what a rigid joint leaves unexplained that the spring has to explain."""
SPREAD = 2.0
"""Largest ratio of stiffnesses at different cut-offs that still counts as one answer."""


@dataclass(frozen=True, kw_only=True)
class TwoMasses:
    """A joint and its load seen from the motor alone.

    Attributes
    ----------
    stiffness [N m/rad], damping [N m s/rad], link_inertia [kg m²] : float
        Arm side.
    rotor_inertia [kg m²], viscous [N m s/rad], coulomb [N m] : float
        Motor side.
    antiresonance : float [Hz]
        √(stiffness / link_inertia) / 2π: what the motor's torque shows best.
    error : float
        Root mean square of the residuals over that of the torque.
    explained : float
        Share of the residuals' power that the spring takes away from those of a rigid joint with friction.
    """

    stiffness: float
    damping: float
    link_inertia: float
    rotor_inertia: float
    viscous: float
    coulomb: float
    antiresonance: float
    error: float
    explained: float


@dataclass(frozen=True, kw_only=True)
class TwoMassFit(TwoMasses):
    """:class:`TwoMasses` as one cut-off shows them.

    Attributes
    ----------
    cutoff : float [Hz]
    sigma : float [N m/rad]
        Long-run standard deviation of the stiffness.
    """

    cutoff: float
    sigma: float


@dataclass(frozen=True, kw_only=True)
class TwoMassEstimate(TwoMasses):
    """:class:`TwoMasses` as medians over the cut-offs; NaN when the fits make no sense.

    Attributes
    ----------
    interval : (low, high) [N m/rad]
        Hull of the intervals of the stiffness at all cut-offs.
    fits : tuple of TwoMassFit
    reason : str
        Why there is no answer; empty when there is one.
    """

    interval: tuple[float, float]
    fits: tuple[TwoMassFit, ...]
    reason: str = ""

    @property
    def usable(self) -> bool:
        """Whether there is an answer."""
        return not self.reason


def two_mass_from_motor(
    motor: ArrayLike,
    torque: ArrayLike,
    rate: float,
    gear: float,
    antiresonance: float,
    rotor_inertia: float | None = None,
    cutoffs: Sequence[float] | None = None,
    level: float = 0.95,
) -> TwoMassEstimate:
    """Fit rotor, spring, damper and load to the motor's own angle and torque.

    The load follows the measured motor angle through a second-order system of antiresonance ω and damping ζ; given these two, the torque is linear in all
    other parameters. ω and ζ are found by nonlinear least squares, the others inside it.

    Parameters
    ----------
    motor : (N,) [rad]
        Arm side.
    torque : (N,) [N m]
        Motor side.
    rate : float [Hz]
    gear : float
    antiresonance : float [Hz]
        First guess, within about a third; from a spectrum, or from a model.
    rotor_inertia : float or None [kg m²]
        Motor side; None fits it, too. Give it where it is known: a fit easily takes a part of the load for rotor.
    cutoffs : sequence of float, optional [Hz]
        Of the low-pass; four, six and nine times the guess by default, at most 0.4 of the rate.
    level : float
        Of the interval.

    Returns
    -------
    TwoMassEstimate
        Without an answer, and with the reason, where load or rotor come out negative, where no antiresonance is found near the guess, where a rigid joint
        explains the torque as well, or where the cut-offs do not agree.

    Examples
    --------
    >>> import numpy as np
    >>> from optid.flexibility import two_mass_from_motor
    >>> t, k, load, rotor = np.arange(0, 60, 0.002), 1e4, 10.0, 2.0
    >>> w = 2 * np.pi * np.array([0.9, 2.3, 4.1, 7.7])
    >>> turning = np.exp(1j * np.outer(t, w))  # a load behind a damped spring, in steady state
    >>> spring = k + 20j * w
    >>> torque = (turning * (spring - spring**2 / (spring - load * w**2) - rotor * w**2)).imag.sum(axis=1)
    >>> motor = turning.imag.sum(axis=1)
    >>> found = two_mass_from_motor(motor, torque, 500.0, gear=1.0, antiresonance=5.0)
    >>> 0.9 < found.stiffness / k < 1.1, 0.9 < found.link_inertia / load < 1.1
    (True, True)
    """
    q, tau = numbers(motor, "motor of two masses"), numbers(torque, "torque of two masses")
    check_recording(rate, gear, level)
    positive(antiresonance, "antiresonance of two masses", "a frequency above 0 [Hz]")
    chosen = [min(multiple * antiresonance, 0.4 * rate) for multiple in MULTIPLES] if cutoffs is None else cutoffs
    rotor = None if rotor_inertia is None else positive(rotor_inertia, "rotor inertia of two masses", "a finite number above 0 [kg m²], or None")
    bands = sorted(set(finite(np.atleast_1d(numbers(chosen, "cut-offs of two masses")), (None,), "cut-offs of two masses").tolist()))
    if q.ndim != 1 or q.shape != tau.shape:
        raise ShapeError(sentence("motor and torque", f"shapes {q.shape}, {tau.shape}", "two vectors of one length"))
    if not bands or bands[0] <= 0:
        raise DataError(sentence("cut-offs of two masses", bands, "one or more above 0 [Hz]"))
    known = None if rotor is None else gear**2 * rotor
    fits = tuple(_Recording(q - q[:1], gear * tau, rate, antiresonance, band, known).fit(gear) for band in bands)
    t = quantile(np.inf, level)
    low, high = min(f.stiffness - t * f.sigma for f in fits), max(f.stiffness + t * f.sigma for f in fits)
    reason = _fault(fits, antiresonance, t)
    middle = {item.name: np.nan if reason else float(np.median([getattr(f, item.name) for f in fits])) for item in fields(TwoMasses)}
    return TwoMassEstimate(**middle, interval=(low, high), fits=fits, reason=reason)


def _fault(fits: tuple[TwoMassFit, ...], guess: float, t: float) -> str:
    for f in fits:
        if not (f.rotor_inertia > 0 and f.link_inertia > 0):
            found = f"rotor {f.rotor_inertia:.3g}, load {f.link_inertia:.3g} kg m² at {f.cutoff:g} Hz"
            return f"inertias are negative ({found}): the motion does not show the spring; excite the joint around its antiresonance"
        if abs(np.log(f.antiresonance / guess)) > 0.999 * REACH:
            return f"no antiresonance near {guess:g} Hz: the fit at {f.cutoff:g} Hz runs away to {f.antiresonance:.3g} Hz"
    weakest = min(fits, key=lambda f: f.explained)
    if weakest.explained < LEAST:
        share = f"{max(weakest.explained, 0.0):.1%} of what it leaves at {weakest.cutoff:g} Hz"
        return f"a rigid joint explains the torque nearly as well (the spring takes away {share}): excite the joint around its antiresonance"
    if any(f.stiffness - t * f.sigma <= 0 for f in fits):
        return "the interval contains zero: the motion does not show the spring"
    stiffness = [f.stiffness for f in fits]
    if max(stiffness) > SPREAD * min(stiffness):
        return f"the answer depends on the cut-off ({min(stiffness):.3g} to {max(stiffness):.3g} N m/rad): something else than the spring is fitted"
    return ""


class _Recording:
    """A recording below one cut-off."""

    def __init__(self, q: Array, tau: Array, rate: float, guess: float, band: float, rotor: float | None) -> None:
        self.q, self.rate, self.guess, self.band = q, rate, guess, band
        self.edge = settling_samples(band, rate)
        if len(q) < 4 * self.edge + 50:
            raise DataError(sentence("recording of a motor", f"{len(q)} samples", f"at least {4 * self.edge + 50}"))
        speed, spin = rated(q, rate), rated(q, rate, 2)
        self.spin = self.passed(spin)
        motion = [speed, np.sign(speed), np.ones_like(q), *([spin] if rotor is None else [])]
        self.rotor, self.fixed = rotor, self.passed(np.column_stack(motion))
        self.level = float(np.sqrt(np.mean(self.passed(tau) ** 2)))
        self.wanted = self.passed(tau if rotor is None else tau - rotor * spin)

    def passed(self, x: Array) -> Array:
        return lowpass(x, self.band, self.rate)[self.edge : -self.edge]

    def load(self, x: Array) -> Array:
        """What a load of 1 kg m² asks of the motor; x holds the logarithms of ω over the guess, and of ζ."""
        from scipy.signal import bilinear, lfilter

        omega, zeta = 2 * np.pi * self.guess * np.exp(x[0]), np.exp(x[1])
        numerator, denominator = bilinear([2 * zeta * omega, omega**2], [1.0, 2 * zeta * omega, omega**2], fs=self.rate)
        return self.passed(rated(lfilter(numerator, denominator, self.q), self.rate, 2))

    def linear(self, x: Array) -> tuple[Array, Array, Array]:
        """Parameters, columns, residuals."""
        columns = np.column_stack([self.load(x), self.fixed])
        size = np.sqrt(np.mean(columns**2, axis=0))
        size[size == 0] = 1.0
        beta = np.linalg.lstsq(columns / size, self.wanted, rcond=None)[0] / size
        return beta, columns, self.wanted - columns @ beta

    def fit(self, gear: float) -> TwoMassFit:
        from optid.problems.forms import Residuals
        from optid.solvers import solve

        level = self.level
        if level < 1e-200:
            raise DataError(sentence("torque of two masses", "zero throughout", "one that moves the motor"))
        scale = level * np.sqrt(len(self.q))
        low, high = [-REACH, np.log(1e-4)], [REACH, np.log(2.0)]
        problem = Residuals(lambda x: self.linear(x)[2] / scale, x0=[0.0, np.log(0.05)], lower=low, upper=high)
        x = np.asarray(solve(problem, solver="least_squares", on_failure="return").x)
        beta, columns, residual = self.linear(x)
        rigid = np.column_stack([self.spin, self.fixed[:, :3]])
        stiff = self.wanted - rigid @ np.linalg.lstsq(rigid, self.wanted, rcond=None)[0]
        omega, zeta, load = 2 * np.pi * self.guess * np.exp(x[0]), np.exp(x[1]), beta[0]
        h = 1e-4
        slopes = [load * (self.load(x + h * e) - self.load(x - h * e)) / (2 * h) for e in np.eye(2)]
        jacobian = np.column_stack([columns, *slopes])
        size = np.linalg.norm(jacobian, axis=0)
        size[size == 0] = 1.0
        jacobian = jacobian / size
        inverse = np.linalg.pinv(jacobian.T @ jacobian)
        spread = inverse @ long_run_covariance(jacobian * residual[:, None]) @ inverse / np.outer(size, size)
        # stiffness = load ω²
        turn = np.zeros(len(beta) + 2)
        turn[0], turn[-2] = omega**2, 2 * load * omega**2
        return TwoMassFit(
            cutoff=float(self.band),
            stiffness=float(load * omega**2),
            sigma=float(np.sqrt(max(float(turn @ spread @ turn), 0.0))),
            damping=float(2 * zeta * omega * load),
            link_inertia=float(load),
            rotor_inertia=float((beta[4] if self.rotor is None else self.rotor) / gear**2),
            viscous=float(beta[1] / gear**2),
            coulomb=float(beta[2] / gear),
            antiresonance=float(omega / (2 * np.pi)),
            error=float(np.sqrt(np.mean(residual**2)) / level),
            explained=float(1 - residual @ residual / max(float(stiff @ stiff), 1e-300)),
        )
