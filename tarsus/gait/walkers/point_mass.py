"""Walking of a point mass on massless legs, with lateral foot placement."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import not_negative, number, numbers
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.events import guards, resets
from tarsus.events.flow import flow
from tarsus.events.phase import Exit, Phase
from tarsus.gait.impact_analysis import leg_direction, leg_rates, leg_velocity, push_off, struck
from tarsus.gait.walkers.walker import Factory, Walker
from tarsus.model.builder import Builder
from tarsus.model.model import Model

# A walker in space whose mass is in its hip: light legs, swung at once, and ankles that push.
#
# The stance leg is a pendulum on its head. It leans by `pitch` ahead and by `roll` to the right, so
# that the hip is at (sin a cos b, −sin b, cos a cos b) from its foot; the other leg leans likewise
# from the foot on which it will stand. At mid-stance, pitch = 0, that foot is aimed at its place by
# how fast the hip falls aside; at the strike the ankle has restored what the strike takes. After
# it right is left: the state is mirrored, and one step is a gait.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 5.4. Its law for one foot is `roll − gain · roll rate` (5.40).


PITCH, ROLL, GAIN, SPEED = -0.3, 0.1, 0.3, 1.76
"""Of the foot that is placed [rad], of the law [s], of the hip at mid-stance [m/s]."""
FALLEN = 1.2
"""A leg that leans more than this [rad] has fallen."""


def point_mass(
    pitch: float = PITCH,
    roll: float = ROLL,
    gain: float = GAIN,
    speed: float = SPEED,
    gravity: float = 9.81,
) -> Walker:
    """Return the walker with unit legs that places its foot at `pitch` and `roll` [rad].

    `gain` [s] of lateral foot placement; without it steps aside grow. `speed` [m/s] is that of
    the hip at mid-stance in the gait that it starts with: there is one for any speed, as pushes
    restore all energy. Pushes are part of a strike: the ledger of a gait has both as one, and does
    not tell what ankles spend.
    """
    numbers = {"pitch": pitch, "roll": roll, "gain": gain, "speed": speed, "gravity": gravity}
    model = pendulum(gravity)
    q, v = _gait(model, pitch, roll, speed)

    def aimed(t: float, q: Array, v: Array) -> tuple[Array, Array]:
        return np.array([q[0], q[1], pitch, roll - gain * v[1]]), v

    leans = tuple(
        Exit(FALLEN - way * guards.JointPosition(joint), name="fall")
        for joint in ("pitch", "roll")
        for way in (1, -1)
    )
    first = Phase(
        model,
        (
            Exit(
                guards.JointPosition("pitch"),
                "second half",
                resets.Function(aimed),
                crossing="rising",
                name="mid-stance",
            ),
            *leans,
        ),
        name="first half",
    )
    strike = Exit(
        guards.Height("swing_foot"), "first half", resets.Function(strike_of), name="strike"
    )
    second = Phase(model, (strike, *leans), name="second half")
    start = np.concatenate([q, [pitch, roll]]), np.concatenate([v, [0.0, 0.0]])

    def energy(q: Array, v: Array) -> Array:
        return np.asarray(model.kinetic_energy(q, v) + model.potential_energy(q))[..., None]

    return Walker.from_phases(
        (first, second),
        name="point_mass",
        start=start,
        ahead=_ahead,
        factory=Factory(point_mass, numbers),
        kept=energy,
    )


def pendulum(gravity: float = 9.81, mass: float = 1.0) -> Model:
    """Return the hip on its stance leg, and the leg that swings: pitch, roll, and those of both.

    The swing leg has no inertia but that of its motors, stands still and moves nothing.
    """
    b = Builder("point_mass", gravity=(0.0, 0.0, -gravity))
    b.body("ankle").body("stance_leg").body("hip", mass).body("levelled").body("turned")
    b.body("swing_hip").body("swing_leg")
    b.joint("pitch", "revolute", WORLD, "ankle", axis="y")
    b.joint("roll", "revolute", "ankle", "stance_leg", axis="x")
    b.joint("hip_mount", "fixed", "stance_leg", "hip", position=(0.0, 0.0, 1.0))
    # the swing leg is led in directions of the world, whatever the stance leg does
    b.joint("unroll", "revolute", "hip", "turned", axis="x")
    b.joint("unpitch", "revolute", "turned", "levelled", axis="y")
    b.joint("swing_pitch", "revolute", "levelled", "swing_hip", axis="y", armature=1.0)
    b.joint("swing_roll", "revolute", "swing_hip", "swing_leg", axis="x", armature=1.0)
    b.couple(["roll", "unroll"], [[1.0], [-1.0]])
    b.couple(["pitch", "unpitch"], [[1.0], [-1.0]])
    b.frame("stance_foot", "stance_leg")
    b.frame("swing_foot", "swing_leg", position=(0.0, 0.0, -1.0))
    b.shape("stance_leg", "cylinder", (0.02, 1.0), position=(0.0, 0.0, 0.5))
    b.shape("swing_leg", "cylinder", (0.02, 1.0), position=(0.0, 0.0, -0.5))
    b.shape("hip", "sphere", (0.1,))
    return b.build()


def strike_of(t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """Return the state after a push and a strike, mirrored: q (4,) and v (4,)."""
    old, new = leg_direction(q[0], q[1]), leg_direction(q[2], q[3])
    before = leg_velocity(q[0], q[1], v[:2])
    after = struck(before, old, new, push_off(before, old, new))
    rates = leg_rates(q[2], q[3], after)
    return np.array([q[2], -q[3], q[2], q[3]]), np.array([rates[0], -rates[1], 0.0, 0.0])


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    way = leg_direction(q[..., 0], q[..., 1]) - leg_direction(q[..., 2], q[..., 3])
    return np.asarray(way[..., 0])


def _gait(model: Model, pitch: float, roll: float, speed: float) -> tuple[Array, Array]:
    """Return pitch and roll, and their rates, after the strikes of a gait.

    A gait is its own mirror image about mid-stance, where roll rests: the roll there is found
    from which the leg strikes at (−pitch, −roll).
    """
    from scipy.optimize import brentq  # slow to import, and only needed here

    there = Phase(model, Exit(-pitch - guards.JointPosition("pitch"), name="there"))

    def reached(middle: float) -> tuple[Array, Array]:
        q, v = np.array([0.0, middle, 0.0, 0.0]), np.array([speed / np.cos(middle), 0.0, 0.0, 0.0])
        found = flow(there, q, v, duration=10.0, rtol=1e-12, atol=1e-13)
        return found.q, found.v

    middle = brentq(lambda x: reached(x)[0][1] + roll, -roll, 0.0, xtol=1e-14)
    q, v = reached(middle)
    return np.array([-q[0], q[1]]), np.array([v[0], -v[1]])


# Walks in space of the walker whose mass is in its hip: `ts.flow` from event to event.
#
# At mid-stance `FootPlacement` aims the next foot; at a strike an ankle pushes, exactly so much
# that the energy is what it was, or what a wanted speed asks for.


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


# Where a walker with light legs puts its next foot, so that it neither falls aside nor strays.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 5.4.3: (5.40) to (5.42), in a frame that looks along a heading, which the
# thesis describes and does not try.


@dataclass(frozen=True)
class FootPlacement:
    """The law: lean (pitch, roll) from the next foot, by the state at mid-stance.

    `pitch` and `roll` [rad] are how the hip leans from a foot that is put down in a gait, `gain`
    [s] how much further aside it is put for each unit of how fast the stance leg leans aside.
    `kp` [rad/s/m] and `kd` [rad/m] lead the hip to a line by leaning on purpose, at most so fast
    as `most` [rad/s]; without a `line` the walker goes where it looks. `heading` [rad] is where it
    looks, from +x to the left, and `line` [m] how far left of the origin it shall walk: numbers, or
    functions of time [s].
    """

    pitch: float = -0.3
    roll: float = 0.1
    gain: float = 0.3
    kp: float = 1.0
    kd: float = 1.5
    most: float = 0.3
    heading: float | Callable[[float], float] = 0.0
    line: float | Callable[[float], float] | None = None

    def __post_init__(self) -> None:
        for name in ("pitch", "roll"):
            if not abs(number(getattr(self, name), name)) < math.pi / 2:
                raise ValueError(f"{name} is {getattr(self, name)}, must be within ±π/2")
        if self.pitch >= 0.0:
            raise ValueError(f"pitch is {self.pitch}, must be negative: the hip behind the foot")
        for name in ("gain", "kp", "kd", "most"):
            not_negative(getattr(self, name), name)
        for name in ("heading", "line"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                number(given, name)

    def looks(self, t: float) -> Array:
        """Return the rotation (3, 3) from the frame of the heading at a time to the world."""
        angle = self.heading(t) if callable(self.heading) else self.heading
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])

    def aim(self, t: float, side: int, foot: Array, over: Array, velocity: Array) -> Array:
        """Return the direction (3,) from the next foot to the hip at the strike, in the world.

        `side` is 1 while the right foot stands and −1 for the left one; `foot` (3,) is where it
        stands, `over` (3,) the hip from there at mid-stance, `velocity` (3,) that of the hip.
        """
        turn = self.looks(t)
        own, moving = turn.T @ over, turn.T @ velocity
        leaning = float(leg_rates(0.0, -math.asin(own[1]), moving)[1])
        wanted = 0.0
        if self.line is not None:
            line = self.line(t) if callable(self.line) else self.line
            aside = float((turn.T @ (foot + over))[1])
            wanted = self.kp * (aside - line) + self.kd * float(moving[1])
            wanted = min(max(wanted, -self.most), self.most)
        roll = self.roll * side + self.gain * (wanted - leaning)
        return np.asarray(turn @ leg_direction(self.pitch, roll))
