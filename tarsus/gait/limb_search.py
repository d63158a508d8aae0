"""Search for the limbs of a robot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np

from tarsus._lib.checks import suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.gait.soles import Sole, balls_of, box_of, sole_of
from tarsus.geometry.collision import Collision
from tarsus.ik.track import middle
from tarsus.model.model import Model

# Limbs of a machine, looked for in its model.
#
# Branches that mirror each other are limbs. Those that begin lowest are legs, the heaviest of the
# others above them are arms. Frames that are called soles look ahead; without them forward is where
# soles reach further from the ankles.


LOW = 0.15
"""Limbs that begin within this share of a machine's height above the lowest hips are legs."""
TOE = 0.03
"""A foot with a toe is at most so much higher than it [m]."""
LARGEST = 0.6
"""Soles that are longer are a mistake of a file [m]."""
WIDE = 1.5
"""Soles that are so much wider than long are told."""
BACKWARDS = 0.05
"""Soles whose middles are this share of their length behind the ankles look back."""


class LimbSearch:
    """What is known about a model while its limbs are looked for."""

    def __init__(self, model: Model, collision: Collision) -> None:
        self.model, self.tree = model, Branches(model)
        self.balls = balls_of(collision)
        self.notes: list[str] = []
        self.pairs = [
            (a, b)
            for a, b in self.tree.pairs()
            if self.tree.joint_count(self.tree.way(self.tree.hand(a), self.tree.parent[a]))
            >= SHORTEST
        ]

    @cached_property
    def seen(self) -> dict[int, Array]:
        """What would touch if visual shapes did."""
        return balls_of(Collision.from_model(self.model, shapes="visual"))

    def check_apart(self, ends: list[int], what: str) -> None:
        """Raise if a limb would end on another one."""
        for end in ends:
            on = [each for each in self.tree.way(end, -1) if each in ends and each != end]
            if on:
                names = self.model.body_names
                raise ModelError(f"{what}: {names[end]!r} is behind {names[on[0]]!r} on one limb")

    def lowest(self, body: int) -> float:
        """Return how low a body reaches at the neutral configuration [m]."""
        pose, balls = self.tree.poses[body], self.balls.get(body)
        if balls is None:
            balls = box_of(self.model, body)
        return float((balls[:, :3] @ pose[2, :3] - balls[:, 3]).min() + pose[2, 3])

    def feet(self) -> list[int]:
        """Return the bodies on which the pairs of limbs stand that begin lowest."""
        if not self.pairs:
            raise ModelError(
                f"{self.model.name!r} has no limbs that mirror each other in y; name the feet: "
                f"feet{suggestion('', self.model.frame_names)}"
            )
        heights = [float(self.tree.poses[a, 2, 3]) for a, _ in self.pairs]
        above = LOW * float(np.ptp(self.tree.poses[:, 2, 3]))
        return [
            self.foot(self.lowest_of(branch))
            for pair, height in zip(self.pairs, heights, strict=True)
            if height <= min(heights) + above
            for branch in pair
        ]

    def lowest_of(self, branch: int) -> int:
        """Return the body of a branch that reaches lowest, of those that can touch if any can."""
        carried = self.tree.carried(branch)
        return min([k for k in carried if k in self.balls] or carried, key=self.lowest)

    def foot(self, end: int) -> int:
        """Return the foot of a leg that ends at a body: this one, or the one before if a toe."""
        before = self.tree.parent[end]
        free = self.tree.joint_count(self.tree.way(end, -1)[1:])
        is_toe = free > FREEDOM and self.lowest(before) < self.lowest(end) + TOE
        return before if is_toe else end

    def hands(self, feet: list[int]) -> list[int]:
        """Return the ends of the heaviest pair of limbs above the hips that are no legs."""
        tree = self.tree
        legs = {body for foot in feet for body in tree.way(foot, -1)}
        hips = max(tree.poses[tree.way(foot, tree.fork(feet))[0], 2, 3] for foot in feet)
        for pair in self.pairs:
            above = tree.masses[1][pair[0], 2] > hips - 1e-3
            if above and not legs & {each for branch in pair for each in tree.carried(branch)}:
                return [tree.hand(branch) for branch in pair]
        return []

    def ahead(self, feet: list[int]) -> Array:
        """Return where the machine looks to (3,), by the middles of its soles and its ankles."""
        x = np.array([1.0, 0.0, 0.0])
        forward, length = 0.0, 1e-6
        for foot in feet:
            if self.tree.freedom(foot) < ANKLE:
                return x
            at, named = self.tree.poses[foot], self.sole_frame(foot)
            if named is not None:
                return np.array([np.copysign(1.0, at[0, :3] @ named[:3, 0]), 0.0, 0.0])
            sole = self.sole(foot, x)
            forward += float(at[0, :3] @ sole.placement[:3, 3])
            length += float(sole.size[0])
        return -x if forward < -BACKWARDS * length else x

    def sole_frame(self, foot: int) -> Array | None:
        """Return the placement (4, 4) of the frame on a foot that is called a sole, if there is."""
        name = self.model.body_names[foot]
        for frame in self.model.frames:
            if frame.body == name and "sole" in frame.name.lower():
                return frame.placement
        return None

    def sole(self, foot: int, ahead: Array) -> Sole:
        """Return the sole of a foot."""
        turned, name = self.tree.poses[foot, :3, :3], self.model.body_names[foot]
        balls = self.balls.get(foot)
        if balls is not None:
            found = sole_of(self.model, foot, balls, turned, ahead)
            if found.size.max() < LARGEST:
                self.doubt(found)
                return found
        seen = self.seen.get(foot)
        kind = "the box with its inertia" if seen is None else "what is seen of it"
        note = f"{name!r} has no shape for a sole: it is that of {kind}"
        self.notes += [note] if note not in self.notes else []
        balls = box_of(self.model, foot) if seen is None else seen
        found = sole_of(self.model, foot, balls, turned, ahead)
        if found.size.max() > LARGEST:
            raise ModelError(
                f"the sole of {name!r} would be {found.size.max():.2g} m long: give `collision`, "
                "with the corners of its soles as contact_points"
            )
        return found

    def doubt(self, sole: Sole) -> None:
        """Tell of a sole that is wider than feet are: its shape may be turned in the file."""
        length, width = sole.size
        if width > WIDE * length and len(sole.corners) > 2:
            note = f"the sole of {sole.body!r} is {width / length:.1f} times as wide as long: "
            note += "if its shape is turned in the file, give `collision` with contact_points"
            self.notes += [note] if note not in self.notes else []

    def limbs(self, ends: list[int], ahead: Array, kind: str) -> list[Limb]:
        """Return the limbs to `ends`, those on the left first in each pair."""
        if not ends:
            return []
        fork = self.tree.fork(ends) if len(ends) > 1 else -1
        found = [self.limb(self.tree.way(end, fork), ahead, kind) for end in ends]
        order = {limb.end: k // 2 for k, limb in enumerate(found)}
        return sorted(found, key=lambda limb: (order[limb.end], -limb.side))

    def limb(self, way: list[int], ahead: Array, kind: str) -> Limb:
        """Return the limb along a way of bodies."""
        tree, model = self.tree, self.model
        left = np.array([-ahead[1], ahead[0], 0.0])
        side = 1 if tree.poses[way[-1], :3, 3] @ left >= 0.0 else -1
        at, local = tree.poses[way[-1]], np.zeros(3)
        if kind == "arm":
            local = model.bodies[way[-1]].com
        elif tree.freedom(way[-1]) < ANKLE:
            local = self.sole(way[-1], ahead).placement[:3, 3]
        end = at[:3, :3] @ local + at[:3, 3]
        bend = tree.bend(way, end)
        return Limb(
            f"{'left' if side > 0 else 'right'}_{kind}",
            side,
            tuple(model.body_names[k] for k in way),
            tuple(model.joint_names[k] for k in way),
            model.joint_names[bend],
            tree.reach(way, bend, end),
        )

    def leg(self, limb: Limb, ahead: Array) -> Leg:
        """Return a limb as a leg with its sole."""
        foot = self.model.body(limb.end).index
        toes = [k for k in self.tree.carried(foot)[1:] if k in self.balls]
        names = tuple(self.model.body_names[k] for k in toes)
        return Leg(
            **vars(limb), sole=self.sole(foot, ahead), freedom=self.tree.freedom(foot), toes=names
        )


# The limbs of a machine, found in its tree: mirrored pairs of branches, and ways to their ends.


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


# Limbs of a machine, and its legs: chains of joints from the trunk to a hand or a foot.


ANKLE = 5
"""Legs with such freedom have an ankle above the foot; others stand on their shanks."""
FREEDOM = 6
"""A leg with more joints than this may have a toe."""


@dataclass(frozen=True, eq=False)
class Limb:
    """A chain of joints from the trunk to an end; `side` is 1 on the left, −1 on the right."""

    name: str
    side: int
    bodies: tuple[str, ...]
    """From the first that the limb moves to its end, a foot or a hand."""
    joints: tuple[str, ...]
    """Those that carry these bodies."""
    bend: str
    """The joint in the middle: knee or elbow."""
    reach: float
    """How far the last joint can be from the first one [m]."""

    @property
    def end(self) -> str:
        """The body at the end: foot or hand."""
        return self.bodies[-1]

    @property
    def root(self) -> str:
        """The first body: hip or shoulder."""
        return self.bodies[0]


@dataclass(frozen=True, eq=False)
class Leg(Limb):
    """A limb that ends with a sole; `toes` are bodies behind the foot that can touch, too."""

    sole: Sole
    freedom: int
    """In how many directions its joints move the foot: 6 lead it anywhere."""
    toes: tuple[str, ...] = ()
