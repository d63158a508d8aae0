"""Time: `play`, `pause`, `advance`, `step`, `speed`, `look`, `rewind`, `restart`, clocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tarsus.kit import carry
from tarsus.studio.commands.command import command
from tarsus.studio.language import Line, LineError, numbers

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

MOST = 10_000_000
"""Steps that a line may ask for."""


@command("play")
def play(stage: Stage, line: Line) -> str:
    """Let the clock run."""
    line.expect([])
    stage.playing = True
    if not stage.film:
        stage.looking = None
    elif stage.looking is stage.recording.moments[-1]:
        stage.looking = stage.recording.moments[0]
    return ""


@command("pause")
def pause(stage: Stage, line: Line) -> str:
    """Stop the clock, and the line that is being done."""
    line.expect([])
    stage.playing = False
    return f"t = {stage.t:.6g} s"


@command("advance N", noted=False)
def advance(stage: Stage, line: Line) -> str:
    """Make N steps of the world's dt; `pause` stops it on the way."""
    line.expect(["N"])
    wanted = count(line.words[0], "N")
    made = stage.advance(wanted)
    stopped = f", stopped after {made} of {wanted} steps" if made < wanted else ""
    return f"t = {stage.t:.9g} s{stopped}"


@command("speed X", noted=False)
def speed(stage: Stage, line: Line) -> str:
    """Run X times as fast as the world does."""
    line.expect(["X"])
    value = float(numbers(line.words, "X", 1)[0])
    if not 1e-3 <= value <= 1e3:
        raise LineError(f"X is {value:g}, must be from 0.001 to 1000", "X")
    stage.speed = value
    stage.revision += 1
    return ""


@command("look T", noted=False)
def look(stage: Stage, line: Line) -> str:
    """Look at the recording at a time, with the clock stopped."""
    line.expect(["T"])
    stage.playing = False
    stage.looking = stage.recording.at(float(numbers(line.words, "T", 1)[0]))
    return f"t = {stage.looking.t:.6g} s"


@command("rewind T")
def rewind(stage: Stage, line: Line) -> str:
    """Go on from a time of the recording."""
    line.expect(["T"])
    moment = stage.recording.at(float(numbers(line.words, "T", 1)[0]))
    found = carry(moment.model, stage.machine.model, moment.q, moment.v)
    stage.begin_at(found.q, found.v, moment.t)
    stage.looking = None
    return f"t = {stage.t:.6g} s"


@command("restart")
def restart(stage: Stage, line: Line) -> str:
    """Go back to the beginning: the state in which the machine was opened, or first moved."""
    line.expect([])
    first = stage.recording.moments[0]
    found = carry(first.model, stage.machine.model, first.q, first.v)
    stage.begin_at(found.q, found.v, first.t)
    stage.looking = None
    return f"t = {stage.t:.6g} s"


def count(word: str, what: str) -> int:
    """Return a word as a number of steps."""
    value = float(numbers([word], what, 1)[0])
    if value != int(value) or not 0 <= value <= MOST:
        raise LineError(f"{what} is {word}, must be a whole number from 0 to {MOST}", what)
    return int(value)
