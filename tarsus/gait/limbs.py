"""The limbs of a machine, found in its tree: mirrored pairs of branches, and ways to their ends."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from tarsus.arrays import Array
from tarsus.ik import middle
from tarsus.model import Model

MIRRORED = 0.04
"""How far centres of mass of mirrored branches may be from mirror images [m]."""
ALIKE = 0.1
"""By which share their masses may differ."""
MAIN = 0.6
"""A branch that has this share of the mass further out is the way to the end of a limb."""
SHORTEST = 2
"""A limb has at least so many joints."""


OUT_OF_RANGE = 1e-3
"""Joints that are further beyond their limits are not where they ever are [rad, m]."""


def resting(model: Model) -> Array:
    """Return a configuration (nq,) in which a machine could stand: neutral, if loops are in range.

    Loops are drawn in files where it is easy to draw them. Where that is out of range, as the flat
    parallelograms of Cassie's feet are, it is the configuration half-way between limits.
    """
    q = model.neutral()
    looped = {name for each in model.clusters if "loop" in each.kind for name in each.joints}
    slices = [joint.q_slice for joint in model.joints if joint.name in looped]
    beyond = np.maximum(model.lower - q, q - model.upper) > OUT_OF_RANGE
    return middle(model) if any(beyond[own].any() for own in slices) else q


class Branches:
    """The tree of a model at its `resting` configuration: who carries what, where and how heavy."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.rest = resting(model)
        self.poses: Array = np.asarray(model.forward_kinematics(self.rest))
        self.parent = [body.parent for body in model.bodies]
        self.children: list[list[int]] = [[] for _ in model.bodies]
        for body in model.bodies:
            if body.parent >= 0:
                self.children[body.parent].append(body.index)

    @cached_property
    def masses(self) -> tuple[Array, Array]:
        """Masses (n,) and centres (n, 3) of the bodies with all that they carry."""
        bodies = self.model.bodies
        mass = np.array([body.mass for body in bodies])
        com = np.array([body.com for body in bodies])
        moment = mass[:, None] * (
            np.einsum("nij,nj->ni", self.poses[:, :3, :3], com) + self.poses[:, :3, 3]
        )
        for body in reversed(bodies):
            if body.parent >= 0:
                mass[body.parent] += mass[body.index]
                moment[body.parent] += moment[body.index]
        return mass, moment / np.maximum(mass, 1e-12)[:, None]

    def carried(self, index: int) -> list[int]:
        """Return a body and all that hang on it."""
        found = [index]
        for each in found:
            found += self.children[each]
        return found

    def way(self, end: int, start: int) -> list[int]:
        """Return the bodies from the one after `start` to `end`, outwards."""
        found = [end]
        while self.parent[found[-1]] not in (start, -1):
            found.append(self.parent[found[-1]])
        return found[::-1]

    def joint_count(self, way: Iterable[int]) -> int:
        """Return how many joints of a way move on their own."""
        joints = self.model.joints
        return sum(bool(joints[index].own_velocities) for index in way)

    def freedom(self, end: int) -> int:
        """Return in how many directions the joints of a limb can move its end, 6 at most."""
        model = self.model
        # a little bent, as stretched limbs lose directions
        q = model.integrate(self.rest, 0.1 * np.sin(1.0 + np.arange(model.nv)))
        rows = model.frame_jacobian(q, model.body_names[end])[:, model.driven]
        return int(np.linalg.matrix_rank(rows, tol=1e-3))

    def fork(self, ends: Iterable[int]) -> int:
        """Return the outermost body that carries all of `ends`."""
        ways = [[-1, *self.way(end, -1)] for end in ends]
        shared = [-1]
        for step in zip(*ways, strict=False):
            if len(set(step)) > 1:
                break
            shared.append(step[0])
        return shared[-1]

    def pairs(self) -> list[tuple[int, int]]:
        """Return branches on one body that mirror each other in y, heaviest first."""
        mass, centre = self.masses
        found = []
        for children in self.children:
            for a, b in combinations(children, 2):
                image = centre[b] * (1.0, -1.0, 1.0)
                alike = abs(mass[a] - mass[b]) <= ALIKE * max(mass[a], mass[b])
                apart = abs(centre[a, 1]) > 1e-2
                if alike and apart and np.abs(centre[a] - image).max() < MIRRORED:
                    found.append((a, b))
        return sorted(found, key=lambda pair: -mass[pair[0]])

    def hand(self, branch: int) -> int:
        """Return the end of an arm: where it parts into fingers, or its last body."""
        mass, _ = self.masses
        while self.children[branch]:
            heaviest = max(self.children[branch], key=lambda child: float(mass[child]))
            if mass[heaviest] <= MAIN * sum(mass[child] for child in self.children[branch]):
                break
            branch = heaviest
        return branch

    def bend(self, way: list[int], end: Array) -> int:
        """Return the body whose joint is furthest from the first one and `end` (3,): a knee."""
        places = self.poses[way, :3, 3]
        far = np.minimum(
            np.linalg.norm(places - places[0], axis=1), np.linalg.norm(places - end, axis=1)
        )
        return way[int(far.argmax())]

    def reach(self, way: list[int], bend: int, end: Array) -> float:
        """Return how far `end` (3,) can be from the first joint of a way, stretched [m]."""
        places = [self.poses[way[0], :3, 3], self.poses[bend, :3, 3], end]
        return float(sum(np.linalg.norm(b - a) for a, b in pairwise(places)))
