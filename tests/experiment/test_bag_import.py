"""Recordings of joint states written by rosbags and mcap: the same bits as from arrays, and one sentence for whatever is wrong."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from optid.errors import DataError, DataWarning, FileError, MissingExtraError, MissingFileError, UnknownNameError
from optid.experiment import Mapping, Preview, Trial, import_bag, import_npz, import_recording
from optid.experiment.joint_state import JointStateTable

from .bags import START, as_json, cdr, joint_states, write_mcap, write_rosbag2

pytest.importorskip("rosbags", reason="the extra formats is not installed")
pytest.importorskip("mcap", reason="the extra formats is not installed")

ROBOT = ("pan", "lift", "elbow")
SENT = ("elbow", "gripper", "lift", "pan")  # sorted by name, as many drivers do (C42)
N = 60
STAMPS = START + 2_000_000 * np.arange(N) + np.random.default_rng(3).integers(0, 400_000, N)
RNG = np.random.default_rng(4)
Q, DQ, TAU = (RNG.normal(size=(N, len(SENT))) for _ in range(3))
ORDER = [SENT.index(name) for name in ROBOT]
LATE = 700_000  # the recorder's delay [ns]


def sent(**changes: object) -> list[tuple[int, object]]:
    """What the driver published, with the times it was recorded at."""
    parts = {"names": SENT, "stamps": STAMPS.tolist(), "position": Q, "velocity": DQ, "effort": TAU} | changes
    return [(int(t) + LATE, message) for t, message in zip(STAMPS, joint_states(**parts), strict=True)]  # type: ignore[arg-type]


@pytest.fixture
def plain(tmp_path: Path) -> Trial:
    """The same arrays in the robot's order, from NPZ."""
    np.savez(tmp_path / "plain.npz", t=(STAMPS - STAMPS[0]) / 1e9, q=Q[:, ORDER], dq=DQ[:, ORDER], tau=TAU[:, ORDER])
    return import_npz(tmp_path / "plain.npz", Mapping(time="t", q="q", dq="dq", tau="tau", joint_names=ROBOT))


WRITERS = {
    "sqlite3": lambda path, topics: write_rosbag2(path, topics),
    "sqlite3 file zstd": lambda path, topics: write_rosbag2(path, topics, compression="FILE"),
    "sqlite3 message zstd": lambda path, topics: write_rosbag2(path, topics, compression="MESSAGE"),
    "rosbag2 mcap": lambda path, topics: write_rosbag2(path, topics, "MCAP"),
    "mcap": lambda path, topics: write_mcap(path.with_suffix(".mcap"), topics, compression="NONE"),
    "mcap zstd": lambda path, topics: write_mcap(path.with_suffix(".mcap"), topics),
    "mcap lz4": lambda path, topics: write_mcap(path.with_suffix(".mcap"), topics, compression="LZ4"),
    "mcap json": lambda path, topics: write_mcap(path.with_suffix(".mcap"), topics, encoding="json"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_every_storage_gives_the_bits_of_the_arrays(kind: str, plain: Trial, tmp_path: Path) -> None:
    """C42: another order and a joint of a gripper in the messages."""
    path = WRITERS[kind](tmp_path / "run", {"/joint_states": sent()})
    with pytest.warns(DataWarning, match="the joints gripper are not among those wanted; they are left out"):
        trial = import_recording(path, effort="torque", joint_names=ROBOT)
    assert trial.joint_names == ROBOT and trial.name == "run"
    for what in ("time", "q", "dq", "tau"):
        assert np.array_equal(getattr(trial, what), getattr(plain, what)), what
    assert trial.attributes["topic"] == "/joint_states" and trial.attributes["clock"] == "header" and trial.attributes["start_ns"] == STAMPS[0]


def test_order_of_c42(tmp_path: Path) -> None:
    """The published message: the current of the elbow comes first."""
    names = ["elbow", "shoulder_lift", "shoulder_pan", "wrist_1", "wrist_2", "wrist_3"]
    row = [[-4.1294, -9.2880, -0.1740, -0.4531, 0.2624, -0.0493]]
    path = write_mcap(tmp_path / "a.mcap", {"/joint_states": [(START, joint_states(names, [START], row, row, row)[0])]})
    order = ["shoulder_pan", "shoulder_lift", "elbow", "wrist_1", "wrist_2", "wrist_3"]
    with pytest.warns(DataWarning, match=r"values up to 9\.288, expected radians"):
        trial = import_bag(path, effort="current", joint_names=order)
    assert trial.tau is None
    for value in (trial.q, trial.dq, trial.current):
        assert value is not None and value[0].tolist() == [-0.1740, -9.2880, -4.1294, -0.4531, 0.2624, -0.0493]
    with pytest.raises(UnknownNameError, match=r"joint in recording .*'shoulder_pam': unknown name.*Did you mean 'shoulder_pan'"):
        import_bag(path, effort="current", joint_names=["shoulder_pam", *order[1:]])


def test_orders_may_change_between_messages_and_other_robots_may_speak(plain: Trial, tmp_path: Path) -> None:
    back = list(reversed(SENT))
    turned = sent(names=back, position=Q[:, ::-1], velocity=DQ[:, ::-1], effort=TAU[:, ::-1])
    mixed = [turned[k] if k % 3 else entry for k, entry in enumerate(sent())]
    other = joint_states(["finger"], STAMPS.tolist(), Q[:, :1], DQ[:, :1], frame="a longer frame")
    both = sorted([*mixed, *((int(t) + 1000, m) for t, m in zip(STAMPS, other, strict=True))], key=lambda entry: entry[0])
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": both})
    with pytest.warns(DataWarning, match="the joints finger, gripper are not among"):
        trial = import_bag(path, effort="torque", joint_names=ROBOT)
    assert np.array_equal(trial.q, plain.q) and np.array_equal(trial.tau, plain.tau)
    with pytest.raises(DataError, match="messages of different joints: finger; pan, lift, gripper, elbow, expected the same joints"):
        import_bag(path, effort="torque")


def test_clock_of_the_recorder(tmp_path: Path) -> None:
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent()})
    log = import_bag(path, effort="none", clock="log")
    assert log.tau is None and log.attributes["start_ns"] == STAMPS[0] + LATE and np.array_equal(log.time, (STAMPS - STAMPS[0]) / 1e9)
    path = write_mcap(tmp_path / "unstamped.mcap", {"/joint_states": sent(stamps=[0] * N)})
    with pytest.warns(DataWarning, match="hold no stamps; the times they were recorded at are taken"):
        assert np.array_equal(import_bag(path, effort="none").time, log.time)


def test_a_mapping_gives_units_and_gains(tmp_path: Path) -> None:
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent()})
    mapping = Mapping(
        q="position", dq="velocity", current="effort", time="header", units={"q": "deg"}, gains=[2.0, 3.0, 4.0], joint_names=ROBOT, role="validation"
    )
    with pytest.warns(DataWarning, match="gripper"):
        trial = import_bag(path, mapping)
    assert trial.joint_names == ROBOT and trial.role == "validation"
    assert trial.q == pytest.approx(np.radians(Q[:, ORDER]), rel=1e-15) and trial.tau == pytest.approx(TAU[:, ORDER] * [2, 3, 4], rel=1e-15)
    with pytest.raises(DataError, match="effort: given beside a mapping"):
        import_bag(path, mapping, effort="torque")
    with pytest.raises(UnknownNameError, match=r"'torque': unknown name, expected one of position, velocity, effort, header, log"):
        import_bag(path, Mapping(q="position", tau="torque", time="log"))


def test_effort_is_said_and_not_guessed(tmp_path: Path) -> None:
    """C40: the effort of some drivers is motor current."""
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent()})
    with pytest.raises(DataError, match=r"effort of recording .*: not said what it is, expected torque or current or none. Some drivers publish motor current"):
        import_bag(path)
    with pytest.raises(UnknownNameError, match=r"effort 'torqe': unknown name.*Did you mean 'torque'"):
        import_bag(path, effort="torqe")
    path = write_mcap(tmp_path / "bare.mcap", {"/joint_states": sent(velocity=None, effort=None)})
    trial = import_bag(path)
    assert trial.dq is None and trial.tau is None and np.array_equal(trial.q, Q)
    with pytest.raises(DataError, match=r"none in any message, expected the torque. Say effort='none'"):
        import_bag(path, effort="torque")
    path = write_mcap(tmp_path / "nan.mcap", {"/joint_states": sent(effort=np.full_like(TAU, np.nan))})
    with pytest.warns(DataWarning, match="effort is not a number in all 60 messages; it is left out"):
        assert import_bag(path).tau is None


@pytest.mark.parametrize("empty", ["velocity", "effort"])
@pytest.mark.parametrize("names", [SENT, ("a", "b", "c", "dddd")])
def test_lists_that_are_empty(empty: str, names: tuple[str, ...], tmp_path: Path) -> None:
    """On either side of a multiple of eight bytes."""
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent(names=names, **{empty: None})})
    trial = import_bag(path, effort="torque" if empty == "velocity" else None)
    assert np.array_equal(trial.q, Q)
    assert (trial.dq is None) == (empty == "velocity") and (trial.tau is None) == (empty == "effort")
    assert trial.tau is None or np.array_equal(trial.tau, TAU)


def test_big_endian_messages() -> None:
    import struct

    data = b"\x00\x00\x00\x00" + struct.pack(">iII1sxxxI", 7, 9, 1, b"\x00", 1) + struct.pack(">I2sxx", 2, b"j\x00") + struct.pack(">I", 1)
    data += bytes(-(len(data) - 4) % 8) + struct.pack(">dII", 0.25, 0, 0)
    table = JointStateTable()
    table.add("cdr", 5, data)
    (group,) = table.groups()
    assert group.names == ("j",) and group.values["position"].tolist() == [[0.25]] and group.stamp.tolist() == [7_000_000_009] and not table.bad


def test_topics_are_chosen_and_named(tmp_path: Path) -> None:
    path = write_rosbag2(tmp_path / "run", {"/left/joint_states": sent(), "/right/joint_states": sent()[:3], "/chatter": [(START, "hello")]})
    with pytest.raises(FileError, match=r"joint states on 2 topics: /left/joint_states \(60\), /right/joint_states \(3\), expected one topic"):
        import_bag(path, effort="torque")
    assert import_bag(path, effort="torque", topic="/right/joint_states").n_samples == 3
    with pytest.raises(UnknownNameError, match=r"'/letf/joint_states': unknown name.*Did you mean '/left/joint_states'"):
        import_bag(path, effort="torque", topic="/letf/joint_states")
    with pytest.raises(FileError, match="topic /chatter: messages of type std_msgs/msg/String, expected sensor_msgs/msg/JointState"):
        import_bag(path, effort="torque", topic="/chatter")
    path = write_rosbag2(tmp_path / "other", {"/chatter": [(START, "hello")]})
    with pytest.raises(FileError, match=r"/chatter \(std_msgs/msg/String\), expected messages of type sensor_msgs/msg/JointState"):
        import_bag(path, effort="torque")


def test_empty_recordings(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no topic at all, expected messages of type"):
        import_bag(write_rosbag2(tmp_path / "none", {}))
    with pytest.raises(FileError, match="topic /joint_states: 3 messages, none with a joint"):
        import_bag(write_mcap(tmp_path / "nobody.mcap", {"/joint_states": list(enumerate(joint_states([], [1, 2, 3], np.zeros((3, 0)))))}))
    (tmp_path / "empty.mcap").write_bytes(b"")
    with pytest.raises(FileError, match="an empty file, expected a rosbag2 folder"):
        import_bag(tmp_path / "empty.mcap")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match=r"no metadata\.yaml, expected a folder made by  ros2 bag record"):
        import_bag(tmp_path / "folder")
    with pytest.raises(MissingFileError, match="not found, expected a rosbag2 folder"):
        import_bag(tmp_path / "nowhere")
    (tmp_path / "old.bag").write_bytes(b"#ROSBAG V2.0\n" + bytes(100))
    with pytest.raises(FileError, match=r"a ROS 1 bag, .*rosbags-convert --src old.bag --dst old"):
        import_recording(tmp_path / "old.bag", effort="torque")


@pytest.mark.parametrize("kind", ["sqlite3", "rosbag2 mcap", "mcap zstd", "mcap"])
def test_cut_recordings(kind: str, plain: Trial, tmp_path: Path) -> None:
    """Every cut is one sentence; with ``partial`` an MCAP gives the messages before it, unchanged."""
    path = WRITERS[kind](tmp_path / "run", {"/joint_states": sent()})
    file = path if path.is_file() else next(x for x in path.iterdir() if x.suffix != ".yaml")
    whole = file.read_bytes()
    for share in (0.001, 0.1, 0.5, 0.9, 0.99):
        file.write_bytes(whole[: int(share * len(whole))])
        with pytest.raises((FileError, DataError), match=r"expected .*\.") as caught:
            import_recording(path, effort="torque")
        assert "\n" not in str(caught.value)
    if kind.startswith("mcap"):
        file.write_bytes(whole[: int(0.7 * len(whole))])
        with pytest.warns(DataWarning, match=r"damaged or cut short after \d+ joint states .*; what was read is taken|gripper"):
            trial = import_bag(path, effort="torque", joint_names=ROBOT, partial=True)
        assert 5 < trial.n_samples < N and np.array_equal(trial.q, plain.q[: trial.n_samples])


def test_a_folder_without_its_metadata_names_the_way_out(tmp_path: Path) -> None:
    path = write_rosbag2(tmp_path / "run", {"/joint_states": sent()}, "MCAP")
    (path / "metadata.yaml").unlink()
    with pytest.raises(FileError, match=r"no metadata\.yaml, .*ros2 bag reindex .*run  or give the file run\.mcap itself"):
        import_recording(path, effort="torque")
    assert np.array_equal(import_recording(path / "run.mcap", effort="torque").q, Q)
    path = write_rosbag2(tmp_path / "other", {"/joint_states": sent()})
    (path / "metadata.yaml").unlink()
    assert np.array_equal(import_recording(path / "other.db3", effort="torque").q, Q)


def test_equal_stamps_are_told(tmp_path: Path) -> None:
    stamps = STAMPS.copy()
    stamps[5] = stamps[4]
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent(stamps=stamps.tolist())})
    with pytest.warns(DataWarning, match="1 stamps equal to the one before"):
        trial = import_bag(path, effort="torque")
    assert trial.n_samples == N and Preview.of(trial).pace.equal == 1


def test_messages_that_are_no_good(tmp_path: Path) -> None:
    good = sent()
    bad = [(t, cdr(m)) for t, m in good]
    bad[7] = (bad[7][0], bad[7][1][:50])
    bad[9] = (bad[9][0], cdr(joint_states(["a", "a"], [START], [[1.0, 2.0]])[0]))
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": bad})
    with pytest.raises(FileError, match=r"topic /joint_states, message 7: 50 bytes that end within .*2 messages are like that. Pass partial=True"):
        import_bag(path, effort="torque")
    with pytest.warns(DataWarning, match="2 of 60 messages cannot be read; left out"):
        assert np.array_equal(import_bag(path, effort="torque", partial=True).q, np.delete(Q, [7, 9], axis=0))
    tau = TAU.copy()
    tau[11, 2] = np.nan
    path = write_mcap(tmp_path / "nan.mcap", {"/joint_states": sent(effort=tau)})
    with pytest.raises(DataError, match=r"message 11, effort of joint 'lift' \(tau\): nan, expected a finite number"):
        import_bag(path, effort="torque")
    back = STAMPS.copy()
    back[20:] -= 10**12
    path = write_mcap(tmp_path / "back.mcap", {"/joint_states": sent(stamps=back.tolist())})
    with pytest.raises(DataError, match="message 20: the stamp goes back"):
        import_bag(path, effort="torque")
    some = sent()
    some[5] = (some[5][0], joint_states(SENT, [int(STAMPS[5])], Q[5:6], None, TAU[5:6])[0])
    path = write_mcap(tmp_path / "some.mcap", {"/joint_states": some})
    with pytest.raises(DataError, match=r"message 5: no velocity, expected velocity as in the other messages. 1 messages are like that"):
        import_bag(path, effort="torque")
    with pytest.warns(DataWarning, match="59 good messages of 60"):
        assert np.array_equal(import_bag(path, effort="torque", partial=True).dq, np.delete(DQ, 5, axis=0))


def test_other_encodings_are_refused(tmp_path: Path) -> None:
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": [(START, b"\x00" * 30)]}, encoding="ros1")
    with pytest.raises(DataError, match=r"messages encoded as 'ros1', expected CDR .*rosbags-convert"):
        import_bag(path, effort="torque")


def test_names_in_any_script(tmp_path: Path) -> None:
    names = ["关节1", "Gelenk ü", "j/3"]
    for encoding in ("cdr", "json"):
        path = write_mcap(tmp_path / "run.mcap", {"/joint_states": [(START, m) for m in joint_states(names, [START], Q[:1, :3])]}, encoding=encoding)
        assert import_bag(path).joint_names == tuple(names)
    message = as_json(joint_states(["j"], [START], [[0.0]])[0]).replace(b"[0.0]", b"[null]")
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": [(START, message)]}, encoding="json")
    with pytest.raises(DataError, match="no position in any message"), pytest.warns(DataWarning, match="position is not a number in all 1 messages"):
        import_bag(path)


def test_hostile_counts_allocate_nothing() -> None:
    table = JointStateTable()
    data = bytearray(cdr(joint_states(["a", "b"], [START], [[1.0, 2.0]])[0]))
    for at in range(12, len(data) - 4, 4):
        evil = bytes(data[:at]) + b"\xff\xff\xff\x7f" + bytes(data[at + 4 :])
        table.add("cdr", 0, evil)
    assert len(table.bad) >= 4 and all(len(text) < 200 for text in table.bad.values())


def test_many_messages_take_the_room_of_their_numbers() -> None:
    """7 joints, position, velocity and effort: 168 bytes of numbers a message, at most three times that on the way."""
    data = cdr(joint_states([f"joint_{k}" for k in range(7)], [START], *np.ones((3, 1, 7)))[0])
    count = 100_000
    tracemalloc.start()
    table = JointStateTable()
    for k in range(count):
        table.add("cdr", k, data)
    (group,) = table.groups()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert group.values["effort"].shape == (count, 7) and group.log[-1] == count - 1
    assert peak < 3 * count * 21 * 8


def test_chunks_that_would_fill_the_memory_are_refused(tmp_path: Path) -> None:
    """A chunk says how large it becomes: the field is overwritten by 2 GiB."""
    path = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent()})
    data = bytearray(path.read_bytes())
    chunk = data.index(b"\x06", 8 + 9)  # the opcode after the header record
    while data[chunk + 1 + 8 + 16 + 8 + 4 :][:4] != (4).to_bytes(4, "little"):  # name of the compression: zstd
        chunk = data.index(b"\x06", chunk + 1)
    data[chunk + 9 + 16 : chunk + 9 + 24] = (2**31).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(FileError, match=r"damaged or cut short after 0 joint states \(a chunk of 2147483648 bytes\)"):
        import_bag(path, effort="torque")


def test_a_database_that_is_no_recording(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db3") as database:
        database.execute("CREATE TABLE pets (name TEXT)")
    database.close()
    with pytest.raises(FileError, match=r"a\.db3: .*, expected .*") as caught:
        import_recording(tmp_path / "a.db3", effort="torque")
    assert "\n" not in str(caught.value)


def test_a_missing_extra_is_one_sentence(tmp_path: Path) -> None:
    bag = write_rosbag2(tmp_path / "run", {"/joint_states": sent()})
    mcap = write_mcap(tmp_path / "run.mcap", {"/joint_states": sent()})
    code = """
import sys
sys.modules["rosbags"] = sys.modules["mcap"] = None
from optid.errors import MissingExtraError
from optid.experiment import import_bag
for path in sys.argv[1:]:
    try:
        import_bag(path, effort="torque")
    except MissingExtraError as error:
        print(error)
"""
    said = subprocess.run([sys.executable, "-c", code, str(bag), str(mcap)], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == [f"{name} is not installed: install it with  pip install 'optid[formats]'." for name in ("rosbags", "mcap")]
    assert issubclass(MissingExtraError, ImportError)
