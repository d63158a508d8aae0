"""The same mechanisms in Pinocchio: its robots, and rows of bodies on joints that it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from test_pinocchio import FILES, FIXED, JOINTS, Pair, random_inertia, random_placement

import tarsus as ts

__all__ = ["JOINTS", "ROBOTS", "joints_in_a_row", "robot"]

UNREADABLE = ("ur3.urdf",)
"""Files that Pinocchio does not read."""
ROBOTS = [(name, "fixed" if name in FIXED else "free") for name in FILES if name not in UNREADABLE]


def robot(name: str, base: Any) -> Pair:
    """Return one of Pinocchio's robots, without coupled joints."""
    root = (pin.JointModelFreeFlyer(),) if base == "free" else ()
    peer = pin.buildModelFromUrdf(str(FILES[name]), *root)
    return Pair(ts.load(FILES[name], base, mimic="independent"), peer)


def joints_in_a_row(name: str) -> Pair:
    """Return three bodies in a row on joints of one kind, with armatures."""
    options, joint = JOINTS[name]
    kind = name if name in ts._core.joint_kinds() else name.rsplit("_", 1)[0]
    rng = np.random.default_rng(7)
    builder, peer, parent = ts.Builder(name), pin.Model(), 0
    for i in range(3):
        inertia, placement = random_inertia(rng), pin.SE3(random_placement(rng))
        body, on = f"body_{i}", "world" if i == 0 else f"body_{i - 1}"
        builder.body(body, inertia.mass, inertia.lever, inertia.inertia)
        place = {"position": placement.translation, "rotation": placement.rotation}
        armature = rng.uniform(0.0, 0.3, ts._core.joint_kinds()[kind][1])
        builder.joint(f"joint_{i}", kind, on, body, armature=armature, **place, **options)
        parent = peer.addJoint(parent, joint, placement, f"joint_{i}")
        peer.appendBodyToJoint(parent, inertia, pin.SE3.Identity())
        peer.addBodyFrame(body, parent, pin.SE3.Identity(), 0)
    return Pair(builder.build(), peer)
