"""Names of the legs exchanged: a state of the machine on its right foot as one on its left foot.

The mirrored machine moves like the machine itself. Joints are images of each other whose axes are:
the twist of one, mirrored, is ± that of the other. Whether masses are mirrored, too, is checked by
where they come to.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers.sides import MIRROR, centre_of, chains, image_of, pairs_of
from tarsus.kit.rooted import Rooted
from tarsus.model import JointView, ModelError

TRIALS = 8
ALIKE = 0.03
"""How far twists of joints may be from the images of others [m, rad]."""
BALANCED = 0.02
"""How far masses that are not where they are mirrored may shift the centre of mass [m]."""


def relabelling(left: Rooted, right: Rooted, feet: tuple[str, str]) -> Array:
    """Return the matrix (nv, nv) from rates on the right foot to rates of the image on the left.

    Where coordinates are numbers of their own (all joints with one), it is that of positions, too.
    """
    matrix = np.zeros((left.nv, right.nv))
    partners = chains(left.original, feet)[1]
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


def asymmetry(
    left: Rooted, right: Rooted, matrix: Array, feet: tuple[str, str]
) -> tuple[float, str]:
    """Return how far masses are from their images, as parts of the centre of mass [m], and whose.

    Raises `ModelError` where that is too much for steps of one side to be those of the other.
    """
    pairs = pairs_of(left.original, chains(left.original, feet)[0])
    masses = {body.name: body.mass for body in left.original.description.bodies}
    rng = np.random.default_rng(0)
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(TRIALS, right.nv))
    p = right.integrate(np.tile(right.neutral(), (TRIALS, 1)), away)
    q = left.integrate(np.tile(left.neutral(), (TRIALS, 1)), away @ matrix.T)
    shift, worst = 0.0, ("", 0.0)
    for name, other in pairs.items():
        image = MIRROR * (centre_of(right, p, name) - right.at[:3, 3])
        apart = float(np.abs(centre_of(left, q, other) - left.at[:3, 3] - image).max())
        apart *= masses[name] / left.original.total_mass
        shift += apart
        worst = max(worst, (name, apart), key=lambda each: each[1])
    if shift > BALANCED:
        raise ModelError(
            f"{left.original.name!r} is not its own image: masses are up to {shift:.2g} m of its "
            f"centre of mass from where they are mirrored, {worst[0]!r} first"
        )
    return shift, worst[0]
