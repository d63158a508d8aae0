"""Which joint on one foot is the image of which on the other, and what its coordinates become.

Joints are images of each other whose axes are: the twist of one, mirrored, is ± that of the other.
A ball has no axes. Where a body and its image are turned by B against each other in the mirror S,
its rotations become A (S R S) B, and its rates, on the child, −Bᵀ S ω.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.walkers.sides import MIRROR, chains, image_of
from tarsus.kit.opened import spanning
from tarsus.kit.rooted import Rooted
from tarsus.model import JointView, Model, ModelError
from tarsus.model.kinds import QUATERNION
from tarsus.spatial import quaternion_from_rotation, quaternion_product, rotation_from_quaternion

ALIKE = 0.03
"""How far twists of joints may be from the images of others [m, rad]."""
BALL = np.array([-1.0, 1.0, -1.0, 1.0])
"""Of quaternions, mirrored in y."""


@dataclass(frozen=True, eq=False)
class JointImage:
    """A joint and its image on the other foot; `rates` (n, n) are from those of it to its image's.

    A ball has turns `before` and `after` its mirrored one (3, 3), and joints that roll on a ground
    have places on it first, which are mirrored.
    """

    name: str
    image: str
    rates: Array
    quaternion: slice | None = None
    before: Array = field(default_factory=lambda: np.eye(3))
    after: Array = field(default_factory=lambda: np.eye(3))

    def positions(self, x: Array) -> Array:
        """Return positions (…, n) of the image of positions (…, n)."""
        if self.quaternion is None:
            return np.asarray(x @ self.rates.T)
        image = x.copy()
        image[..., : self.quaternion.start] *= MIRROR[: self.quaternion.start]
        turns = [quaternion_from_rotation(turn) for turn in (self.before, self.after)]
        mirrored = quaternion_product(turns[0], x[..., self.quaternion] * BALL)
        image[..., self.quaternion] = quaternion_product(mirrored, turns[1])
        return image

    @property
    def back(self) -> JointImage:
        """From the image to the joint."""
        turns = [MIRROR[:, None] * turn.T * MIRROR for turn in (self.before, self.after)]
        return JointImage(self.image, self.name, self.rates.T, self.quaternion, *turns)


@dataclass(frozen=True, eq=False)
class _Side:
    """A machine on a foot whose joints all have coordinates of their own: `model` at `x` (nq,)."""

    model: Model
    x: Array

    @classmethod
    def of(cls, model: Rooted) -> _Side:
        tree, positions = spanning(model), np.asarray(model.joint_positions(model.neutral()))
        x = tree.neutral()
        for joint in tree.joints:
            x[joint.q_slice] = positions[model.joint(joint.name).position_slice]
        return cls(tree, x)

    def twists(self, name: str) -> Array:
        """Return how a joint moves what it carries (6, n), about the origin of the world."""
        joint = self.model.joint(name)
        rows = np.asarray(self.model.frame_jacobian(self.x, joint.child, "world"))
        return rows[:, joint.v_slice]

    def turned(self, name: str) -> tuple[Array, Array]:
        """Return how the child of a ball is turned in the world, and by the ball: (3, 3) each."""
        joint = self.model.joint(name)
        own = self.x[joint.q_slice][QUATERNION[joint.kind]]
        pose = np.asarray(self.model.frame_pose(self.x, joint.child))
        return pose[:3, :3], rotation_from_quaternion(own)


def joint_images(left: Rooted, right: Rooted, feet: tuple[str, str]) -> list[JointImage]:
    """Return the image on the left foot of each joint on the right one that has coordinates.

    Raises `ModelError` where a joint has none.
    """
    partners = chains(left.original, feet)
    ours, theirs = _Side.of(left), _Side.of(right)
    twists = {joint.name: ours.twists(joint.name) for joint in left.joints if _has_own(joint)}
    found = []
    for joint in right.joints:
        if not _has_own(joint):
            continue
        likely = partners.get(joint.name, image_of(joint.name))
        likely = left.root_joint if joint.name == right.root_joint else likely
        if joint.nq == joint.nv:
            found.append(_image(left, joint, likely, theirs.twists(joint.name), twists))
        else:
            found.append(_ball(left, joint, likely, ours, theirs))
    if len({each.image for each in found}) < len(found):
        raise ModelError(f"{left.original.name!r} has joints that are images of the same one")
    return found


def _has_own(joint: JointView) -> bool:
    """Return whether a joint has positions among the coordinates."""
    return joint.dependent != "coupling"


def _image(
    left: Rooted, joint: JointView, likely: str, twists: Array, ours: dict[str, Array]
) -> JointImage:
    """Return the joint on the left foot that mirrors one on the right, and ± 1 between them."""
    seen = np.concatenate([MIRROR, -MIRROR])[:, None] * twists
    found: list[tuple[float, str, Array]] = []
    for name in (likely, *ours):
        if name in ours and ours[name].shape == seen.shape:
            block = np.round(np.linalg.lstsq(ours[name], seen, rcond=None)[0])
            off = float(np.abs(ours[name] @ block - seen).max())
            if off <= ALIKE and name == likely:
                return JointImage(joint.name, name, block)
            found.append((off, name, block))
    off, name, block = min(found, key=lambda each: each[0], default=(np.inf, "", seen))
    if off > ALIKE:
        raise ModelError(
            f"{left.original.name!r} is not its own image: joint {joint.name!r} has none among "
            f"the joints of the other side; {name!r} is nearest, {off:.2g} off"
        )
    return JointImage(joint.name, name, block)


def _ball(left: Rooted, joint: JointView, likely: str, ours: _Side, theirs: _Side) -> JointImage:
    """Return the image of a joint with a quaternion, which its name tells."""
    own = QUATERNION.get(joint.kind)
    kinds = {each.name: each.kind for each in left.joints}
    if own is None or joint.nv != 3 or kinds.get(likely) != joint.kind:
        raise ModelError(
            f"joint {joint.name!r} is {joint.kind}: its image on the other side is not known; "
            "state it by joints with angles, such as universal or spherical_zyx"
        )
    (here, start), (there, image_start) = theirs.turned(joint.name), ours.turned(likely)
    after = _mirrored(here).T @ there
    straight = np.round(after)
    if np.abs(after - straight).max() < ALIKE:  # but for the rounded numbers of a file
        after = straight
    if likely == left.root_joint:
        after = np.eye(3)
    before = image_start @ (_mirrored(start) @ after).T
    return JointImage(joint.name, likely, -after.T * MIRROR, own, before, after)


def _mirrored(rotation: Array) -> Array:
    return np.asarray(MIRROR[:, None] * rotation * MIRROR)
