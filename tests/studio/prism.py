"""Three rods and nine bands that stand on a table by pulling alone, as lines to build them."""

from __future__ import annotations

import numpy as np

RADIUS, HEIGHT, TWIST = 0.4, 0.6, np.radians(150.0)
"""Of the circles on which the ends are [m], between them [m], from one to the other."""


def _ring(turn: float, z: float) -> list[np.ndarray]:
    angles = turn + 2 * np.pi * np.arange(3) / 3
    return [np.array([RADIUS * np.cos(x), RADIUS * np.sin(x), z]) for x in angles]


LOW, HIGH = _ring(0.0, 0.05), _ring(TWIST, 0.05 + HEIGHT)
HALF = float(np.linalg.norm(HIGH[0] - LOW[0])) / 2


def _rod(k: int) -> str:
    """Return the line of a rod from below to above, turned by the shortest way from x."""
    way = (HIGH[k] - LOW[k]) / (2 * HALF)
    turn = [1 + way[0], *np.cross([1.0, 0.0, 0.0], way)]
    at = (LOW[k] + HIGH[k]) / 2
    numbers = [" ".join(f"{x:.9f}" for x in each) for each in (at, turn)]
    size = f"-length {2 * HALF:.9f} -radius .015 -m .3"
    return f"add rod rod{k + 1} {size} -t {numbers[0]} -E {numbers[1]}"


def end(k: int, upper: bool) -> str:
    """Return the end of a rod as a place."""
    return f"rod{k % 3 + 1} {HALF if upper else -HALF:.9f} 0 0"


def band(number: int, a: str, b: str) -> str:
    """Return the line of a band between two ends."""
    return f"add rubber band{number} -a {a} -b {b} -stiffness 300 -rest_length .25"


def right(number: int) -> str:
    """Return the line of a band that goes up: 7, 8 or 9."""
    return band(number, end(number - 7, True), end(number - 6, False))


def wrong(number: int) -> str:
    """Return the line of a band that should go up, and was tied to the lower end of its own rod."""
    return band(number, end(number - 7, False), end(number - 6, False))


RODS = "\n".join(_rod(k) for k in range(3))
BANDS = "\n".join(
    [
        *(band(k + 1, end(k, False), end(k + 1, False)) for k in range(3)),
        *(band(k + 4, end(k, True), end(k + 1, True)) for k in range(3)),
        right(7),
    ]
)
