"""A joint that turns round is not a joint that stands."""

from __future__ import annotations

import numpy as np

from optid.signals.selection import standing


def test_short_pauses_are_not_standstill() -> None:
    """At 100 Hz, nine slow samples are a turn and ten are a stop of 0.1 s."""
    moves = np.ones((60, 2), dtype=bool)
    moves[5:14, 0] = False
    moves[30:40, 0] = False
    moves[50:, 1] = False
    found = standing(moves, 100.0)
    assert np.flatnonzero(found[:, 0]).tolist() == list(range(30, 40))
    assert np.flatnonzero(found[:, 1]).tolist() == list(range(50, 60))


def test_ends_count() -> None:
    assert standing(np.zeros((20, 1), dtype=bool), 100.0).all()
    assert not standing(np.zeros((5, 1), dtype=bool), 100.0).any()
