"""Paths as ways to go: where one is at a share of the whole, for bodies that are led along."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from tarsus.arrays import Array
from tarsus.constraint import PointOnPath
from tarsus.model import WORLD, Model
from tarsus.parts import Part
from tarsus.parts.place import split
from tarsus.simulation.part_set import spline_pieces
from tarsus.studio.bindings import Way


def ways(model: Model, parts: Mapping[str, Part]) -> dict[str, Way]:
    """Return the paths of the world among parts, by name."""
    found = {}
    for name, part in parts.items():
        if isinstance(part, PointOnPath) and split(part.of)[0] == WORLD:
            found[name] = way_of(part, model)
    return found


def way_of(path: PointOnPath, model: Model) -> Way:
    """Return where a path is in the world (3,) at a share of its length from 0 to 1.

    Lengths are those between its points. A closed path goes round, others stop at their ends.
    """
    statement = path.statement(model)
    pieces, points = spline_pieces(statement), np.asarray(statement.path)
    ends = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
    at = np.concatenate([[0.0], ends]) / ends[-1]
    place = np.eye(4) if statement.a is None else statement.a.placement

    def way(share: float) -> Array:
        share = share - math.floor(share) if path.closed else min(max(share, 0.0), 1.0)
        k = min(int(np.searchsorted(at, share, "right")) - 1, len(pieces) - 1)
        u = (share - at[k]) / (at[k + 1] - at[k])
        p, a, b, c = pieces[k]
        return np.asarray(place[:3, :3] @ (p + u * (a + u * (b + u * c))) + place[:3, 3])

    return way
