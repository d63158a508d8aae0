"""Draw the films of docs/port_walking/smooth_contact.md: give names to draw some of them."""

from __future__ import annotations

import sys

from films import Film, write_films

import tarsus as ts

FILMS = {
    "bowl": Film(ts.scenes.bowl().run, 15, 1.0, {"azimuth": -60, "elevation": 25, "zoom": 0.4}),
    "eggs": Film(ts.scenes.eggs().run, 20, 0.5, {"azimuth": -70, "elevation": 12, "zoom": 0.75}),
    "soft_ball": Film(ts.scenes.soft_ball().run, 15, 0.7, {"azimuth": -90, "elevation": 6}),
}


if __name__ == "__main__":
    write_films(FILMS, sys.argv[1:], "smooth")
