"""A phase of walking from a model: it stands on one foot, the other strikes, names are exchanged.

The stance foot is the root of a tree. A strike lets the machine fall onto the other foot, and puts
it down there with the names of both exchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards
from tarsus.events.phase import Efforts
from tarsus.gait.limbs import resting
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.landing import rates_on
from tarsus.gait.walkers.relabelling import Relabelling, asymmetry, relabelling
from tarsus.gait.walkers.round_sole import RoundSole, half_axes_of
from tarsus.gait.walkers.sides import centre_of
from tarsus.gait.walkers.strike import ACROSS, strike_of
from tarsus.kit.root_states import RootedState
from tarsus.kit.rooted import Rooted
from tarsus.model import Model
from tarsus.model.checks import find
from tarsus.spatial import pose, rotation_from_vector

STANCES = {"flat": "fixed", "line": "revolute", "point": "spherical", "round": "rolling"}
"""How a foot stands, and the joint at the root: welded, on an edge across the way, on a tip, on a
sole that is round and rolls."""
EXACT = 1e-9
"""Inertias that are nearer to their images are images, as parts of themselves."""
UNLIKE = 0.25
"""Those that differ by more are no images."""
SHORTEST = 0.05
"""A foot that is less ahead only scuffs, as a share of the height of the centre of mass."""


@dataclass(frozen=True, eq=False)
class Stance:
    """A machine on its first foot, on a slope [rad] that falls along x."""

    model: Model
    feet: tuple[Foot, Foot]
    stance: str
    sole: RoundSole | None
    """That of round feet, whose lowest points are the origins of the frames `feet`."""
    slope: float

    @cached_property
    def at(self) -> Array:
        """Where the foot is (4, 4): at the origin, on the slope."""
        return pose(rotation=rotation_from_vector((0.0, self.slope, 0.0)))

    @cached_property
    def standing(self) -> Rooted:
        """The machine on its first foot."""
        return self._on(self.feet[0], STANCES[self.stance])

    @cached_property
    def other(self) -> Rooted:
        """The machine on its second foot."""
        return self._on(self.feet[1], STANCES[self.stance])

    @cached_property
    def floating(self) -> Rooted:
        """The machine with a first foot that moves as freely as its base does."""
        base = [joint for joint in self.model.joints if joint.kind == "free"]
        return self._on(self.feet[0], "free" if base else "planar")

    @cached_property
    def rest(self) -> Array:
        """A configuration (nq,) in which the machine could stand on its first foot."""
        return resting(self.standing)

    @cached_property
    def height(self) -> float:
        """How high the centre of mass is over the foot [m], at rest."""
        return float(np.asarray(self.standing.center_of_mass(self.rest)) @ self.at[:3, 2])

    def _on(self, foot: Foot, joint: str) -> Rooted:
        given: dict[str, Any] = {"axis": ACROSS} if joint in ("revolute", "planar") else {}
        placement = foot[1]
        if self.sole is not None and joint == STANCES["round"]:
            (joint, given), placement = self.sole.joint, foot[1] @ self.sole.center
        return self.model.rooted_at(foot[0], joint, placement=placement, at=self.at, **given)

    def second_foot(self, q: Array) -> Array:
        """Return where the second foot is (…, 4, 4), q (…, nq)."""
        name, placement = self.feet[1]
        return np.asarray(self.standing.frame_pose(q, name)) @ placement

    def phase(
        self,
        controller: Efforts | None = None,
        name: str = "swing",
        *,
        to: str | None = None,
        drop: float = 0.0,
    ) -> Phase:
        """Return the phase, which its strike leads back into, or to another.

        The ground of the second foot may `drop` [m].
        """
        stance, swing = (
            guards.Height((frame, placement[:3, 3]), normal=self.at[:3, 0])
            for frame, placement in self.feet
        )
        strike = Exit(
            self._over_ground() + drop,
            to=name if to is None else to,
            when=swing - stance - SHORTEST * self.height,
            reset=strike_of(self),
            name="strike",
        )
        return Phase(self.standing, (strike, self.fall()), name=name, controller=controller)

    @property
    def heading(self) -> bool:
        """Whether it may head anywhere: it stands on points of level ground, in space."""
        space = any(joint.kind == "free" for joint in self.model.joints)
        return self.stance == "point" and self.slope == 0.0 and space

    @property
    def start(self) -> tuple[Array, Array]:
        """A state (nq,), (nv,) in which it stands still."""
        return self.rest, np.zeros(self.standing.nv)

    @property
    def events(self) -> int:
        """How many events a step has: its strike."""
        return 1

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the phases of a step."""
        return (self.phase(controller),)

    def _over_ground(self) -> guards.Guard:
        """Return the guard that is how high the second foot is over the ground [m]."""
        (name, placement), normal = self.feet[1], self.at[:3, 2]
        if self.sole is None:
            return guards.Height((name, placement[:3, 3]), normal=normal)
        if self.sole.is_ball:
            middle = (placement @ self.sole.center)[:3, 3]
            return guards.Height((name, middle), normal=normal) - self.sole.radius
        return guards.Function(lambda t, q, v: float(self.clearance(q)))

    def clearance(self, q: Array) -> Array:
        """Return how high the second foot is over the ground [m], q (…, nq)."""
        foot, normal = self.second_foot(q), self.at[:3, 2]
        lowest = foot[..., :3, 3] if self.sole is None else self.sole.lowest(foot, normal)
        return np.asarray(lowest @ normal)

    def fall(self) -> Exit:
        """Return the exit by which a machine falls: what was highest is half as high."""
        m, bodies = self.standing, self.model.description.bodies
        places = {
            body.name: centre_of(m, self.rest, body.name) @ self.at[:3, 2]
            for body in bodies
            if body.mass > 0.0
        }
        top = max(places, key=lambda name: float(places[name]))
        at = next(body.com for body in bodies if body.name == top)
        over = 0.5 * places[top] * self.at[:3, 2]
        return Exit(guards.Height((top, at), over, self.at[:3, 2]), name="fell")

    def ahead(self, q: Array) -> Array:
        """Return how far the second foot is ahead of the first [m], q (…, nq)."""
        return np.asarray(self.placed(q)[..., 0])

    def placed(self, q: Array) -> Array:
        """Return how far the second foot is ahead and to the left (…, 2) [m], q (…, nq)."""
        return np.asarray(self.below(self.second_foot(q))[..., :3, 3] @ self.at[:3, :2])

    def below(self, foot: Array) -> Array:
        """Return where the root of a foot at poses (…, 4, 4) is: on the slope, below it."""
        place = np.tile(self.at, (*foot.shape[:-2], 1, 1))
        root = foot[..., :3, 3] if self.sole is None else self.sole.root(foot, self.at)
        place[..., :3, 3] = root
        return place

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, q (…, nq), v (…, nv), with names exchanged, by momenta."""
        there = self.set_down(q).q
        rates = rates_on(self.other, there, self.standing, q, v)
        return self.relabelling.configurations(there), rates @ self.names.T

    def set_down(self, q: Array) -> RootedState:
        """Return the machine on its second foot, set down where it is: q (…, nq), and `turn` (…).

        That is by how much the foot has to turn to stand, for instance to be level if flat.
        """
        floats = self.standing.to_original(q).q
        return self.other.from_original(floats, at=self.below(self.second_foot(q)))

    @cached_property
    def relabelling(self) -> Relabelling:
        """What exchanges names."""
        return relabelling(self.standing, self.other, (self.feet[0][0], self.feet[1][0]))

    @property
    def names(self) -> Array:
        """The matrix that exchanges names (nv, nv)."""
        return self.relabelling.rates

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is not exact: sides that are not images of each other."""
        found = asymmetry(self.relabelling)
        if found.inertia < EXACT:
            return ()
        means = "a step of one is nearly one of the other"
        if found.inertia > UNLIKE:
            means = (
                "gaits are those of a machine that stands on its left leg, and then on its image"
            )
        return (
            f"inertias of left and right differ by {found.inertia:.2g} of themselves, at "
            f"{found.joint!r} first: {means}",
        )


Radius = float | Sequence[float]
"""Of a round sole, or half axes (3,) of one that is an ellipsoid [m]."""


def checked_stance(stance: str, radius: Radius, model: Model) -> tuple[str, RoundSole | None]:
    """Return how a foot of a model stands, and its sole if it is round."""
    find(STANCES, stance, "stance")
    if np.any(radius) != (stance == "round"):
        raise ValueError(f"radius is {radius}: soles that are round have one, others have not")
    if stance != "round":
        return stance, None
    in_plane = not any(joint.kind == "free" for joint in model.joints)
    axes = half_axes_of(radius)
    if in_plane and len(set(axes)) > 1:
        raise ValueError(f"radius is {radius}: {model.name!r} walks in the plane, on one radius")
    return stance, RoundSole(axes, in_plane)
