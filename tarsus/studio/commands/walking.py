"""Walking: `gait` finds how the machine walks, and shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.studio.commands.command import command
from tarsus.studio.commands.timing import count
from tarsus.studio.language import Line, LineError
from tarsus.studio.walks import find_gait

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

MOST_STEPS = 200


@command("gait -slope RAD -steps N -push SHARE")
def gait(stage: Stage, line: Line) -> str:
    """Find a gait, and show it from a start that is a share too fast."""
    line.expect([], ["-slope", "-steps", "-push"])
    slope = line.number("-slope") if "-slope" in line.options else None
    push = line.number("-push") if "-push" in line.options else 0.0
    steps = count(line.options["-steps"][0], "-steps") if line.options.get("-steps") else 12
    if not 1 <= steps <= MOST_STEPS:
        raise LineError(f"-steps is {steps}, must be from 1 to {MOST_STEPS}", "-steps")
    return find_gait(stage, slope=slope, steps=steps, push=push)
