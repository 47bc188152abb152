"""``optid import``: any recording, a look before anything is written, suspicions aloud (C15, C42)."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from optid import DynamicModel, library, read_experiment
from optid.experiment import Mapping, import_csv

from .test_commands import run

UR = library.ur10e()
T = np.arange(1000) / 100
Q = np.sin(0.8 * T[:, None] + np.arange(6)) * [1.0, 0.6, 0.8, 0.5, 0.5, 0.5] - [0, 1.2, 0, 0, 0, 0]
DQ, DDQ = np.gradient(Q, T, axis=0), np.gradient(np.gradient(Q, T, axis=0), T, axis=0)
MODEL = DynamicModel(UR, "none", rotor_inertia=True)
TAU = MODEL.inverse_dynamics(MODEL.nominal_parameters(), Q, DQ, DDQ)
SORTED = [int(k) for k in np.argsort(UR.joint_names)]


def table(folder: Path, q: np.ndarray = Q, tau: np.ndarray = TAU, time: np.ndarray = T, header: str = "") -> Path:
    path = folder / "log.csv"
    np.savetxt(path, np.column_stack([time, q, tau]), delimiter=",", header=header, comments="")
    (folder / "map.toml").write_text('time = 0\nq = "1:7"\ntau = "7:13"\n')
    return path


def look(folder: Path, *more: object, code: int = 0) -> dict:
    """The preview as JSON; nothing is written."""
    before = sorted(folder.iterdir())
    said = run("import", folder / "log.csv", "--mapping", folder / "map.toml", "--preview", "--json", *more, code=code)
    assert sorted(folder.iterdir()) == before
    return dict(json.loads(said.stdout))


def kinds(said: dict) -> list[str]:
    return [x["kind"] for x in said["suspicions"]]


def test_preview_of_a_right_recording(tmp_path: Path) -> None:
    table(tmp_path)
    said = look(tmp_path, "--robot", "library:ur10e")
    assert kinds(said) == ["import"] and "no joint names" in said["suspicions"][0]["text"]
    assert said["n_samples"] == 1000 and said["pace"]["rate"] == pytest.approx(100.0) and said["errors"] == []
    column = said["columns"][7]
    assert (column["signal"], column["joint"], column["unit"]) == ("tau", "column 2", "N m") and column["largest"] == TAU[:, 1].max()
    assert column["first"] == TAU[:3, 1].tolist()


def test_c15_degrees_are_suspected_and_left_alone(tmp_path: Path) -> None:
    table(tmp_path, q=np.degrees(Q))
    said = look(tmp_path)
    assert (
        kinds(said) == ["import", "import"]
        and "radians, at most one turn (2π). They may be degrees." in said["suspicions"][1]["text"] + said["suspicions"][0]["text"]
    )
    assert said["columns"][0]["largest"] == pytest.approx(np.degrees(Q[:, 0].max()), rel=1e-12)
    assert "degrees" in kinds(look(tmp_path, "--robot", "library:ur10e"))


def test_c42_sorted_columns_are_suspected_with_the_robot(tmp_path: Path) -> None:
    table(tmp_path, Q[:, SORTED], TAU[:, SORTED])
    said = look(tmp_path, "--robot", "library:ur10e")
    assert kinds(said) == ["import", "order"] and "its columns taken as sorted by joint name" in said["suspicions"][1]["text"]
    text = run("import", tmp_path / "log.csv", "--mapping", tmp_path / "map.toml", "--preview", "--robot", "library:ur10e").stdout
    assert re.search(r"^suspected: The torque goes with the motion better with its columns taken as sorted by joint name", text, re.MULTILINE)
    names = ", ".join(f'"{UR.joint_names[k]}"' for k in SORTED)
    (tmp_path / "map.toml").write_text(f'time = 0\nq = "1:7"\ntau = "7:13"\njoint_names = [{names}]\n')
    assert kinds(look(tmp_path, "--robot", "library:ur10e")) == []
    run("import", tmp_path / "log.csv", "--mapping", tmp_path / "map.toml", "--robot", "library:ur10e", "-o", tmp_path / "a.h5", "--yes")
    trial = read_experiment(tmp_path / "a.h5").trials["log"]
    assert trial.joint_names == UR.joint_names and trial.q == pytest.approx(Q, abs=1e-12) and trial.tau == pytest.approx(TAU, abs=1e-9)


def test_milliseconds_are_suspected(tmp_path: Path) -> None:
    table(tmp_path, time=1e3 * T)
    assert "10 s between samples: the stamps look like milliseconds." in [x["text"] for x in look(tmp_path)["suspicions"]]


def test_nothing_is_written_when_the_preview_finds_an_error(tmp_path: Path) -> None:
    table(tmp_path)
    command = ("import", tmp_path / "log.csv", "--mapping", tmp_path / "map.toml", "-o", tmp_path / "a.h5", "--yes", "--robot")
    result = run(*command, "library:panda", code=2)
    assert "optid: error: trial 'log': 6 joints, expected the 7 of robot 'Panda'" in result.stderr and "what was understood" in result.stdout
    assert not (tmp_path / "a.h5").exists()
    assert look(tmp_path, "--robot", "library:panda", code=2)["errors"][0].startswith("trial 'log': 6 joints")


@pytest.mark.parametrize("header", ["t," + ",".join(f"q_{x}" for x in UR.joint_names) + "," + ",".join(f"tau_{x}" for x in UR.joint_names), ""])
def test_a_log_without_a_mapping_shows_what_is_there(header: str, tmp_path: Path) -> None:
    """The proposed file is a mapping; where a header names the columns it is the right one."""
    path = table(tmp_path, header=header)
    (tmp_path / "map.toml").unlink()
    said = json.loads(run("import", path, "--preview", "--json").stdout)
    assert len(said["columns"]) == 13 and said["columns"][1]["largest"] == pytest.approx(Q[:, 0].max())
    text = run("import", path, "--preview").stdout
    assert said["mapping"].strip() in text and "what is there" in text
    (tmp_path / "map.toml").write_text(said["mapping"])
    assert Mapping.from_toml(tmp_path / "map.toml").q
    if header:
        trial = import_csv(path, tmp_path / "map.toml")
        assert trial.joint_names == UR.joint_names and np.array_equal(trial.time, T) and np.array_equal(trial.q, Q) and np.array_equal(trial.tau, TAU)
    refused = run("import", path, "-o", tmp_path / "a.h5", code=2).stderr
    assert "no --mapping, expected which column is which signal. See what is there" in refused and refused.count("\n") == 1


def test_arrays_without_a_mapping(tmp_path: Path) -> None:
    np.savez(tmp_path / "log.npz", time=T, positions=Q, effort=TAU, note=np.array(["x"]))
    text = json.loads(run("import", tmp_path / "log.npz", "--preview", "--json").stdout)["mapping"]
    found = tomllib.loads(text)
    assert (found["time"], found["q"], found["tau"]) == ("time", "positions", "effort")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{log}", "--mapping", "{map}"), "optid import: no file to write, expected -o FILE.h5, or --preview to look only."),
        (("{log}", "--mapping", "{map}", "--preview", "--effort", "torque"), "effort: given for"),
        (("nowhere.mcap", "--preview"), "recording nowhere.mcap: not found, expected a rosbag2 folder, .db3, .mcap"),
        (("{folder}", "--preview"), "no metadata.yaml, expected a rosbag2 folder"),
        (
            ("{pickle}", "--preview"),
            "a Python pickle, expected a rosbag2 folder, .db3, .mcap, a text table (.csv, .txt), .mat or .npz. Pickles are never opened",
        ),
        (("{array}", "--preview"), "a single NumPy array"),
        (("{gzip}", "--preview"), "a compressed file"),
        (("{hdf5}", "--preview"), "an HDF5 file, expected a rosbag2 folder"),
    ],
)
def test_refusals_are_one_sentence(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    heads = {"pickle": b"\x80\x04\x95", "array": b"\x93NUMPY\x01", "gzip": b"\x1f\x8b\x08", "hdf5": b"\x89HDF\r\n\x1a\n"}
    for name, head in heads.items():
        (tmp_path / name).write_bytes(head + bytes(600))
    (tmp_path / "empty").mkdir()
    places = {"log": table(tmp_path), "map": tmp_path / "map.toml", "folder": tmp_path / "empty", **{name: tmp_path / name for name in heads}}
    result = run("import", *(x.format(**places) for x in arguments), code=2)
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_ros_recordings(tmp_path: Path) -> None:
    pytest.importorskip("rosbags", reason="the extra formats is not installed")
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    state, header, time = (store.types[x] for x in ("sensor_msgs/msg/JointState", "std_msgs/msg/Header", "builtin_interfaces/msg/Time"))
    names = [UR.joint_names[k] for k in SORTED]
    for storage in StoragePlugin:
        with Writer(tmp_path / storage.name, version=9, storage_plugin=storage) as writer:
            for topic in ("/joint_states", "/other"):
                connection = writer.add_connection(topic, "sensor_msgs/msg/JointState", typestore=store)
                for k in range(len(T)):
                    message = state(header(time(k // 100, k % 100 * 10**7), ""), names, *(np.ascontiguousarray(x[k, SORTED]) for x in (Q, DQ, TAU)))
                    writer.write(connection, 10**7 * k, store.serialize_cdr(message, "sensor_msgs/msg/JointState"))
        command = ("import", tmp_path / storage.name, "--robot", "library:ur10e", "-o", tmp_path / "a.h5", "--yes", "--overwrite")
        said = run(*command, code=2).stderr
        assert "joint states on 2 topics: /joint_states (1000), /other (1000), expected one topic. Say which: --topic." in said
        said = run(*command, "--topic", "/joint_states", code=2).stderr
        assert "not said what it is, expected torque or current or none. Some drivers publish motor current [A]: say --effort." in said
        shown = run(*command, "--topic", "/joint_states", "--effort", "torque", "--role", "validation").stdout
        assert "suspected" not in shown and f"written: {tmp_path / 'a.h5'}" in shown
        trial = read_experiment(tmp_path / "a.h5").trials[storage.name]
        assert trial.role == "validation" and trial.joint_names == UR.joint_names
        assert all(np.array_equal(getattr(trial, what), value) for what, value in (("time", T), ("q", Q), ("dq", DQ), ("tau", TAU)))
    wrong = json.loads(run(*command[:2], "--topic", "/other", "--effort", "current", "--preview", "--json").stdout)
    assert {c["signal"] for c in wrong["columns"]} == {"q", "dq", "current"} and wrong["columns"][0]["joint"] == "elbow"
