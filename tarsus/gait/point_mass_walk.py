"""Walks in space of the walker whose mass is in its hip: `ts.flow` from event to event.

At mid-stance `FootPlacement` aims the next foot; at a strike an ankle pushes, exactly so much that
the energy is what it was, or what a wanted speed asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, flow, guards
from tarsus.gait.foot_placement import FootPlacement
from tarsus.gait.push_off import leg_direction, leg_rates, leg_velocity, push_off, struck
from tarsus.gait.walkers.point_mass import FALLEN, pendulum
from tarsus.model.checks import number, numbers

GRAVITY = 9.81


@dataclass(eq=False)
class PointMassWalk:
    """What became of a walk: samples, and what was at strikes and at mid-stances."""

    ended: str = "walks on"
    """"walks on", "stopped": it could not pass over its foot, or "fell"."""
    t: list[float] = field(default_factory=list)
    hip: list[Array] = field(default_factory=list)
    """Where the hip is at times t, (T, 3) as an array [m]."""
    velocity: list[Array] = field(default_factory=list)
    strikes: list[float] = field(default_factory=list)
    """Times of strikes [s]."""
    feet: list[Array] = field(default_factory=list)
    """Where feet stood one after the other (n, 3) [m]."""
    pushes: list[float] = field(default_factory=list)
    """How fast ankles pushed at strikes [m/s]."""
    middles: list[tuple[float, Array, Array]] = field(default_factory=list)
    """Times, places and velocities of the hip at mid-stances."""

    @property
    def energy(self) -> Array:
        """Kinetic and potential energy by mass at the samples (T,) [m²/s²]."""
        kinetic = 0.5 * (np.array(self.velocity) ** 2).sum(axis=-1)
        return np.asarray(kinetic + GRAVITY * np.array(self.hip)[:, 2])


def point_mass_walk(
    placement: FootPlacement,
    lean: ArrayLike = (-0.3, -0.1),
    rates: ArrayLike = (2.0, 0.1),
    *,
    duration: float = 20.0,
    disturbances: Sequence[tuple[float, ArrayLike]] = (),
    speed: float | Callable[[float], float] | None = None,
    sample: float = 0.02,
) -> PointMassWalk:
    """Walk from a right foot at the origin, from which the hip leans by (pitch, roll) [rad].

    `rates` [rad/s] are those of the lean. `disturbances` are times [s] and changes (3,) of the
    velocity of the hip [m/s]. `speed` [m/s] is what the hip shall have over an upright leg, a
    number or a function of time; unless stated pushes restore what strikes take. Without a speed,
    zero, ankles do not push: it comes to a stop between two feet after some steps.
    """
    walker = _Walker(placement, speed, number(sample, "sample"))
    walker.q[:2], walker.v[:2] = numbers(lean, (2,), "lean"), numbers(rates, (2,), "rates")
    pushed = [(number(t, "disturbances"), by) for t, by in disturbances]
    for t, by in (*sorted(pushed, key=lambda x: x[0]), (number(duration, "duration"), np.zeros(3))):
        walker.go_on(min(t, duration))
        walker.disturb(np.asarray(numbers(by, (3,), "disturbances")))
    return walker.walk


def standing_start(placement: FootPlacement, speed: float) -> tuple[Array, Array]:
    """Return lean (2,) [rad] and rates (2,) after one push from rest, both feet on the ground.

    The left foot is behind, and pushes so that the hip has a speed [m/s] over the right one.
    """
    lean = np.array([placement.pitch, -placement.roll])
    old, new = leg_direction(-lean[0], -lean[1]), leg_direction(*lean)
    energy = 0.5 * number(speed, "speed") ** 2 + GRAVITY * (1.0 - new[2])
    at_rest = np.zeros(3)
    push = push_off(at_rest, old, new, energy)
    return lean, leg_rates(lean[0], lean[1], struck(at_rest, old, new, push))


class _Walker:
    """A walk in progress: where the foot stands, which it is, and what the pendulum does."""

    def __init__(
        self,
        placement: FootPlacement,
        speed: float | Callable[[float], float] | None,
        sample: float,
    ) -> None:
        self.placement, self.speed, self.sample = placement, speed, sample
        self.model = pendulum(GRAVITY)
        self.walk = PointMassWalk(feet=[np.zeros(3)])
        self.t, self.side, self.foot = 0.0, 1, np.zeros(3)
        self.q, self.v = np.zeros(4), np.zeros(4)
        self.aimed = False

    def go_on(self, until: float) -> None:
        """Walk until a time [s], or until the walk ends."""
        while self.t < until and self.walk.ended == "walks on":
            phase = self._second() if self.aimed else self._first()
            found = flow(phase, self.q, self.v, duration=until - self.t, sample=self.sample)
            self._record(*found.samples)
            self.t, self.q, self.v = self.t + float(found.t), found.q, found.v
            for event in found.events:
                {"mid-stance": self._aim, "strike": self._strike}.get(event.name, self._end)(
                    event.name
                )

    def disturb(self, by: Array) -> None:
        """Change the velocity of the hip; what is along the leg is the ground's."""
        velocity = leg_velocity(self.q[0], self.q[1], self.v[:2]) + by
        self.v[:2] = leg_rates(self.q[0], self.q[1], velocity)

    def _first(self) -> Phase:
        ahead = self.placement.looks(self.t)[:, 0]

        def advance(t: float, q: Array, v: Array) -> float:
            return float(ahead @ leg_velocity(q[0], q[1], v[:2]))

        over = guards.Height("hip", normal=ahead)
        exits = (
            Exit(over, crossing="rising", name="mid-stance"),
            Exit(guards.Function(advance), name="stopped"),
        )
        return Phase(self.model, (*exits, *_falls()))

    def _second(self) -> Phase:
        return Phase(self.model, (Exit(guards.Height("swing_foot"), name="strike"), *_falls()))

    def _aim(self, name: str) -> None:
        over, velocity = (
            leg_direction(self.q[0], self.q[1]),
            leg_velocity(self.q[0], self.q[1], self.v[:2]),
        )
        self.walk.middles.append((self.t, self.foot + over, velocity))
        n = self.placement.aim(self.t, self.side, self.foot, over, velocity)
        self.q[2:] = math.atan2(n[0], n[2]), -math.asin(n[1])
        self.aimed = True

    def _strike(self, name: str) -> None:
        old, new = leg_direction(self.q[0], self.q[1]), leg_direction(self.q[2], self.q[3])
        before = leg_velocity(self.q[0], self.q[1], self.v[:2])
        push = push_off(before, old, new, self._energy(new[2]))
        after = struck(before, old, new, push)
        self.foot = self.foot + old - new
        self.q[:2] = self.q[2:]
        self.v[:2] = leg_rates(self.q[0], self.q[1], after)
        self.side, self.aimed = -self.side, False
        self.walk.strikes.append(self.t)
        self.walk.pushes.append(float(push))
        self.walk.feet.append(self.foot)

    def _energy(self, height: float) -> float | None:
        """Return the kinetic energy by mass that is wanted after a strike."""
        if self.speed is None:
            return None
        speed = self.speed(self.t) if callable(self.speed) else self.speed
        return 0.5 * speed**2 + GRAVITY * (1.0 - height) if speed > 0.0 else 0.0

    def _end(self, name: str) -> None:
        self.walk.ended = name

    def _record(self, t: Array, q: Array, v: Array) -> None:
        if len(t):
            self.walk.t += list(self.t + t)
            self.walk.hip += list(self.foot + leg_direction(q[:, 0], q[:, 1]))
            self.walk.velocity += list(leg_velocity(q[:, 0], q[:, 1], v[:, :2]))


def _falls() -> list[Exit]:
    return [
        Exit(FALLEN - way * guards.JointPosition(joint), name="fell")
        for joint in ("pitch", "roll")
        for way in (1, -1)
    ]
