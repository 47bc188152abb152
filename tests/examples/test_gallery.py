"""The gallery shows every example: one idea of at most sixty lines, with a thumbnail, a line on the page and a test of its number."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
EXAMPLES = CHECKOUT / "examples"
TESTS = Path(__file__).parent
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py") if path.stem != "gallery")

SPEC = importlib.util.spec_from_file_location("gallery", EXAMPLES / "gallery.py")
assert SPEC is not None and SPEC.loader is not None
GALLERY = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(GALLERY)


@pytest.mark.parametrize("name", NAMES)
def test_example_is_short_and_tested(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()) <= 60
    assert any(f'run("{name}"' in path.read_text(encoding="utf-8") for path in TESTS.glob("test_*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_example_has_its_thumbnail(name: str) -> None:
    """PNG of 320 pixels, below 40 kB."""
    data = (EXAMPLES / "images" / f"{name}.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) < 40_000
    assert int.from_bytes(data[16:20], "big") == 320


def test_page_shows_every_example_once() -> None:
    """The table between the marks is what  python examples/gallery.py --page  writes."""
    assert sorted(name for names in GALLERY.SECTIONS.values() for name in names) == NAMES
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert GALLERY.with_table(page) == page
    for name in NAMES:
        assert page.count(f"]({name}.py)") == 1
