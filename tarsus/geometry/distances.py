"""Distances between the links of a model, where they are nearest, and how they change."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus import _core
from tarsus.arrays import Array
from tarsus.geometry.link_pairs import LinkPair, checked_pairs, link_pairs
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.volumes import Volumes
from tarsus.model import Model
from tarsus.model.checks import count, expect, flag, reals
from tarsus.model.description import WORLD


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
