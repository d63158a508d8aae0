"""Names of the legs exchanged: a state of the machine on its right foot as one on its left foot.

The mirrored machine moves like the machine itself. Joints are images of each other whose axes are:
the twist of one, mirrored, is ± that of the other. Whether masses are mirrored, too, is checked by
where they come to.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers.landing import exchanged
from tarsus.gait.walkers.sides import MIRROR, chains, image_of
from tarsus.kit.rooted import Rooted
from tarsus.model import JointView, ModelError

TRIALS = 8
ALIKE = 0.03
"""How far twists of joints may be from the images of others [m, rad]."""
UNLIKE = 0.25
"""By how much of themselves inertias of both sides may differ."""


def relabelling(left: Rooted, right: Rooted, feet: tuple[str, str]) -> Array:
    """Return the matrix (nv, nv) from rates on the right foot to rates of the image on the left.

    Where coordinates are numbers of their own (all joints with one), it is that of positions, too.
    """
    for joint in right.joints:
        if joint.nq != joint.nv and joint.name != right.root_joint:
            raise ModelError(
                f"joint {joint.name!r} is {joint.kind}: its image on the other side is no matrix; "
                "state it by joints with angles, such as universal or spherical_zyx"
            )
    matrix = np.zeros((left.nv, right.nv))
    partners = chains(left.original, feet)
    ours = {joint.name: _twists(left, joint) for joint in left.joints if _free(joint)}
    for joint in right.joints:
        if _free(joint):
            seen = np.concatenate([MIRROR, -MIRROR])[:, None] * _twists(right, joint)
            likely = partners.get(joint.name, image_of(joint.name))
            likely = left.root_joint if joint.name == right.root_joint else likely
            name, block = _image(left, joint, likely, seen, ours)
            matrix[left.joint(name).v_slice, joint.v_slice] = block
    if not np.allclose(matrix @ matrix.T, np.eye(left.nv)):
        raise ModelError(f"{left.original.name!r} has joints that are images of the same one")
    return matrix


def _free(joint: JointView) -> bool:
    """Return whether a joint has rates of its own."""
    return bool(joint.v_slice.stop > joint.v_slice.start)


def _twists(model: Rooted, joint: JointView) -> Array:
    """Return how a joint moves what it carries (6, n), neutral, about the origin of the world."""
    rows = np.asarray(model.frame_jacobian(model.neutral(), joint.child, "world"))
    return rows[:, joint.v_slice]


def _image(
    left: Rooted, joint: JointView, likely: str, seen: Array, ours: dict[str, Array]
) -> tuple[str, Array]:
    """Return the joint on the left foot that mirrors one on the right, and ± 1 between them."""
    found: list[tuple[float, str, Array]] = []
    for name in (likely, *ours):
        if name in ours and ours[name].shape == seen.shape:
            block = np.round(np.linalg.lstsq(ours[name], seen, rcond=None)[0])
            off = float(np.abs(ours[name] @ block - seen).max())
            if off <= ALIKE and name == likely:
                return name, block
            found.append((off, name, block))
    best = min(found, key=lambda each: each[0], default=(np.inf, "", seen))
    if best[0] > ALIKE:
        raise ModelError(
            f"{left.original.name!r} is not its own image: joint {joint.name!r} has none among "
            f"the joints of the other side; {best[1]!r} is nearest, {best[0]:.2g} off"
        )
    return best[1], best[2]


def asymmetry(left: Rooted, right: Rooted, matrix: Array) -> tuple[float, str]:
    """Return how much the inertia of a machine differs from its image's, and at which joint.

    The largest entry of N H_right Nᵀ − H_left over the geometric mean of its diagonals, at some
    configurations and their images: 0 where a step of one side is one of the other. Raises
    `ModelError` where it is too much to call them that.
    """
    rng = np.random.default_rng(0)
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(TRIALS, right.nv))
    p = right.integrate(np.tile(right.neutral(), (TRIALS, 1)), away)
    ours = np.asarray(left.mass_matrix(exchanged(left, right, matrix, p)))
    image = matrix @ np.asarray(right.mass_matrix(p)) @ matrix.T
    sizes = np.sqrt(np.einsum("tii->ti", ours))
    off = (np.abs(ours - image) / (sizes[:, :, None] * sizes[:, None, :])).max(axis=(0, 2))
    joints = [joint.name for joint in left.joints for _ in range(left.nv)[joint.v_slice]]
    worst = int(off.argmax())
    if off[worst] > UNLIKE:
        raise ModelError(
            f"{left.original.name!r} is not its own image: inertias at {joints[worst]!r} differ by "
            f"{off[worst]:.2g} of themselves from where they are mirrored"
        )
    return float(off[worst]), joints[worst]
