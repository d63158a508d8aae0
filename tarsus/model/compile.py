"""From a tree to the arguments of the core: everything by number, in plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus._lib.checks import read_only
from tarsus._lib.files import Array
from tarsus.model.couplings import core_numbers, function_table
from tarsus.model.defaults import neutral
from tarsus.model.description import KINDS, POSITION_FIELDS
from tarsus.model.loops import n_rows
from tarsus.model.rolling import core_surfaces
from tarsus.model.tree import FOLLOWER, INDEPENDENT, Tree

PER_VELOCITY = ("armature", "damping", "friction", "stiffness")


def core_arguments(tree: Tree, gravity: Array) -> dict[str, Any]:
    """Return the keyword arguments of the core's constructor."""
    bodies, joints, index = tree.bodies, tree.joints, tree.index
    return {
        "parents": tree.parents,
        "kinds": [joint.kind for joint in joints],
        "placements": _stack(tree.placements, (4, 4)),
        "axes": _stack([(joint.axis, joint.second_axis) for joint in joints], (2, 3)),
        "pitches": _stack([joint.pitch for joint in joints], ()),
        "masses": _stack([body.mass for body in bodies], ()),
        "coms": _stack([body.com for body in bodies], (3,)),
        "inertias": _stack([0.5 * (body.inertia + body.inertia.T) for body in bodies], (3, 3)),
        "gravity": gravity,
        **{key: gathered(tree, key) for key in (*PER_VELOCITY, *POSITION_FIELDS)},
        "joint_names": [joint.name for joint in joints],
        "frame_names": [frame.name for frame in tree.frames],
        "frame_bodies": [index[frame.body] for frame in tree.frames],
        "frame_placements": _stack([frame.placement for frame in tree.frames], (4, 4)),
        **_cluster_arguments(tree),
    }


def _cluster_arguments(tree: Tree) -> dict[str, Any]:
    """Return the core's arguments about clusters, couplings and loops."""
    index, number = tree.index, tree.joint_index
    couplings, loops = tree.couplings, tree.loops
    return {
        "radii": _stack([joint.radius for joint in tree.joints], ()),
        "tracks": _stack([joint.track for joint in tree.joints], ()),
        "surface_kinds": [core_surfaces(joint)[0] for joint in tree.joints],
        "surface_numbers": _stack([core_surfaces(joint)[1] for joint in tree.joints], (2, 3)),
        "cluster_sizes": [len(cluster) for cluster in tree.clusters],
        "roles": [role for roles in tree.roles for role in roles],
        "coupling_kinds": [coupling.kind for coupling in couplings],
        "coupling_names": [coupling.name for coupling in couplings],
        "coupling_leaders": [[number[name] for name in c.leaders] for c in couplings],
        "coupling_followers": [[number[name] for name in c.followers] for c in couplings],
        "coupling_numbers": [core_numbers(coupling) for coupling in couplings],
        "functions": function_table(couplings, user_positions(tree)),
        "loop_kinds": [loop.kind for loop in loops],
        "loop_names": [loop.name for loop in loops],
        "loop_bodies": [[index[loop.body_a], index[loop.body_b]] for loop in loops],
        "loop_placements": _stack(
            [(loop.placement_a, loop.placement_b) for loop in loops], (2, 4, 4)
        ),
        "loop_lengths": [float(loop.length) for loop in loops],
        "loop_in_cluster": [not reason for reason in tree.reasons],
        "loop_rows_kept": [
            [row not in tree.left_out.get(loop.name, ()) for row in range(n_rows(loop.kind))]
            for loop in loops
        ],
        "neutral": tree.neutral,
    }


def gathered(tree: Tree, key: str) -> Array:
    """Return one property of all joints, for each of their positions or velocities, read-only."""
    return _joined([getattr(joint, key) for joint in tree.joints])


def of_user(tree: Tree, key: str) -> Array:
    """Return one property of the user's coordinates, (nq,) or (nv,), read-only."""
    parts = []
    for joint, roles in zip(tree.joints, tree.roles, strict=True):
        if key in POSITION_FIELDS:
            parts += [getattr(joint, key)] if FOLLOWER not in roles else []
        else:
            parts.append(getattr(joint, key)[np.array(roles) == INDEPENDENT])
    return _joined(parts)


def user_positions(tree: Tree) -> dict[str, int]:
    """Return where in q the coordinates of each joint begin; joints that follow have none."""
    where, q = {}, 0
    for joint, roles in zip(tree.joints, tree.roles, strict=True):
        if FOLLOWER not in roles:
            where[joint.name] = q
            q += KINDS[joint.kind][0]
    return where


def zero_configuration(tree: Tree) -> Array:
    """Return the user's coordinates at zero and at identity quaternions, loops open."""
    pairs = zip(tree.joints, tree.roles, strict=True)
    parts = [neutral(joint.kind) for joint, roles in pairs if FOLLOWER not in roles]
    return np.concatenate([np.zeros(0), *parts])


def _joined(parts: list[Array]) -> Array:
    return read_only(np.concatenate([np.zeros(0), *parts]))


def _stack(values: list[Any], shape: tuple[int, ...]) -> Array:
    return np.array(values, dtype=np.float64).reshape((len(values), *shape))
