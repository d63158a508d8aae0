"""Fixed bodies without mass as frames: Gazebo and Drake refuse links that weigh nothing."""

from __future__ import annotations

import dataclasses

import numpy as np

from tarsus.arrays import Array
from tarsus.model.description import Description, Frame

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
