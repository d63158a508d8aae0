"""Commands for time and for handling of bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.model.assembly.state_transfer import carry
from tarsus.parts.motions import Grab
from tarsus.parts.rigid_constraints import Nail
from tarsus.studio.adding import check_new
from tarsus.studio.commands.command import command
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.live_model import HAND

if TYPE_CHECKING:
    from tarsus.studio.session import Stage


# Time: `play`, `pause`, `advance`, `step`, `speed`, `look`, `rewind`, `restart`, clocks.


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


# Hands: `grab` a body at a point, `drag` it through a spring, `release`, `pin`.


STIFFNESS = 60.0
"""Of the hand, for each kilogram of the whole [N/m]: the machine follows in about a second."""


@command("grab BODY x y z -to X Y Z -k STIFFNESS")
def grab(stage: Stage, line: Line) -> str:
    """Take a body at a point of it, and pull it through a spring to a place of the world."""
    line.expect(["BODY", "x", "y", "z"], ["-to", "-k"])
    body = one_of(line.words[0], stage.machine.frame_names, "body")
    point = numbers(line.words[1:], "x y z", 3)
    release_hand(stage)
    to = line.numbers("-to", 3) if "-to" in line.options else _world(stage, body, point)
    stiffness = (
        line.number("-k") if "-k" in line.options else STIFFNESS * stage.machine.model.total_mass
    )
    part = Grab((body, point), tuple(to), stiffness, name=HAND)
    with stage.machine.other_parts():
        stage.machine.simulation.add(part)
    return f"the hand holds {body}"


@command("drag X Y Z")
def drag(stage: Stage, line: Line) -> str:
    """Move the hand to a place of the world."""
    line.expect(["X", "Y", "Z"])
    if stage.held is None:
        raise LineError("the hand holds nothing: grab a body first")
    stage.held.target = numbers(line.words, "X Y Z", 3)
    return ""


@command("release")
def release(stage: Stage, line: Line) -> str:
    """Let go what the hand holds."""
    line.expect([])
    release_hand(stage)
    return ""


@command("pin BODY x y z")
def pin(stage: Stage, line: Line) -> str:
    """Nail a point of a body where it is now."""
    line.expect(["BODY", "x", "y", "z"])
    body = one_of(line.words[0], stage.machine.frame_names, "body")
    names = stage.document.taken
    name = next(f"pin{k}" for k in range(1, len(names) + 2) if f"pin{k}" not in names)
    check_new(stage, name)
    nail = Nail((body, numbers(line.words[1:], "x y z", 3)), name=name)
    stage.become(stage.document.with_part(nail), f"pin {body}")
    return f"{name} holds {body}"


def release_hand(stage: Stage) -> None:
    """Take the hand off, if it holds something."""
    if stage.held is not None:
        with stage.machine.other_parts():
            stage.machine.simulation.remove(HAND)


def _world(stage: Stage, body: str, point: np.ndarray) -> np.ndarray:
    pose = stage.machine.pose(body)
    return np.asarray(pose[:3, :3] @ point + pose[:3, 3])
