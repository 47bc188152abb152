"""``optid doctor`` says what is there, and what is missing for what."""

from __future__ import annotations

import json
import os
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import optid
from optid.cli import doctor as room
from optid.cli.app import app

ROOT = Path(__file__).resolve().parents[2]


def findings(code: int = 0) -> dict[str, dict[str, Any]]:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == code, result.output
    said = json.loads(result.stdout)
    assert said["healthy"] is (code == 0)
    return {finding["name"]: finding for finding in said["findings"]}


def test_it_says_what_is_there(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPTID_CACHE_DIR", str(tmp_path / "cache"))
    found = findings()
    assert found["optid"]["found"] == optid.__version__
    for name in room.CORE:
        assert (found[name]["found"], found[name]["state"]) == (version(name), "ok")
    assert found["solvers"]["found"].split(", ") == list(optid.available_solvers())
    assert found["kernel cache"]["found"].startswith(f"{tmp_path / 'cache' / 'kernels'}, mode 700, ")
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert found["memory"]["found"] == f"{pages / 2**30:.1f} GiB"


def test_a_kernel_is_compiled_and_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPTID_CACHE_DIR", str(tmp_path))
    found = findings()
    if found["C compiler"]["state"] != "ok":
        pytest.skip("no C compiler on this machine")
    assert found["trial kernel"]["found"].startswith("compiles, agrees to ") and found["trial kernel"]["state"] == "ok"
    assert len(list((tmp_path / "kernels").glob("kernel-*.so"))) == 1


def test_no_compiler_is_no_fault_of_the_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    found = findings()
    assert found["C compiler"]["found"] == "no C compiler no-such-compiler on PATH" and found["C compiler"]["state"] == "missing"
    assert "trial kernel" not in found
    said = CliRunner().invoke(app, ["doctor"]).stdout
    assert "missing  C compiler" in said and "gcc" in said and said.strip().endswith("Everything that optid needs is there.")


def test_a_cache_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "kernels").write_text("a file")
    monkeypatch.setenv("OPTID_CACHE_DIR", str(tmp_path))
    found = findings()
    assert found["kernel cache"]["state"] == "missing" and "OPTID_CACHE_DIR" in found["kernel cache"]["remedy"]


def test_a_missing_extra_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "find_spec", lambda name: None if name == "mcap" else object())
    found = findings()
    assert (found["mcap"]["state"], found["mcap"]["purpose"]) == ("missing", "recordings in MCAP")
    assert found["mcap"]["remedy"] == "python -m pip install 'optid[formats]'"


def test_a_broken_core_is_exit_code_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> object:
        if name == "h5py":
            raise ImportError("libhdf5.so: cannot open shared object file")
        return object()

    monkeypatch.setattr(room, "import_module", broken)
    found = findings(code=2)
    assert found["h5py"]["state"] == "broken" and "libhdf5.so" in found["h5py"]["found"]
    said = CliRunner().invoke(app, ["doctor"])
    assert said.exit_code == 2 and "python -m pip install --upgrade h5py" in said.stdout and "The core is broken" in said.stdout


def test_every_optional_package_is_looked_for() -> None:
    """The list is that of pyproject.toml."""
    file = ROOT / "pyproject.toml"
    if not file.exists():
        pytest.skip("no pyproject.toml beside the tests")
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    modules = {"dask": "distributed"}
    wanted = {}
    for extra, packages in project["optional-dependencies"].items():
        for package in packages if extra != "dev" else ():
            name = package.split("[")[0].split(">")[0].split("=")[0].strip()
            wanted[modules.get(name, name)] = extra
    assert {module: extra for module, (extra, _) in room.EXTRAS.items()} == wanted
    assert {package.split(">")[0] for package in project["dependencies"]} == set(room.CORE)
