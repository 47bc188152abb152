"""``optid new`` writes a campaign that is right but for the recordings."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from optid import Robot, library, write_experiment
from optid.campaign import campaign_text, read_campaign, schema_text
from optid.campaign.documentation import entries
from optid.campaign.schema import Campaign
from optid.cli.app import app
from optid.robot import robot_to_urdf

from .conftest import trial_of


def run(*arguments: object, code: int = 0) -> Any:
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_the_written_file_lacks_nothing_but_recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pendulum: Robot) -> None:
    """DH rows, transforms, a URDF and a robot of the library, from another folder; then the recordings come, and it runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robots").mkdir()
    (tmp_path / "work").mkdir()
    pendulum.save(tmp_path / "robots/dh.toml")
    (tmp_path / "robots/ur.urdf").write_text(robot_to_urdf(library.ur10e()), encoding="utf-8")
    for k, robot in enumerate(("robots/dh.toml", "robots/ur.urdf", "library:scara_er14")):
        file = Path("work") / f"c{k}.toml"
        assert f"written: {file}" in run("new", robot, "-o", file).stdout
        result = run("run", file, "--dry-run", code=2)
        lines = result.stderr.strip().splitlines()
        assert len(lines) == 1 and lines[0].startswith(f"optid: files of [[recordings]] 1 of c{k}.toml: 'recordings/*.h5', no file fits")
    assert tomllib.loads(Path("work/c0.toml").read_text())["robot"]["source"] == "../robots/dh.toml"
    from optid import Experiment

    (tmp_path / "work/recordings").mkdir()
    for name, role in (("a", "identification"), ("b", "validation")):
        trial = trial_of(pendulum, name, role)
        write_experiment(Experiment(name, [trial]), tmp_path / f"work/recordings/{name}.h5")  # type: ignore[arg-type]
    said = run("run", "work/c0.toml", "--dry-run").stdout
    assert "identify:wls" in said and "validation/wls.json" in said and not (tmp_path / "work/results").exists()


@pytest.mark.parametrize("name", ["panda", "ur10e", "scara_er14", "emps", "planar_2r"])
def test_limits_are_those_of_the_robot(tmp_path: Path, name: str) -> None:
    """Read back, the limits of every joint equal the robot's to the last bit; what it does not state is commented out."""
    robot: Robot = getattr(library, name)()
    text = campaign_text(f"library:{name}", tmp_path / "c.toml")
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    joints = read_campaign(tmp_path / "c.toml").campaign.limits.joint
    assert tuple(joints) == robot.joint_names
    for what in ("lower", "upper", "velocity", "acceleration", "torque"):
        for given, bound in zip(joints.values(), getattr(robot.limits, what), strict=True):
            assert getattr(given, what) == (None if math.isinf(bound) else bound)


def test_every_line_that_is_commented_out_is_right(tmp_path: Path) -> None:
    """With each '#KEY = ' and '#[TABLE]' uncommented, the file still is a campaign."""
    text = re.sub(r"^#(?=\[|\w+ = )", "", campaign_text("library:panda", tmp_path / "c.toml"), flags=re.MULTILINE)
    (tmp_path / "c.toml").write_text(text, encoding="utf-8")
    campaign = read_campaign(tmp_path / "c.toml").campaign
    assert campaign.design is not None and campaign.robot.payload is not None and len(campaign.recordings) == 2
    assert campaign.preprocessing == type(campaign.preprocessing)() and campaign.report == type(campaign.report)()


def test_an_existing_file_is_never_replaced(tmp_path: Path) -> None:
    file = tmp_path / "campaign.toml"
    file.write_text("mine")
    assert "it exists already" in run("new", "library:panda", "-o", file, code=2).stderr
    assert file.read_text() == "mine"
    assert "not found" in run("new", "library:panda", "-o", tmp_path / "no/such.toml", code=2).stderr
    assert "Did you mean library:panda?" in run("new", "panda", "-o", tmp_path / "x.toml", code=2).stderr
    assert not (tmp_path / "x.toml").exists()


def test_strange_names_stay_data(tmp_path: Path, pendulum: Robot) -> None:
    """A robot's names come from strangers: quotes, line ends and dots in them must not become keys."""
    from dataclasses import replace

    name = 'a.b "c"\n[design]\n'
    odd = replace(pendulum, joints=(replace(pendulum.joints[0], name=name),), name=name)
    odd.save(tmp_path / "odd.toml")
    run("new", tmp_path / "odd.toml", "-o", tmp_path / "c.toml")
    campaign = read_campaign(tmp_path / "c.toml").campaign
    assert campaign.title == name and campaign.design is None
    assert "design" not in tomllib.loads((tmp_path / "c.toml").read_text(encoding="utf-8"))


def test_the_schema_names_every_key_with_its_meaning() -> None:
    """``optid run --schema`` is made from the classes; every key is there, and every key of this room is explained."""
    said = run("run", "--schema").stdout
    assert said == schema_text()
    tables = {line for line in said.splitlines() if line.startswith("[")}
    assert {"[robot]", "[design.export]", "[[recordings]]", "[limits.joint.NAME]", "[preprocessing.periodic]", "[payloads.NAME]"} <= tables

    def check(kind: type) -> None:
        for entry in entries(kind).values():
            assert f"# {entry.name} : " in said or f".{entry.name}" in " ".join(tables)
            assert entry.stated, f"{kind.__name__}.{entry.name} is not in the docstring"

    from optid.campaign import schema as room

    for part in [value for key, value in vars(room).items() if key.endswith("Part")]:
        check(part)
    check(Campaign)
