"""A machine as the pages take it: what `setMachine` of page/scene.js reads, as plain JSON."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from tarsus.geometry import Ground
from tarsus.geometry.terrain import Terrain
from tarsus.view.stage import Stage
from tarsus.view.surfaces import Surface


def machine_data(stage: Stage) -> dict[str, Any]:
    """Return bodies with their surfaces, what stands still, the ground, and the size [m]."""
    bodies: list[dict[str, Any]] = [
        {"name": name, "surfaces": []} for name in stage.model.body_names
    ]
    world: list[dict[str, Any]] = []
    for surface in stage.surfaces:
        fixed = world if surface.body < 0 else bodies[surface.body]["surfaces"]
        fixed.append(surface_data(surface))
    ground = ground_data(stage.terrain, stage.ground)
    return {"bodies": bodies, "world": world, "ground": ground, "size": stage.size}


def surface_data(surface: Surface) -> dict[str, Any]:
    """Return a surface: little-endian float32 and uint32, as base64."""
    return {
        "vertices": packed(surface.vertices),
        "triangles": packed(surface.triangles, "<u4"),
        "color": [round(part, 4) for part in surface.color],
    }


def ground_data(terrain: Terrain | None, piece: Surface | None) -> dict[str, Any] | None:
    """Return a plane by its normal, which has no end, and other grounds as a piece of mesh."""
    if terrain is None or piece is None:
        return None
    if isinstance(terrain, Ground):
        return {"height": 0.0, "normal": terrain.numbers[:3].tolist()}
    return surface_data(piece)


def packed(array: Any, kind: str = "<f4") -> str:
    """Return an array's numbers as base64."""
    return base64.b64encode(np.asarray(array, kind).tobytes()).decode()
