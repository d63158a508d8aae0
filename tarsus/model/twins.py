"""Clusters that are twins: images or copies of one another, whose loops get the same dependents.

Left and right legs in a file differ by rounding. Where two choices of the joints that depend are
about as good, as in a parallelogram that is nearly flat, rounding would decide for one on the left
and for another on the right, and no state of one leg would be the image of a state of the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.model.dependents import SINGULAR, clearness
from tarsus.model.open_loops import OpenLoops

ALIKE = 0.03
"""How much joints of twins may move their gaps differently, as a part of the longest movement."""


@dataclass
class Chosen:
    """A cluster with its loops closed at `start`, and which of its velocities depend."""

    part: OpenLoops
    start: Array
    dependent: list[int]


def agree(clusters: Sequence[Chosen]) -> None:
    """Give twins the same dependents: of their choices the one that is clearest for all of them."""
    rest = list(clusters)
    while rest:
        first = rest[0]
        twins = [each for each in rest if each is first or _are_twins(first, each)]
        rest = [each for each in rest if each not in twins]
        choices = {tuple(sorted(each.dependent)): each.dependent for each in twins}
        if len(choices) > 1:
            _share(twins, list(choices.values()))


def _share(twins: Sequence[Chosen], choices: Sequence[list[int]]) -> None:
    """Set the choice whose least clearness over all twins is largest, if it is one for all."""
    least = [min(clearness(each.part, each.start, choice) for each in twins) for choice in choices]
    best = int(np.argmax(least))
    if least[best] > SINGULAR:
        for each in twins:
            each.dependent = choices[best]


def _are_twins(one: Chosen, other: Chosen) -> bool:
    """Return whether clusters have the same joints and loops, which move gaps as much."""
    if _structure(one.part) != _structure(other.part):
        return False
    moves, others = (_movements(each) for each in (one, other))
    return bool(np.abs(moves - others).max() <= ALIKE * moves.max())


def _structure(part: OpenLoops) -> Hashable:
    """Return what is joined to what by which kinds, without lengths."""
    number = {joint.name: i for i, joint in enumerate(part.tree.joints)}
    return (
        tuple(joint.kind for joint in part.tree.joints),
        tuple(part.tree.parents),
        tuple(
            (c.kind, tuple(map(number.get, c.leaders)), tuple(map(number.get, c.followers)))
            for c in part.tree.couplings
        ),
        tuple(
            (
                *(loop.kind, part.tree.index.get(loop.body_a), part.tree.index.get(loop.body_b)),
                None if loop.independent is None else tuple(map(number.get, loop.independent)),
            )
            for loop in part.loops
        ),
    )


def _movements(chosen: Chosen) -> Array:
    """Return how much each joint moves the gaps (joints,) [m/rad, 1]: images move them as much."""
    jacobian = chosen.part.gaps(chosen.start)[1]
    blocks = chosen.part.blocks.values()
    return np.array([np.linalg.norm(jacobian[:, block]) for block in blocks])
