"""A campaign whose every name and number has been held against the library, before any work begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from optid.errors import DataError, OptidError, RobotError, sentence, unknown_name
from optid.identification.methods import METHODS, make_method
from optid.model import DynamicModel
from optid.robot import PARAMETER_STEMS, Robot

from .read import CampaignFile
from .robots import robot_of
from .schema import Campaign, MethodPart
from .tables import Place, table
from .wording import placed

if TYPE_CHECKING:
    from optid.problems import Excitation
    from optid.regressor import BaseParameters


@dataclass(frozen=True)
class Estimator:
    """A method of the campaign.

    Attributes
    ----------
    label : str
    method : method object
    solver : str or None
    """

    label: str
    method: Any
    solver: str | None


@dataclass(frozen=True, eq=False)
class CheckedCampaign:
    """A campaign with the objects that it means.

    Attributes
    ----------
    file : CampaignFile
    robot : Robot
        With its payload and limits.
    model : DynamicModel
    known : mapping name → value
    estimators : mapping label → Estimator
    """

    file: CampaignFile
    robot: Robot
    model: DynamicModel
    known: Mapping[str, float]
    estimators: Mapping[str, Estimator]

    @classmethod
    def of(cls, file: CampaignFile) -> CheckedCampaign:
        """Check everything that needs no recording.

        Raises
        ------
        OptidError
        """
        robot = robot_of(file)
        part = file.campaign.model
        try:
            model = DynamicModel(robot, part.friction, part.rotor_inertia, part.sign_width)  # type: ignore[arg-type]
        except OptidError as error:
            raise placed(error, file.place("model")) from None
        estimators = {each.name: _estimator(each, file.place("methods", k)) for k, each in enumerate(file.campaign.methods, start=1)}
        reported = file.campaign.report.method
        if reported is not None and reported not in estimators:
            raise unknown_name(f"method of {file.place('report')}:", reported, estimators)
        _check_payloads(file)
        return cls(file, robot, model, _known(file, model), estimators)

    @property
    def campaign(self) -> Campaign:
        """What the file says."""
        return self.file.campaign

    @cached_property
    def base(self) -> BaseParameters:
        """Base parameters of the model, without those that are known."""
        from optid.regressor import BaseParameters

        return BaseParameters.of(self.model, seed=self.campaign.seed, known=tuple(self.known))

    @cached_property
    def excitation(self) -> Excitation:
        """The posed design; that its solver can take it has been checked.

        Raises
        ------
        OptidError
            Limits, sizes or solver do not allow a design.
        """
        from optid.problems import Excitation
        from optid.solvers.registry import fit, make_solver

        part, shares = self.campaign.design, self.campaign.limits
        assert part is not None
        place = self.file.place("design")
        try:
            solver = make_solver(part.solver, part.options)
            limits = self.robot.limits.scaled(shares.position, shares.velocity, shares.acceleration, shares.torque)
            torque = bool(np.isfinite(limits.torque).any()) and any(np.any(link.parameters) for link in self.robot.links)
            problem = Excitation(self.base, part.harmonics, part.period, limits, part.criterion, part.samples, rest=part.rest, torque=torque)
            fit(solver, problem.form())
        except OptidError as error:
            raise placed(error, place) from None
        return problem


def _estimator(part: MethodPart, place: Place) -> Estimator:
    from optid.solvers.registry import solver_class

    if part.method not in METHODS:
        raise unknown_name(f"method of {place}:", part.method, METHODS)
    kind = METHODS[part.method]
    try:
        method = table(kind, part.options, place.inside("options"))
    except NameError:  # annotations of other packages' methods that are there for type checkers only
        method = make_method(kind, part.options)
    if part.solver is not None:
        try:
            solver_class(part.solver)
        except OptidError as error:
            raise placed(error, f"solver of {place}") from None
    return Estimator(part.name, method, part.solver)


def _known(file: CampaignFile, model: DynamicModel) -> dict[str, float]:
    """Known parameters with their values; a bare stem such as "m" means all of its kind."""
    part = file.campaign.model
    nominal = model.nominal_parameters()
    found: dict[str, float] = {}
    try:
        for name in part.known:
            family = [p for p in model.parameter_names if p.rstrip("0123456789") == name]
            names = family if family and name not in model.parameter_names else [name]
            found |= {p: float(nominal[model.index(p)]) for p in names}
        for name, value in part.known_values.items():
            model.index(name)
            if not np.isfinite(value):
                raise RobotError(sentence(f"known value of {name!r}", value, "a finite number"))
            found[name] = value
    except OptidError as error:
        raise placed(error, file.place("model")) from None
    return found


def _check_payloads(file: CampaignFile) -> None:
    """Payloads that recordings carry have tables, and the other way round."""
    payloads = file.campaign.payloads
    carried = {part.payload for part in file.campaign.recordings}
    for number, part in enumerate(file.campaign.recordings, start=1):
        if part.payload is not None and part.payload not in payloads:
            raise unknown_name(f"payload of {file.place('recordings', number)}:", part.payload, payloads)
    for name, payload in payloads.items():
        place = file.place(f"payloads.{name}")
        for stem in payload.known:
            if stem not in PARAMETER_STEMS:
                raise unknown_name(f"known of {place}: payload parameter", stem, PARAMETER_STEMS)
        if name not in carried:
            raise DataError(sentence(str(place), "no recording carries it", f'[[recordings]] with payload = "{name}"'))
