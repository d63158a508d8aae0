"""How scenes look: a few colours, and shapes that are only there to be seen."""

from __future__ import annotations

from tarsus.model import Builder
from tarsus.robots.solids import Triple

Color = tuple[float, float, float, float]

BLUE: Color = (0.35, 0.51, 0.68, 1.0)
ORANGE: Color = (0.87, 0.56, 0.29, 1.0)
GREEN: Color = (0.47, 0.64, 0.43, 1.0)
RED: Color = (0.71, 0.35, 0.38, 1.0)
VIOLET: Color = (0.55, 0.47, 0.65, 1.0)
DARK: Color = (0.16, 0.2, 0.28, 1.0)
GREY: Color = (0.55, 0.58, 0.62, 1.0)
WHITE: Color = (0.96, 0.95, 0.93, 1.0)

COLORS = (BLUE, ORANGE, GREEN, RED, VIOLET)
"""For bodies that are alike."""

LYING, ACROSS = (0.0, 1.5707963267948966, 0.0), (1.5707963267948966, 0.0, 0.0)
"""Roll, pitch and yaw of cylinders and capsules along x and along y."""


def show(
    builder: Builder,
    body: str,
    kind: str,
    size: tuple[float, ...],
    color: Color,
    position: Triple = (0.0, 0.0, 0.0),
    rotation: Triple = (0.0, 0.0, 0.0),
) -> None:
    """Add a shape to look at."""
    builder.shape(body, kind, size, color=color, position=position, rotation=rotation)
