"""Which links of a fitted model are bodies that can exist."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from optid.brief import brief
from optid.robot import Link
from optid.robot.physical import check_link

from .physical_bodies import eigenvalues, link_names
from .prior import link_scales

if TYPE_CHECKING:
    from .identification_result import IdentificationResult

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinkVerdict:
    """One link.

    Attributes
    ----------
    name : str
    parameters : (10,)
    eigenvalues : (4,)
        Of its pseudo-inertia, ascending; the body exists when none is negative.
    faults : tuple of str
        Sentences that name the broken inequality and the amount; empty for a body that can exist.
    """

    name: str
    parameters: Array
    eigenvalues: Array
    faults: tuple[str, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class PhysicalReport:
    """All links.

    Attributes
    ----------
    links : tuple of LinkVerdict
    source : str
        Where the standard parameters come from: base parameters alone do not determine single links.

    Examples
    --------
    >>> from optid.testing import example_fit, example_model
    >>> report = example_fit(0.01, 200, method="physical", prior=example_model().nominal_parameters()).physical_report()
    >>> report.ok, report.unphysical
    (True, ())
    """

    links: tuple[LinkVerdict, ...]
    source: str

    __repr__ = brief

    @property
    def ok(self) -> bool:
        """Whether every link can exist."""
        return not self.unphysical

    @property
    def unphysical(self) -> tuple[str, ...]:
        """Names of the links that cannot exist."""
        return tuple(link.name for link in self.links if link.faults)

    def summary(self) -> str:
        """One line a link."""
        lines = [f"bodies of {self.source}:"]
        for link in self.links:
            verdict = "can exist" if not link.faults else " ".join(link.faults)
            lines.append(f"{link.name:<16} smallest eigenvalue of the pseudo-inertia {link.eigenvalues[0]:>11.4g}  {verdict}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()


def physical_report(fit: IdentificationResult) -> PhysicalReport:
    """Judge the links of a fitted model: its own standard parameters, or those nearest to the robot's that predict the same torque."""
    robot = fit.base.model.robot
    if fit.details.standard is not None:
        pi, source = fit.details.standard, "the fitted standard parameters"
    else:
        pi = nearest_standard(fit)
        has_bodies = any(link.mass > 0 for link in robot.links)
        source = "the standard parameters that are nearest to " + ("the robot's own" if has_bodies else "zero") + " and predict the same torque"
    verdicts = []
    for k, name in enumerate(link_names(robot)):
        part = pi[10 * k : 10 * k + 10]
        verdicts.append(LinkVerdict(name, part, eigenvalues(part)[0], tuple(check_link(Link.from_parameters(part, name)))))
    return PhysicalReport(tuple(verdicts), source)


def nearest_standard(fit: IdentificationResult) -> Array:
    """Standard parameters (p,) with the fitted torque, nearest to the robot's own in units of each link's mass and size; bodies that cannot exist included."""
    base, model = fit.base, fit.base.model
    links = 10 * model.robot.n_links
    nominal = model.nominal_parameters()
    for name, value in fit.known.items():
        nominal[model.index(name)] = value
    scale = np.ones(model.p)
    sizes = np.array([link_scales(nominal[k : k + 10]) for k in range(0, links, 10)]).ravel()
    scale[:links] = np.where(sizes > 0, sizes, 1.0)
    rest = fit.minimum_norm - base.matrix @ nominal
    return np.asarray(nominal + scale * (np.linalg.pinv(base.matrix * scale) @ rest))
