"""Draw the films of docs/port_walking/rigid_contact.md: give names to draw some of them."""

from __future__ import annotations

import sys

from films import Film, write_films

import tarsus as ts

SIDE = {"azimuth": -90, "elevation": 6}


def descent() -> ts.Trajectory:
    """Return a walker that steps down a slope."""
    return ts.gait.limit_cycle(ts.gait.walkers.compass()).run(5)


FILMS = {
    "compass": Film(descent, 20, 0.5, {**SIDE, "zoom": 0.9}),
    "closet": Film(ts.scenes.closet().run, 15, 0.7, {"azimuth": -75, "elevation": 8, "zoom": 0.7}),
    "release": Film(ts.scenes.release().run, 15, 0.5, {**SIDE, "zoom": 0.9}),
    "supports": Film(ts.scenes.supports("tips").run, 15, 0.15, {**SIDE, "zoom": 0.4}),
}


if __name__ == "__main__":
    write_films(FILMS, sys.argv[1:], "rigid")
