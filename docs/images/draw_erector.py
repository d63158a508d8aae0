"""Draw the films of docs/erector/scenes.md: `python docs/images/draw_erector.py [name …]`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from films import Film, write_films

import tarsus as ts
from tarsus.geometry import Profile
from tarsus.scenes import Scene
from tarsus.scenes.vehicles import stunt


def strings(scene: Scene) -> list[tuple[Any, Any]]:
    kinds = (ts.forces.Rubber, ts.forces.String)
    return [(part.a, part.b) for part in scene.forces if isinstance(part, kinds)]


def bumpy() -> Profile:
    """Return a road with bumps of a centimetre."""
    x = np.arange(0.0, 8.0, 0.05)
    z = 0.01 * np.maximum(0.0, np.sin(7.0 * x)) ** 2
    return Profile(np.stack([x, z], axis=1), friction=0.4, restitution=0.3)


TENSEGRITY, CANS, SOFT = (
    ts.scenes.tensegrity(),
    ts.scenes.cans(),
    ts.scenes.elastic_lola(50.0, 0.5),
)
BARS = ts.scenes.three_bars().but(integrator="dormand_prince")

FILMS = {
    "tensegrity": Film(
        lambda: TENSEGRITY.run(duration=3.0, every=5),
        fps=12,
        camera={"zoom": 1.0},
        lines=strings(TENSEGRITY),
    ),
    "three_bars": Film(lambda: BARS.run(duration=120.0), 9, 30.0, {"elevation": 60, "zoom": 0.8}),
    "four_bars": Film(
        lambda: ts.scenes.four_bars("tip").run(duration=25.0), 10, 7.0, {"elevation": 60}
    ),
    "car": Film(lambda: stunt(duration=9.0), 10, 1.5, {"zoom": 0.5, "elevation": 25}),
    "cans": Film(
        lambda: CANS.but(ground=bumpy()).run(duration=2.0, every=10),
        10,
        0.5,
        {"zoom": 1.3, "azimuth": -70, "elevation": 12},
        lines=strings(CANS),
    ),
    "hanging_chain": Film(
        lambda: ts.scenes.hanging_chain().run(duration=4.0, every=5),
        10,
        1.0,
        {"zoom": 1.3, "azimuth": -80, "elevation": 8},
    ),
    "gyroscope": Film(
        lambda: ts.scenes.gyroscope().run(duration=2.6), 12, camera={"zoom": 1.1, "elevation": 25}
    ),
    "cat": Film(ts.scenes.cat().run, 10, 0.15, {"zoom": 0.9, "elevation": 10}),
    "pendulum_wave": Film(
        lambda: ts.scenes.pendulum_wave(12, 12.0, 10).run(every=5),
        5,
        camera={"zoom": 1.4, "azimuth": -35, "elevation": 15},
        above=90,
    ),
    "elastic_lola": Film(
        lambda: SOFT.run(duration=2.0, every=5), 12, 0.6, {"zoom": 1.5, "azimuth": -50}
    ),
}


if __name__ == "__main__":
    write_films(FILMS, sys.argv[1:], "erector")
