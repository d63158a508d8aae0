"""What parts did in a run: forces, gaps, works and energies at its samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarsus._lib.checks import ByName
from tarsus._lib.files import Array
from tarsus.simulation.part_set import PartSet

SIZE = 14
"""Numbers of a part in a sample: energy, work, push (6), values (6)."""


@dataclass(frozen=True, eq=False)
class PartRecord:
    """A part in a run; arrays are (T, …), or (B, T, …) for a batch."""

    energy: Array
    """What it stores (…, T) [J]."""
    work: Array
    """What it has done since the start, beside what it stores (…, T) [J]."""
    force: Array
    """Its force on b in the last step (…, T, 3) [N], in axes of the world."""
    torque: Array
    """The moment that goes with it (…, T, 3) [N m]."""
    gap: Array
    """Its coordinates at the start of the last step (…, T, rows) [m, rad]."""
    current: Array
    """Of a motor (…, T) [A]; this and what follows is zero for other parts."""
    rise: Array
    """How much warmer than its surroundings a motor's winding is (…, T) [K]."""
    supplied: Array
    """What a motor was supplied with since the start, voltage by current (…, T) [J]."""
    heat: Array
    """What a motor's winding has lost since the start (…, T) [J]."""
    voltage: Array
    """What a motor's drive applied in the last step, within its limits (…, T) [V]."""


def part_rows(parts: PartSet) -> tuple[tuple[str, int], ...]:
    """Return names of parts, and how many coordinates each has."""
    return tuple(
        (each.name, 0 if each.statement.law == "motor" else parts.core.n_rows(k))
        for k, each in enumerate(parts.parts)
    )


def pushed_places(parts: PartSet) -> dict[str, dict[str, Any]]:
    """Return where wrenches act by their names: a body, and a point (3,) of it [m]."""
    found = {}
    for each in parts.parts:
        place = each.statement.b
        if each.statement.coordinates == "body" and place is not None and place.body >= 0:
            body = parts.model.body_names[place.body]
            found[each.name] = {"body": body, "point": place.placement[:3, 3].tolist()}
    return found


def part_records(parts: tuple[tuple[str, int], ...], rows: Array) -> Mapping[str, PartRecord]:
    """Return the records by name, from the core's rows (…, T, n)."""
    found = []
    for k, (name, n_rows) in enumerate(parts):
        own = rows[..., SIZE * k : SIZE * (k + 1)]
        # parts with coordinates have those where motors have what flows
        flows = own[..., 9:14] if n_rows == 0 else np.zeros((*own.shape[:-1], 5))
        record = PartRecord(
            *(own[..., 0], own[..., 1], own[..., 2:5], own[..., 5:8], own[..., 8 : 8 + n_rows]),
            *np.moveaxis(flows, -1, 0),
        )
        found.append((name, record))
    return ByName("part", found)


def write_gaps(parts: PartSet, values: Array, record: Array) -> None:
    """Write values (B, rows) of all coordinates to the record (B, n) of a start."""
    first = 0
    for k in range(len(parts.parts)):
        rows = parts.core.n_rows(k)
        record[:, SIZE * k + 8 : SIZE * k + 8 + rows] = values[:, first : first + rows]
        first += rows
