"""A page that plays a run in any browser: one file with all data, no server and no network."""

from __future__ import annotations

import base64
import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.files import replacing
from tarsus.view.stage import STATE_COLORS, Stage

TEMPLATE = Path(__file__).with_name("player.html")


def write_page(stage: Stage, file: str | Path, *, speed: float = 1.0) -> None:
    """Write the pictures of a stage as a page with a slider and a view that can be turned."""
    page = TEMPLATE.read_text("utf-8").replace("@TITLE@", html.escape(stage.model.name))
    # the data stand in a script: nothing in a name may end it
    text = json.dumps(page_data(stage, speed=speed)).replace("</", "<\\/")
    with replacing(file) as part:
        part.write_text(page.replace("@DATA@", text), "utf-8")


def page_data(stage: Stage, *, speed: float = 1.0) -> dict[str, Any]:
    """Return what the page needs: numbers are little-endian float32, as base64."""
    arrows = [stage.arrows(k) for k in range(len(stage.times))]
    states = list(STATE_COLORS)
    surfaces = [*stage.surfaces, *([stage.ground] if stage.ground is not None else [])]
    return {
        "name": stage.model.name,
        "size": stage.size,
        "speed": speed,
        "times": stage.times.tolist(),
        "bodies": stage.model.n_bodies,
        "poses": _pack(stage.poses[:, :, :3]),
        "surfaces": [
            {
                "body": surface.body,
                "color": list(surface.color),
                "ground": surface is stage.ground,
                "corners": _pack(surface.vertices[surface.triangles]),
            }
            for surface in surfaces
        ],
        "states": [{"name": name, "color": list(color)} for name, color in STATE_COLORS.items()],
        "arrows": [
            {
                "points": np.round(each.points, 5).tolist(),
                "vectors": np.round(each.vectors, 5).tolist(),
                "states": [states.index(state) for state in each.states],
            }
            for each in arrows
        ],
    }


def _pack(array: Any) -> str:
    return base64.b64encode(np.asarray(array, "<f4").tobytes()).decode()
