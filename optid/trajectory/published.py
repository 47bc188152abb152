"""Trajectories printed in the literature."""

from __future__ import annotations

import numpy as np

from .fourier import Fourier

# Table I of P. S. Gonzalez, "Practical Aspects of the Dynamic Model Identification of Industrial Robots", elektron 5(2), pp. 83-93, 2021:
# joint targets [deg] at t = 0.25, 0.50, ..., 5.00 s.
_IRB140_G21_DEG = (
    (24.098, 84.657, -181.197),
    (17.286, 60.213, -159.677),
    (-13.739, 30.426, -137.475),
    (-37.406, 13.867, -140.872),
    (-25.228, 4.204, -166.747),
    (7.936, -17.576, -184.000),
    (19.932, -51.261, -168.327),
    (-4.650, -71.724, -126.987),
    (-34.243, -59.435, -85.765),
    (-32.008, -26.323, -59.771),
    (-4.401, -1.225, -46.267),
    (8.146, 6.087, -42.475),
    (-14.428, 14.048, -56.444),
    (-45.251, 39.973, -92.940),
    (-46.080, 73.231, -136.702),
    (-15.988, 88.000, -162.384),
    (11.171, 77.988, -162.589),
    (13.406, 65.175, -156.354),
    (5.658, 70.291, -163.972),
    (11.268, 85.232, -180.023),
)


def irb140_g21_targets() -> tuple[np.ndarray, np.ndarray]:
    """The 20 printed joint targets of the IRB140's axes 1-3: time (20,) [s], q (20, 3) [rad].

    Examples
    --------
    >>> from optid.trajectory import irb140_g21, irb140_g21_targets
    >>> time, q = irb140_g21_targets()
    >>> bool(abs(irb140_g21().derivative(time) - q).max() < 1e-3)
    True
    """
    return 0.25 * np.arange(1, 21), np.deg2rad(np.array(_IRB140_G21_DEG))


def irb140_g21() -> Fourier:
    """The optimal trajectory printed for the IRB140's axes 1-3: four harmonics of 5 s, recovered from the 20 printed targets.

    Four harmonics reproduce the printed targets to the last printed digit, 0.001 degrees.

    Notes
    -----
    P. S. Gonzalez, "Practical Aspects of the Dynamic Model Identification of Industrial Robots", elektron 5(2), pp. 83-93, 2021, Table I.

    Examples
    --------
    >>> from optid.trajectory import irb140_g21
    >>> irb140_g21()
    Fourier(3 joints, 5 s)
    """
    time, q = irb140_g21_targets()
    return Fourier.fit(time, q, harmonics=4, period=5.0)
