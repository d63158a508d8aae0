"""What an export cannot express, names in other formats, and bodies without mass."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import listing, unused
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.description import Description, Frame
from tarsus.model.name_references import RENAMES

# What of a model a format cannot say: a list by name and reason, a warning, or an error.


class ExportWarning(UserWarning):
    """A model that was saved in a format which cannot say all of it."""


@dataclass(frozen=True)
class LeftOut:
    """One thing that a file does not say, or not as the model does: what it is, whose, and why."""

    what: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what} {self.name!r}: {self.reason}"


class LeftOuts(list[LeftOut]):
    """The list as it grows."""

    def add(self, what: str, name: str, reason: str) -> None:
        """Append a thing; what was told before is not told twice."""
        if (thing := LeftOut(what, name, reason)) not in self:
            self.append(thing)


def tell(left_out: Sequence[LeftOut], file: str, *, strict: bool) -> None:
    """Warn of what is left out, things alike in one line; with `strict` raise instead."""
    if not left_out:
        return
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for thing in left_out:
        alike[thing.what, thing.reason].append(thing.name)
    lines = [f"{what} {listing(names, 10)}: {why}" for (what, why), names in alike.items()]
    message = f"{file} does not say all of the model: {'; '.join(lines)}"
    if strict:
        raise ValueError(message)
    warnings.warn(message, ExportWarning, stacklevel=4)


# Names that a format can hold: others are changed, and told.


NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML has, escaped or not."""
NOT_SDF = re.compile(r"::|[\r\n\t]|^\s+|\s+$|^__(?=.*__$)")
"""In SDF colons separate models, names have no blanks around them, and __names__ are its own."""
KINDS = {
    "bodies": "body",
    "frames": "frame",
    "joints": "joint",
    "loops": "loop",
    "actuators": "actuator",
}


def xml_name(name: str) -> str:
    """Return a name that XML can hold."""
    return NOT_XML.sub("_", name)


def sdf_name(name: str) -> str:
    """Return a name that SDF can hold."""
    plain = NOT_SDF.sub("_", xml_name(name))
    return plain if plain != WORLD and not NOT_SDF.search(plain) else f"the{plain.strip()}"


def with_safe_names(stated: Description, left_out: LeftOuts, *, sdf: bool = False) -> Description:
    """Return the description with names that the file can hold.

    In URDF and MJCF links and joints have names apart from each other; in SDF a name means one
    thing of the model.
    """
    clean = sdf_name if sdf else xml_name
    stated = dataclasses.replace(stated, name=clean(stated.name))
    named = [body.name for body in stated.bodies] + [frame.name for frame in stated.frames]
    links = {WORLD, *(name for name in named if clean(name) == name)}
    joints = links if sdf else set()
    actuators: set[str] = set()
    for key, kind in KINDS.items():
        is_link = key in ("bodies", "frames")
        taken = links if is_link else actuators if kind == "actuator" else joints
        for name in [element.name for element in getattr(stated, key)]:
            fits = clean(name) == name
            if fits and (is_link or name not in taken):
                taken.add(name)
                continue
            new = unused(f"{name}_{kind}" if fits else clean(name), taken)
            stated = _renamed(stated, key, name, new)
            left_out.add(f"name of {kind}", name, f"is {new!r} in the file")
    named_alike: dict[str, Any] = {
        key: [
            dataclasses.replace(each, name=clean(each.name)) if each.name else each
            for each in getattr(stated, key)
        ]
        for key in ("couplings", "shapes")
    }
    return dataclasses.replace(stated, **named_alike)


def _renamed(stated: Description, key: str, old: str, new: str) -> Description:
    kind = KINDS[key]
    if kind in RENAMES:
        stated = RENAMES[kind](stated, old, new)
    renamed = [
        dataclasses.replace(element, name=new) if element.name == old else element
        for element in getattr(stated, key)
    ]
    changes: dict[str, Any] = {key: renamed}
    return dataclasses.replace(stated, **changes)


# Fixed bodies without mass as frames: Gazebo and Drake refuse links that weigh nothing.


LEAST = 1e-14
"""Mass [kg] and inertia [kg m²] of what moves and has none, lost in rounding beside all others."""


def massless_as_frames(stated: Description) -> Description:
    """Return the description in which a fixed body without mass is a frame of its name.

    What it carried is on the body that carries it.
    """
    heavy = {body.name for body in stated.bodies if body.mass or body.inertia.any()}
    gone = {
        joint.child: joint
        for joint in stated.joints
        if joint.kind == "fixed" and joint.child not in heavy
    }
    bodies = [body for body in stated.bodies if body.name not in gone]
    if not bodies:
        return stated

    def moved(body: str, placement: Array) -> tuple[str, Array]:
        while body in gone:
            body, placement = gone[body].parent, gone[body].placement @ placement
        return body, placement

    joints = []
    for joint in stated.joints:
        if joint.child not in gone:
            parent, placement = moved(joint.parent, joint.placement)
            joints.append(dataclasses.replace(joint, parent=parent, placement=placement))
    loops = []
    for loop in stated.loops:
        (a, at_a), (b, at_b) = (
            moved(loop.body_a, loop.placement_a),
            moved(loop.body_b, loop.placement_b),
        )
        loops.append(
            dataclasses.replace(loop, body_a=a, placement_a=at_a, body_b=b, placement_b=at_b)
        )
    frames = [Frame(name, *moved(name, np.eye(4))) for name in gone]
    frames += [Frame(frame.name, *moved(frame.body, frame.placement)) for frame in stated.frames]
    shapes = []
    for shape in stated.shapes:
        body, placement = moved(shape.body, shape.placement)
        shapes.append(dataclasses.replace(shape, body=body, placement=placement))
    return dataclasses.replace(
        stated, bodies=bodies, joints=joints, loops=loops, frames=frames, shapes=shapes
    )
