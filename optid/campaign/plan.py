"""The steps of a campaign in their order: what each reads, what it makes, and whether that is there already."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any

from optid.errors import DataError, MissingFileError, require, sentence, unknown_name
from optid.identification.checkpoint import combined
from optid.identification.result_file import versions

from .checked import CheckedCampaign
from .folder import Hashes, ResultFolder
from .read import read_campaign
from .recordings import Recording, find, refuse_twice
from .tasks import Task, analysis_tasks, design_task, import_name, import_task

STEPS = ("design", "import", "identify", "validate", "payload", "compare", "report")
"""In their order."""

DONE, TO_DO = "up to date", "to do"


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
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, plan_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print(plan_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml"), missing_ok=True).chosen)
    ()
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
    >>> from tempfile import TemporaryDirectory
    >>> from optid.campaign import new_campaign, plan_campaign
    >>> with TemporaryDirectory() as folder:
    ...     print(plan_campaign(new_campaign("library:ur5", f"{folder}/campaign.toml"), missing_ok=True).folder.path.name)
    results
    """
    file = read_campaign(path)
    checked = CheckedCampaign.of(file)
    wanted = tuple(only)
    for name in wanted:
        if name.partition(":")[0] not in STEPS:
            raise unknown_name("step", name, STEPS)
    folder = ResultFolder.seen(file.output, file.path)
    if fresh:
        folder = replace(folder, records={name: replace(record, key="") for name, record in folder.records.items()})
    designed = [design_task(checked)] if file.campaign.design is not None else []
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
    for module in ("jinja2", "matplotlib"):
        require(module, "app")


def _recorded(plan: Plan, recordings: Sequence[Recording]) -> list[Task]:
    """The tasks that need recordings, each of which is opened and held against the robot first."""
    checked, results = plan.checked, plan.folder.path
    imports = {task.name: task for task in (import_task(checked, recording) for recording in recordings if recording.imported)}
    used: list[tuple[Recording, str]] = []
    groups: dict[str, list[tuple[Path, str]]] = {}
    for recording in recordings:
        task = imports.get(import_name(recording))
        path = recording.path if task is None else results / task.makes[0]
        there = path if task is not None and plan.current(task) else None
        for trial, role in recording.roles(checked.robot, checked.campaign.robot.tip, there):
            used.append((recording, trial))
            group = role if recording.part.payload is None else f"payload:{recording.part.payload}"
            groups.setdefault(group, []).append((path, trial))
    refuse_twice(used)
    if "identification" not in groups:
        hint = 'Add [[recordings]] with files = "..." and role = "identification".'
        raise DataError(sentence(f"recordings of {checked.file.name}", "none for identification", "at least one", hint))
    made = {results / task.makes[0]: name for name, task in imports.items()}
    return [*imports.values(), *analysis_tasks(checked, results, groups, made)]
