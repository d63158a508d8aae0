"""Volumes on the pages: translucent surfaces on bodies, and how they look in a configuration."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarsus.view.color_bar import bar_svg
from tarsus.view.machine_data import surface_data
from tarsus.view.shells import OPACITY, Look, Shells


def shell_data(shells: Shells) -> list[dict[str, Any]]:
    """Return a translucent surface for each volume, with the body that it moves with."""
    return [
        {**surface_data(surface), "body": surface.body, "opacity": OPACITY, "tag": k}
        for k, surface in enumerate(shells.surfaces)
    ]


def look_data(look: Look) -> dict[str, Any]:
    """Return colours and opacities of all volumes, the shortest lines, and words for the gap."""
    gap = f"{1e3 * look.gap:.1f} mm, {look.pair}" if look.pair else "none is near"
    known = np.isfinite(look.largest)
    return {
        "colors": np.round(look.colors, 3).tolist(),
        "opacities": np.where(look.opaque, 0.9, OPACITY).tolist(),
        "lines": np.round(look.lines, 5).tolist(),
        "lineColors": np.round(look.line_colors, 3).tolist(),
        "gap": gap if known else "",
        "bar": bar_svg(look) if known else "",
    }
