"""Campaigns end to end on a simulated arm: right numbers, nothing done twice, nothing touched that is not theirs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, Preprocessing, Robot, identify, import_csv, load_result, read_experiment, validate
from optid.campaign import plan_campaign, run_campaign
from optid.campaign.folder import ResultFolder
from optid.errors import DataError, FileBusyError, FileError, UnknownNameError
from optid.experiment import Mapping
from optid.identification import identify_batch

from .conftest import contents

pytestmark = pytest.mark.usefixtures("quick_report")

Write = Callable[..., Path]
MODEL = ("viscous", "coulomb")


def test_the_campaign_equals_the_library_called_by_hand(campaign: Write, folder: Path, arm: Robot) -> None:
    """Bit for bit: fits by identify (and by identify_batch), scores by validate on the log read by import_csv."""
    result = run_campaign(campaign('methods = ["wls", "ols"]'))
    assert result.done == ("import:c", "identify:wls", "identify:ols", "validate:wls", "validate:ols", "compare", "report") and result.kept == ()
    model = DynamicModel(arm, MODEL)
    log = import_csv(folder / "c.csv", Mapping(q="q_*", tau="tau_*", time="t", units={"q": "deg", "tau": "N m"}), joint_names=arm.joint_names)
    for method in ("wls", "ols"):
        by_hand = identify(model, [folder / "a.h5", folder / "b.h5"], method=method)
        batch = identify_batch([folder / "a.h5", folder / "b.h5"], model, method=method).result
        fit = load_result(folder / f"results/fits/{method}.h5")
        for other in (by_hand, batch):
            assert fit.formulas == other.formulas
            assert np.array_equal(fit.beta, other.beta) and np.array_equal(fit.sigma, other.sigma) and np.array_equal(fit.interval(), other.interval())
        scores = validate(by_hand, log)
        stored = json.loads((folder / f"results/validation/{method}.json").read_text())
        assert stored["together"]["filtered"]["stacked"] == scores.errors.stacked
        assert stored["trials"][0]["raw"]["per_joint"] == scores.errors_raw.per_joint.tolist()
        row = json.loads((folder / "results/comparison/comparison.json").read_text())["methods"][("wls", "ols").index(method)]
        assert row["training"]["stacked"] == by_hand.errors().stacked and row["validation_raw"]["stacked"] == scores.errors_raw.stacked


def test_the_truth_lies_in_the_intervals(campaign: Write, folder: Path, arm: Robot) -> None:
    """Positions are exact and the noise is white: the true base parameters lie within 99.9 % intervals (11 parameters, one seed)."""
    run_campaign(campaign())
    fit = load_result(folder / "results/fits/wls.h5")
    truth = fit.base.beta(DynamicModel(arm, MODEL).nominal_parameters())
    ends = fit.interval(0.999)
    assert fit.base.rank == 10 and np.all((ends[:, 0] <= truth) & (truth <= ends[:, 1]))
    assert np.all(fit.sigma < 0.05)


def test_the_best_on_other_motion_is_reported(campaign: Write, folder: Path) -> None:
    """The smallest stacked error on the validation recording, unless the file names a method."""
    tables = '[[methods]]\nmethod = "wls"\nlabel = "free"\n[[methods]]\nmethod = "ols"\nlabel = "plain"\n'
    result = run_campaign(campaign("", tables))
    found = json.loads((folder / "results/comparison/comparison.json").read_text())
    errors = {row["label"]: row["validation"]["stacked"] for row in found["methods"]}
    assert found["best"] == min(errors, key=lambda label: errors[label])
    assert result.verdict.startswith(f"{found['best']}: Usable for torque feedforward and for simulation ") and " On 'c' (2 joints, 9.9" in result.verdict
    other = next(label for label in errors if label != found["best"])
    again = run_campaign(campaign("", f'{tables}[report]\nmethod = "{other}"\n'))
    assert again.done == ("compare", "report") and again.verdict.startswith(f"{other}: ")


def test_a_second_run_does_nothing(campaign: Write, folder: Path) -> None:
    path = campaign()
    first = run_campaign(path)
    before = contents(folder / "results")
    again = run_campaign(path)
    assert again.done == () and again.kept == first.done and again.verdict == first.verdict and again.report == folder / "results/report/report.html"
    assert contents(folder / "results") == before
    assert run_campaign(path, fresh=True).done == first.done
    assert contents(folder / "results") == before


@pytest.mark.parametrize(
    ("change", "done"),
    [
        ("comment", ()),
        ("log", ("import:c", "validate:wls", "report")),
        ("recording", ("identify:wls", "validate:wls", "report")),
        ("method", ("identify:ols", "validate:ols", "compare", "report")),
        ("filter", ("identify:wls", "validate:wls", "report")),
        ("title", ("report",)),
        ("result", ("validate:wls",)),
        ("report", ("report",)),
    ],
)
def test_only_what_depends_on_a_change_is_done_again(campaign: Write, folder: Path, change: str, done: tuple[str, ...]) -> None:
    run_campaign(campaign())
    results = folder / "results"
    if change == "comment":
        campaign("# a remark")
    elif change == "log":
        lines = (folder / "c.csv").read_text().splitlines()
        (folder / "c.csv").write_text("\n".join(lines[:-100]) + "\n")
    elif change == "recording":
        (folder / "b.h5").write_bytes((folder / "a.h5").read_bytes())
    elif change == "method":
        campaign('methods = ["wls", "ols"]')
    elif change == "filter":
        campaign("", "[preprocessing]\ncutoff = 20.0\n")
    elif change == "title":
        campaign("", "", ('title = "Arm"', 'title = "Another"'))
    elif change == "result":
        (results / "validation/wls.json").write_text("{}")
    else:
        (results / "report/verdict.txt").unlink()
    result = run_campaign(folder / "campaign.toml")
    assert result.done == done


def test_only_runs_what_is_asked_for(campaign: Write, folder: Path) -> None:
    path = campaign('methods = ["wls", "ols"]')
    with pytest.raises(DataError, match=r"step 'report': 'identify:wls', which it needs, is not done"):
        run_campaign(path, ["report"])
    assert not (folder / "results").exists()
    assert run_campaign(path, ["identify:ols"]).done == ("identify:ols",)
    assert run_campaign(path, ["import", "identify"]).done == ("import:c", "identify:wls")
    with pytest.raises(UnknownNameError, match=r"step 'identfy': unknown name, .* Did you mean 'identify'\?"):
        run_campaign(path, ["identfy"])
    with pytest.raises(UnknownNameError, match=r"step of this campaign 'design'"):
        run_campaign(path, ["design"])
    assert run_campaign(path).done == ("validate:wls", "validate:ols", "compare", "report")


def test_nothing_is_made_from_what_has_failed(campaign: Write, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that fails takes along what needs it, however far; the fit, which does not, is made. Old scores are not taken for new ones."""
    path = campaign()
    run_campaign(path)
    old = (folder / "results/validation/wls.json").read_bytes()
    (folder / "c.csv").write_text("".join((folder / "c.csv").read_text().splitlines(keepends=True)[:-100]))
    campaign("", "[preprocessing]\ncutoff = 30\n")

    def full(*_: object) -> None:
        raise FileError("no room")

    with monkeypatch.context() as patch:
        patch.setattr("optid.campaign.work.bring_in", full)
        seen: list[tuple[str, str]] = []
        with pytest.raises(FileError, match=r"^import:c: no room$"):
            run_campaign(path, progress=lambda task, what, *_: seen.append((task, what)))
    assert [entry for entry in seen if entry[1] != "at work"] == [
        ("import:c", "begun"),
        ("import:c", "failed"),
        ("identify:wls", "begun"),
        ("identify:wls", "done"),
    ]
    assert (folder / "results/validation/wls.json").read_bytes() == old
    assert run_campaign(path).done == ("import:c", "validate:wls", "report")


def test_planning_writes_nothing(campaign: Write, folder: Path) -> None:
    before = contents(folder)
    plan = plan_campaign(campaign())
    assert [task.name for task in plan.tasks] == ["import:c", "identify:wls", "validate:wls", "report"]
    assert set(plan.states().values()) == {"to do"}

    after = contents(folder)
    after.pop("campaign.toml")
    assert after == before


def test_one_run_at_a_time(campaign: Write, folder: Path) -> None:
    path = campaign()
    other = ResultFolder.seen(folder / "results", path)
    with other.held(), pytest.raises(FileBusyError, match="another run is at work in it"):
        run_campaign(path)
    assert run_campaign(path).done


def test_a_folder_of_something_else_is_not_touched(campaign: Write, folder: Path) -> None:
    (folder / "results").mkdir()
    (folder / "results/thesis.tex").write_text("years of work")
    with pytest.raises(FileError, match=r"thesis.tex in it, and no campaign.json"):
        run_campaign(campaign())
    with pytest.raises(FileError, match=r"a\.h5 in it, and no campaign\.json"):
        run_campaign(campaign('output = "."'))
    with pytest.raises(FileError, match=r"output .*a.h5: a file"):
        run_campaign(campaign('output = "a.h5"'))
    with pytest.raises(FileError, match=r"folder .*nowhere: not found"):
        run_campaign(campaign('output = "nowhere/results"'))
    assert contents(folder / "results") == {"thesis.tex": b"years of work"}


def test_two_campaigns_do_not_share_a_folder(campaign: Write, folder: Path) -> None:
    """Each would undo the other's results; a file that was renamed goes on where it was."""
    run_campaign(campaign(), ["identify"])
    other = campaign(name="other.toml")
    with pytest.raises(FileError, match=r"results: results of campaign.toml, expected those of other.toml. Give output another name"):
        run_campaign(other, ["identify"])
    (folder / "campaign.toml").unlink()
    assert plan_campaign(other).folder.records


def test_a_record_cannot_lead_out_of_its_folder(campaign: Write, folder: Path) -> None:
    """campaign.json is data: a name in it that leads elsewhere would have a file there removed."""
    path = campaign()
    run_campaign(path)
    state = folder / "results/campaign.json"
    found = json.loads(state.read_text())
    found["tasks"]["report"]["outputs"]["../a.h5"] = "0"
    state.write_text(json.dumps(found))
    with pytest.raises(FileError, match="damaged"):
        run_campaign(path)
    assert (folder / "a.h5").exists()
    state.write_text("{")
    with pytest.raises(FileError, match=r"damaged, .* Remove it to have everything done again"):
        run_campaign(path)


def test_trials_and_roles_of_the_table_count(campaign: Write, folder: Path, arm: Robot) -> None:
    """An experiment file of which one trial is taken in another role is copied; the fit is that of the trial alone."""
    path = campaign("", "", ('files = ["a.h5", "b.h5"]', 'files = "a.h5"'))
    path.write_text(path.read_text() + '\n[[recordings]]\nfiles = "b.h5"\ntrials = ["run1"]\nrole = "validation"\n')
    result = run_campaign(path)
    assert "import:b" in result.done
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = identify(DynamicModel(arm, MODEL), [folder / "a.h5"])
    assert np.array_equal(load_result(folder / "results/fits/wls.h5").beta, alone.beta)
    assert read_experiment(folder / "results/recordings/b.h5")["run1"].role == "validation"
    stored = json.loads((folder / "results/validation/wls.json").read_text())
    assert [trial["trial"] for trial in stored["trials"]] == ["c", "run1"]


def test_preprocessing_of_the_file_is_that_of_the_library(campaign: Write, folder: Path, arm: Robot) -> None:
    run_campaign(campaign("", '[preprocessing]\ncutoff = "none"\nderivative = "savgol"\nmin_speed = [0.1, 0.2]\nstop = 8\n'), ["import", "identify"])
    options = Preprocessing(cutoff=None, derivative="savgol", min_speed=(0.1, 0.2), stop=8.0)
    by_hand = identify(DynamicModel(arm, MODEL), [folder / "a.h5", folder / "b.h5"], preprocessing=options)
    fit = load_result(folder / "results/fits/wls.h5")
    assert fit.preprocessing == options and np.array_equal(fit.beta, by_hand.beta)
