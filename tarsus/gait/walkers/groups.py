"""Feet that stand in groups, as diagonal pairs of a trot do: the others land, and these lift.

Feet of a group never land at quite the same time. Each that lands stays, beside those that still
stand, until the last one has landed: there the old group lifts, left and right are exchanged, and a
step is over. In which order they land is up to the motion, so that there is a phase for each set of
feet that have landed, and a step has as many events as a group has feet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, resets
from tarsus.events.phase import Efforts
from tarsus.events.planted import Planted
from tarsus.gait.walkers.feet import Foot
from tarsus.gait.walkers.landing import strike_slopes
from tarsus.gait.walkers.sides import MIRROR
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.support import Support
from tarsus.model import ModelError

ALIKE = 0.03
"""How far feet of one side may be from the images of those of the other [m]."""
ALONE = "stance"
"""The phase in which a group stands alone."""


@dataclass(frozen=True, eq=False)
class Groups(Support):
    """A machine on a group of feet, while those of the other group land one by one."""

    landing: tuple[Foot, ...]
    """Feet of the other group: the next root, then the images of those that stand beside it."""
    _models: dict[frozenset[int], Planted] = field(default_factory=dict, repr=False)

    @property
    def events(self) -> int:
        """As many as there are feet that land."""
        return len(self.landing)

    def phases(self, controller: Efforts | None) -> tuple[Phase, ...]:
        """Return a phase for each set of feet that have landed, none of them first."""
        every = range(len(self.landing))
        sets = [frozenset(each) for n in every for each in combinations(every, n)]
        fell = self.stance.fall()
        return tuple(
            Phase(
                self.after(down),
                (*(self._lands(down, k) for k in every if k not in down), fell),
                name=self._name(down),
                controller=self.led(controller, self.after(down)),
            )
            for down in sets
        )

    def standing(self, phase: str) -> tuple[Foot, ...]:
        """Return the feet that stand beside the root in a phase, those of its group first."""
        return (*self.beside, *(foot for foot in self.landing if foot[0] in _landed(phase)))

    def swinging(self, phase: str) -> tuple[Foot, ...]:
        """Return those that have not landed."""
        return tuple(foot for foot in self.landing if foot[0] not in _landed(phase))

    def after(self, down: frozenset[int]) -> Planted:
        """Return the machine on its group and on the feet that have landed."""
        if not down:
            return self.planted
        if down not in self._models:
            self._models[down] = self.on((*self.beside, *(self.landing[k] for k in sorted(down))))
        return self._models[down]

    def met(self, down: frozenset[int], q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return states after these feet have landed beside the group, and impulses on all."""
        return self.after(down).strike(*self.tree(q, v))

    def _name(self, down: frozenset[int]) -> str:
        return " + ".join([ALONE, *(self.landing[k][0] for k in sorted(down))])

    def _lands(self, down: frozenset[int], k: int) -> Exit:
        """Return how a foot lands, when it is ahead of its image, which stands."""
        up, ahead = self.stance.at[:3, 2], self.stance.at[:3, 0]
        name, at = self.landing[k]
        image, there = (self.stance.feet[0], *self.beside)[k]
        foot = (name, at[:3, 3])
        stood = guards.Height((image, there[:3, 3]), normal=ahead)
        passed = guards.Height(foot, normal=ahead) - stood
        down_then = down | {k}
        last = len(down_then) == len(self.landing)
        return Exit(
            guards.Height(foot, normal=up),
            to=ALONE if last else self._name(down_then),
            when=passed,
            reset=self.reset(self.after(down)) if last else self._meets(down, down_then),
            name="strike" if last else f"{name} lands",
        )

    def _meets(self, before: frozenset[int], down: frozenset[int]) -> resets.Function:
        """Return the landing of a foot beside those that stand as a reset, with derivatives."""
        model, after = self.after(before), self.after(down)

        def meets(q: Array, v: Array) -> tuple[Array, Array]:
            return self.met(down, q, v)[:2]

        return resets.Function(
            lambda t, q, v: meets(q, v),
            nq=after.nq,
            nv=after.nv,
            derivative=lambda t, q, v: strike_slopes(model, meets, q, v, after),
        )


def _landed(phase: str) -> list[str]:
    return phase.split(" + ")[1:]


def in_groups(stance: Stance, beside: Sequence[Foot], landing: Sequence[Foot]) -> Groups:
    """Return a machine on groups of feet, if these are images of each other, in their order."""
    made = Groups(stance, tuple(beside), (stance.feet[1], *landing))
    m = stance.model
    q = m.neutral()
    group = (stance.feet[0], *beside)
    ours, theirs = (
        [(np.asarray(m.frame_pose(q, name)) @ at)[:3, 3] for name, at in feet]
        for feet in (group, made.landing)
    )
    for k, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        off = float(np.abs(MIRROR * one - other).max())
        if off > ALIKE:
            raise ModelError(
                f"foot {group[k][0]!r} is no image of {made.landing[k][0]!r}: mirrored it is "
                f"{off:.2g} m off; groups that stand in turn are named in the same order, left for "
                "right"
            )
    return made
