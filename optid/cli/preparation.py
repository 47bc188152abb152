"""How recordings are made ready: options of ``identify`` and ``compare``, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from .arguments import cutoff_of

if TYPE_CHECKING:
    from optid.signals import Preprocessing

Cutoff = Annotated[str, typer.Option(metavar="HZ", help="Low-pass of the position: Hz, auto (chosen from the data) or none.")]
TorqueCutoff = Annotated[str, typer.Option(metavar="HZ", help="Low-pass of the torque: Hz, auto (as the position) or none.")]
Clock = Annotated[str, typer.Option(help="Times to believe: auto, stamps, nominal (an exact clock) or recorded (no uniform grid).")]
Rate = Annotated[float | None, typer.Option(metavar="HZ", help="Rate of the uniform grid that samples are put on.")]
MinSpeed = Annotated[float | None, typer.Option(metavar="RAD/S", help="Use a joint's samples only where it moves faster.")]
From = Annotated[float | None, typer.Option(metavar="S", help="Leave out what is before, from the first stamp.")]
Until = Annotated[float | None, typer.Option(metavar="S", help="Leave out what is after.")]
Cycles = Annotated[bool, typer.Option("--cycles", help="The motion is periodic: average its cycles, and limit torque and model alike.")]
Period = Annotated[float | None, typer.Option(metavar="S", help="With --cycles: nominal period, when the file does not say.")]


def preprocessing_of(
    cutoff: str,
    torque_cutoff: str,
    clock: str,
    rate: float | None,
    min_speed: float | None,
    start: float | None,
    stop: float | None,
    cycles: bool,
    period: float | None,
) -> Preprocessing:
    """What the options of the command mean."""
    from optid.errors import DataError, sentence
    from optid.signals import PeriodicOptions, Preprocessing

    position, torque = cutoff_of(cutoff, "--cutoff"), cutoff_of(torque_cutoff, "--torque-cutoff")
    common: dict[str, Any] = {"clock": clock, "rate": rate, "start": start, "stop": stop}
    if not cycles:
        if period is not None:
            raise DataError(sentence("--period", "given without --cycles", "both", "A period means something only when cycles are averaged."))
        return Preprocessing(cutoff=position, torque_cutoff=torque, min_speed=min_speed, **common)
    if position is None or torque == "auto":
        raise DataError(sentence("cut-offs with --cycles", f"--cutoff {cutoff} --torque-cutoff {torque_cutoff}", "Hz or auto, and Hz or none"))
    limits = PeriodicOptions(period, position_cutoff=_hertz(position), torque_cutoff=_hertz(torque))
    # a cycle of which samples are left out cannot be limited in frequency like its torque
    return Preprocessing(periodic=limits, min_speed=0.0 if min_speed is None else min_speed, **common)


def _hertz(cutoff: float | str | None) -> float | None:
    return None if isinstance(cutoff, str) else cutoff
