"""Working through a campaign: what is up to date is kept, what is finished stays, whatever happens afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from optid.errors import OptidError

from .plan import Plan, plan_campaign
from .tasks import Task
from .wording import placed
from .work import Work

Progress = Callable[[str, str, int, int], None]
"""Called with (task, what happens, done, total): "begun", "at work" (with counts), "done", "kept", "failed"."""


@dataclass(frozen=True)
class CampaignResult:
    """What a run did.

    Attributes
    ----------
    folder : Path
        Of results.
    done, kept : tuple of str
        Tasks that were done, and that were up to date.
    verdict : str
        Of the report; empty while there is none.
    report : Path or None

    Examples
    --------
    >>> from pathlib import Path
    >>> from optid.campaign import CampaignResult
    >>> CampaignResult(Path("results"), ("identify",), (), "good", None).done
    ('identify',)
    """

    folder: Path
    done: tuple[str, ...]
    kept: tuple[str, ...]
    verdict: str
    report: Path | None


def run_campaign(path: str | PathLike[str], only: Iterable[str] = (), *, fresh: bool = False, progress: Progress | None = None) -> CampaignResult:
    """Check a campaign, then do what is not up to date.

    A task is known by a hash of everything that its outputs depend on: the campaign's options, the content of its inputs, the versions of what computes it. Its
    files appear whole. Stopped at any instant and run again, it ends with the same files, byte for byte.

    Parameters
    ----------
    path : path of a campaign file
    only : names of steps ("identify") or of single tasks ("identify:wls")
        All of them when empty.
    fresh : bool
        Do everything again.
    progress : callable, optional
        Called with (task, "begun" | "at work" | "done" | "kept" | "failed", done, total).

    Raises
    ------
    OptidError
        Before any work when something is wrong with the campaign; afterwards the error of the first task that failed, when all that does not need it is done.

    Examples
    --------
    >>> from optid.campaign import run_campaign
    >>> from optid.errors import MissingFileError
    >>> try:
    ...     run_campaign("not there.toml")
    ... except MissingFileError:
    ...     print("nothing was done")
    nothing was done
    """
    plan = plan_campaign(path, only, fresh=fresh)
    told: Progress = progress if progress is not None else lambda *_: None
    done: list[str] = []
    kept: list[str] = []
    failed: dict[str, OptidError] = {}
    blocked: set[str] = set()
    with plan.folder.held():
        if fresh:
            plan.folder.drop_pieces()
        for task in plan.tasks:
            if task.name not in plan.chosen:
                continue
            if blocked.intersection(task.after):
                blocked.add(task.name)
                continue
            if not fresh and plan.current(task):
                kept.append(task.name)
                told(task.name, "kept", 0, 0)
                continue
            told(task.name, "begun", 0, 0)
            try:
                _do(plan, task, told)
            except OptidError as error:
                failed[task.name] = error
                blocked.add(task.name)
                told(task.name, "failed", 0, 0)
                continue
            done.append(task.name)
            told(task.name, "done", 0, 0)
        fits = [task for task in plan.tasks if task.step == "identify"]
        if fits and all(map(plan.current, fits)):
            plan.folder.drop_pieces()
        for name, reason in failed.items():
            raise placed(reason, name) from reason
        folder = plan.folder.path
        reported = any(task.name == "report" and plan.current(task) for task in plan.tasks)
    verdict = (folder / "report/verdict.txt").read_text(encoding="utf-8").strip() if reported else ""
    return CampaignResult(folder, tuple(done), tuple(kept), verdict, folder / "report/report.html" if reported else None)


def _do(plan: Plan, task: Task, told: Progress) -> None:
    key, inputs = plan.key(task), plan.inputs(task)
    with plan.folder.work() as folder:
        task.run(Work(folder, plan.folder.path, inputs, lambda done, total: told(task.name, "at work", done, total), plan.hashes))
        plan.folder.publish(task.name, folder, key, inputs, plan.hashes)
