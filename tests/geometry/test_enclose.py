"""The smallest volume around points, its slopes, and the cutting of meshes, each by itself."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from tarsus._lib.files import Array
from tarsus.geometry import SweptSphere
from tarsus.geometry.fitting.cover import solid_volume, union_volume
from tarsus.geometry.fitting.enclose import enclose
from tarsus.geometry.fitting.pieces import pieces
from tarsus.geometry.fitting.skins import Grid, Skin, is_closed, signed_volume
from tarsus.geometry.swept_spheres import nearest, volume, volume_slopes

make = trimesh.creation


def mesh_skin(mesh: trimesh.Trimesh) -> Skin:
    return Skin(np.array(mesh.vertices), np.array(mesh.faces))


@pytest.mark.parametrize("corners", [1, 2, 3])
def test_slopes_of_the_volume(corners: int) -> None:
    rng = np.random.default_rng(corners)
    core, radius, step = rng.normal(size=(corners, 3)), 0.3, 1e-6
    by_core, by_radius = volume_slopes(core, radius)
    numeric = np.zeros_like(core)
    for place in np.ndindex(core.shape):
        shift = np.zeros_like(core)
        shift[place] = step
        numeric[place] = (volume(core + shift, radius) - volume(core - shift, radius)) / (2 * step)
    across = (volume(core, radius + step) - volume(core, radius - step)) / (2 * step)
    print(f"{corners} corners: {np.abs(by_core - numeric).max():.1e}")
    assert np.allclose(by_core, numeric, atol=1e-8) and by_radius == pytest.approx(across)
    assert volume(core, radius) == pytest.approx(SweptSphere(core, radius).volume)


@pytest.mark.parametrize("corners", [1, 2, 3])
def test_nearest_places_of_a_core(corners: int) -> None:
    rng = np.random.default_rng(corners)
    core, points = rng.normal(size=(corners, 3)), 2 * rng.normal(size=(200, 3))
    distance, weights = nearest(core, points)
    assert np.allclose(distance, SweptSphere(core, 0.0).distance_to_points(points))
    assert np.allclose(np.linalg.norm(points - weights @ core, axis=1), distance)
    assert (weights >= 0.0).all() and np.allclose(weights.sum(axis=1), 1.0)


CLOUDS = {
    "ball": lambda rng: _on_sphere(rng),
    "line": lambda rng: 0.2 * _on_sphere(rng) + rng.choice([-1, 1], (300, 1)) * [0.4, 0.3, 0.1],
    "box": lambda rng: trimesh.creation.box((1.0, 0.5, 0.2)).vertices,
    "spread": lambda rng: rng.normal(size=(300, 3)) * [1.0, 0.6, 0.2],
}


def _on_sphere(rng: np.random.Generator) -> Array:
    points = rng.normal(size=(300, 3))
    return np.asarray(points / np.linalg.norm(points, axis=1, keepdims=True))


@pytest.mark.parametrize("name", CLOUDS)
def test_no_small_change_makes_it_smaller(name: str) -> None:
    """Random cores nearby, each with the radius that it needs, take hardly less."""
    rng = np.random.default_rng(5)
    points = np.array(CLOUDS[name](rng))
    found = enclose(points, np.zeros(len(points)))
    assert SweptSphere(found.core, found.radius).distance_to_points(points).max() <= 0.0
    best = found.volume
    for scale in (0.1, 0.03, 0.01, 0.003):
        for _ in range(150):
            core = found.core + scale * rng.normal(size=found.core.shape)
            radius = float(SweptSphere(core, 0.0).distance_to_points(points).max())
            best = min(best, SweptSphere(core, radius).volume)
    print(f"{name}: {len(found.core)} corners, {found.volume:.5f} m³, best nearby {best:.5f} m³")
    assert best > 0.99 * found.volume


def test_the_smallest_ball() -> None:
    """Four corners of a regular tetrahedron and points inside: the radius is √(3/8) of an edge."""
    corners = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(8.0)
    found = enclose(corners[[0, 1, 2, 3, 0, 1, 2, 3, 0]], np.zeros(9))
    assert found.radius <= np.sqrt(3 / 8) + 1e-6


@pytest.mark.parametrize("radii", [(0.1, 0.1), (0.1, 0.3)])
def test_balls_are_held_with_their_radii(radii: tuple[float, float]) -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    found = enclose(points, np.array(radii))
    gaps = SweptSphere(found.core, found.radius).distance_to_points(points) + radii
    assert gaps.max() <= 0.0 and gaps.max() > -1e-6


@pytest.mark.parametrize("mesh", [make.box((1.0, 0.5, 0.2)), make.torus(0.5, 0.1)])
def test_cutting_keeps_the_surface(mesh: trimesh.Trimesh) -> None:
    grid = Grid.around(np.array(mesh.vertices), 300, 32)
    vertices, triangles = grid.cut(np.array(mesh.vertices), np.array(mesh.faces))
    places = (vertices[triangles] - grid.low) / grid.side
    crossing = np.floor(places.max(axis=1) - 1e-6) > np.floor(places.min(axis=1) + 1e-6)
    area = trimesh.Trimesh(vertices, triangles, process=False).area
    assert not crossing.any() and area == pytest.approx(mesh.area)
    assert signed_volume(vertices, triangles) == pytest.approx(mesh.volume)


def test_corners_inside_a_ball_and_a_ring() -> None:
    ball, ring = make.icosphere(4, 0.5), make.torus(0.5, 0.2, major_sections=96, minor_sections=48)
    for mesh, depth in (
        (ball, lambda p: 0.5 - np.linalg.norm(p, axis=-1)),
        (ring, lambda p: 0.2 - np.hypot(np.hypot(p[..., 0], p[..., 1]) - 0.5, p[..., 2])),
    ):
        grid = Grid.around(np.array(mesh.vertices), 500, 32)
        found = grid.inside(np.array(mesh.vertices), np.array(mesh.faces))
        deep = depth(np.stack(np.meshgrid(*grid.lines, indexing="ij"), axis=-1))
        sure = np.abs(deep) > 3e-3  # meshes have flat faces
        assert np.array_equal(found[sure], deep[sure] > 0.0) and found.any()


def test_pieces_hold_the_volume_together() -> None:
    """The hulls of all pieces of a solid fill it: their volumes add up."""
    skin = mesh_skin(make.icosphere(3, 0.5))
    cut = pieces([skin])
    groups = np.split(cut.points[cut.index], cut.first[1:])
    hulls = [trimesh.convex.convex_hull(group).volume for group in groups if len(group) > 3]
    print(f"{len(cut)} pieces, {sum(hulls):.5f} m³")
    assert sum(hulls) >= signed_volume(skin.vertices, skin.triangles) * (1 - 1e-9)


def test_volumes_of_solids() -> None:
    apart, one = make.box((0.2, 0.2, 0.2)), make.box((0.2, 0.2, 0.2))
    apart.apply_translation((0.1, 0.0, 0.0))
    assert solid_volume([mesh_skin(one)]) == pytest.approx(8e-3)
    assert solid_volume([mesh_skin(one), mesh_skin(apart)]) == pytest.approx(12e-3, rel=1e-2)
    found = enclose(np.array(one.vertices), np.zeros(8))
    assert union_volume([found, found]) == pytest.approx(found.volume, rel=5e-3)
    assert is_closed(np.array(one.faces)) and not is_closed(np.array(one.faces)[1:])
