"""Names of the legs exchanged: a state of the machine on its right foot as one on its left foot.

The mirrored machine moves like the machine itself. Joints that depend on others in loops are close
to the images of those of the other side, and are closed from there. Whether masses are mirrored,
too, is checked by the inertias that joints feel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.limbs import resting
from tarsus.gait.walkers.joint_images import ALIKE, JointImage, joint_images
from tarsus.gait.walkers.sides import MIRROR
from tarsus.kit.rooted import Rooted
from tarsus.model import ModelError

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
