"""Volumes in the viewer: their surfaces, their colours, the shortest lines."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.view import view
from tarsus.view.gaps import AWAY, FAR, TOUCHING, gap_color, hull_of, volume_surfaces

pytest.importorskip("viser")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def two() -> ts.Model:
    builder = ts.Builder("two")
    for name, x in (("a", 0.0), ("b", 0.5)):
        builder.body(name, 1.0, [0, 0, 0], [0.1, 0.1, 0.1])
        builder.joint(f"{name}_slide", "prismatic", "world", name, axis="x", position=[x, 0, 1])
    return builder.build()


def distances(model: ts.Model, activation: float = 0.35) -> Distances:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    plate = SweptSphere([[-5, -5, 0], [5, -5, 0], [0, 5, 0]], 0.05)
    return Distances(model, Volumes({"a": [ball], "b": [ball], "world": [plate]}), None, activation)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_hulls_lie_on_the_surface(count: int) -> None:
    volume = SweptSphere(np.random.default_rng(count).normal(size=(count, 3)), 0.2)
    vertices, triangles = hull_of(volume)
    # none outside; next to a seam some are a little inside
    away = volume.distance_to_points(vertices)
    assert away.max() < 1e-12 and away.min() > -0.05 * volume.radius
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    inside = np.einsum("ni,ni->n", np.cross(b, c), a).sum() / 6  # triangles look outwards
    assert 0.85 * volume.volume < inside <= volume.volume


def test_colours_reach_from_touching_to_the_activation_distance() -> None:
    assert gap_color(-0.1, 0.3) == gap_color(0.0, 0.3) == pytest.approx(TOUCHING)
    assert gap_color(0.3, 0.3) == pytest.approx(AWAY)


def test_surfaces_are_on_their_bodies() -> None:
    assert [surface.body for surface in volume_surfaces(distances(two()))] == [0, 1, -1]


def test_the_scene_follows_the_joints() -> None:
    model = two()
    with view(model, port=18740, distances=distances(model)) as shown:
        layer = shown.gaps
        assert layer is not None and layer.least == pytest.approx(0.3)
        found = set(shown.server.scene._handle_from_node_name)
        assert {"/world/0_a/volume_0", "/world/1_b/volume_1", "/world/volume_2"} <= found
        assert "/world/gaps" in found
        shown._show_gaps(np.array([0.15, -0.15]))
        assert layer.least == pytest.approx(0.0, abs=1e-12)
        assert tuple(layer.volumes[0].color) == pytest.approx(255 * TOUCHING, abs=1)
        assert layer.volumes[0].opacity > layer.volumes[2].opacity
        shown._show_gaps(np.array([-0.15, 0.15]))
        assert np.isinf(layer.least)
        assert tuple(layer.volumes[0].color) == pytest.approx(255 * np.array(FAR), abs=1)


def test_wrong_distances() -> None:
    model = two()
    with pytest.raises(TypeError, match="distances is of type int"):
        view(model, distances=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not of what is shown"):
        view(model, port=18741, distances=distances(two()))
    with pytest.raises(ValueError, match="must be finite and positive"):
        view(model, port=18742, distances=distances(model, np.inf))
