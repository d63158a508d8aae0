"""Groups of feet that stand together, and stance phases from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.events import guards, resets
from tarsus.events.foothold_model import Planted
from tarsus.events.phase import Efforts, Exit, Phase
from tarsus.gait.walkers.feet import Foot, two_feet
from tarsus.gait.walkers.left_right_map import MIRROR
from tarsus.gait.walkers.stance import DoubleSupport, Radius, Stance, Support, checked_stance
from tarsus.gait.walkers.touchdown import strike_slopes
from tarsus.model.model import Model
from tarsus.parts.part import Where, placement_of, split

# Feet that stand in groups, as diagonal pairs of a trot do: the others land, and these lift.
#
# Feet of a group never land at quite the same time. Each that lands stays, beside those that still
# stand, until the last one has landed: there the old group lifts, left and right are exchanged, and
# a step is over. In which order they land is up to the motion, so that there is a phase for each
# set of feet that have landed, and a step has as many events as a group has feet.


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


# A model on its feet: one or several that stand, and one or several that strike next.


Feet = Sequence[Where | list[Where]]
"""Two frames, left and right, or two lists of frames that stand together."""


def footed(
    model: Model, feet: Feet, stance: str, radius: Radius, slope: float, double_support: bool
) -> tuple[Stance | Support, tuple[str, ...]]:
    """Return a model on its feet, those that its anatomy has if none are named, and notes."""
    stands = checked_stance(stance, radius, model)
    several = any(isinstance(each, list) for each in feet)
    if stance == "round" and (several or double_support):
        raise ValueError("stance is 'round': soles that roll stand alone, not with other feet")
    if several and double_support:
        raise ValueError(
            "double_support is for two feet; groups of feet that stand together strike together"
        )
    if several:
        one, other = _groups(model, feet)
        alone = Stance(model, (one[0], other[0]), *stands, slope)
        return in_groups(alone, one[1:], other[1:]), ()
    where, told = two_feet(model, feet, stance)  # type: ignore[arg-type]
    alone = Stance(model, where, *stands, slope)
    return DoubleSupport(alone, (where[1],)) if double_support else alone, told


def _groups(model: Model, feet: Feet) -> tuple[list[Foot], list[Foot]]:
    """Return the frames of two groups of feet, as many in each."""
    listed = [each for each in feet if isinstance(each, list)]
    if len(feet) != 2 or len(listed) != 2:
        raise ValueError(f"feet are {feet!r}, must be two lists of frames that stand together")
    one, other = ([_foot(model, each) for each in group] for group in listed)
    if len(one) != len(other) or len(one) < 2:
        raise ValueError(
            f"feet are groups of {len(one)} and of {len(other)}, must be as many, two or more"
        )
    return one, other


def _foot(model: Model, where: Where) -> Foot:
    name, at = split(where)
    model.frame(name)
    return name, placement_of(at, "feet")
