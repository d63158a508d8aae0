"""A phase of walking from a model: it stands on one foot, the other strikes, names are exchanged.

The stance foot is the root of a tree. A strike takes the state to the same tree with a root that
floats, lets it fall onto the other foot, and puts it down on that foot, with the names of both
exchanged. All three are maps of the core where coordinates of the new root are sums of the others,
as in the plane and on flat feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, held, resets
from tarsus.events.phase import Efforts
from tarsus.gait.walkers.landing import Strike, exchanged, rates_on, strike_slopes
from tarsus.gait.walkers.relabelling import asymmetry, relabelling
from tarsus.gait.walkers.sides import centre_of
from tarsus.kit.rooted import Rooted
from tarsus.model import Model, ModelError
from tarsus.model.checks import find, number
from tarsus.spatial import pose, rotation_along, rotation_from_vector

STANCES = {
    "flat": "fixed",
    "line": "revolute",
    "point": "spherical",
    "round": "rolling_cylinder",
}
"""How a foot stands, and the joint at the root: welded, on an edge across the way, on a tip, on a
sole that is round and rolls."""
HOLDS = {"flat": "weld", "line": "revolute"}
"""What a foot falls onto, where positions are sums of others."""
EXACT = 1e-9
"""Inertias that are nearer to their images are images, as parts of themselves."""
SHORTEST = 0.05
"""A foot that is less ahead only scuffs, as a share of the height of the centre of mass."""
ACROSS = (0.0, -1.0, 0.0)
"""A foot on an edge turns about −y: positive leans back."""


Foot = tuple[str, Array]
"""A frame, and where in it a foot stands (4, 4): x ahead, z up."""


@dataclass(frozen=True, eq=False)
class Stance:
    """A machine on its first foot, on a slope [rad] that falls along x."""

    model: Model
    feet: tuple[Foot, Foot]
    stance: str
    radius: float
    """Of round soles [m], whose lowest points are the origins of the frames `feet`."""
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
    def height(self) -> float:
        """How high the centre of mass is over the foot [m], neutral."""
        m = self.standing
        return float(np.asarray(m.center_of_mass(m.neutral())) @ self.at[:3, 2])

    def _on(self, foot: Foot, joint: str) -> Rooted:
        given: dict[str, Any] = {"axis": ACROSS} if joint in ("revolute", "planar") else {}
        placement = foot[1]
        if joint == "rolling_cylinder":
            given, placement = {"radius": self.radius}, foot[1] @ self.center
        return self.model.rooted_at(foot[0], joint, placement=placement, at=self.at, **given)

    @cached_property
    def center(self) -> Array:
        """The centre of a round sole from its lowest point (4, 4)."""
        return pose((0.0, 0.0, self.radius))

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
        normal, ahead = self.at[:3, 2], self.at[:3, 0]
        name_of_foot, placement = self.feet[1]
        tip, middle = placement[:3, 3], (placement @ self.center)[:3, 3]
        swung = guards.Height((name_of_foot, tip), normal=ahead) - SHORTEST * self.height
        strike = Exit(
            guards.Height((name_of_foot, middle), (self.radius - drop) * normal, normal),
            to=name if to is None else to,
            when=swung,
            reset=self._reset(),
            name="strike",
        )
        return Phase(self.standing, (strike, self.fall()), name=name, controller=controller)

    @property
    def heading(self) -> bool:
        """Whether it may head anywhere: it stands on points of level ground, in space."""
        space = any(joint.kind == "free" for joint in self.model.joints)
        return self.stance == "point" and self.slope == 0.0 and space

    @property
    def events(self) -> int:
        """How many events a step has: its strike."""
        return 1

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the phases of a step."""
        return (self.phase(controller),)

    def fall(self) -> Exit:
        """Return the exit by which a machine falls: what was highest is half as high."""
        m, bodies = self.standing, self.model.description.bodies
        places = {
            body.name: centre_of(m, m.neutral(), body.name) @ self.at[:3, 2]
            for body in bodies
            if body.mass > 0.0
        }
        top = max(places, key=lambda name: float(places[name]))
        at = next(body.com for body in bodies if body.name == top)
        over = 0.5 * places[top] * self.at[:3, 2]
        return Exit(guards.Height((top, at), over, self.at[:3, 2]), name="fell")

    def ahead(self, q: Array) -> Array:
        """Return how far the second foot is ahead of the first [m], q (…, nq)."""
        return np.asarray(self.below(self.second_foot(q))[..., :3, 3] @ self.at[:3, 0])

    def below(self, foot: Array) -> Array:
        """Return where the root of a foot at poses (…, 4, 4) is: on the slope, below it."""
        place = np.tile(self.at, (*foot.shape[:-2], 1, 1))
        place[..., :3, 3] = foot[..., :3, 3]
        if self.stance == "round":
            turned = self.at[:3, :3].T @ foot[..., :3, :3]
            rolled = self.radius * np.arctan2(turned[..., 0, 2], turned[..., 2, 2])
            lowest = (foot @ self.center)[..., :3, 3] - self.radius * self.at[:3, 2]
            place[..., :3, 3] = lowest - rolled[..., None] * self.at[:3, 0]
        return place

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, q (…, nq), v (…, nv), with names exchanged, by momenta."""
        there = self.set_down(q)
        rates = rates_on(self.other, there, self.standing, q, v)
        return exchanged(self.standing, self.other, self.names, there), rates @ self.names.T

    def set_down(self, q: Array) -> Array:
        """Return configurations (…, nq) of the machine on its second foot, set down where it is."""
        floats = self.standing.to_original(q).q
        at = self.below(self.second_foot(q))
        return np.asarray(self.other.from_original(floats, at=at).q)

    @cached_property
    def names(self) -> Array:
        """The matrix that exchanges names (nv, nv)."""
        return relabelling(self.standing, self.other, (self.feet[0][0], self.feet[1][0]))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is not exact: sides that are not images of each other."""
        off, joint = asymmetry(self.standing, self.other, self.names)
        if off < EXACT:
            return ()
        return (
            f"inertias of left and right differ by {off:.2g} of themselves, at {joint!r} first: "
            "a step of one is nearly one of the other",
        )

    def _reset(self) -> Sequence[resets.Reset]:
        """Return what a strike does: lifted, fallen onto the other foot, put down."""
        standing = self.standing
        if self.stance == "point":
            return (self._struck(self.landed),)
        matrix, shift = self._affine()
        if self.stance == "round":
            return (self._struck(partial(self._rolled, matrix, shift)),)
        floating = self.floating
        free_q, free_v = floating.nq - standing.nq, floating.nv - standing.nv
        lift = np.concatenate([np.zeros((free_q, standing.nq)), np.eye(standing.nq)])
        begin = np.concatenate([floating.neutral()[:free_q], np.zeros(standing.nq)])
        lift_rates = np.concatenate([np.zeros((free_v, standing.nv)), np.eye(standing.nv)])
        down = np.concatenate([np.zeros((standing.nq, free_q)), matrix], axis=1)
        down_rates = np.concatenate([np.zeros((standing.nv, free_v)), matrix], axis=1)
        name, placement = self.feet[1]
        edge = pose(rotation=rotation_along(ACROSS)) if self.stance == "line" else np.eye(4)
        fallen = held(floating, (name, placement @ edge), kind=HOLDS[self.stance])
        return (
            resets.Linear(lift, begin, lift_rates),
            resets.Impact(fallen),
            resets.Linear(down, shift, down_rates),
        )

    def _struck(self, strike: Strike) -> resets.Function:
        """Return a strike as a reset, with its derivatives."""
        return resets.Function(
            lambda t, q, v: strike(q, v),
            derivative=lambda t, q, v: strike_slopes(self.standing, strike, q, v),
        )

    def _rolled(self, matrix: Array, shift: Array, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, positions as sums of those before: (…, nq), (…, nv)."""
        image = q @ matrix.T + shift
        there = image @ self.names  # signs and places: its inverse is its transpose
        return image, rates_on(self.other, there, self.standing, q, v) @ self.names.T

    def _affine(self) -> tuple[Array, Array]:
        """Return the map of positions at a strike as matrix and shift, checked on states."""
        nv = self.standing.nv
        rng = np.random.default_rng(1)
        q = self.standing.neutral() + 0.3 * rng.uniform(-1.0, 1.0, size=(3 * nv + 4, nv))
        given = np.column_stack([q, np.ones(len(q))])
        image = exchanged(self.standing, self.other, self.names, self.set_down(q))
        found, *_ = np.linalg.lstsq(given, image, rcond=None)
        if np.abs(given @ found - image).max() > 1e-9:
            raise ModelError(
                f"{self.model.name!r} on {self.stance} feet has coordinates after a strike that "
                "are no sums of those before: it leaves the plane, or has joints that are no "
                "angles or slides; take stance='point'"
            )
        return np.asarray(found[:-1].T), np.asarray(found[-1])


def checked_stance(stance: str, radius: float) -> tuple[str, float]:
    """Return how a foot stands, and its radius [m], if they are known and fit."""
    find(STANCES, stance, "stance")
    if (number(radius, "radius") > 0.0) != (stance == "round"):
        raise ValueError(f"radius is {radius:g}: soles that are round have one, others have not")
    return stance, float(radius)
