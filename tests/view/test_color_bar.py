"""The scale of distances: a marker where the smallest gap is, on pages and in pictures."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up_runs import hopper

import tarsus as ts
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.view import view
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer
from tarsus.view.volume_meshes import EDGE, HIGH, LEFT, LONG, LOW, SCALE, WIDTH, Look, bar_svg

NONE = Look(np.zeros((0, 3)), np.zeros(0, bool), np.zeros((0, 2, 3)), np.zeros((0, 3)))


def marker(svg: str) -> float | None:
    """Where the tip of the marker is on a page [px]."""
    found = re.search(r'd="M ([\d.]+) ', svg)
    return None if found is None else float(found[1])


@pytest.mark.parametrize(("gap", "share"), [(0.0, 0.0), (0.05, 0.5), (0.1, 1.0), (-0.02, 0.0)])
def test_the_marker_is_at_the_smallest_gap(gap: float, share: float) -> None:
    look = replace(NONE, gap=gap, pair="arm / leg", largest=0.1)
    svg = bar_svg(look)
    ElementTree.fromstring(svg)  # it is well formed
    assert marker(svg) == pytest.approx(EDGE + share * WIDTH, abs=0.06)
    assert "100 mm" in svg and f"{1e3 * gap:.1f} mm" in svg


def test_without_pairs_there_is_no_marker() -> None:
    svg = bar_svg(replace(NONE, largest=0.3))
    assert marker(svg) is None and "none is near" in svg


def with_wall(gap: float) -> tuple[ts.Model, Distances]:
    """A model whose trunk has a ball, in its neutral configuration a gap from one in the world."""
    m = hopper()
    at = m.frame_pose(m.neutral(), "trunk")[:3, 3]
    wall = SweptSphere([at + [0.2 + gap, 0.0, 0.0]], 0.1)
    volumes = Volumes({"trunk": [SweptSphere([[0, 0, 0]], 0.1)], "world": [wall]})
    return m, Distances(m, volumes, [("trunk", "world")], activation=0.2)


def test_pictures_have_the_bar() -> None:
    """Its first cell is red, its last one green, and dark pixels are where the marker is."""
    m, near = with_wall(0.1)
    picture = Renderer(Stage(m, volumes=near), width=640, height=360).picture(0) / 255.0
    row = round((1 - LOW - 0.5 * HIGH) * 360)
    for share, color in ((0.02, SCALE[0]), (0.98, SCALE[-1])):
        pixel = picture[row, round((LEFT + share * LONG) * 640)]
        assert np.abs(pixel - color).max() < 0.08
    above = round((1 - LOW - HIGH - 0.012) * 360)
    dark = picture[above, round(LEFT * 640) :].max(axis=-1) < 0.3
    places = np.flatnonzero(dark) / 640 / LONG
    print(f"the marker is at {places.mean():.2f} of the bar")
    assert places.mean() == pytest.approx(0.5, abs=0.05)


def test_the_viewer_moves_the_marker() -> None:
    pytest.importorskip("websockets")
    m, near = with_wall(0.1)
    with view(m, port=18755, distances=near) as shown:
        for moved, share in ((0.0, 0.5), (0.05, 0.25)):
            q = m.neutral()
            q[0] += moved
            shown.pose(q)
            (look,) = [message["shells"] for message in shown._greet() if "shells" in message]
            assert marker(look["bar"]) == pytest.approx(EDGE + share * WIDTH, abs=0.06)
