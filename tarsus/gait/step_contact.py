"""Contact of the feet during a step: forces, friction, clearance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tarsus._lib.files import Array
from tarsus.events.flow_result import Flowed
from tarsus.events.foothold_model import Planted
from tarsus.events.phase import Phase
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.stance import BRIEF, Stance, Support
from tarsus.gait.walkers.touchdown import ground_forces
from tarsus.gait.walkers.walker import Walker

# Whether a foot that a phase has standing could stand: forces of the ground, and clearance.


SCUFF = 1e-6
"""A swing foot that is deeper in the ground scuffs [m]."""
LEVEL = 1e-4
"""A foot that strikes is as it stands within this [rad]."""
LIGHT = 0.01
"""A foot that bears less, of what it bears at most, is about to lift, and may slip."""
ROUNDED = 1e-9
"""Pulls that are no more, of what it bears at most, are none."""
SLIPPERY = 1.0
"""Friction that no ground should be asked for."""


@dataclass(frozen=True, eq=False)
class Footing:
    """What the ground does to the stance foot over a step (T,), and where the swing foot is."""

    step: int
    """Which of the gait's steps, from 1 on."""
    t: Array
    """Since the gait's beginning [s]."""
    normal_force: Array
    """[N]; below zero the foot would lift."""
    friction: Array
    """Tangential over normal force."""
    clearance: Array
    """Height of the swing foot over the ground [m]."""
    tilt: float
    """By how much the new foot turns to stand, where it strikes [rad]: a flat one to be level."""
    foot: str = "the stance foot"
    """Which foot stands."""
    impulse: float = 0.0
    """What it is pushed with when the phase begins and another foot lands [N s], 0 without."""

    def violations(self) -> tuple[str, ...]:
        """Return what is not as the phases say it is."""
        found = []
        if self.impulse < -BRIEF * max(self.normal_force[0], 0.0):
            found.append(
                f"{self.foot} lifts: the ground would pull with {-self.impulse:.3g} N s when "
                f"another foot lands, at {self.t[0]:.3g} s"
            )
        least, when = _least(self.normal_force, self.t)
        if least <= -ROUNDED * self.normal_force.max():
            found.append(
                f"{self.foot} lifts: the ground would pull with {-least:.3g} N at {when:.3g} s"
            )
        pressed = self.normal_force > LIGHT * self.normal_force.max()
        most, when = _least(np.where(pressed, -self.friction, 0.0), self.t)
        if -most > SLIPPERY and least > -ROUNDED:
            found.append(f"{self.foot} slips: it needs friction {-most:.3g} at {when:.3g} s")
        deepest, when = _least(self.clearance, self.t)
        if deepest < -SCUFF:
            found.append(f"the swing foot scuffs: {-1e3 * deepest:.3g} mm deep at {when:.3g} s")
        if self.tilt > LEVEL:
            found.append(f"the new foot strikes tilted by {self.tilt:.3g} rad, and is set straight")
        return tuple(found)


def footing_of(stance: Stance, piece: Piece) -> Footing:
    """Return the footing of a machine that stands on one foot."""
    m, q, v = stance.standing, piece.q, piece.v
    a = m.forward_dynamics(q, v, piece.tau + m.passive_forces(q, v))
    ground = m.reaction(q, v, a)
    clearance = stance.clearance(q)
    tilt = float(stance.set_down(q[-1]).turn)
    return Footing(piece.step + 1, piece.t, ground.normal_force, ground.friction, clearance, tilt)


def _least(values: Array, t: Array) -> tuple[float, float]:
    k = int(np.argmin(values))
    return float(values[k]), float(t[k])


# What the ground does to each foot that stands, phase by phase of a gait.


def footings(walker: Walker, flowed: Flowed) -> list[Footing]:
    """Return footings of each phase of a flow with samples; none without a machine."""
    machine = walker.stance
    listed = list(pieces(walker, flowed)) if machine is not None else []
    if isinstance(machine, Support):
        # what was before the first phase of a gait is as before any other like it
        around = pairwise([listed[-1], *listed])
        first = walker.phases[0].name
        impulses = [_impulses(machine, a, b, b.phase.name == first) for a, b in around]
        given = zip(listed, impulses, strict=True)
        return [each for piece, pushed in given for each in _on_feet(machine, piece, pushed)]
    if machine is None or len(walker.phases) > 1:
        return []
    return [footing_of(machine, piece) for piece in listed]


def _on_feet(support: Support, piece: Piece, impulses: Array) -> list[Footing]:
    """Return the footing of each foot that stands in a phase, the root's first."""
    m, name = piece.phase.model, piece.phase.name
    if not isinstance(m, Planted):
        return [footing_of(support.stance, piece)]
    forces = ground_forces(m, piece.q, piece.v, piece.tau)
    feet = [support.stance.feet[0], *support.standing(name)]
    heights = [_height(support, piece.q, foot) for foot in support.swinging(name)]
    found = []
    for k, (foot, _) in enumerate(feet):
        push = forces[:, k, 2]
        along = np.linalg.norm(forces[:, k, :2], axis=1)
        friction = np.where(push > 0.0, along / np.where(push > 0.0, push, 1.0), np.inf)
        # scuffs are told once, with the root
        clear = np.min(heights, axis=0) if heights and k == 0 else np.full(len(push), np.inf)
        impulse = float(impulses[k])
        found.append(Footing(piece.step + 1, piece.t, push, friction, clear, 0.0, foot, impulse))
    return found


def _height(support: Support, q: Array, foot: Foot) -> Array:
    """Return how high a foot is over the ground (T,) [m]."""
    m, (name, at) = support.stance.standing, foot
    place = np.asarray(m.frame_pose(q[..., : m.nq], name)) @ at
    return np.asarray(place[..., :3, 3] @ support.stance.at[:3, 2])


def _impulses(support: Support, before: Piece, after: Piece, strike: bool) -> Array:
    """Return what pushes feet up as a phase begins, the root's first (1 + feet,) [N s]."""
    m = after.phase.model
    if not isinstance(m, Planted):
        return np.zeros(1)
    q, v = before.q[-1], before.v[-1]
    spots = support.struck(q, v)[2] if strike else m.strike(*support.tree(q, v))[2]
    up = support.stance.at[:3, 2]  # mirrored it is the same
    momenta = [
        np.asarray(model.centroidal_momentum(x, w))[:3] @ up
        for model, x, w in (
            (before.phase.model, q, v),
            (m, after.q[0], after.v[0]),
        )
    ]
    return np.array([momenta[1] - momenta[0] - spots[:, 2].sum(), *spots[:, 2]])


# The motion of a gait in pieces, from event to event, with states at both ends of each.


@dataclass(frozen=True, eq=False)
class Piece:
    """A phase of a step: times (T,) [s], q (T, nq), v (T, nv), and efforts of its controller."""

    step: int
    """Which of the steps, from 0 on."""
    phase: Phase
    t: Array
    q: Array
    v: Array
    tau: Array

    def integral(self, values: Array) -> float:
        """Return the integral of values (T,) over the piece, by a spline through them."""
        from scipy.interpolate import CubicSpline  # slow to import, and only needed here

        return float(CubicSpline(self.t, values).integrate(self.t[0], self.t[-1]))


def pieces(walker: Walker, flowed: Flowed) -> Iterator[Piece]:
    """Yield the pieces of a flow with samples that ended with an event."""
    t, q, v = flowed.samples
    first = walker.phases[0].model
    begin, at_q, at_v = 0.0, q[0, : first.nq], v[0, : first.nv]
    named = {phase.name: phase for phase in walker.phases}
    for k, event in enumerate(flowed.events):
        phase = named[event.phase]
        m = phase.model
        inside = (t > begin + 1e-9) & (t < event.t - 1e-9)
        times = np.concatenate([[begin], t[inside], [event.t]])
        states = np.concatenate([at_q[None], q[inside, : m.nq], event.q[None]])
        rates = np.concatenate([at_v[None], v[inside, : m.nv], event.v[None]])
        tau = _efforts(phase, times, states, rates)
        yield Piece(k // walker.events, phase, times, states, rates, tau)
        begin, at_q, at_v = event.t, event.next_q, event.next_v


def _efforts(phase: Phase, t: Array, q: Array, v: Array) -> Array:
    if phase.controller is None:
        return np.zeros_like(v)
    return np.array([phase.controller(s, a, b) for s, a, b in zip(t, q, v, strict=True)], float)
