"""Bodies without mass on the axes of joints, and the joints that fix others to them.

A body that is joined at a point beside its own origin hangs on such a carrier: `rod.hinge` carries
`rod`, by the joint `rod_fixed`; a body that was cut off floats by `rod_free`. No person named them,
so none is told of them.
"""

from __future__ import annotations

from tarsus.model.description import Description


def carriers(stated: Description) -> dict[str, str]:
    """Return the carriers of a description, and the body that each is there for."""
    shaped = {shape.body for shape in stated.shapes}
    light = {
        body.name
        for body in stated.bodies
        if "." in body.name and not body.mass and not body.inertia.any() and body.name not in shaped
    }
    fixed: dict[str, list[str]] = {}
    for joint in stated.joints:
        if joint.kind == "fixed" and joint.parent in light:
            fixed.setdefault(joint.parent, []).append(joint.child)
    return {name: _owner(name, bodies) for name, bodies in fixed.items()}


def _owner(carrier: str, bodies: list[str]) -> str:
    named = [body for body in bodies if carrier.startswith(f"{body}.")]
    return (named or bodies)[0]


def helpers(stated: Description) -> dict[str, str]:
    """Return all names that no person gave, and what is meant by them."""
    found = carriers(stated)
    joints = {joint.child: joint for joint in stated.joints}
    seats = {
        joints[body].name: joints[carrier].name
        for carrier, body in found.items()
        if joints[body].parent == carrier and carrier in joints
    }
    free = {
        joint.name: joint.child
        for joint in stated.joints
        if joint.kind == "free" and joint.name != joint.child
    }
    return found | seats | free
