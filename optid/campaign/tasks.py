"""The pieces of work of a campaign: what each reads, what it makes, and everything that its outputs depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from optid.robot import robot_to_toml

from . import judging, work
from .checked import CheckedCampaign, Estimator
from .recordings import Recording
from .work import Work

Trials = Sequence[tuple[Path, str]]
"""Experiment files and names of trials in them."""


@dataclass(frozen=True, eq=False)
class Task:
    """One piece of a campaign that is done or not done.

    Attributes
    ----------
    name : str
        The step, with a colon and a name where there are several of it: "identify:wls".
    options : mapping
        Everything beside the inputs that its outputs depend on.
    inputs : tuple of Path
    after : tuple of str
        Tasks whose outputs are among the inputs.
    makes : tuple of str
        Its main files, in the folder of results.
    run : callable
        Does the work.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, plan_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print([task.name for task in plan_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml"), missing_ok=True).tasks])
    []
    """

    name: str
    options: Mapping[str, Any]
    inputs: tuple[Path, ...]
    after: tuple[str, ...]
    makes: tuple[str, ...]
    run: Callable[[Work], None] = field(repr=False)

    @property
    def step(self) -> str:
        """The step that it belongs to."""
        return self.name.partition(":")[0]


def _common(checked: CheckedCampaign) -> dict[str, Any]:
    """What everything that is computed with the model depends on."""
    model = checked.model
    return {
        "robot": robot_to_toml(checked.robot),
        "model": [model.friction, model.rotor_inertia, model.sign_width],
        "known": dict(checked.known),
        "seed": checked.campaign.seed,
    }


def design_task(checked: CheckedCampaign) -> Task:
    part = checked.campaign.design
    assert part is not None
    shares = checked.campaign.limits
    fractions = [shares.position, shares.velocity, shares.acceleration, shares.torque]
    options = {**_common(checked), "design": asdict(part), "shares": fractions, "file": checked.file.name}
    names = [name for name in (part.export.csv, part.export.rapid, part.export.urscript) if name is not None]
    makes = ("design/plan.h5", *(f"design/{name}" for name in names))
    return Task("design", options, (), (), makes, partial(work.design, checked))


def import_task(checked: CheckedCampaign, recording: Recording) -> Task:
    """An experiment file from a recording."""
    part = asdict(recording.part) | {"files": None, "payload": None, "other_robot": None}
    options = {"robot": robot_to_toml(checked.robot), "part": part, "mapping": recording.mapping, "name": recording.name}
    return Task(import_name(recording), options, recording.files, (), (f"recordings/{recording.name}.h5",), partial(work.bring_in, checked, recording))


def import_name(recording: Recording) -> str:
    """Name of the task that imports a recording."""
    return f"import:{recording.name}"


def analysis_tasks(checked: CheckedCampaign, results: Path, groups: Mapping[str, Trials], made: Mapping[Path, str]) -> list[Task]:
    """The tasks that follow once all recordings are experiment files.

    Parameters
    ----------
    results : Path
        Folder of results.
    groups : mapping
        Trials with the role "identification", "validation", and those that carry a payload, "payload:NAME".
    made : mapping file → task
        Experiment files that are imported, and by which task.
    """
    train, tests = groups["identification"], groups.get("validation", ())
    sources, targets = _paths(train), _paths(tests)
    labels = list(checked.estimators)
    fits = {label: results / f"fits/{label}.h5" for label in labels}
    scores = {label: results / f"validation/{label}.json" for label in labels} if tests else {}

    def after(*paths: Path) -> tuple[str, ...]:
        return tuple(dict.fromkeys(made[path] for path in paths if path in made))

    tasks = [_identify(checked, estimator, sources, after(*sources)) for estimator in checked.estimators.values()]
    for label in scores:
        run = partial(judging.judge, checked, label, tests)
        options: dict[str, Any] = {"trials": [name for _, name in tests]}
        tasks.append(Task(f"validate:{label}", options, (fits[label], *targets), (f"identify:{label}", *after(*targets)), (f"validation/{label}.json",), run))
    for name, part in checked.campaign.payloads.items():
        loaded = groups[f"payload:{name}"]
        both = (*sources, *_paths(loaded))
        options = {**_common(checked), "payload": asdict(part), "preprocessing": asdict(checked.campaign.preprocessing)}
        run = partial(work.payload, checked, name, train, loaded)
        tasks.append(Task(f"payload:{name}", options, both, after(*both), (f"payloads/{name}.json", f"payloads/{name}.txt"), run))
    shown = {"labels": labels, "report": asdict(checked.campaign.report), "title": checked.campaign.title, "file": checked.file.name}
    models = (*fits.values(), *scores.values())
    before = (*(f"identify:{label}" for label in labels), *(f"validate:{label}" for label in scores))
    if len(labels) > 1:
        makes = ("comparison/report.html", "comparison/comparison.json", "comparison/comparison.txt")
        tasks.append(Task("compare", shown, (*models, *targets), (*before, *after(*targets)), makes, partial(judging.compare, checked, tests)))
    options = shown | {"trials": [name for _, name in (*train, *tests)]}
    seen = (*sources, *targets)
    run = partial(judging.report, checked, train, tests)
    tasks.append(Task("report", options, (*models, *seen), (*before, *after(*seen)), ("report/report.html", "report/verdict.txt"), run))
    return tasks


def _identify(checked: CheckedCampaign, estimator: Estimator, sources: tuple[Path, ...], after: tuple[str, ...]) -> Task:
    options = {
        **_common(checked),
        "method": [estimator.method.name, asdict(estimator.method)],
        "solver": estimator.solver,
        "preprocessing": asdict(checked.campaign.preprocessing),
        "file": checked.file.name,
    }
    run = partial(work.identify, checked, estimator, sources)
    return Task(f"identify:{estimator.label}", options, sources, after, (f"fits/{estimator.label}.h5",), run)


def _paths(trials: Iterable[tuple[Path, str]]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path for path, _ in trials))
