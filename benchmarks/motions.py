"""What the robots do while time is taken: start states, references, and what touches.

Easy ones first in the code, hard ones first in the tables: a robot that stands, whose solver has
nothing to decide, says little about one that tips, twists its soles, falls or lies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from spheres import Sphere
from walkers import Walker

import tarsus as ts
from tarsus._lib.files import Array

NOISE = 0.003
"""Spread of the reference angles of robots that stand [rad]."""
TWIST = 0.01
"""The same, so large that stiff legs twist the soles to the limit of friction."""
TIPPING = 1.02
"""Speed of a push, as a part of the one that just tips the robot over."""


@dataclass
class Situation:
    """States of a robot, what they follow, and how long until they are in the motion."""

    walker: Walker
    motion: str
    model: ts.Model
    spheres: list[Sphere]
    q: Array
    """At the start (B, nq)."""
    v: Array
    """At the start (B, nv)."""
    reference: Array | None
    """Positions (B, nq) or, one for each step of a period, (B, period, nq); None for no gains."""
    lead: int
    """Steps from the start until time is taken."""

    def references(self, first: int, steps: int) -> Array | None:
        """Return references for some steps, (B, nq) or (B, steps, nq)."""
        if self.reference is None or self.reference.ndim == 2:
            return self.reference
        count = self.reference.shape[1]
        return np.ascontiguousarray(self.reference[:, (first + np.arange(steps)) % count])

    @property
    def title(self) -> str:
        """The robot and what it does."""
        return f"{self.walker.title} {self.motion}"


def stands(walker: Walker, states: int) -> Situation:
    """Return a robot that stands still; references differ a little, but for the first."""
    return _standing(walker, "stands", states, NOISE, first_too=False, lead=250)


def twists(walker: Walker, states: int) -> Situation:
    """Return a robot whose legs twist its soles on the floor."""
    return _standing(walker, "twists its soles", states, TWIST, first_too=True, lead=120)


def tips(walker: Walker, states: int) -> Situation:
    """Return a robot that holds its joints and was pushed just hard enough to tip over.

    The first is pushed along x, the others anywhere, and some of them not hard enough.
    """
    q = np.tile(walker.stance, (states, 1))
    rng = np.random.default_rng(0)
    angles, shares = rng.uniform(0.0, 2.0 * np.pi, states), rng.uniform(0.8, 1.2, states)
    angles[0], shares[0] = 0.0, TIPPING
    v = np.stack([s * tipping(walker, a) for a, s in zip(angles, shares, strict=True)])
    reference = np.tile(walker.standing, (states, 1))
    return Situation(walker, "tips", walker.model, walker.feet, q, v, reference, lead=50)


def walks(walker: Walker, states: int) -> Situation:
    """Return a quadruped that trots or a biped that steps in place, each at another phase."""
    motion = "steps in place" if walker.robot.biped else "trots"
    count = len(walker.period)
    phases = np.random.default_rng(0).integers(count, size=(states, 1))
    phases[0] = 0
    reference = walker.period[(phases + np.arange(count)) % count]
    q, v = np.tile(walker.stance, (states, 1)), np.zeros((states, walker.model.nv))
    return Situation(walker, motion, walker.model, walker.feet, q, v, reference, lead=120)


def falls(walker: Walker, states: int) -> Situation:
    """Return a robot without gains that collapses from its stance, pushed a little."""
    start = tips(walker, states)
    return _limp(walker, "falls limp", start.q, 0.3 * start.v, lead=150)


def lies(walker: Walker, states: int) -> Situation:
    """Return a robot without gains that was laid down: the first on its face, others anyhow."""
    q = np.tile(walker.stance, (states, 1))
    angles = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, states)
    angles[0] = 0.0
    half = np.sqrt(0.5)
    q[:, 3:7] = np.stack([-half * np.sin(angles), half * np.cos(angles), *half_zero(states)], -1)
    q = ts.stand(walker.limp, q)
    return _limp(walker, "lies", q, np.zeros((states, walker.model.nv)), lead=750)


def half_zero(states: int) -> tuple[Array, Array]:
    """Return z and w of quaternions of quarter turns about level axes."""
    return np.zeros(states), np.full(states, np.sqrt(0.5))


def tipping(walker: Walker, angle: float) -> Array:
    """Return velocities (nv,) that turn the stance over the edge of its feet, and no further.

    `angle` [rad] is the direction from x towards y. Joints hold; what the turn has of kinetic
    energy lifts the centre of mass to right above the edge.
    """
    model, q = walker.model, walker.stance
    u = np.array([np.cos(angle), np.sin(angle), 0.0])
    com = np.asarray(model.center_of_mass(q))
    poses = model.forward_kinematics(q)
    index = {name: k for k, name in enumerate(model.body_names)}
    centres = [
        poses[index[s.body], :3, :3] @ s.centre + poses[index[s.body], :3, 3] for s in walker.feet
    ]
    ahead = max(float((centre - com) @ u) for centre in centres)
    edge = np.array([*(com + ahead * u)[:2], 0.0])
    turn = np.cross([0.0, 0.0, 1.0], u)
    v = np.zeros(model.nv)
    # the base is level in the stance: its axes are those of the world
    v[:3], v[3:6] = np.cross(turn, q[:3] - edge), turn
    rise = np.hypot(com[2], ahead) - com[2]
    return np.asarray(v * np.sqrt(walker.weight * rise / float(model.kinetic_energy(q, v))))


def _standing(
    walker: Walker, motion: str, states: int, noise: float, *, first_too: bool, lead: int
) -> Situation:
    q, v = np.tile(walker.stance, (states, 1)), np.zeros((states, walker.model.nv))
    reference = np.tile(walker.standing, (states, 1))
    others = reference[0 if first_too else 1 :, 7:]
    others += noise * np.random.default_rng(0).standard_normal(others.shape)
    return Situation(walker, motion, walker.model, walker.feet, q, v, reference, lead)


def _limp(walker: Walker, motion: str, q: Array, v: Array, lead: int) -> Situation:
    return Situation(walker, motion, walker.limp, walker.all_spheres, q, v, None, lead)


Motion = Callable[[Walker, int], Situation]
BIPED_MOTIONS: tuple[Motion, ...] = (tips, twists, walks, falls, lies, stands)
QUADRUPED_MOTIONS: tuple[Motion, ...] = (walks, stands)


def motions_of(walker: Walker) -> tuple[Motion, ...]:
    """Return what a robot does in the benchmark, hard motions first."""
    return BIPED_MOTIONS if walker.robot.biped else QUADRUPED_MOTIONS
