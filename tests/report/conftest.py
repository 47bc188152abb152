"""A two-joint arm with noise, fitted and validated."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import optid
from optid import BaseParameters, DHRow, DynamicModel, Limits, Preprocessing, Robot, Trial, identify, validate
from optid.library import planar_2r
from optid.problems import Excitation, ExcitationResult, IdentificationResult
from optid.report.page import at, shown
from optid.robot import Link
from optid.validation import ValidationResult


@dataclass(frozen=True)
class Case:
    """A fit, a validation, and the robot's true base parameters."""

    fit: IdentificationResult
    validation: ValidationResult
    truth: np.ndarray


class Page(HTMLParser):
    """What a page shows and loads.

    Attributes
    ----------
    loads : addresses of images and links
    text : all text, without scripts and styles
    facts : (pointer, value as machines read it, style, text) of every number and text that says where it is from
    rest : text that does not say so
    """

    VOID = ("meta", "img", "link", "br", "line", "rect")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.text = self.rest = ""
        self.facts: list[tuple[str, str | None, str | None, str]] = []
        self.scripts: list[str] = []
        self._open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "srcset", "data") and value]
        self.loads += [value for name, value in attrs if name == "href" and value and not value.startswith("#")]
        if tag not in self.VOID:
            self._open.append((tag, given, []))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1][2].append(data)

    def handle_endtag(self, tag: str) -> None:
        name, given, parts = self._open.pop()
        assert name == tag, f"<{name}> closed by </{tag}>"
        text = "".join(parts)
        if tag == "script" and "type" not in given:
            self.scripts.append(text)
        if tag in ("script", "style", "title"):
            return
        self.text += text
        if given.get("data-path") is not None:
            self.facts.append((str(given["data-path"]), given.get("value"), given.get("data-style"), text))
        elif given.get("data-key") is None:
            self.rest += f" {text}"
        if self._open:
            self._open[-1][2].append(" ")


CONSTANTS = r"95 %|50 %|R²|results\.h5|difference / σ|±2 σ"
"""Figures that belong to the wording."""


def assert_page_equals(page: Page, facts: Any) -> None:
    """Every number and text is the fact it says it is, in the style it says; no other digit is on the page."""
    assert page.facts
    for pointer, machine, style, text in page.facts:
        value = at(facts, pointer)
        if machine is None:
            assert text == str(value), pointer
        else:
            assert (None if machine == "" else json.loads(machine)) == value, pointer
            assert text == shown(value, style or ""), pointer
    stray = re.sub(CONSTANTS, "", page.rest)
    assert not re.search(r"\d", stray), re.findall(r".{0,40}\d.{0,20}", stray)


def recording(model: DynamicModel, name: str, role: str, seed: int, noise: float = 0.1, seconds: float = 10.0, torque: bool = True) -> Trial:
    """Two sines a joint at 200 Hz; without ``torque`` the torque is nothing but noise."""
    rng = np.random.default_rng(seed)
    t = np.arange(0, seconds, 0.005)
    w = 2 * np.pi * rng.uniform(0.2, 0.8, (2, model.n))
    phase = rng.uniform(0, 6, (2, model.n))
    angle = t[:, None, None] * w + phase
    q, dq, ddq = np.sin(angle).sum(1), (w * np.cos(angle)).sum(1), -(w**2 * np.sin(angle)).sum(1)
    tau = model.inverse_dynamics(model.nominal_parameters(), q, dq, ddq) if torque else np.zeros_like(q)
    return Trial(t, q, dq, ddq, tau + noise * rng.normal(size=tau.shape), joint_names=model.robot.joint_names, name=name, role=role)


@pytest.fixture(scope="session")
def arm() -> DynamicModel:
    links = [Link("upper", 3.0, (-0.6, 0.0, 0.0), (0.01, 0, 0, 0.3, 0, 0.3)), Link("lower", 2.0, (-0.3, 0.05, 0.0), (0.01, 0, 0, 0.1, 0, 0.1))]
    rows = [DHRow(a=0.5), DHRow(a=0.4)]
    robot = Robot.from_dh(rows, "standard", (0.0, -9.81, 0.0), links=links, joint_names=("shoulder", "elbow"), name="two & <joints>")
    return DynamicModel(robot.with_friction(0.5, 0.8), ("viscous", "coulomb"))


@pytest.fixture(scope="session")
def case(arm: DynamicModel) -> Case:
    base = BaseParameters.of(arm)
    options = Preprocessing(cutoff=None, min_speed=0)
    fit = identify(base, recording(arm, "training", "identification", 0), preprocessing=options)
    return Case(fit, validate(fit, recording(arm, "task <1>", "validation", 1)), base.beta(arm.nominal_parameters()))


@pytest.fixture(scope="session")
def designed() -> ExcitationResult:
    """From two starts, for a planar arm."""
    model = DynamicModel(planar_2r(), friction="none")
    limits = Limits.of(2, position=1.0, velocity=3.0, acceleration=20.0)
    result: ExcitationResult = optid.solve(Excitation(BaseParameters.of(model), harmonics=2, period=2.0, limits=limits, samples=40), starts=2, seed=0)
    return result
