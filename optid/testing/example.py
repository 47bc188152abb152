"""A planar arm of two links without friction, with data whose right answers are known: its own parameters."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from optid import library
from optid.model import DynamicModel
from optid.robot import Link

if TYPE_CHECKING:
    from optid.experiment import Trial
    from optid.problems import ExcitationResult, IdentificationResult
    from optid.signals import Samples

REACH = 0.3
"""Where a load's centre of mass lies on the last link's x axis [m]."""

LOAD_INERTIA = 0.01
"""Of a load about its centre of mass, the same about every axis [kg m²]."""


def example_model() -> DynamicModel:
    """:func:`optid.library.planar_2r` without friction: six base parameters.

    Examples
    --------
    >>> from optid.testing import example_model
    >>> example_model().n
    2
    """
    return DynamicModel(library.planar_2r(), friction=())


def example_samples(
    noise: float = 0.0, n: int = 60, *, load: float = 0.0, coulomb: float = 0.0, gain: float = 1.0, seed: int = 0, name: str = "samples"
) -> Samples:
    """Torques of :func:`example_model` with its nominal parameters in states drawn from the standard normal distribution, at 100 Hz.

    The states depend on ``n`` and ``seed`` alone: runs with and without noise or load go through the same ones.

    Parameters
    ----------
    noise : float
        Standard deviation of white noise on the torque [N m].
    n : int
        Number of samples.
    load : float
        Mass [kg] of a body on the last link, its centre of mass 0.3 m along the link's x axis, 0.01 kg m² about every axis through it.
    coulomb : float
        Coulomb friction of either joint [N m].
    gain : float
        Torque per ampere [N m/A]: ``tau`` holds torques over ``gain``, the currents of such drives.
    seed : int
    name : str

    Returns
    -------
    Samples
        With signals (n, 2).

    Examples
    --------
    >>> import numpy as np
    >>> from optid.testing import example_model, example_samples
    >>> samples, model = example_samples(), example_model()
    >>> bool(np.allclose(model.inverse_dynamics(model.nominal_parameters(), samples.q, samples.dq, samples.ddq), samples.tau))
    True
    """
    from optid.signals import Samples

    model = example_model()
    if load:
        inner, hand = model.robot.links
        held = Link.from_com(load, (REACH, 0.0, 0.0), (LOAD_INERTIA,) * 3)
        model = model.with_robot(model.robot.with_links([inner, hand.lumped(held)]))
    rng = np.random.default_rng(seed)
    q, dq, ddq = rng.standard_normal((3, n, 2))
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq) + coulomb * np.sign(dq) + noise * rng.standard_normal((n, 2))
    return Samples.from_arrays(q, dq, ddq, tau / gain, rate=100, name=name)


def example_fit(noise: float = 0.0, n: int = 60, **options: Any) -> IdentificationResult:
    """:func:`optid.identify` of :func:`example_model` from :func:`example_samples`.

    Parameters
    ----------
    noise : float
        Standard deviation of white noise on the torque [N m].
    n : int
        Number of samples.
    **options
        Of :func:`optid.identify`, such as ``method="physical"``.

    Returns
    -------
    IdentificationResult

    Examples
    --------
    >>> import numpy as np
    >>> from optid.testing import example_fit, example_model
    >>> fit = example_fit()
    >>> bool(np.allclose(fit.beta, fit.base.beta(example_model().nominal_parameters())))
    True
    """
    from optid.identification import identify

    return identify(example_model(), example_samples(noise, n), **options)


def example_recording(cycles: int = 1, name: str = "a") -> Trial:
    """Exact positions and torques of :func:`example_model` on a periodic motion of 4 s a cycle, at 100 Hz.

    Examples
    --------
    >>> from optid.testing import example_recording
    >>> example_recording(cycles=2).q.shape
    (801, 2)
    """
    from optid.simulation import Clock, simulate_recording
    from optid.trajectory import Fourier

    model = example_model()
    motion = Fourier(np.zeros(2), np.array([[0.3, 0.2], [0.2, -0.3]]), np.array([[0.0, 0.3], [0.1, 0.0]]), period=4.0, cycles=cycles)
    return simulate_recording(model, model.nominal_parameters(), motion, clock=Clock(0.01), name=name)


def example_file(folder: str | PathLike[str]) -> Path:
    """An experiment file ``example.h5`` in an existing folder, with :func:`example_recording` as its trial "a".

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.testing import example_file
    >>> with TemporaryDirectory() as folder:
    ...     print(example_file(folder).name)
    example.h5
    """
    from optid.experiment import Experiment, write_experiment

    path = Path(folder) / "example.h5"
    write_experiment(Experiment("example", {"a": example_recording()}), path)
    return path


def example_plan() -> ExcitationResult:
    """A motion of two harmonics for :func:`example_model`, the best conditioned one that stays within ±1 rad, ±3 rad/s and ±20 rad/s².

    Examples
    --------
    >>> from optid.testing import example_plan
    >>> example_plan().proven
    True
    """
    from optid.problems import Excitation
    from optid.regressor import BaseParameters
    from optid.robot import Limits
    from optid.solvers import solve

    limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    plan: ExcitationResult = solve(Excitation(BaseParameters.of(example_model()), harmonics=2, period=2.0, limits=limits, samples=40))
    return plan
