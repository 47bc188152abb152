"""Where the points of a complex may lie: bounds, implicit constraints, and neighbours on a grid of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from optid.problems.forms import BlackBox

from .box import Box
from .run import Run

HALVINGS = 12
FRESH_RADIUS = 3
DRAWS = 1000


class Admission:
    """Moves a point, in box coordinates, to where it may be evaluated."""

    def __init__(self, form: BlackBox, box: Box) -> None:
        self.form, self.box = form, box

    def allowed(self, u: np.ndarray) -> bool:
        """Whether no implicit constraint is violated at ``u`` (d,)."""
        return self.form.violation is None or self.form.implicit(self.box.to_x(u)) <= 0

    def draw(self, low: np.ndarray, high: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A point drawn uniformly between ``low`` and ``high``, drawn again, up to a limit, while it is not allowed.

        Halving the way to the centroid instead, as Box does, would pull all coordinates in when one of them breaks a constraint.
        """
        for _ in range(DRAWS):
            u = low + rng.random(self.box.size) * (high - low)
            if self.allowed(u):
                break
        return u

    def admit(self, u: np.ndarray, centre: np.ndarray, best: np.ndarray) -> np.ndarray:
        """Put ``u`` on the bounds it exceeds, then halve the way to the centroid, then to the best point, until it is allowed.

        Both series are bounded; ``best`` itself, which is allowed, ends the second.
        """
        u = np.clip(u, 0.0, 1.0)
        for target in (centre, best):
            for _ in range(HALVINGS):
                if self.allowed(u):
                    return u
                u = 0.5 * (u + target)
        return u if self.allowed(u) else best


def neighbours(form: BlackBox, box: Box, x: np.ndarray, run: Run) -> Iterator[np.ndarray]:
    """Unknown, allowed whole-number neighbours of ``x`` (n,): all of them up to two free variables, along the axes above."""
    offsets: list[tuple[int, ...]] = []
    if box.size <= 2:
        offsets = [step for step in product((-1, 0, 1), repeat=box.size) if any(step)]
    else:
        offsets = [tuple(sign if i == j else 0 for j in range(box.size)) for i in range(box.size) for sign in (-1, 1)]
    for step in offsets:
        other = np.array(x)
        other[box.free] += step
        if _new(form, other, run):
            yield other


def fresh_neighbour(form: BlackBox, box: Box, x: np.ndarray, run: Run) -> np.ndarray | None:
    """An unknown, allowed point at most a few steps from ``x``, the nearest ring first, drawn at random within it; ``None`` when all are known."""
    for radius in range(1, FRESH_RADIUS + 1):
        for _ in range(4 * 3 ** min(box.size, 3)):
            other = np.array(x)
            other[box.free] += run.rng.integers(-radius, radius + 1, box.size)
            other = form.snap(other)
            if _new(form, other, run):
                return other
    return None


def _new(form: BlackBox, x: np.ndarray, run: Run) -> bool:
    inside = np.all((x >= form.lower) & (x <= form.upper))
    return bool(inside and tuple(map(float, x)) not in run.known and form.implicit(x) <= 0)
