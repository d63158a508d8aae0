"""Left and right of a machine: which body mirrors which, by names or by where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from tarsus.arrays import Array
from tarsus.model import Model, ModelError

MIRROR = np.array([1.0, -1.0, 1.0])
"""Of points in the plane y = 0; angular velocities are mirrored with the other sign."""
TOKENS = (("left", "right"), ("l", "r"), ("fl", "fr"), ("hl", "hr"), ("rl", "rr"), ("bl", "br"))
"""Words of names that tell sides."""
NEAR = 0.02
"""How far masses may be from each other's images [m]."""


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


def chains(model: Model, feet: tuple[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return bodies and joints of one leg by those of the other, both ways.

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
        return {}, {}
    pairs = [*zip(left, right, strict=True), *zip(right, left, strict=True)]
    return dict(pairs), {carried[a].name: carried[b].name for a, b in pairs}


def pairs_of(model: Model, known: dict[str, str]) -> dict[str, str]:
    """Return for each body of a machine the one that mirrors it, itself in the middle.

    Those that are known, then by names; what these do not tell is found by masses and places at
    the neutral configuration.
    """
    bodies = {body.name: body for body in model.description.bodies if body.mass > 0.0}
    found = {name: image_of(name) for name in bodies if image_of(name) in bodies}
    found |= {name: other for name, other in known.items() if name in bodies and other in bodies}
    missing = [name for name in bodies if name not in found]
    if missing:
        centres = {name: centre_of(model, model.neutral(), name) for name in bodies}
        for name in missing:
            found[name] = _nearest(name, bodies, centres)
    return found


def centre_of(model: Model, q: Array, name: str) -> Array:
    """Return where the centre of mass of a body is (…, 3), welded to another or not."""
    body = next(each for each in model.description.bodies if each.name == name)
    pose = np.asarray(model.frame_pose(q, name))
    return np.asarray(pose[..., :3, :3] @ body.com + pose[..., :3, 3])


def _nearest(name: str, bodies: Iterable[str], centres: dict[str, Array]) -> str:
    image = centres[name] * MIRROR
    best = min(bodies, key=lambda other: float(np.abs(centres[other] - image).max()))
    if np.abs(centres[best] - image).max() > NEAR:
        raise ModelError(
            f"body {name!r} has no image on the other side: by names it would be "
            f"{image_of(name)!r}, and at its mirrored place there is no other"
        )
    return best
