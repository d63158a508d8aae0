"""Names that a format can hold: others are changed, and told."""

from __future__ import annotations

import re

from tarsus.formats.export.left_out import LeftOuts
from tarsus.model.checks import unused
from tarsus.model.description import WORLD, Description
from tarsus.model.references import RENAMES

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
    stated.name = clean(stated.name)
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
    for coupling in stated.couplings:
        coupling.name = clean(coupling.name)
    for shape in stated.shapes:
        shape.name = clean(shape.name) if shape.name else ""
    return stated


def _renamed(stated: Description, key: str, old: str, new: str) -> Description:
    kind = KINDS[key]
    if kind in RENAMES:
        stated = RENAMES[kind](stated, old, new)
    for element in getattr(stated, key):
        if element.name == old:
            element.name = new
    return stated
