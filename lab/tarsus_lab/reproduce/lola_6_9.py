"""Table 6.9 of M. Schwienbacher: run times of distances between points, lines and triangles."""

from __future__ import annotations

import numpy as np

from tarsus import _core, robots
from tarsus._lib.files import Array
from tarsus.geometry.distances import Distances
from tarsus.geometry.swept_spheres import SweptSphere, swept_distance
from tarsus.geometry.volumes import Volumes
from tarsus.model.model import Model
from tarsus_lab.bench.timing import Contender
from tarsus_lab.reproduce.result import Result, Row, judged
from tarsus_lab.reproduce.timing import measure

PRINTED = {
    (1, 1): ("points", "0.0886"),
    (1, 2): ("a point and a line", "0.1256"),
    (2, 2): ("lines", "0.1555"),
    (1, 3): ("a point and a triangle", "0.1392"),
    (2, 3): ("a line and a triangle", "0.3614"),
    (3, 3): ("triangles", "0.8887"),
}
"""Corners of both, what they are, and the printed time of a pair [µs]."""
PAIRS = 4096
"""Pairs in one call; small enough for the caches."""
RANDOM = 20_000
RADIUS, ACTIVATION = 0.05, 0.1
WHOLE = (50.0, 500.0)
"""Time of a cycle for all of Lola [µs], as printed in section 6.5."""

OTHER_MACHINE = (
    "a machine of today, and pairs in the lanes of its vectors; the thesis has one pair at a time "
    "on a processor of 2006"
)
OBTUSE = (
    "Table 6.2 takes the corner where a point lies beside two edges of a triangle; beside an "
    "obtuse corner an edge is nearer, and the printed rule tells too much"
)
PIERCED = (
    "sections 6.4.5 and 6.4.6 compare edges and corners only; triangles that pierce each other "
    "inside of their borders are told to be apart"
)


def run() -> Result:
    """Measure all kinds of pairs and a whole robot, and count where printed rules fail."""
    calls = {kind: _contender(*kind) for kind in PRINTED}
    whole = _whole_robot()
    times = measure({**calls, "whole": whole})
    rows: list[Row] = []
    for kind, (label, printed) in PRINTED.items():
        ours = times[kind] / PAIRS
        rows.append(
            _faster(
                f"time for two {label} [µs]" if kind[0] == kind[1] else f"time for {label} [µs]",
                printed,
                float(printed),
                ours,
            )
        )
    least, most = WHOLE
    rows.append(
        _faster(
            "time for a whole robot, with derivatives [µs]",
            f"{least:g} … {most:g}",
            least,
            times["whole"],
        )
    )
    rows += [_beside_corners(), _piercing()]
    return Result(
        "lola-6.9",
        "Run times of distances between points, lines and triangles",
        "M. Schwienbacher, TU München 2013, Table 6.9 and section 6.4: one processor of 2006",
        tuple(rows),
    )


def _contender(m: int, n: int) -> Contender:
    rng = np.random.default_rng(0)
    names = {
        "distance": _core.swept_distance,
        "a": rng.normal(size=(PAIRS, m, 3)),
        "b": rng.normal(size=(PAIRS, n, 3)),
        "r": np.zeros(PAIRS),
    }
    return Contender("distance(a, r, b, r)", names)


def _whole_robot() -> Contender:
    model = robots.lola(3)
    distances = Distances(model, limbs(model), activation=ACTIVATION)
    q = model.neutral()
    return Contender("near(q)", {"near": distances.near, "q": q})


def limbs(model: Model) -> Volumes:
    """Return lines from the origin of each body to the joints that it carries, as volumes."""
    lines: dict[str, list[SweptSphere]] = {}
    for joint in model.description.joints:
        end = np.asarray(joint.placement)[:3, 3]
        if joint.parent != "world" and np.linalg.norm(end) > RADIUS:
            lines.setdefault(joint.parent, []).append(
                SweptSphere([np.zeros(3), end], RADIUS, joint.name)
            )
    return Volumes(lines)


def _faster(label: str, thesis: str, printed: float, ours: float) -> Row:
    return Row(label, thesis, ours, "surpassed" if ours < printed else "missed", OTHER_MACHINE)


def _beside_corners() -> Row:
    """The share of random points for which the corner of Table 6.2 is not the nearest."""
    rng = np.random.default_rng(1)
    point, triangle = rng.random(size=(RANDOM, 1, 3)), rng.random(size=(RANDOM, 3, 3))
    found = swept_distance(point, 0.0, triangle, 0.0).distance
    printed = _printed_point_triangle(point[:, 0], triangle)
    wrong = float((printed > found + 1e-12).mean())
    label = "points whose distance to a triangle is over-estimated [%]"
    return Row(label, f"{100 * wrong:.1f}", 0.0, "corrected", OBTUSE)


def _printed_point_triangle(point: Array, triangle: Array) -> Array:
    """Distances by Table 6.2 as it is printed: corners for regions 1, 3 and 5."""
    v0, e0, e1 = triangle[:, 0], triangle[:, 1] - triangle[:, 0], triangle[:, 2] - triangle[:, 0]
    matrix = np.stack([e0, e1], axis=-1)
    s = np.einsum("nij,nj->ni", np.linalg.pinv(matrix), point - v0)
    inside = (s >= 0.0).all(axis=1) & (s.sum(axis=1) < 1.0)

    def to_edge(start: Array, end: Array) -> Array:
        edge, away = end - start, point - start
        along = np.clip((edge * away).sum(1) / (edge * edge).sum(1), 0.0, 1.0)
        return np.asarray(np.linalg.norm(away - along[:, None] * edge, axis=1))

    beyond, corner = s.sum(axis=1) >= 1.0, np.linalg.norm(point[:, None] - triangle, axis=2)
    plane = np.linalg.norm(point - v0 - np.einsum("nij,nj->ni", matrix, s), axis=1)
    a, b, c = triangle[:, 0], triangle[:, 1], triangle[:, 2]
    low0, low1 = s[:, 0] < 0.0, s[:, 1] < 0.0
    regions = [
        (inside, plane),
        (low0 & low1, corner[:, 0]),
        (low1 & beyond, corner[:, 1]),
        (low0 & beyond, corner[:, 2]),
        (low1, to_edge(a, b)),
        (low0, to_edge(a, c)),
    ]
    return np.select([r for r, _ in regions], [d for _, d in regions], to_edge(b, c))


def _piercing() -> Row:
    """The share of random triangles that meet, all of which are told to be apart as printed."""
    rng = np.random.default_rng(2)
    a, b = rng.random(size=(2, RANDOM, 3, 3))
    meet = float((swept_distance(a, 0.0, b, 0.0).distance == 0.0).mean())
    label = "triangles in one cube that meet, and are told to [%]"
    return judged(label, "0", 100 * meet, False, PIERCED, "corrected")
