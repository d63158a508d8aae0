"""Phases with several feet on the ground: double support of two legs, and trots of four.

One foot is the root of the machine, as where it stands alone (`stance.py`). Those beside it are
planted where they landed, on spots that belong to the state (`tarsus.events.planted`). A strike
takes the machine to its new root by momenta, with left and right exchanged, and then lets it fall
onto the feet beside that, too: projections onto ever fewer motions are one onto the fewest, so that
this is the impact onto all of them at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, resets
from tarsus.events.phase import Efforts
from tarsus.events.planted import Planted
from tarsus.gait.walkers.landing import strike_slopes
from tarsus.gait.walkers.sides import MIRROR
from tarsus.gait.walkers.stance import Foot, Stance
from tarsus.model import Model, ModelError

ALIKE = 0.03
"""How far feet of one side may be from the images of those of the other [m]."""
KINDS = {"flat": "flat", "line": "point", "point": "point"}
"""What feet are on spots, by how they stand."""


@dataclass(frozen=True, eq=False)
class Support:
    """A machine on several feet, and the feet that strike all at once when these lift."""

    stance: Stance
    """It on its root alone; its second foot is the next root."""
    beside: tuple[Foot, ...]
    """Feet that stand beside the root."""
    striking: tuple[Foot, ...]
    """Those that strike, the next root first."""

    @property
    def model(self) -> Model:
        """The machine that floats."""
        return self.stance.model

    @property
    def notes(self) -> tuple[str, ...]:
        """What is not exact."""
        return self.stance.notes

    @cached_property
    def planted(self) -> Planted:
        """The machine on its root, with the other feet where they landed."""
        stance = self.stance
        space = any(joint.kind == "free" for joint in stance.model.joints)
        axes = "xyz" if space else "xz"
        kind = KINDS[stance.stance]
        return Planted(stance.standing, self.beside, stance.at, axes=axes, kind=kind)

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the phases of a step."""
        raise NotImplementedError

    def tree(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states (…, nq), (…, nv) on the root alone, of those with or without spots."""
        m = self.stance.standing
        return q[..., : m.nq], v[..., : m.nv]

    def landed(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Return states after a strike, with feet planted, by momenta, names exchanged."""
        return self.struck(q, v)[:2]

    def struck(self, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return states after a strike, and impulses on the feet beside the root (…, n, 3)."""
        there, rates = self.stance.landed(*self.tree(q, v))
        return self.planted.strike(there, rates)

    def load(self, controller: Efforts | None, t: float, q: Array, v: Array) -> float:
        """Return the least of what presses on feet beside the root [N], at q (nq,), v (nv,)."""
        tau = None if controller is None else controller(t, q, v)
        return float(self.planted.loads(q, v, tau)[:, 2].min())

    def reset(self, before: Model) -> resets.Function:
        """Return a strike of states of a model as a reset, with its derivatives."""
        after = self.planted
        return resets.Function(
            lambda t, q, v: self.landed(q, v),
            nq=after.nq,
            nv=after.nv,
            derivative=lambda t, q, v: strike_slopes(before, self.landed, q, v, after),
        )

    def heights(self) -> guards.Guard:
        """Return the mean height of the feet that strike."""
        up = self.stance.at[:3, 2]
        share = 1.0 / len(self.striking)
        parts = [(share, guards.Height((n, at[:3, 3]), normal=up)) for n, at in self.striking]
        return guards.Sum(tuple(parts))

    def ahead(self, q: Array) -> Array:
        """Return how far the next root is ahead of the root [m], q (…, nq) of any phase."""
        return self.stance.ahead(q[..., : self.stance.standing.nq])


@dataclass(frozen=True, eq=False)
class Together(Support):
    """Feet that stand and strike in groups, as diagonal pairs of a trot do."""

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return the one phase, which its strike leads back into."""
        strike = Exit(self.heights(), to="stance", reset=self.reset(self.planted), name="strike")
        exits = (strike, self.stance.fall())
        return (Phase(self.planted, exits, name="stance", controller=controller),)


@dataclass(frozen=True, eq=False)
class DoubleSupport(Support):
    """Two feet, of which the rear one stays where the other strikes, until nothing presses it."""

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return double support, which begins with a strike, and the swing that follows it."""
        m, alone = self.planted, self.stance.standing
        lift_off = Exit(
            guards.Function(lambda t, q, v: self.load(controller, t, q, v)),
            to="swing",
            reset=resets.Linear(np.eye(alone.nq, m.nq), None, np.eye(alone.nv, m.nv)),
            name="lift-off",
        )
        both = Phase(
            m, (lift_off, self.stance.fall()), name="double support", controller=controller
        )
        swing = self.stance.phase(controller, to=both.name)
        strike, fell = swing.exits  # type: ignore[misc]
        stays = guards.Function(lambda t, q, v: self.stays(controller, t, q, v))
        kept = Exit(
            strike.guard,
            to=both.name,
            when=(*strike.when, stays),
            reset=self.reset(alone),
            name="strike",
        )
        lost = Exit(strike.guard, when=strike.when, name="strike that the rear foot does not stay")
        return (both, Phase(alone, (kept, lost, fell), name="swing", controller=controller))

    def stays(self, controller: Efforts | None, t: float, q: Array, v: Array) -> float:
        """Return what presses on the rear foot if the other strikes now: at and after that.

        The lesser of its impulse [N s] and its load [N], below zero where the ground would pull.
        """
        q, v, impulses = self.struck(q, v)
        return min(float(impulses[0, 2]), self.load(controller, t, q, v))


def in_groups(stance: Stance, beside: Sequence[Foot], striking: Sequence[Foot]) -> Together:
    """Return a machine on groups of feet, if these are images of each other, in their order."""
    made = Together(stance, tuple(beside), (stance.feet[1], *striking))
    m = stance.model
    q = m.neutral()
    ours, theirs = (
        [(np.asarray(m.frame_pose(q, name)) @ at)[:3, 3] for name, at in feet]
        for feet in ((stance.feet[0], *beside), made.striking)
    )
    for one, other, (name, _), (image, _) in zip(
        ours, theirs, (stance.feet[0], *beside), made.striking, strict=True
    ):
        off = float(np.abs(MIRROR * one - other).max())
        if off > ALIKE:
            raise ModelError(
                f"foot {name!r} is no image of {image!r}: mirrored it is {off:.2g} m off; groups "
                "of feet that strike in turn are named in the same order, left for right"
            )
    return made
