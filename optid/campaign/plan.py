"""The steps of a campaign in their order: what each reads, what it makes, and whether that is there already."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from optid.errors import DataError, MissingFileError, sentence, unknown_name
from optid.identification.checkpoint import combined
from optid.identification.result_file import versions
from optid.robot import robot_to_toml

from . import work as steps
from .checked import CheckedCampaign, Estimator
from .folder import Hashes, ResultFolder
from .read import read_campaign
from .recordings import Recording, find, refuse_twice
from .work import Work

STEPS = ("design", "import", "identify", "validate", "payload", "compare", "report")
"""In their order."""

DONE, TO_DO, MISSING = "up to date", "to do", "recordings missing"


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
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> folder = TemporaryDirectory()
    >>> file = read_campaign(new_campaign("library:ur5", Path(folder.name) / "campaign.toml"))
    >>> from optid.campaign import plan_campaign
    >>> [task.name for task in plan_campaign(file.path, missing_ok=True).tasks]
    []
    >>> folder.cleanup()
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


@dataclass(frozen=True, eq=False)
class Plan:
    """A checked campaign and its tasks.

    Attributes
    ----------
    checked : CheckedCampaign
    folder : ResultFolder
    tasks : tuple of Task
        All of them, in their order.
    chosen : tuple of str
        Names of those that were asked for.
    missing : tuple of MissingFileError
        Recordings that are not there; tasks that need recordings are not planned then.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> folder = TemporaryDirectory()
    >>> file = read_campaign(new_campaign("library:ur5", Path(folder.name) / "campaign.toml"))
    >>> from optid.campaign import plan_campaign
    >>> plan_campaign(file.path, missing_ok=True).chosen
    ()
    >>> folder.cleanup()
    """

    checked: CheckedCampaign
    folder: ResultFolder
    tasks: tuple[Task, ...]
    chosen: tuple[str, ...]
    missing: tuple[MissingFileError, ...] = ()
    hashes: Hashes = field(default_factory=Hashes, repr=False)

    def label(self, path: Path) -> str:
        """A file as the campaign names it: from its folder where it lies inside."""
        home = self.checked.file.folder.resolve()
        found = path.resolve()
        return found.relative_to(home).as_posix() if found.is_relative_to(home) else str(path)

    def inputs(self, task: Task) -> dict[str, str]:
        """Hashes of the inputs of a task."""
        return {self.label(path): self.hashes.of(path) for path in task.inputs}

    def key(self, task: Task) -> str:
        """Hash of everything that the outputs of a task depend on."""
        text = json.dumps(task.options, sort_keys=True, default=_plain)
        return combined(task.name, text, json.dumps(self.inputs(task)), json.dumps(versions(), sort_keys=True))

    def current(self, task: Task) -> bool:
        """Whether the outputs of a task are there, as they would be made again from the inputs as they are."""
        record = self.folder.records.get(task.name)
        return record is not None and record.key == self.key(task) and self.folder.sound(record, self.hashes)

    def states(self) -> dict[str, str]:
        """Of every task whether it is up to date; what follows one that is not is to do."""
        found: dict[str, str] = {}
        for task in self.tasks:
            before = all(found[name] == DONE for name in task.after)
            found[task.name] = DONE if before and self.current(task) else TO_DO
        return found


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    return asdict(value) if hasattr(value, "__dataclass_fields__") else str(value)


def plan_campaign(path: str | PathLike[str], only: Iterable[str] = (), *, fresh: bool = False, missing_ok: bool = False) -> Plan:
    """Check a campaign and plan it; nothing is written.

    Parameters
    ----------
    path : path of a campaign file
    only : names of steps ("identify") or of single tasks ("identify:wls")
        All of them when empty.
    fresh : bool
        Take nothing for up to date.
    missing_ok : bool
        Recordings may be missing; they are listed.

    Raises
    ------
    OptidError
        Whatever is wrong with the file, the robot, the names in it, the limits, or the recordings.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, read_campaign
    >>> folder = TemporaryDirectory()
    >>> file = read_campaign(new_campaign("library:ur5", Path(folder.name) / "campaign.toml"))
    >>> from optid.campaign import plan_campaign
    >>> plan_campaign(file.path, missing_ok=True).folder.path.name
    'results'
    >>> folder.cleanup()
    """
    file = read_campaign(path)
    checked = CheckedCampaign.of(file)
    wanted = tuple(only)
    for name in wanted:
        if name.partition(":")[0] not in STEPS:
            raise unknown_name("step", name, STEPS)
    folder = ResultFolder.seen(file.output)
    if fresh:
        folder = replace(folder, records={name: replace(record, key="") for name, record in folder.records.items()})
    designed = [_design(checked)] if file.campaign.design is not None else []
    recorded = not wanted or any(name.partition(":")[0] != "design" for name in wanted)
    found, missing = find(file) if recorded else ([], [])
    if missing and not missing_ok:
        alone = "" if not designed else " To design their motion alone, run with --only design."
        raise MissingFileError(f"{missing[0]}{alone}")
    plan = Plan(checked, folder, tuple(designed), (), tuple(missing))
    if recorded and not missing:
        plan = replace(plan, tasks=(*designed, *_recorded(plan, found)))
    plan = replace(plan, chosen=_chosen(plan, wanted))
    states = plan.states()
    for task in plan.tasks:
        if task.name in plan.chosen and states[task.name] != DONE:
            open_ = [name for name in task.after if name not in plan.chosen and states[name] != DONE]
            if open_:
                raise DataError(sentence(f"step {task.name!r}", f"{open_[0]!r}, which it needs, is not done", "it done, or asked for with --only, too"))
            if task.step == "design":
                _ = checked.excitation  # refuses impossible limits
            if task.step == "report":
                _check_report()
    return plan


def _chosen(plan: Plan, wanted: Sequence[str]) -> tuple[str, ...]:
    names = [task.name for task in plan.tasks]
    for name in wanted:
        step, colon, _ = name.partition(":")
        of_step = [each for each in names if each.partition(":")[0] == step]
        if (colon and name not in names) or not of_step:
            if plan.missing:
                raise plan.missing[0]
            raise unknown_name("step of this campaign", name, dict.fromkeys(each for task in plan.tasks for each in (task.step, task.name)))
    return tuple(name for name in names if not wanted or name in wanted or name.partition(":")[0] in wanted)


def _check_report() -> None:
    from optid.errors import require

    for module in ("jinja2", "matplotlib"):
        require(module, "app")


def _common(checked: CheckedCampaign) -> dict[str, Any]:
    """What everything that is computed with the model depends on."""
    model = checked.model
    return {
        "robot": robot_to_toml(checked.robot),
        "model": [model.friction, model.rotor_inertia, model.sign_width],
        "known": dict(checked.known),
        "seed": checked.campaign.seed,
    }


def _design(checked: CheckedCampaign) -> Task:
    part = checked.campaign.design
    assert part is not None
    shares = checked.campaign.limits
    fractions = [shares.position, shares.velocity, shares.acceleration, shares.torque]
    options = {**_common(checked), "design": asdict(part), "shares": fractions, "file": checked.file.name}
    names = [name for name in (part.export.csv, part.export.rapid, part.export.urscript) if name is not None]
    makes = ("design/plan.h5", *(f"design/{name}" for name in names))
    return Task("design", options, (), (), makes, partial(steps.design, checked))


def _recorded(plan: Plan, recordings: Sequence[Recording]) -> list[Task]:
    """The tasks that need recordings, each of which is opened and held against the robot first."""
    checked, results = plan.checked, plan.folder.path
    tasks = [_import(checked, recording) for recording in recordings if recording.imported]
    imports = {task.name: task for task in tasks}
    used: list[tuple[Recording, str]] = []
    groups: dict[str, list[tuple[Path, str]]] = {}
    for recording in recordings:
        task = imports.get(_name(recording))
        path = recording.path if task is None else results / task.makes[0]
        there = path if task is not None and plan.current(task) else None
        for trial, role in recording.roles(checked.robot, checked.campaign.robot.tip, there):
            used.append((recording, trial))
            group = role if recording.part.payload is None else f"payload:{recording.part.payload}"
            groups.setdefault(group, []).append((path, trial))
    refuse_twice(used)
    made = {results / task.makes[0]: task.name for task in tasks}

    def after(paths: Iterable[Path]) -> tuple[str, ...]:
        return tuple(made[path] for path in paths if path in made)

    train = groups.get("identification", [])
    tests = groups.get("validation", [])
    if not train:
        hint = 'Add [[recordings]] with files = "..." and role = "identification".'
        raise DataError(sentence(f"recordings of {checked.file.name}", "none for identification", "at least one", hint))
    sources, targets = _paths(train), _paths(tests)
    labels = list(checked.estimators)
    fits = [results / f"fits/{label}.h5" for label in labels]
    tasks += [_identify(checked, estimator, sources, after(sources)) for estimator in checked.estimators.values()]
    identified = tuple(f"identify:{label}" for label in labels)
    for label, fit in zip(labels, fits, strict=True):
        if tests:
            run = partial(steps.judge, checked, label, tests)
            inputs, names = (fit, *targets), (f"identify:{label}", *after(targets))
            tasks.append(Task(f"validate:{label}", {"trials": [name for _, name in tests]}, inputs, names, (f"validation/{label}.json",), run))
    for name, part in checked.campaign.payloads.items():
        loaded = groups[f"payload:{name}"]
        run = partial(steps.payload, checked, name, train, loaded)
        both = (*sources, *_paths(loaded))
        options = {**_common(checked), "payload": asdict(part), "preprocessing": asdict(checked.campaign.preprocessing)}
        tasks.append(Task(f"payload:{name}", options, both, after(both), (f"payloads/{name}.json", f"payloads/{name}.txt"), run))
    judged = tuple(f"validate:{label}" for label in labels) if tests else ()
    scores = tuple(results / f"validation/{label}.json" for label in labels) if tests else ()
    shown = {"labels": labels, "report": asdict(checked.campaign.report), "title": checked.campaign.title, "file": checked.file.name}
    if len(labels) > 1:
        run = partial(steps.compare, checked, tests)
        inputs, names = (*fits, *scores, *targets), (*identified, *judged, *after(targets))
        makes = ("comparison/report.html", "comparison/comparison.json", "comparison/comparison.txt")
        tasks.append(Task("compare", shown, inputs, names, makes, run))
    run = partial(steps.report, checked, train, tests)
    inputs, names = (*fits, *scores, *sources, *targets), (*identified, *judged, *after((*sources, *targets)))
    tasks.append(Task("report", shown | {"trials": [name for _, name in (*train, *tests)]}, inputs, names, ("report/report.html", "report/verdict.txt"), run))
    return tasks


def _paths(trials: Iterable[tuple[Path, str]]) -> tuple[Path, ...]:
    return tuple(dict.fromkeys(path for path, _ in trials))


def _name(recording: Recording) -> str:
    return f"import:{recording.name}"


def _import(checked: CheckedCampaign, recording: Recording) -> Task:
    part = asdict(recording.part) | {"files": None, "payload": None, "other_robot": None}
    options = {"robot": robot_to_toml(checked.robot), "part": part, "mapping": recording.mapping, "name": recording.name}
    return Task(_name(recording), options, recording.files, (), (f"recordings/{recording.name}.h5",), partial(steps.bring_in, checked, recording))


def _identify(checked: CheckedCampaign, estimator: Estimator, sources: tuple[Path, ...], after: tuple[str, ...]) -> Task:
    options = {
        **_common(checked),
        "method": [estimator.method.name, asdict(estimator.method)],
        "solver": estimator.solver,
        "preprocessing": asdict(checked.campaign.preprocessing),
        "file": checked.file.name,
    }
    run = partial(steps.identify, checked, estimator, sources)
    return Task(f"identify:{estimator.label}", options, sources, after, (f"fits/{estimator.label}.h5",), run)
