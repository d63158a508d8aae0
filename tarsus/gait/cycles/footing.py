"""Whether a foot that a phase has standing could stand: forces of the ground, and clearance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.events.report import Flowed
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.walker import Walker

ENDS = 0.15
"""Share of a step at each end in which a swing foot may be on the ground."""
SLIPPERY = 1.0
"""Friction that no ground should be asked for."""


@dataclass(frozen=True, eq=False)
class Footing:
    """What the ground does to the stance foot over a step (T,), and where the swing foot is."""

    t: Array
    normal_force: Array
    """[N]; below zero the foot would lift."""
    friction: Array
    """Tangential over normal force."""
    clearance: Array
    """Height of the swing foot over the ground [m]."""

    def violations(self) -> tuple[str, ...]:
        """Return what is not as the phases say it is."""
        found = []
        least, when = _least(self.normal_force, self.t)
        if least <= 0.0:
            found.append(
                f"the stance foot lifts: the ground would pull with {-least:.3g} N at {when:.3g} s"
            )
        most, when = _least(-self.friction, self.t)
        if -most > SLIPPERY and least > 0.0:
            found.append(f"the stance foot slips: it needs friction {-most:.3g} at {when:.3g} s")
        inside = (self.t > ENDS * self.t[-1]) & (self.t < (1.0 - ENDS) * self.t[-1])
        if inside.any():
            deepest, when = _least(self.clearance[inside], self.t[inside])
            if deepest < 0.0:
                found.append(f"the swing foot scuffs: {-1e3 * deepest:.3g} mm deep at {when:.3g} s")
        return tuple(found)


def footing(walker: Walker, flowed: Flowed) -> Footing | None:
    """Return the footing of the first step of a flow with samples; None without a machine."""
    stance = walker.stance
    if stance is None or len(walker.phases) > 1:
        return None
    t, q, v = flowed.samples
    first = t <= flowed.events[0].t
    t, q, v = t[first], q[first], v[first]
    controller = walker.phases[0].controller
    if controller is None:
        tau = np.zeros_like(v)
    else:
        tau = np.array([controller(s, a, b) for s, a, b in zip(t, q, v, strict=True)])
    a = stance.standing.forward_dynamics(q, v, tau)
    ground = stance.standing.reaction(q, v, a)
    return Footing(t, ground.normal_force, ground.friction, _clearance(stance, q))


def _clearance(stance: Stance, q: Array) -> Array:
    foot = stance.second_foot(q) @ stance.center
    return np.asarray(foot[..., :3, 3] @ stance.at[:3, 2] - stance.radius)


def _least(values: Array, t: Array) -> tuple[float, float]:
    k = int(np.argmin(values))
    return float(values[k]), float(t[k])
