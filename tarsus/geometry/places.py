"""Where candidates are, as the core sees them: a world to look at, not to simulate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tarsus import _core
from tarsus.geometry.terrain import Terrain
from tarsus.model import Model

NO_POINTS: Mapping[str, Any] = {
    "point_body": [],
    "point_position": np.zeros((0, 3)),
    "point_radius": np.zeros(0),
    "ring_body": [],
    "ring_position": np.zeros((0, 3)),
    "ring_axis": np.zeros((0, 3)),
    "ring_radius": np.zeros(0),
}
"""What touches the ground, where nothing does."""


def world_of(model: Model, arguments: Mapping[str, Any], ground: Terrain | None) -> _core.World:
    """Return a world with arrays as in `Collision.arguments`; its `contacts(q)` are gaps."""
    return _core.World(
        model,
        dt=1e-3,
        ground_kind="none" if ground is None else ground.kind,
        ground_numbers=np.zeros(0) if ground is None else ground.numbers,
        max_contacts=1,
        law_numbers={},
        stiction=np.zeros(model.nv),
        effort=np.zeros(model.nv),
        **{**NO_POINTS, **arguments},
    )
