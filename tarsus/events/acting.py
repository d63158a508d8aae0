"""The forces of a model in its flows."""

from __future__ import annotations

import numpy as np

from tarsus import _core
from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.simulation.part_set import PartSet
from tarsus.simulation.smooth_parts import unknown_of


def acting(model: Model) -> tuple[_core.Parts | None, Array | None]:
    """Return the forces of a model as the core knows them, and their numbers (n,)."""
    if not model.forces:
        return None, None
    parts = PartSet.of(model, model.forces)
    rows = []
    for each in parts.parts:
        row = each.row
        if each.statement.law == "drag":  # it is the same wherever it starts
            row = each.filled(model, np.asarray(model.neutral())[None], row[None])[0]
        what = unknown_of(each, row[None], planned=False)
        if not what and np.isnan(row).any():
            what = "rests where things are at the start: state its length or its target"
        if what:
            raise ValueError(f"force {each.name!r} {what}, which flows do not know")
        rows.append(row)
    return parts.core, np.concatenate(rows)
