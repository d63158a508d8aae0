"""Distances between volumes beside Pinocchio and coal: a humanoid of capsules, and single pairs.

python benchmarks/distances.py
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio

import tarsus as ts
from tarsus import _core
from tarsus._lib.files import Array
from tarsus.geometry import Distances, LinkPair, SweptSphere, Volumes, link_pairs
from tarsus.robots.load import example

ROBOT = "talos_reduced"
PAIRS = 400
RADIUS, SHORTEST = 0.04, 0.03
"""Of the capsules [m]."""
ACTIVATION = 0.1
SINGLE = 4096
"""Pairs of single volumes in a call."""


def measure_distances(
    plan: Plan, progress: Callable[[str, float], None] | None = None
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in µs, of single pairs in ns."""
    tell = progress or (lambda section, share: None)
    with pinned(1):
        return {
            "humanoid": _humanoid(plan, lambda share: tell("distances of a humanoid", share)),
            "pairs": _single(plan, lambda share: tell("distances of pairs", share)),
        }


def _humanoid(plan: Plan, tell: Callable[[float], None]) -> list[dict[str, Any]]:
    model = example(ROBOT)
    volumes = limbs(model)
    pairs = link_pairs(model, volumes)[:PAIRS]
    q = model.neutral()
    q[7:] += np.random.default_rng(0).uniform(-0.5, 0.5, model.nq - 7)
    near = Distances(model, volumes, pairs, activation=ACTIVATION)
    every = Distances(model, volumes, pairs, activation=math.inf)
    peer = Peer(model, volumes, pairs)
    apart = float(np.abs(peer.distance(q) - every.distance(q)).max())
    states = np.tile(q, (plan.batch, 1))
    ours = {
        f"within {ACTIVATION} m, with derivatives": Contender(
            "near(q)", {"near": near.near, "q": q}
        ),
        f"within {ACTIVATION} m": Contender("distance(q)", {"distance": near.distance, "q": q}),
        "all": Contender("distance(q)", {"distance": every.distance, "q": q}),
        f"within {ACTIVATION} m, a state of a batch": Contender(
            "distance(q)", {"distance": near.distance, "q": states}, units=plan.batch
        ),
        "all, a state of a batch": Contender(
            "distance(q)", {"distance": every.distance, "q": states}, units=plan.batch
        ),
    }
    other = Contender("update(q)", {"update": peer.update, "q": q})
    interleave([*ours.values(), other], *plan.rhythm, tell)
    return [
        {
            "what": what,
            "pairs": len(pairs),
            "near": len(near.near(q).pair),
            "difference": apart,
            "one": mine.summary(),
            "peer": other.summary(),
            "ratio": ratio(mine, other),
        }
        for what, mine in ours.items()
    ]


def limbs(model: ts.Model) -> Volumes:
    """Return a capsule on each moving body, towards a joint that it carries."""
    found = {}
    for body in model.bodies:
        ends = [joint.placement[:3, 3] for joint in model.joints if joint.parent == body.name]
        end = ends[0] if ends else np.array([0.0, 0.0, -0.1])
        if np.linalg.norm(end) < SHORTEST:
            end = end - np.array([0.0, 0.0, 0.05])
        found[body.name] = [SweptSphere([0.15 * end, 0.85 * end], RADIUS)]
    return Volumes(found)


class Peer:
    """The same capsules and pairs in Pinocchio, whose distances coal computes."""

    def __init__(self, model: ts.Model, volumes: Volumes, pairs: tuple[LinkPair, ...]) -> None:
        import coal
        import pinocchio as pin

        from tarsus.check.pinocchio import PinocchioPeer

        peer = PinocchioPeer(model)
        self.pin, self.peer, self.geometry = pin, peer, pin.GeometryModel()
        numbers = {}
        for link, (volume,) in volumes.items():
            frame = peer.model.frames[peer.frame_id(link)]
            along = volume.points[1] - volume.points[0]
            capsule = coal.Capsule(volume.radius, float(np.linalg.norm(along)))
            place = frame.placement * pin.SE3(_towards(along), volume.points.mean(axis=0))
            each = pin.GeometryObject(link, frame.parentJoint, place, capsule)
            numbers[link] = self.geometry.addGeometryObject(each)
        for pair in pairs:
            self.geometry.addCollisionPair(
                pin.CollisionPair(numbers[pair.first], numbers[pair.second])
            )
        self.data = self.geometry.createData()

    def update(self, q: Array) -> None:
        """Compute all distances at q, which has the layout of Pinocchio, too, for such robots."""
        self.pin.computeDistances(self.peer.model, self.peer.data, self.geometry, self.data, q)

    def distance(self, q: Array) -> Array:
        """Return all distances [m]."""
        self.update(self.peer.configuration(q))
        return np.array([each.min_distance for each in self.data.distanceResults])


def _towards(along: Array) -> Array:
    z = along / np.linalg.norm(along)
    x = np.cross(np.eye(3)[np.abs(z).argmin()], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _single(plan: Plan, tell: Callable[[float], None]) -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    names = ("point", "line", "triangle")
    kinds = [(m, n) for m in (1, 2, 3) for n in range(m, 4)]
    calls = [
        Contender(
            "distance(a, r, b, r)",
            {
                "distance": _core.swept_distance,
                "a": rng.normal(size=(SINGLE, m, 3)),
                "b": rng.normal(size=(SINGLE, n, 3)),
                "r": np.zeros(SINGLE),
            },
            units=SINGLE,
        )
        for m, n in kinds
    ]
    interleave(calls, *plan.rhythm, tell)
    return [
        {"pair": f"{names[m - 1]}, {names[n - 1]}", "nanoseconds": 1e3 * call.median}
        for (m, n), call in zip(kinds, calls, strict=True)
    ]


if __name__ == "__main__":
    found = measure_distances(Plan(batch=256, rounds=5 if "--quick" in sys.argv else 25))
    for row in found["humanoid"]:
        print(
            f"{row['what']:40} {row['one']['median']:7.2f} µs, {row['ratio']['median']:.3f} of coal"
        )
    for row in found["pairs"]:
        print(f"{row['pair']:40} {row['nanoseconds']:7.2f} ns")
