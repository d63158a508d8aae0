"""Volumes over a model: their triangles, colours by distance, shortest lines, in both viewers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from made_up_runs import hopper, made_up_run

import tarsus as ts
from tarsus.geometry import Distances, SweptSphere, Volumes
from tarsus.view import Viewer, view
from tarsus.view.frame_sequence import Stage
from tarsus.view.rasterizer import laid_over
from tarsus.view.renderer import Renderer
from tarsus.view.volume_meshes import FAR, SCALE, Shells, color_of, shell


def two_balls(gap: float) -> tuple[ts.Model, Volumes]:
    """Return two free bodies with a ball each, so far apart in the neutral configuration."""
    b = ts.Builder("balls")
    for name in ("a", "b"):
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"{name}_root", "free", "world", name)
    return b.build(), Volumes(
        {
            "a": [SweptSphere([[0, 0, 0]], 0.1), SweptSphere([[0, 0, -1]], 0.1)],
            "b": [SweptSphere([[0.2 + gap, 0, 0]], 0.1)],
        }
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_triangles_are_on_the_surface_and_turned_outwards(count: int) -> None:
    volume = SweptSphere(np.random.default_rng(count).normal(size=(count, 3)), 0.4)
    vertices, triangles = shell(volume)
    away = volume.distance_to_points(vertices)
    middle = vertices[triangles].mean(axis=1)
    a, b, c = vertices[triangles].swapaxes(0, 1)
    signed = np.einsum("ij,ij->", np.cross(a, b), c) / 6
    print(f"{len(triangles)} triangles, {signed:.3f} m³, {volume.volume:.3f} m³ by formula")
    assert np.abs(away).max() < 0.02 * 0.4 and signed == pytest.approx(volume.volume, rel=0.05)
    assert np.abs(volume.distance_to_points(middle)).max() < 0.05 * 0.4


def test_colours_tell_distances() -> None:
    assert np.allclose(color_of(np.array([-0.1, 0.0, 1.0])), SCALE[[0, 0, -1]])
    assert np.allclose(color_of(np.array([np.inf])), FAR)
    model, volumes = two_balls(0.05)
    look = Shells(model, Distances(model, volumes, activation=0.1)).look(model.neutral())
    assert look.gap == pytest.approx(0.05, abs=1e-12) and look.pair == "a / b"
    assert look.opaque.tolist() == [True, False, True]
    assert np.allclose(look.lines, [[[0.1, 0, 0], [0.15, 0, 0]]], atol=1e-12)
    assert np.allclose(look.colors[[0, 2]], color_of(np.array([0.5, 0.5])))
    assert np.allclose(look.colors[1], FAR)  # nobody is near


def test_surfaces_are_on_their_bodies_and_in_the_world() -> None:
    model, volumes = two_balls(0.1)
    with_wall = Volumes({**volumes, "world": [SweptSphere([[0, 0, 3]], 0.1)]})
    assert [surface.body for surface in Shells(model, with_wall).surfaces] == [0, 0, 1, -1]


def test_without_an_activation_distance_the_largest_ends_the_scale() -> None:
    model, volumes = two_balls(0.3)
    look = Shells(model, Distances(model, volumes, activation=np.inf)).look(model.neutral())
    assert look.gap == pytest.approx(0.3) and np.allclose(look.colors[0], SCALE[-1])
    with pytest.raises(ValueError, match="activation distance 0 m"):
        Shells(model, Distances(model, volumes, activation=0.0))


def test_nothing_is_near() -> None:
    model, volumes = two_balls(5.0)
    look = Shells(model, Distances(model, volumes, activation=0.1)).look(model.neutral())
    assert look.pair == "" and len(look.lines) == 0 and not look.opaque.any()


def test_other_models_and_links_are_refused() -> None:
    model, volumes = two_balls(0.1)
    with pytest.raises(ValueError, match="distances are of 'balls', not of the model"):
        Shells(hopper(), Distances(model, volumes))
    with pytest.raises(ValueError, match="no link 'a'"):
        Stage(hopper(), volumes=volumes)
    with pytest.raises(TypeError, match="volumes is of type str"):
        Shells(model, "all")  # type: ignore[arg-type]


def test_pictures_are_seen_through_volumes() -> None:
    behind, before = np.zeros((1, 1, 4), np.float32), np.ones((1, 1, 4), np.float32)
    behind[..., 3] = 1.0
    assert laid_over(behind, before, 0.25)[0, 0] == pytest.approx([0.25, 0.25, 0.25, 1.0])
    model = hopper()
    around = Volumes({"trunk": [SweptSphere([[0, 0, 0]], 0.25)]})
    size = {"width": 120, "height": 100}
    plain, with_volume = (
        Renderer(Stage(model, volumes=each), **size).picture(0).astype(float)
        for each in (None, around)
    )
    changed = np.abs(plain - with_volume).max(axis=2) > 8
    print(f"{changed.mean():.2f} of the picture has changed")
    assert 0.03 < changed.mean() < 0.8


def test_the_viewer_has_volumes_and_the_smallest_distance() -> None:
    pytest.importorskip("websockets")
    model, volumes = two_balls(0.05)
    distances = Distances(model, volumes, activation=0.1)
    with view(model, port=18720, distances=distances) as shown:
        found = [(shell["body"], shell["tag"]) for shell in json.loads(shown._data())["shells"]]
        assert (0, 0) in found and (1, 2) in found
        assert look_of(shown)["gap"] == "50.0 mm, a / b"
        assert len(look_of(shown)["lines"]) >= 1
        q = model.neutral()
        q[model.joint("b_root").q_slice][:3] = [5.0, 0.0, 0.0]
        shown.pose(q)
        assert look_of(shown)["gap"] == "none is near"
    with pytest.raises(TypeError, match="distances is of type int"):
        view(model, distances=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="volumes and distances are stated"):
        view(model, volumes=volumes, distances=distances)


def test_volumes_follow_a_run() -> None:
    pytest.importorskip("websockets")
    run = made_up_run()
    around = Volumes({"shin": [SweptSphere([[0, 0, 0], [0, 0, -0.2]], 0.05)]})
    with view(run, port=18730, volumes=around) as shown:
        (shell,) = json.loads(shown._data())["shells"]
        assert shell["body"] == 1 and 0.0 < shell["opacity"] < 1.0
        shown.show(5)
        look = look_of(shown)
        assert look["gap"] == "" and look["lines"] == []


def look_of(viewer: Viewer) -> Any:
    """Return what a page that is opened now is told of volumes."""
    (found,) = [message["shells"] for message in viewer._greet() if "shells" in message]
    return json.loads(json.dumps(found, allow_nan=False))
