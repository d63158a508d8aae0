"""Maps between left and right: joints, bodies and legs of a symmetric walker."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.gait.limb_search import resting
from tarsus.model.assembly.spanning_tree import spanning
from tarsus.model.description import QUATERNION
from tarsus.model.model import Model
from tarsus.model.rerooted_model import Rooted
from tarsus.model.views import JointView
from tarsus.spatial import quaternion_from_rotation, quaternion_product, rotation_from_quaternion

# Names of the legs exchanged: a state of the machine on its right foot as one on its left foot.
#
# The mirrored machine moves like the machine itself. Joints that depend on others in loops are
# close to the images of those of the other side, and are closed from there. Whether masses are
# mirrored, too, is checked by the inertias that joints feel.


TRIALS = 8


@dataclass(frozen=True, eq=False)
class Relabelling:
    """From states of a machine on its right foot to their images on its left foot."""

    left: Rooted
    right: Rooted
    images: Sequence[JointImage]

    @cached_property
    def rates(self) -> Array:
        """The matrix (nv, nv) of rates.

        Where coordinates are numbers of their own (all joints with one), it is that of positions.
        """
        matrix = np.zeros((self.left.nv, self.right.nv))
        for each in self.images:
            ours, theirs = self.left.joint(each.image), self.right.joint(each.name)
            block = each.rates[np.ix_(ours.own_velocities, theirs.own_velocities)]
            matrix[ours.v_slice, theirs.v_slice] = block
        if not np.allclose(matrix @ matrix.T, np.eye(self.left.nv)):
            names = [
                joint.name
                for joint in self.left.joints
                if not np.allclose((matrix[joint.v_slice] ** 2).sum(axis=1), 1.0)
            ]
            raise ModelError(
                f"{self.left.original.name!r} has loops whose independent joints are not images: "
                f"{', '.join(names)}; state `independent` of its loops for both sides"
            )
        return matrix

    def configurations(self, q: Array) -> Array:
        """Return images (…, nq) on the left foot of configurations (…, nq) on the right."""
        image = np.empty((*q.shape[:-1], self.left.nq))
        for each in self.images:
            ours, theirs = self.left.joint(each.image), self.right.joint(each.name)
            image[..., ours.q_slice] = each.positions(q[..., theirs.q_slice])
        depends = any(joint.dependent == "loop" for joint in self.left.joints)
        return np.asarray(self.left.close(image)) if depends else image

    @cached_property
    def back(self) -> Relabelling:
        """From the left foot to the right one."""
        return Relabelling(self.right, self.left, [each.back for each in self.images])


def relabelling(left: Rooted, right: Rooted, feet: tuple[str, str]) -> Relabelling:
    """Return what exchanges the names of both sides; raises `ModelError` if nothing does."""
    return Relabelling(left, right, joint_images(left, right, feet))


@dataclass(frozen=True)
class Asymmetry:
    """How much the masses of a machine differ from their images."""

    inertia: float
    """Largest entry of N H_right Nᵀ − H_left over the geometric mean of its diagonals."""
    joint: str
    """Where that is."""
    center: float
    """How far the centre of mass is from the image of that on the other foot, at most [m]."""


def asymmetry(names: Relabelling) -> Asymmetry:
    """Return how a machine differs from its image, at some configurations and their images.

    Nothing does where a step of one side is one of the other. Raises `ModelError` where the centre
    of mass is too far off to call them that.
    """
    left, right, matrix = names.left, names.right, names.rates
    rng = np.random.default_rng(0)
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(TRIALS, right.nv))
    p = right.integrate(np.tile(resting(right), (TRIALS, 1)), away)
    q = names.configurations(p)
    apart = np.asarray(left.center_of_mass(q)) - MIRROR * np.asarray(right.center_of_mass(p))
    center = float(np.linalg.norm(apart, axis=-1).max())
    if center > ALIKE:
        raise ModelError(
            f"{left.original.name!r} is not its own image: its centre of mass is up to "
            f"{center:.2g} m from where it is mirrored"
        )
    ours = np.asarray(left.mass_matrix(q))
    image = matrix @ np.asarray(right.mass_matrix(p)) @ matrix.T
    sizes = np.sqrt(np.einsum("tii->ti", ours))
    off = (np.abs(ours - image) / (sizes[:, :, None] * sizes[:, None, :])).max(axis=(0, 2))
    joints = [joint.name for joint in left.joints for _ in range(left.nv)[joint.v_slice]]
    worst = int(off.argmax())
    return Asymmetry(float(off[worst]), joints[worst], center)


# Which joint on one foot is the image of which on the other, and what its coordinates become.
#
# Joints are images of each other whose axes are: the twist of one, mirrored, is ± that of the
# other. A ball has no axes. Where a body and its image are turned by B against each other in the
# mirror S, its rotations become A (S R S) B, and its rates, on the child, −Bᵀ S ω.


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


# Left and right of a machine: which joint mirrors which, by their names or along the legs.


MIRROR = np.array([1.0, -1.0, 1.0])
"""Of points in the plane y = 0; angular velocities are mirrored with the other sign."""
TOKENS = (
    *(("left", "right"), ("l", "r"), ("fl", "fr"), ("hl", "hr"), ("rl", "rr"), ("bl", "br")),
    *(("lf", "rf"), ("lh", "rh")),
)
"""Words of names that tell sides."""


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


def chains(model: Model, feet: tuple[str, str]) -> dict[str, str]:
    """Return joints of one leg by those of the other, both ways.

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
        return {}
    pairs = [*zip(left, right, strict=True), *zip(right, left, strict=True)]
    return {carried[a].name: carried[b].name for a, b in pairs}


def centre_of(model: Model, q: Array, name: str) -> Array:
    """Return where the centre of mass of a body is (…, 3), welded to another or not."""
    body = next(each for each in model.description.bodies if each.name == name)
    pose = np.asarray(model.frame_pose(q, name))
    return np.asarray(pose[..., :3, :3] @ body.com + pose[..., :3, 3])
