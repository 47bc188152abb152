"""The package as it is installed: what is in it, and under which names."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import optid
import optid.problems
import optid.solvers

CHECKOUT = Path(__file__).resolve().parents[2]
SETUP = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]


def run(code: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=120)


def test_every_package_is_listed() -> None:
    """A folder that is not in pyproject.toml would be missing from the wheel."""
    found = {".".join(path.parent.relative_to(CHECKOUT).parts) for path in (CHECKOUT / "optid").rglob("__init__.py") if not path.parent.is_symlink()}
    found |= {
        "optid." + ".".join(path.parent.relative_to(CHECKOUT).parts) for root in ("problems", "solvers") for path in (CHECKOUT / root).rglob("__init__.py")
    }
    found = {name for name in found if ".problems." not in name and ".solvers." not in name} | {"optid.problems", "optid.solvers"}
    assert found == set(SETUP["packages"])


def test_every_data_file_is_listed() -> None:
    """Whatever is not Python in the package is package data."""
    listed = {path for package, patterns in SETUP["package-data"].items() for p in patterns for path in (CHECKOUT / package.replace(".", "/")).glob(p)}
    present = {p for p in (CHECKOUT / "optid").rglob("*") if p.is_file() and p.suffix not in (".py", ".pyc")}
    assert present == listed


@pytest.mark.parametrize("name", ["problems", "solvers"])
def test_generic_names_are_refused(name: str) -> None:
    """As plain top-level packages the two names would collide with a user's own."""
    done = run(f"import {name}", CHECKOUT)
    assert done.returncode != 0
    assert f"import optid.{name}" in done.stderr
    assert (CHECKOUT / "optid" / name).resolve() == CHECKOUT / name


def test_a_users_own_problems_module_stays_theirs(tmp_path: Path) -> None:
    (tmp_path / "problems.py").write_text("mine = True\n")
    done = run("import problems, optid.problems; print(problems.mine, optid.problems.__name__)", tmp_path)
    assert done.stdout.split() == ["True", "optid.problems"], done.stderr


def test_suite_runs_against_the_installed_package() -> None:
    """Set by the run against the wheel: the package under test must not be the checkout's."""
    if "OPTID_INSTALLED" not in os.environ:
        pytest.skip("only for a run against the built wheel (OPTID_INSTALLED is not set)")
    assert "site-packages" in Path(optid.__file__).parts
    assert "site-packages" in Path(optid.problems.__file__).parts
    assert "site-packages" in Path(optid.solvers.__file__).parts


def test_import_is_light(tmp_path: Path) -> None:
    """``import optid`` loads neither CasADi nor SciPy nor nevergrad nor matplotlib."""
    heavy = ("casadi", "scipy", "nevergrad", "matplotlib", "h5py", "typer")
    done = run(f"import sys, optid; print([m for m in {heavy!r} if m in sys.modules])", tmp_path)
    assert done.stdout.strip() == "[]", done.stderr


def test_public_names_exist() -> None:
    assert [name for name in optid.__all__ if getattr(optid, name, None) is None] == []


def test_version_is_stated_once() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf8"))["project"]
    assert project["version"] == optid.__version__
