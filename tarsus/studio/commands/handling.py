"""Hands: `grab` a body at a point, `drag` it through a spring, `release`, `pin`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.constraint import Grab, Nail
from tarsus.studio.adding import check_new
from tarsus.studio.commands.command import command
from tarsus.studio.language import Line, LineError, numbers, one_of
from tarsus.studio.machine import HAND

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

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
