"""The legs of a humanoid from its file, whose gait of least efforts is looked for from no guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.robots.load import example

SPEED, FRICTION, LEAST = 0.4, 0.6, 20.0
"""How fast [m/s], on which ground, and what the ground pushes with at least [N]."""
SOLE = (-0.085, 0.085, -0.025, 0.025)
"""Of the feet of G1, from back to front and from right to left [m]."""
PUSH = 1e-6
"""How long before its end a step is looked at [s]."""


@dataclass(frozen=True, eq=False)
class Legs:
    """A humanoid whose joints above its legs are locked, and a walker on its flat soles."""

    walker: ts.gait.Walker
    posture: Array
    """Just after a strike, as the planner of walks stands it: one foot ahead of the other."""

    @classmethod
    def of(cls, name: str) -> Legs:
        """Return the legs of a robot of example-robot-data."""
        model, anatomy = _lower_body(example(name))
        walker = ts.gait.Walker.from_model(model, feet=["left_sole", "right_sole"], stance="flat")
        soles = np.stack([np.eye(4), np.eye(4)])
        soles[:, :3, 3] = [[0.1, 0.1, 0.0], [-0.1, -0.1, 0.0]]
        standing = ts.walking.stance(anatomy, soles=soles)
        at = model.frame_pose(standing, "left_sole")
        return cls(walker, walker.phases[0].model.from_original(standing, at=at).q)

    def optimized(self) -> ts.gait.OptimizedGait:
        """Return the gait of least efforts, within limits of the file, friction and the sole."""
        beside = ts.guards.Height("right_sole", normal=(0.0, 1.0, 0.0))
        return ts.gait.optimize(
            self.walker,
            SPEED,
            basis=8,
            require=[
                *ts.gait.flat_strike("right_sole", SOLE),
                ts.gait.Require(beside, high=-0.15, points=11, label="legs apart"),
                ts.gait.Grip(friction=FRICTION, least=LEAST, sole=SOLE),
            ],
            posture=self.posture,
            starts=1,
        )


def period_error(gait: ts.gait.OptimizedGait) -> float:
    """Return how far a strike, as flows have it, leads from where the gait begins [rad, rad/s].

    Flows come to the strike from shortly before, without the motors. What that changes is
    extrapolated to nothing by a parabola through three of them: a line through two leaves 2e-8 at
    the legs of G1, which is more than their gait is off.
    """
    near, nearer, nearest = (_struck(gait, PUSH / part) for part in (1.0, 2.0, 4.0))
    struck = (near - 6.0 * nearer + 8.0 * nearest) / 3.0
    return float(np.abs(struck - np.concatenate(gait.state)).max())


def _struck(gait: ts.gait.OptimizedGait, push: float) -> Array:
    """Return the state after the strike, come to from so many seconds before the end."""
    q, v = gait.q(gait.duration), gait.v(gait.duration)
    flowed = ts.flow(gait.walker.phases, q - push * v, v, duration=1e3 * push, events=1)
    if not flowed.events:
        return np.full(len(q) + len(v), np.inf)
    return np.concatenate([flowed.events[0].next_q, flowed.events[0].next_v])


def _lower_body(whole: ts.Model) -> tuple[ts.Model, ts.gait.Anatomy]:
    """Return a robot whose joints above the legs are locked, with frames of its soles."""
    legs = ts.gait.Anatomy.from_model(whole).legs
    editor = ts.Editor(whole)
    moving = {joint for leg in legs for joint in leg.joints}
    for joint in whole.joints:
        if joint.kind != "free" and joint.name not in moving:
            editor.change("joint", joint.name, kind="fixed")
    for leg, side in zip(legs, ("left", "right"), strict=True):
        editor.frame(f"{side}_sole", leg.sole.body, placement=leg.sole.placement)
    model = editor.build()
    return model, ts.gait.Anatomy.from_model(model)
