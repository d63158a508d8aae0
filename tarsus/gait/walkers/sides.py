"""Left and right of a machine: which joint mirrors which, by their names or along the legs."""

from __future__ import annotations

import re

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model

MIRROR = np.array([1.0, -1.0, 1.0])
"""Of points in the plane y = 0; angular velocities are mirrored with the other sign."""
TOKENS = (
    *(("left", "right"), ("l", "r"), ("fl", "fr"), ("hl", "hr"), ("rl", "rr"), ("bl", "br")),
    *(("lf", "rf"), ("lh", "rh")),
)
"""Words of names that tell sides."""


def image_of(name: str) -> str:
    """Return a name with the words for sides exchanged: left_knee → right_knee, LHip → RHip."""
    words = re.split(r"([^a-zA-Z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))", name)
    return "".join(_other(word) for word in words)


def _other(word: str) -> str:
    for pair in TOKENS:
        if word.lower() in pair:
            found = pair[1 - pair.index(word.lower())]
            if word.isupper():
                return found.upper()
            return found.capitalize() if word[0].isupper() else found
    return word


def chains(model: Model, feet: tuple[str, str]) -> dict[str, str]:
    """Return joints of one leg by those of the other, both ways.

    Legs are the ways from two frames to where they meet; without as many joints they pair none.
    """
    carried = {joint.child: joint for joint in model.description.joints}
    ways: list[list[str]] = []
    for foot in feet:
        bodies = {frame.name: frame.body for frame in model.description.frames}
        way = [bodies.get(foot, foot)]
        while way[-1] in carried:
            way.append(carried[way[-1]].parent)
        ways.append(way)
    left, right = ([b for b in way if b not in other] for way, other in (ways, ways[::-1]))
    if len(left) != len(right):
        return {}
    pairs = [*zip(left, right, strict=True), *zip(right, left, strict=True)]
    return {carried[a].name: carried[b].name for a, b in pairs}


def centre_of(model: Model, q: Array, name: str) -> Array:
    """Return where the centre of mass of a body is (…, 3), welded to another or not."""
    body = next(each for each in model.description.bodies if each.name == name)
    pose = np.asarray(model.frame_pose(q, name))
    return np.asarray(pose[..., :3, :3] @ body.com + pose[..., :3, 3])
