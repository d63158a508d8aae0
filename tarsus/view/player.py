"""A page that plays a run in any browser: one file with all data, no server and no network."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.files import replacing
from tarsus.view.bundle import PAGE, bundle
from tarsus.view.chart_data import chart_data
from tarsus.view.machine_data import machine_data, packed
from tarsus.view.shell_looks import shell_data
from tarsus.view.stage import ARROW_COLORS, Arrows, Stage


def write_page(stage: Stage, file: str | Path, *, speed: float = 1.0) -> None:
    """Write the pictures of a stage as a page: a view that can be turned, time, and charts."""
    data = json.dumps(page_data(stage, speed=speed))
    with replacing(file) as part:
        part.write_text(page_text(stage.model.name, "player_page.js", data), "utf-8")


def page_text(title: str, entry: str, data: str) -> str:
    """Return a page that needs nothing beside it: style, data (JSON), an entry and its modules."""
    parts = {
        "TITLE": html.escape(title),
        "STYLE": (PAGE / "page.css").read_text("utf-8"),
        "SCRIPT": bundle(entry),
        # inside a script element, "</script" and "<!--<script" in a name change how HTML is parsed
        "DATA": data.replace("<", "\\u003c"),
    }
    page = (PAGE / "player.html").read_text("utf-8")
    # from the template's end to its beginning: what was put in is not looked at again
    for name in ("SCRIPT", "DATA", "STYLE", "TITLE"):
        before, after = page.split(f"@{name}@", 1)
        page = before + parts[name] + after
    return page


def page_data(stage: Stage, *, speed: float = 1.0) -> dict[str, Any]:
    """Return what the page needs: numbers are little-endian float32, as base64."""
    return {
        "name": stage.model.name,
        "speed": speed,
        "times": stage.times.tolist(),
        "poses": packed(stage.poses[:, :, :3]),
        "machine": machine_data(stage),
        "shells": [] if stage.shells is None else shell_data(stage.shells),
        "lines": stage.line_ends,
        "states": list(ARROW_COLORS),
        "arrows": [_arrow_data(stage.arrows(k)) for k in range(len(stage.times))],
        "charts": chart_data(stage),
    }


def _arrow_data(arrows: Arrows) -> dict[str, Any]:
    states = list(ARROW_COLORS)
    # runs that went astray have numbers that JSON does not know
    points, vectors, forces = map(np.nan_to_num, (arrows.points, arrows.vectors, arrows.forces))
    return {
        "points": np.round(points, 5).tolist(),
        "vectors": np.round(vectors, 5).tolist(),
        "states": [states.index(state) for state in arrows.states],
        "newtons": np.round(np.linalg.norm(forces, axis=1), 3).tolist(),
    }
