"""How near bodies are to each other: distances of the volumes around their shapes.

Neighbours on a joint, what is fixed to each other, and links of one machine that are in each other
where it begins, as thighs are in the volume around a hip, are not compared. Volumes hold what they
enclose, so bodies are never nearer than is told here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tarsus.arrays import Array
from tarsus.geometry import Distances, Volumes
from tarsus.model import WORLD, Model
from tarsus.studio.machine import Machine

REACH = 0.25
"""Bodies are watched that are nearer than this share of the machine's size."""
MOST_PAIRS = 20_000
NOTHING = "there is nothing to compare"


@dataclass(frozen=True, eq=False)
class Nearness:
    """The nearest pair, where it is nearest, and how far each body is from the next one [m]."""

    least: float
    """Negative where bodies are in each other, infinite if none is within reach."""
    pair: tuple[str, str]
    points: Array
    """On both of them (2, 3)."""
    reach: float
    """How near bodies must be to be told."""
    bodies: dict[str, float]
    """Those that have another one within reach."""
    reason: str = ""
    """Why nothing is compared, where the reach is 0."""

    def __str__(self) -> str:
        """Return it in words."""
        if not self.reach:
            return self.reason
        if not np.isfinite(self.least):
            return f"nothing is nearer than {_length(self.reach)}"
        a, b = self.pair
        far = _length(abs(self.least))
        return f"{a} is in {b} by {far}" if self.least < 0.0 else f"{a} and {b} are {far} apart"


def nearness(machine: Machine, q: Array | None = None) -> Nearness:
    """Return how near the bodies of a machine are to each other, now or at q (nq,)."""
    distances = distances_of(machine.model)
    if isinstance(distances, str):
        return Nearness(np.inf, ("", ""), np.zeros((2, 3)), 0.0, {}, distances)
    near = distances.near(machine.q if q is None else q, gradient=False)
    found: dict[str, float] = {}
    pairs = []
    for number, distance in zip(near.pair, near.distance.tolist(), strict=True):
        pair = distances.pairs[number]
        ends = machine.owner(pair.first), machine.owner(pair.second)
        pairs.append(ends)
        for end in ends:
            found[end] = min(found.get(end, np.inf), distance)
    if not pairs:
        return Nearness(np.inf, ("", ""), np.zeros((2, 3)), distances.activation, {})
    k = int(np.argmin(near.distance))
    points = np.array([near.point_a[k], near.point_b[k]])
    return Nearness(float(near.distance[k]), pairs[k], points, distances.activation, found)


def plain_nearness(machine: Machine, q: Array | None = None) -> dict[str, Any]:
    """Return how near bodies are as plain data, for pages."""
    near = nearness(machine, q)
    return {
        "least": near.least,
        "pair": list(near.pair),
        "points": near.points.tolist(),
        "reach": near.reach,
        "bodies": near.bodies,
        "text": str(near),
    }


@lru_cache(maxsize=4)
def distances_of(model: Model) -> Distances | str:
    """Return distances of the links of a model, or why there are none."""
    seen, felt = (Volumes.from_model(model, shapes) for shapes in ("visual", "collision"))
    volumes = Volumes({**seen, **felt})
    size = _size(model)
    if not volumes or not size > 0.0:
        return NOTHING
    near = Distances(model, volumes, activation=REACH * size)
    if len(near.pairs) > MOST_PAIRS:
        return (
            f"{len(near.pairs)} pairs of bodies are too many to compare, {MOST_PAIRS} are the most"
        )
    apart = near.distance(model.initial_configuration) > 0.0
    pairs = [
        pair
        for pair, far in zip(near.pairs, apart.tolist(), strict=True)
        if far or _root(model, pair.first) != _root(model, pair.second)
    ]
    return Distances(model, volumes, pairs, activation=REACH * size) if pairs else NOTHING


def _size(model: Model) -> float:
    """Return the largest side of the box around all shapes' places in the neutral position [m]."""
    stated = [shape for shape in model.description.shapes if shape.body != WORLD]
    if not stated:
        return 0.0
    places = np.array([model.frame_pose(model.neutral(), x.body) @ x.placement for x in stated])
    extents = np.array([max(np.ravel(x.size), default=0.0) if not x.file else 0.2 for x in stated])
    low = (places[:, :3, 3] - extents[:, None] / 2).min(axis=0)
    high = (places[:, :3, 3] + extents[:, None] / 2).max(axis=0)
    return float((high - low).max())


def _root(model: Model, link: str) -> int:
    """Return the body that carries all of a link's machine, −1 for what is on the world."""
    name = WORLD if link == WORLD else model.frame(link).body
    index = -1 if name == WORLD else model.body(name).index
    parents = [body.parent for body in model.bodies]
    while index >= 0 and parents[index] >= 0:
        index = parents[index]
    fixed = index >= 0 and model.joint(model.bodies[index].joint).kind != "free"
    return -1 if fixed else index


def _length(metres: float) -> str:
    return f"{metres:.3g} m" if metres >= 1.0 else f"{1e3 * metres:.3g} mm"
