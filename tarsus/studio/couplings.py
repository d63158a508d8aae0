"""Gears and rotors: joints that follow others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tarsus.model.checks import suggestion
from tarsus.model.editor import Editor
from tarsus.spatial import rotation_along
from tarsus.studio import setting
from tarsus.studio.language import Line, LineError

if TYPE_CHECKING:
    from tarsus.studio.stage import Stage

UNBALANCE = 1e-9
"""Of bodies that follow gears, as a share of their inertia."""


def add_coupling(stage: Stage, kind: str, name: str, line: Line, said: str) -> str:
    """Let a joint follow another, or give a joint a rotor."""
    joints = [joint.name for joint in stage.machine.model.joints if joint.nv == 1]
    editor = Editor(stage.machine.model)
    if kind == "gear":
        line.expect(["KIND", "NAME"], ["-leader", "-follower", "-ratio"])
        leader, follower = (
            _word(line, option, joints, "joint") for option in ("-leader", "-follower")
        )
        editor.couple([leader, follower], [[1.0], [line.number("-ratio")]], name=name)
        _unbalance(stage, editor, follower)
    else:
        line.expect(["KIND", "NAME"], ["-joint", "-ratio", "-inertia", "-m"])
        joint = _word(line, "-joint", joints, "joint")
        axial = line.number("-inertia")
        mass = line.number("-m") if "-m" in line.options else 0.1
        across = axial / 2 + 1e-6
        editor.body(name, mass, inertia=(across, across, axial))
        editor.gear(joint, line.number("-ratio"), name)
    setting.rebuilt(stage, stage.document, editor.build(), said)
    return f"{name}: {stage.machine.model.nv} velocities"


def _unbalance(stage: Stage, editor: Editor, follower: str) -> None:
    """Let what follows a gear touch: a rotor of perfect symmetry spins, and touches nothing."""
    stated = stage.document.description
    joint = next(each for each in stated.joints if each.name == follower)
    name = stage.machine.owner(joint.child)
    body = next(each for each in stated.bodies if each.name == name)
    axis = np.array([0.0, 0.0, 1.0]) if joint.axis is None else np.asarray(joint.axis)
    seat = stage.machine.model.frame(name).placement[:3, :3]
    across = rotation_along(seat.T @ axis / np.linalg.norm(axis))[:, 0]
    more = UNBALANCE * np.trace(body.inertia) * np.outer(across, across)
    editor.change("body", name, inertia=body.inertia + more)


def _word(line: Line, option: str, valid: list[str], what: str) -> str:
    if len(line.options.get(option, [])) != 1:
        raise LineError(f"{option} needs a {what}", option)
    word = line.options[option][0]
    if word not in valid:
        raise LineError(f"{option}: there is no {what} {word!r}{suggestion(word, valid)}", option)
    return word
