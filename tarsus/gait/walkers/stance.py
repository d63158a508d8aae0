"""A phase of walking from a model: it stands on one foot, the other strikes, names are exchanged.

The stance foot is the root of a tree. A strike takes the state to the same tree with a root that
floats, lets it fall onto the other foot, and puts it down on that foot, with the names of both
exchanged. All three are maps of the core where coordinates of the new root are sums of the others,
as in the plane and on flat feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, held, resets
from tarsus.events.phase import Efforts
from tarsus.gait.walkers.relabelling import relabelling
from tarsus.kit.rooted import Rooted
from tarsus.model import Model
from tarsus.model.checks import find
from tarsus.spatial import rotation_along, rotation_from_vector

STANCES = {"flat": "fixed", "line": "revolute", "point": "spherical"}
"""How a foot stands, and the joint at the root: welded, on an edge across the way, on a tip."""
HOLDS = {"flat": "weld", "line": "revolute", "point": "spherical"}
"""And what it falls onto."""
SHORTEST = 0.05
"""A foot that is less ahead only scuffs, as a share of the height of the centre of mass."""
ACROSS = (0.0, -1.0, 0.0)
"""A foot on an edge turns about −y: positive leans back."""


@dataclass(frozen=True, eq=False)
class Stance:
    """A machine on its first foot, on a slope [rad] that falls along x."""

    model: Model
    feet: tuple[str, str]
    stance: str
    slope: float

    @cached_property
    def at(self) -> Array:
        """Where the foot is (4, 4): at the origin, on the slope."""
        pose = np.eye(4)
        pose[:3, :3] = rotation_from_vector((0.0, self.slope, 0.0))
        return pose

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

    def _on(self, foot: str, joint: str) -> Rooted:
        given = {"axis": ACROSS} if joint in ("revolute", "planar") else {}
        return self.model.rooted_at(foot, joint, at=self.at, **given)

    def phase(self, controller: Efforts | None = None, name: str = "swing") -> Phase:
        """Return the phase, which its strike leads back into."""
        normal, ahead = self.at[:3, 2], self.at[:3, 0]
        swung = guards.Height(self.feet[1], normal=ahead) - SHORTEST * self.height
        strike = Exit(
            guards.Height(self.feet[1], normal=normal),
            to=name,
            when=swung,
            reset=self._reset(),
            name="strike",
        )
        return Phase(self.standing, strike, name=name, controller=controller)

    def ahead(self, q: Array) -> Array:
        """Return how far the second foot is ahead of the first [m], q (…, nq)."""
        place = np.asarray(self.standing.frame_pose(q, self.feet[1]))[..., :3, 3]
        return np.asarray(place @ self.at[:3, 0])

    def landed(self, q: Array) -> Array:
        """Return configurations on the second foot as images on the first, q (…, nq)."""
        floats = self.standing.to_original(q).q
        foot = np.asarray(self.standing.frame_pose(q, self.feet[1]))
        at = np.tile(self.at, (*foot.shape[:-2], 1, 1))
        at[..., :3, 3] = foot[..., :3, 3]
        there = self.other.from_original(floats, at=at).q
        return np.asarray(there @ self.names.T)

    @cached_property
    def names(self) -> Array:
        """The matrix that exchanges names (nv, nv)."""
        return relabelling(self.standing, self.other)

    def _reset(self) -> Sequence[resets.Reset]:
        """Return what a strike does: lifted, fallen onto the other foot, put down."""
        standing, floating = self.standing, self.floating
        matrix, shift = self._affine()
        free_q, free_v = floating.nq - standing.nq, floating.nv - standing.nv
        lift = np.concatenate([np.zeros((free_q, standing.nq)), np.eye(standing.nq)])
        begin = np.concatenate([floating.neutral()[:free_q], np.zeros(standing.nq)])
        lift_rates = np.concatenate([np.zeros((free_v, standing.nv)), np.eye(standing.nv)])
        down = np.concatenate([np.zeros((standing.nq, free_q)), matrix], axis=1)
        down_rates = np.concatenate([np.zeros((standing.nv, free_v)), matrix], axis=1)
        edge = np.eye(4)
        edge[:3, :3] = rotation_along(ACROSS) if self.stance == "line" else np.eye(3)
        fallen = held(floating, (self.feet[1], edge), kind=HOLDS[self.stance])
        return (
            resets.Linear(lift, begin, lift_rates),
            resets.Impact(fallen),
            resets.Linear(down, shift, down_rates),
        )

    def _affine(self) -> tuple[Array, Array]:
        """Return the map of positions at a strike as matrix and shift, checked on states."""
        nv = self.standing.nv
        rng = np.random.default_rng(1)
        q = self.standing.neutral() + 0.3 * rng.uniform(-1.0, 1.0, size=(3 * nv + 4, nv))
        given = np.column_stack([q, np.ones(len(q))])
        found, *_ = np.linalg.lstsq(given, self.landed(q), rcond=None)
        off = float(np.abs(given @ found - self.landed(q)).max())
        if off > 1e-9:
            raise NotImplementedError(f"positions at a strike are not affine: {off}")
        return np.asarray(found[:-1].T), np.asarray(found[-1])


def checked_stance(stance: str) -> str:
    """Return how a foot stands if it is known."""
    find(STANCES, stance, "stance")
    return stance
