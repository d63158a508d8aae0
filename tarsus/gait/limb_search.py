"""Limbs of a machine, looked for in its model.

Branches that mirror each other are limbs. Those that begin lowest are legs, the heaviest of the
others above them are arms. Frames that are called soles look ahead; without them forward is where
soles reach further from the ankles.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.body_parts import ANKLE, FREEDOM, Leg, Limb
from tarsus.gait.limbs import SHORTEST, Branches
from tarsus.gait.soles import Sole, balls_of, box_of, sole_of
from tarsus.geometry import Collision
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.model.description import ModelError

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
