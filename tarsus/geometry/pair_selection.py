"""Pairs of links worth watching: random configurations tell what never and what always meets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import count, number
from tarsus._lib.files import Array
from tarsus.formats.side_files import DisabledPair
from tarsus.geometry.distances import Distances, LinkPair, link_pairs
from tarsus.geometry.volumes import Volumes
from tarsus.model.model import Model

AT_ONCE = 512
"""Configurations in one call: distances of all pairs take little memory then."""


@dataclass(frozen=True, eq=False, repr=False)
class PairChoice:
    """Pairs that met in some of `samples` random configurations, and those that were left out.

    `never` met, or `always` did. `least` (n,) and `most` (n,) are the least and largest distance
    [m] that was seen of each pair of `watched`: `pairs`, `never` and `always` in the order of
    the model. What never met may still do so between the samples.
    """

    pairs: tuple[LinkPair, ...]
    never: tuple[LinkPair, ...]
    always: tuple[LinkPair, ...]
    watched: tuple[LinkPair, ...]
    least: Array
    most: Array
    samples: int
    margin: float

    @property
    def disabled(self) -> tuple[DisabledPair, ...]:
        """What was left out, with MoveIt's words for the reason, for `save_srdf`."""
        reasons = ((self.never, "Never"), (self.always, "Always"))
        return tuple(
            DisabledPair(pair.first, pair.second, reason)
            for pairs, reason in reasons
            for pair in pairs
        )

    def __repr__(self) -> str:
        left = f"{len(self.never)} never met, {len(self.always)} always did"
        seen = f"{self.samples} configurations, within {self.margin:g} m"
        return f"<tarsus.PairChoice: {len(self.pairs)} pairs; {left} ({seen})>"


def choose_pairs(
    model: Model,
    volumes: Volumes,
    samples: int = 10_000,
    margin: float = 0.0,
    rng: np.random.Generator | int = 0,
    disabled: Iterable[Sequence[str]] = (),
    *,
    threads: int = 1,
) -> PairChoice:
    """Return pairs of links that met in some of `samples` random configurations, but not in all.

    Two links meet if they are nearer than `margin` [m]. The same `rng`, a seed, gives the same
    choice. Configurations are drawn within the limits of joints, wherever a free base is.
    `disabled` pairs of links, of an SRDF file for example, are left out from the start.
    """
    count(samples, "samples")
    margin = number(margin, "margin")
    watched = link_pairs(model, volumes, disabled)
    distances = Distances(model, volumes, watched, activation=math.inf)
    least, most = np.full(len(watched), math.inf), np.full(len(watched), -math.inf)
    generator = np.random.default_rng(rng)
    for start in range(0, samples, AT_ONCE):
        q = model.random_configuration(generator, (min(AT_ONCE, samples - start),))
        found = distances.distance(q, threads=threads)
        least, most = np.minimum(least, found.min(axis=0)), np.maximum(most, found.max(axis=0))
    never, always = least >= margin, most < margin

    def chosen(which: NDArray[np.bool_]) -> tuple[LinkPair, ...]:
        return tuple(pair for pair, taken in zip(watched, which.tolist(), strict=True) if taken)

    some = ~(never | always)
    return PairChoice(
        chosen(some), chosen(never), chosen(always), watched, least, most, samples, margin
    )
