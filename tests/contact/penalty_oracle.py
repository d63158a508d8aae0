"""Springs and dampers in the ground, from the definitions, for one mechanism."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cone_problem import FADE, Array
from contact_geometry import Candidate
from contact_worlds import World

REFERENCE_DEPTH = 1e-3
"""Depth [m] at which Hunt and Crossley's damper is that of the linear law."""


@dataclass
class Bristles:
    """The tangential springs: the way (3,) that each has slipped since it touched."""

    world: World
    slipped: dict[int, Array] = field(default_factory=dict)

    def force(self, candidate: int, found: Candidate, velocity: Array) -> Array | None:
        """Return the force (3,) [N] on the body, in the world, at a velocity (3,) of its point.

        None where there is no contact; bristles stretch, and slip where the bound is reached.
        """
        if found.gap > 0.0:
            self.slipped.pop(candidate, None)
            return None
        numbers, normal = self.world.law_numbers, found.normal
        depth, speed = -found.gap, float(normal @ velocity)
        damping = numbers["damping"]
        if numbers.get("hunt_crossley", 0.0):
            damping *= depth / REFERENCE_DEPTH
        push = max(0.0, numbers["stiffness"] * depth - damping * speed)
        if push == 0.0:
            self.slipped.pop(candidate, None)
            return np.zeros(3)
        across = velocity - speed * normal
        way = self.slipped.get(candidate, np.zeros(3)) + self.world.dt * velocity
        way_across = way - (normal @ way) * normal
        stiffness, rub = numbers["tangential_stiffness"], numbers["tangential_damping"]
        pull = -stiffness * way_across - rub * across
        viscous = self.world.viscous * float(np.linalg.norm(across))
        bound = self.world.friction * push + min(viscous, FADE * push)
        if (size := float(np.linalg.norm(pull))) > bound:
            pull = pull * (bound / size)
            way = -(pull + rub * across) / stiffness
        self.slipped[candidate] = way
        return np.asarray(push * normal + pull)
