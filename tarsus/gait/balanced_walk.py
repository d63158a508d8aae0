"""Walks whose zero moment point is where it was planned, also that of the whole machine.

Preview control plans with a cart on a table. The legs that swing, and the arms, move the zero
moment point of the machine away from that of the cart; how far is known as soon as joints are. The
same control leads the centre of mass to the difference, and joints are found again (S. Kajita and
others, "Biped Walking Pattern Generation by using Preview Control of Zero-Moment Point", ICRA 2003,
section 4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tarsus.arrays import Array
from tarsus.gait.anatomy import Anatomy
from tarsus.gait.arms import Arms
from tarsus.gait.ground_wrenches import GroundWrenches, ground_wrenches
from tarsus.gait.kinematic_walk import Motion, walk_kinematics
from tarsus.gait.plans.preview import ZmpPreview
from tarsus.gait.walk_targets import WalkTargets
from tarsus.ik import Avoid
from tarsus.model.checks import count

ENDS = 3
"""Samples at both ends whose accelerations are not counted: differences there are one-sided."""


class BalancedWalk(NamedTuple):
    """A motion, the ways that it follows, and what the ground does for it."""

    motion: Motion
    targets: WalkTargets
    ground: GroundWrenches

    @property
    def zmp_error(self) -> float:
        """How far the zero moment point is from where it was planned, at most [m]."""
        apart = (self.ground.zmp - self.targets.zmp)[ENDS:-ENDS]
        return float(np.linalg.norm(apart, axis=-1).max())


def balanced_walk(
    anatomy: Anatomy,
    q: Array,
    targets: WalkTargets,
    arms: Arms | None = None,
    *,
    rounds: int = 2,
    avoid: Avoid | None = None,
    comfort: float = 1.0,
) -> BalancedWalk:
    """Return a walk along targets from q (nq,) whose centre of mass was led again, `rounds` times.

    Arms, `avoid` and `comfort` are those of `walk_kinematics`.
    """
    count(rounds, "rounds", 0)
    for left in range(rounds, -1, -1):
        motion = walk_kinematics(anatomy, q, targets, arms, avoid=avoid, comfort=comfort)
        ground = ground_wrenches(anatomy, motion.q, motion.v, motion.a, targets.standing)
        if left:
            targets = targets._replace(com=targets.com + _led(targets, ground.zmp))
    return BalancedWalk(motion, targets, ground)


def _led(targets: WalkTargets, zmp: Array) -> Array:
    """Return by how much (T, 3) the centre of mass shall move more, for the point as it is."""
    apart = targets.zmp - zmp
    apart[:ENDS] = apart[-ENDS:] = 0.0
    dt = float(targets.times[1] - targets.times[0])
    sway = ZmpPreview(float(targets.com[0, 2]), dt=dt).follow(apart)
    return np.column_stack([sway.com, np.zeros(len(apart))])
