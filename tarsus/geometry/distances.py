"""Distances between swept-sphere volumes with their gradients, and which pairs of links count."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus import _core
from tarsus._lib.checks import UnknownNameError, count, expect, flag, number, reals, suggestion
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.side_files import DisabledPair
from tarsus.geometry.body_pairs import body_numbers, excluded_pairs, neighbours, ordered
from tarsus.geometry.swept_spheres import SweptSphere
from tarsus.geometry.volumes import Volumes
from tarsus.model.model import Model

# Distances between the links of a model, where they are nearest, and how they change.


@dataclass(frozen=True, eq=False, repr=False)
class NearestPoints:
    """Distances of all pairs in states (…), and where they are.

    `distance` (…, pairs) [m] is negative where volumes overlap and infinite beyond the activation
    distance. `point_a` and `point_b` (…, pairs, 3) [m] lie on the surfaces, in the world, and
    `normal` points from a to b; NaN beyond the activation distance. `volumes` (…, pairs, 2) are
    numbers of the nearest volumes in `Distances.spheres`, −1 beyond it. `gradient` (…, pairs, nv)
    are derivatives of distances by velocities [m/s per unit of v], zero beyond it, if asked for.
    """

    distance: Array
    point_a: Array
    point_b: Array
    normal: Array
    volumes: NDArray[np.int64]
    gradient: Array | None = None


class NearPairs(NamedTuple):
    """The pairs within the activation distance in one state: numbers `pair` (k,), rising.

    The rest is as in `NearestPoints`, with the first dimension k.
    """

    pair: NDArray[np.int64]
    distance: Array
    point_a: Array
    point_b: Array
    normal: Array
    volumes: NDArray[np.int64]
    gradient: Array | None = None


class Distances:
    """How far links of a model are apart, by their volumes.

    `pairs` are names of links, or `LinkPair` with groups; without them all that can come near each
    other (`ts.geometry.link_pairs`). Volumes on the link "world" are obstacles. Pairs farther apart
    than the `activation` distance [m] are not computed: their distance is told as infinite. Nothing
    nearer is ever left out. `activation=math.inf` computes all.
    """

    def __init__(
        self,
        model: Model,
        volumes: Volumes,
        pairs: Iterable[LinkPair | Sequence[str]] | None = None,
        activation: float = 0.1,
    ) -> None:
        expect(model, Model, "model")
        expect(volumes, Volumes, "volumes")
        volumes.check_links(model)
        if not isinstance(activation, (int, float)) or not activation >= 0.0:
            raise ValueError(f"activation is {activation!r} m, must not be negative")
        self.model, self.volumes, self.activation = model, volumes, float(activation)
        self.pairs = (
            link_pairs(model, volumes) if pairs is None else checked_pairs(model, volumes, pairs)
        )
        """The pairs of links, in the order of all results."""
        self.names = tuple(pair.name for pair in self.pairs)
        """Their names, "left_shin / right_shin"."""
        self.spheres: tuple[tuple[str, SweptSphere], ...] = tuple(
            (link, volume) for link in volumes for volume in volumes[link]
        )
        """All volumes with their links, as numbered in results."""
        self.core = self._compiled()

    def distance(self, q: ArrayLike, *, threads: int = 1) -> Array:
        """Return the distances (…, pairs) [m] in configurations q (…, nq)."""
        states, lead = self._states(q)
        return self._all(states, places=False, rows=False, threads=threads)[0].reshape(
            *lead, len(self.pairs)
        )

    def nearest(self, q: ArrayLike, *, gradient: bool = False, threads: int = 1) -> NearestPoints:
        """Return distances and where they are in configurations q (…, nq)."""
        states, lead = self._states(q)
        distance, places, volumes, rows = self._all(
            states, places=True, rows=flag(gradient, "gradient"), threads=threads
        )
        n = len(self.pairs)
        points = places.reshape(*lead, n, 3, 3)
        return NearestPoints(
            distance.reshape(*lead, n),
            points[..., 0, :],
            points[..., 1, :],
            points[..., 2, :],
            volumes.reshape(*lead, n, 2),
            None if rows is None else rows.reshape(*lead, n, self.model.nv),
        )

    def near(self, q: ArrayLike, *, gradient: bool = True) -> NearPairs:
        """Return what is within the activation distance in one configuration q (nq,)."""
        found = self.core.near(q, gradient)
        if found is None:
            raise self._lost(q)
        return NearPairs(*found)

    def _all(
        self, states: Array, *, places: bool, rows: bool, threads: int
    ) -> tuple[Array, Array, NDArray[np.int64], Array | None]:
        count(threads, "threads", 1, 1024)
        distance, place, volumes, row, lost = self.core.all(states, places, rows, threads)
        if lost >= 0:
            raise self._lost(states[lost])
        return distance, place, volumes, row

    def _states(self, q: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        values = reals(q, "q", copy=False)
        if values.ndim < 1 or values.shape[-1] != self.model.nq:
            raise ValueError(f"q has shape {values.shape}, must be (…, {self.model.nq})")
        return np.ascontiguousarray(values).reshape(-1, self.model.nq), values.shape[:-1]

    def _lost(self, q: ArrayLike) -> ValueError:
        """Return what is wrong with a state without places; of a loop, kinematics knows why."""
        self.model.forward_kinematics(q)
        return ValueError(
            "q is out of bounds: volumes are farther than 1e9 m from the origin, where distances "
            f"are lost in rounding: {np.asarray(q).tolist()}"
        )

    def _compiled(self) -> _core.VolumePairs:
        number = {link: [] for link in self.volumes}  # type: dict[str, list[int]]
        for k, (link, _) in enumerate(self.spheres):
            number[link].append(k)
        compounds: dict[tuple[int, ...], int] = {}

        def compound(link: str, group: str | None) -> int:
            wanted = self.volumes.of_group(link, group)
            chosen = tuple(
                k
                for k, volume in zip(number[link], self.volumes[link], strict=True)
                if any(volume is each for each in wanted)
            )
            return compounds.setdefault(chosen, len(compounds))

        pairs = [
            (compound(pair.first, pair.first_group), compound(pair.second, pair.second_group))
            for pair in self.pairs
        ]
        return _core.VolumePairs(
            self.model,
            frames=[
                -1 if link == WORLD else self.model.frame(link).index for link, _ in self.spheres
            ],
            corners=[volume.points.ravel().tolist() for _, volume in self.spheres],
            radii=[volume.radius for _, volume in self.spheres],
            compounds=[list(chosen) for chosen in compounds],
            pairs=pairs,
            activation=self.activation,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.model, self.volumes, self.pairs, self.activation)

    def __repr__(self) -> str:
        far = "all" if math.isinf(self.activation) else f"within {self.activation:g} m"
        counted = f"{len(self.pairs)} pairs, {len(self.spheres)} volumes"
        return f"<tarsus.Distances of {self.model.name!r}: {counted}, {far}>"


# Pairs of links whose distance is watched, and which ones are by default.


@dataclass(frozen=True)
class LinkPair:
    """Two links, and the groups of their volumes that meet in this pair; without a group all do."""

    first: str
    second: str
    first_group: str | None = None
    second_group: str | None = None

    @property
    def name(self) -> str:
        """What the pair is called: "left_shin / right_shin", with groups "left_shin:inner / …"."""
        return f"{_named(self.first, self.first_group)} / {_named(self.second, self.second_group)}"


def link_pairs(
    model: Model, volumes: Volumes, disabled: Iterable[Sequence[str]] = ()
) -> tuple[LinkPair, ...]:
    """Return all pairs of links with volumes that can come near each other.

    Links of one body, neighbours (by a joint, over bodies without volumes, or by a loop; the world
    is nobody's neighbour), what the model's file excludes and pairs in `disabled` are left out.
    """
    volumes.check_links(model)
    number = body_of_links(model, volumes)
    # what stands in the world is an obstacle for all, also for links that hang on the world
    near = {pair for pair in neighbours(model, set(number.values())) if min(pair) >= 0}
    out = near | excluded_pairs(model)
    names = {frozenset(_two(pair, "disabled")) for pair in disabled}
    # what stands still comes second
    links = sorted(volumes, key=lambda link: number[link] < 0)
    return tuple(
        LinkPair(a, b)
        for a, b in combinations(links, 2)
        if number[a] != number[b]
        and ordered(number[a], number[b]) not in out
        and frozenset((a, b)) not in names
    )


def checked_pairs(
    model: Model, volumes: Volumes, pairs: Iterable[LinkPair | Sequence[str]]
) -> tuple[LinkPair, ...]:
    """Return pairs of names as `LinkPair`, after a look at their links and groups."""
    number = body_of_links(model, volumes)
    found = []
    for each in [pairs] if isinstance(pairs, str) else pairs:
        pair = each if isinstance(each, LinkPair) else LinkPair(*_two(each, "pairs"))
        for link, group in (
            (pair.first, pair.first_group),
            (pair.second, pair.second_group),
        ):
            if link not in volumes:
                message = f"pairs: there are no volumes on a link {link!r}"
                raise UnknownNameError(message + suggestion(link, volumes))
            volumes.of_group(link, group)
        if number[pair.first] == number[pair.second]:
            raise ValueError(f"pairs: {pair.name} are on one body, their distance never changes")
        found.append(pair)
    return tuple(found)


def body_of_links(model: Model, volumes: Volumes) -> dict[str, int]:
    """Return the number of the moving body that carries each link; −1 for the world."""
    expect(volumes, Volumes, "volumes")
    number = body_numbers(model)
    return {link: number[WORLD if link == WORLD else model.frame(link).body] for link in volumes}


def _two(pair: Sequence[str], what: str) -> tuple[str, str]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{what} has {pair!r}, must be pairs of names of links")
    first, second = pair
    return first, second


def _named(link: str, group: str | None) -> str:
    return link if group is None else f"{link}:{group}"


# Pairs of links worth watching: random configurations tell what never and what always meets.


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
