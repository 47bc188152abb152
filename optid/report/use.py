"""What a fitted model may be used for, by thresholds that are stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .units import listed, percent, torque_unit

if TYPE_CHECKING:
    from optid.problems import IdentificationResult
    from optid.validation import ValidationResult

FEEDFORWARD = 0.5
"""A joint is good for torque feedforward when its error is at most this part of what the best constant leaves."""
SIMULATION = 0.25
"""The same for simulation, where errors add up."""
AT_NOISE = 1.5
"""An error below this many times the noise of one measurement leaves nothing to explain."""
TESTED = 0.05
"""A joint counts as tested when it moves in at least this share of the samples."""
NAMED = 4
"""Parameters and links that a sentence names."""


@dataclass(frozen=True)
class JointUse:
    """One joint's worst test.

    Attributes
    ----------
    name, unit : str
    trial : str
    rms, constant : float [N m or N]
        Error of the model and of the best constant.
    share : float
        Their ratio; 0 where even a constant makes no error.
    noise_floor : float or None [N m or N]
    tested : bool
        Whether it moves enough for a test.
    feedforward, simulation : bool
        Whether the thresholds hold.
    """

    name: str
    unit: str
    trial: str
    rms: float
    constant: float
    share: float
    noise_floor: float | None
    tested: bool
    feedforward: bool
    simulation: bool


@dataclass(frozen=True)
class Assessment:
    """What the model may be used for, and why not for more.

    Attributes
    ----------
    level : str
        "simulation", "feedforward", "some joints", "none", or "untested".
    headline : str
        One line.
    statements : tuple of (topic, sentence)
    joints : tuple of JointUse

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import assess
    >>> from optid.testing import example_fit, example_samples
    >>> fit = example_fit()
    >>> assess(fit, [validate(fit, example_samples())]).level
    'simulation'
    """

    level: str
    headline: str
    statements: tuple[tuple[str, str], ...]
    joints: tuple[JointUse, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values, with the thresholds."""
        from dataclasses import asdict

        thresholds = {"feedforward": FEEDFORWARD, "simulation": SIMULATION, "at_noise": AT_NOISE, "tested": TESTED}
        statements = [{"topic": topic, "text": text} for topic, text in self.statements]
        return {
            "level": self.level,
            "headline": self.headline,
            "statements": statements,
            "joints": [asdict(j) for j in self.joints],
            "thresholds": thresholds,
        }


def assess(fit: IdentificationResult, validations: Sequence[ValidationResult] = ()) -> Assessment:
    """Judge a fit by trials that it has not seen.

    Parameters
    ----------
    validations : sequence of ValidationResult
        Other motion; each joint is judged by the worst of them.

    Examples
    --------
    >>> from optid import validate
    >>> from optid.report import assess
    >>> from optid.testing import example_fit, example_samples
    >>> fit, samples = example_fit(), example_samples()
    >>> [joint.name for joint in assess(fit, [validate(fit, samples)]).joints]
    ['joint1', 'joint2']
    """
    joints = _joints(fit, validations)
    lacks = _lacks(fit)
    tested = [j for j in joints if j.tested]
    good = [j.name for j in tested if j.feedforward]
    poor = [j for j in tested if not j.feedforward]
    for_simulation = [*lacks, *(f"{j.name} is off by {percent(j.share)} of what a constant misses" for j in tested if not j.simulation)]
    for_simulation += [f"{j.name} never moved in a test" for j in joints if not j.tested]
    if not validations or not tested:
        level = "untested"
        what = "Not tested on other motion" if not validations else "Not tested: no joint moves in the test"
        headline = f"{what}: what this model may be used for is open."
    elif not good:
        level, headline = "none", f"Not usable: on no joint that moves is the torque error at most {percent(FEEDFORWARD)} of what a constant leaves."
    elif poor:
        level, headline = "some joints", f"Usable for torque feedforward on {listed(good)}; not on {listed([j.name for j in poor])}."
    elif for_simulation:
        level, headline = "feedforward", "Usable for torque feedforward on motion like that of the test; not for simulation."
    else:
        level, headline = "simulation", "Usable for torque feedforward and for simulation of motion like that of the test."
    statements = _statements(fit, validations, joints)
    if level in ("feedforward", "some joints"):
        text = f"{'; '.join(for_simulation[:NAMED])}{_more(for_simulation)}."
        statements.append(("Not for simulation", text[0].upper() + text[1:]))
    return Assessment(level, headline, tuple(statements), joints)


def _joints(fit: IdentificationResult, validations: Sequence[ValidationResult]) -> tuple[JointUse, ...]:
    found: dict[int, JointUse] = {}
    for v in validations:
        for k, j in enumerate(v.joints):
            tested = j.moving_share >= TESTED
            share = j.rms / j.constant if j.constant > 0 else 0.0
            quiet = j.noise_floor is not None and j.rms <= AT_NOISE * j.noise_floor
            unit = torque_unit(fit.base.model.robot, k)
            new = JointUse(j.name, unit, v.trial, j.rms, j.constant, share, j.noise_floor, tested, quiet or share <= FEEDFORWARD, quiet or share <= SIMULATION)
            old = found.get(k)
            if old is None or (new.tested, new.share) > (old.tested, old.share):
                found[k] = new
    return tuple(found[k] for k in sorted(found))


def _lacks(fit: IdentificationResult) -> list[str]:
    """Why a model is none to simulate with, whatever its errors are."""
    report, rank = fit.physical_report(), int(fit.determinacy.determined.sum())
    found = [] if rank == fit.base.rank else [f"{fit.base.rank - rank} of {fit.base.rank} base parameters are not determined"]
    if not report.ok:
        found.append(f"bodies that cannot exist ({listed(report.unphysical)}): a fit with --method physical has none")
    return found


def _statements(fit: IdentificationResult, validations: Sequence[ValidationResult], joints: Sequence[JointUse]) -> list[tuple[str, str]]:
    """What was tested, how large the error is, what is open, what cannot be."""
    found: list[tuple[str, str]] = []
    for v in validations:
        seconds = float(v.time[-1] - v.time[0]) if len(v.time) else 0.0
        same = " The fit used a trial of that name: if it is this one, it is no test." if v.trial in fit.trials else ""
        raw = "" if v.errors_raw.stacked == v.errors.stacked else f" ({percent(v.errors_raw.stacked)} against unfiltered torque)"
        found.append(
            (
                "Tested on",
                f"{v.trial!r}, {seconds:.3g} s of {len(v.joints)} joint{'s' if len(v.joints) > 1 else ''}: torque off by {percent(v.errors.stacked)} "
                f"of its size{raw}.{same}",
            )
        )
    if not validations:
        found.append(("Own data", f"On the data of the fit the torque is off by {percent(fit.errors().stacked)} of its size, no measure of other motion."))
    tested = [j for j in joints if j.tested]
    if tested:
        worst = max(tested, key=lambda j: j.share)
        floor = (
            "the noise floor is not known (no repeated cycles)"
            if worst.noise_floor is None
            else f"one measurement's noise {worst.noise_floor:.3g} {worst.unit}"
        )
        found.append(
            (
                "Worst joint",
                f"{worst.name} on {worst.trial!r}: {worst.rms:.3g} {worst.unit} rms, {percent(worst.share)} of the {worst.constant:.3g} {worst.unit} "
                f"that the best constant leaves; {floor}.",
            )
        )
    still = [j.name for j in joints if not j.tested]
    if still:
        found.append(("Not tested", f"{listed(still)}: moves in less than {percent(TESTED)} of the samples."))
    lost = [formula for formula, ok in zip(fit.formulas, fit.determinacy.determined, strict=True) if not ok]
    text = (
        f"all {fit.base.rank} base parameters are determined by the data."
        if not lost
        else f"{len(lost)} of {fit.base.rank}: {'; '.join(lost[:NAMED])}{_more(lost)}."
    )
    found.append(("Undetermined", "None: " + text if not lost else text))
    poor = [name for name in fit.poorly_determined() if name not in lost]
    if poor:
        found.append(("Uncertain", f"{len(poor)} of {fit.base.rank} with sigma above half of the value: {'; '.join(poor[:NAMED])}{_more(poor)}."))
    report = fit.physical_report()
    bodies = "all links are bodies that can exist" if report.ok else f"{listed(report.unphysical)} cannot exist"
    own = described_faults(fit)
    told = f" The robot's description has links that cannot exist, too ({listed(own)}): sums rather than bodies." if own and not report.ok else ""
    found.append(("Physical", f"{bodies[0].upper()}{bodies[1:]} (by {report.source}).{told}"))
    return found


def described_faults(fit: IdentificationResult) -> tuple[str, ...]:
    """Links with a mass in the robot's own description that are no bodies."""
    from optid.robot.physical import check_link

    return tuple(link.name for link in fit.base.model.robot.links if link.mass > 0 and check_link(link))


def _more(items: Sequence[str]) -> str:
    return f"; and {len(items) - NAMED} more" if len(items) > NAMED else ""
