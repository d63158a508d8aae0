"""Draws the pictures of the page on limit cycles: a gait, a cascade of doublings, a basin."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import tarsus as ts

HERE = Path(__file__).parent


def draw() -> None:
    """Write the pictures beside this file."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    gait.plot(HERE / "limit_cycle.png")
    over = {"lean": np.linspace(0.1, 0.5, 300), "lean rate": np.linspace(-2.0, -0.5, 300)}
    ts.gait.basin(gait, over, workers=2).plot(HERE / "basin.png")
    walker = ts.gait.walkers.compass(5.0, 10.0, math.radians(3.5), 9.81)
    first = ts.gait.limit_cycle(walker)
    found = ts.gait.doublings(walker, "slope", first, to=math.radians(5.3))
    slopes = np.radians(np.concatenate([np.linspace(3.5, 4.9, 60), np.linspace(4.9, 5.19, 260)]))
    points = ts.gait.attractor(walker, "slope", slopes, first.state, kept=150)
    found.plot(HERE / "doublings.png", attractor=points)


if __name__ == "__main__":
    draw()
