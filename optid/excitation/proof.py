"""Everything that is proven about one motion."""

from __future__ import annotations

from dataclasses import dataclass

from optid.trajectory import CheckReport

from .path_proof import PathReport


@dataclass(frozen=True, eq=False)
class Proof:
    """Reports about one motion; true when all of them are.

    Attributes
    ----------
    check : CheckReport
        Position, velocity, acceleration, jerk, rest.
    paths : tuple of PathReport
        Torques, places of the arm, clearances.
    """

    check: CheckReport
    paths: tuple[PathReport, ...]

    def __bool__(self) -> bool:
        return bool(self.check) and all(self.paths)

    def __str__(self) -> str:
        told = [report for report in (self.check, *self.paths) if not report] or [self.check, *self.paths]
        return "; ".join(map(str, told))
