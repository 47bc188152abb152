"""The file of a tuning: damaged, edited, or of something else, it is refused in a sentence; what is read is what was written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from optid.errors import FileError, OptidError
from optid.experiment import Trial, read_experiment
from optid.flexibility.objectives import TailRule
from optid.flexibility.rapid_run import RapidRun
from optid.flexibility.session import TuningSession
from optid.flexibility.session_report import SessionReport
from optid.flexibility.settings import SafetyLimits, TuningSettings

ODD = [None, "x", "", np.nan, -1, 0, 1.5, np.array([]), np.array([1.0, 2.0, 3.0]), {}, {"a": 1}, ["a"], 1e300, np.inf, [[1, 2], [3]], 1j, b"x"]


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> TuningSession:
    """Five runs of random vibration, one of them failed."""
    limits = SafetyLimits(max_torque=(80.0, 90.0))
    session = TuningSession.create(tmp_path_factory.mktemp("tuned") / "t.h5", TuningSettings(TailRule(0.02), budget=5, gears=(3.0, 2.0), limits=limits))
    session.remember({"move": RapidRun((0.0,) * 6, (0.0, 0.1, 0.1, 0.0, 0.0, 0.0)).to_mapping()})
    rng = np.random.default_rng(0)
    while (request := session.ask()) is not None:
        if request.number == 2:
            session.fail(2, "stopped")
            continue
        time = np.arange(80) / 1e3
        session.tell(request.number, Trial(time=time, q=np.zeros((80, 2)), tau=rng.standard_normal((80, 2)), joint_names=("axis2", "axis3")))
    return session


def outcome(read: Callable[[Mapping[str, Any]], Any], mapping: Mapping[str, Any]) -> Any:
    """What is read, or the error of optid; any other error goes through."""
    try:
        return read(mapping)
    except OptidError as error:
        return error


def same(one: SessionReport, other: SessionReport) -> bool:
    return bool(one.runs == other.runs and one.verdicts == other.verdicts and one.message == other.message and np.array_equal(one.upsilon, other.upsilon))


@pytest.mark.parametrize("count", [60, pytest.param(1000, marks=pytest.mark.slow)])
def test_bits_that_flip(tuned: TuningSession, tmp_path: Path, count: int) -> None:
    """Anywhere in the file: a sentence, or nothing changed; never another answer, and no bare error of a library."""
    data, whole = tuned.path.read_bytes(), TuningSession.load(tuned.path).report()
    rng, bad, told = np.random.default_rng(count), tmp_path / "bad.h5", 0
    for _ in range(count):
        broken = bytearray(data)
        for at in rng.integers(len(data), size=rng.integers(1, 4)):
            broken[at] ^= int(rng.integers(1, 256))
        bad.write_bytes(broken if rng.random() < 0.9 else broken[: rng.integers(len(data))])
        try:
            session = TuningSession.load(bad)
            found = session.report()
            session.ask()
        except OptidError as error:
            told += 1
            assert "bad.h5" in str(error)
        else:
            assert same(found, whole)
    assert told > count / 3


@pytest.mark.parametrize("what", ["budget", "limits/max_step", "rule/start", "seed"])
def test_settings_that_were_edited(tuned: TuningSession, tmp_path: Path, what: str) -> None:
    """A limit that was changed in the file reaches no robot."""
    path = tmp_path / "t.h5"
    path.write_bytes(tuned.path.read_bytes())
    group, _, name = f"design/{what}".rpartition("/")
    with h5py.File(path, "r+") as file:
        where = file[group]
        if name in where.attrs:
            where.attrs.modify(name, where.attrs[name] + 1)
        else:
            where[name][...] = where[name][()] + 1
    with pytest.raises(FileError, match="settings that are not those written, expected the settings of a tuning"):
        TuningSession.load(path)


def test_recordings_that_were_edited(tuned: TuningSession, tmp_path: Path) -> None:
    path = tmp_path / "t.h5"
    path.write_bytes(tuned.path.read_bytes())
    with h5py.File(path, "r+") as file:
        file["trials/run 0003/tau"][5, 0] += 1e-9
    with pytest.raises(FileError, match=r"trial 'run 0003' in file .*: not what was written"):
        TuningSession.load(path)
    with h5py.File(path, "r+") as file:
        del file["trials/run 0003"]
    with pytest.raises(FileError, match="Runs of a tuning must not be removed, added or changed"):
        TuningSession.load(path)


def test_settings_of_wrong_kinds(tuned: TuningSession) -> None:
    """Every entry replaced by every odd value: refused, unless the settings are still those that were written."""
    design = dict(read_experiment(tuned.path).design)
    changed = [{**design, name: value} for name in design for value in ODD]
    changed += [{**design, name: {**design[name], key: value}} for name in ("rule", "limits") for key in design[name] for value in ODD]
    refused = 0
    for mapping in changed:
        found = outcome(lambda values: TuningSettings.from_mapping(values, "file t.h5"), mapping)
        refused += isinstance(found, FileError)
        assert isinstance(found, FileError) or found.to_mapping()["digest"] == design["digest"]
    assert refused > 0.8 * len(changed)


def test_moves_of_wrong_kinds() -> None:
    """Every entry replaced by every odd value: refused, or a move that is written as it was read."""
    move = RapidRun((0.0,) * 6, (0.1,) * 6).to_mapping()
    for mapping in ({**move, name: value} for name in move for value in ODD):
        found = outcome(RapidRun.from_mapping, mapping)
        assert isinstance(found, OptidError) or RapidRun.from_mapping(found.to_mapping()) == found


@pytest.mark.parametrize(
    "change",
    [{"budget": "x"}, {"budget": 0}, {"step": 1.5}, {"seed": -1}, {"options": None}, {"axes": ["a"]}, {"axes": (0, 5)}, {"start": "warm"}, {"gears": 0.0}]
    + [{"gears": ((1.0, 1.0), (1.0, 1.0))}, {"limits": None}, {"rule": None}, {"solver": 3}, {"names": ()}, {"names": ("a", "a")}, {"lower": (1, 2, 3)}],
)
def test_settings_that_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(OptidError, match="of a tuning"):
        replace(TuningSettings(TailRule(0.02)), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Prüfstand 3 – Zelle.h5", "a b.h5", "雪.h5"])
def test_names_of_files(tmp_path: Path, name: str) -> None:
    session = TuningSession.create(tmp_path / name, TuningSettings(TailRule(0.02)))
    session.fail(1, "Not-Aus: Tür offen")
    assert TuningSession.load(tmp_path / name).report().verdicts[0].unsafe == "Not-Aus: Tür offen"


def test_a_folder_that_is_read_only_or_gone(tuned: TuningSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is stored, here or there, and the sentence names the file, or the folder that is gone."""
    (tmp_path / "place").mkdir()
    session = TuningSession.create(tmp_path / "place" / "t.h5", TuningSettings(TailRule(0.02)))
    real = open

    def refuse(path: object, *rest: object, **more: object) -> object:
        if str(path).endswith(".lock"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(FileError, match=r"t\.h5: no permission"):
        session.fail(1, "x")
    monkeypatch.undo()
    assert session.trials == []
    (tmp_path / "place").rename(tmp_path / "gone")
    with pytest.raises(FileError, match=r"folder .*place: not found, expected an existing folder for t\.h5\."):
        session.fail(1, "x")
    assert session.trials == []
    (tmp_path / "gone").rename(tmp_path / "place")
    assert session.fail(1, "x").unsafe == "x"
