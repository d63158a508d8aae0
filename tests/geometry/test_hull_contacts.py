"""Hulls of meshes against other solids in the core: distances of coal, and what must be alike."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import coal
import numpy as np
import pytest
import trimesh

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import Collision
from tarsus.geometry.contact_candidates import world_of

NEAR = 0.1
"""Gaps beyond this one are not told [m]."""
OTHERS: dict[str, tuple[tuple[float, ...], Any]] = {
    "sphere": ((0.15,), coal.Sphere(0.15)),
    "capsule": ((0.1, 0.4), coal.Capsule(0.1, 0.4)),
    "box": ((0.2, 0.3, 0.5), coal.Box(0.2, 0.3, 0.5)),
    "ellipsoid": ((0.1, 0.2, 0.3), coal.Ellipsoid(0.1, 0.2, 0.3)),
}


def mesh_file(folder: Path, seed: int, points: int = 40) -> Path:
    rng = np.random.default_rng(seed)
    cloud = rng.normal(size=(points, 3)) * [0.1, 0.15, 0.2]
    file = folder / f"mesh{seed}.stl"
    trimesh.convex.convex_hull(cloud).export(file)
    return file


def two_bodies(mesh: Path, kind: str, size: tuple[float, ...], other: Path | None) -> ts.Model:
    b = ts.Builder("two")
    for name in "ab":
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"free_{name}", "free", "world", name)
    b.shape("a", kind, size, role="collision", file=other)
    b.shape("b", "mesh", (1, 1, 1), role="collision", file=mesh)
    return b.build()


def near_states(m: ts.Model, count: int) -> Array:
    q = m.random_configuration(3, count)
    rng = np.random.default_rng(4)
    q[:, :3] = rng.normal(size=(count, 3)) * 0.05
    way = rng.normal(size=(count, 3))
    q[:, 7:10] = way / np.linalg.norm(way, axis=1)[:, None] * rng.uniform(0.2, 0.6, (count, 1))
    return q


def peer_hulls(found: Collision) -> list[Any]:
    """The hulls of a collision as coal's, about the middle of their bounds."""
    corners, hulls = found.arguments["hull_corners"], []
    for count, faces in zip(
        found.arguments["hull_counts"], found.arguments["hull_faces"], strict=True
    ):
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in corners[:count]:
            points.append(corner)
        for loop in faces:
            for i, j in pairwise(loop[1:]):
                triangles.append(coal.Triangle(loop[0], i, j))
        hulls.append(coal.Convex(points, triangles))
        corners = corners[count:]
    return hulls


def peer(m: ts.Model, found: Collision, q: Array, solids: list[Any]) -> tuple[Array, Array]:
    """Signed distances (B,) and normals from b to a (B, 3)."""
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = 1e-9
    gaps, normals = [], []
    for state in q:
        places = []
        for name, on in zip("ab", found.arguments["solid_placement"], strict=True):
            pose = m.frame_pose(state, name) @ on
            places.append(coal.Transform3s(pose[:3, :3].copy(), pose[:3, 3].copy()))
        result = coal.DistanceResult()
        gaps.append(coal.distance(solids[0], places[0], solids[1], places[1], request, result))
        normals.append(-np.array(result.normal).reshape(3))
    return np.array(gaps), np.array(normals)


@pytest.mark.parametrize("other", [*OTHERS, "mesh"])
def test_gaps_and_normals_are_those_of_coal(tmp_path: Path, other: str) -> None:
    mesh = mesh_file(tmp_path, 1)
    if other == "mesh":
        m = two_bodies(mesh, "mesh", (1, 1, 1), mesh_file(tmp_path, 2))
    else:
        m = two_bodies(mesh, other, OTHERS[other][0], None)
    found = Collision.from_model(m, contact_points=[])
    assert not found.warnings
    q = near_states(m, 500)
    hulls = peer_hulls(found)
    solids = hulls if other == "mesh" else [OTHERS[other][1], *hulls]
    expected, normals = peer(m, found, q, solids)
    touches = world_of(m, found.arguments, None).contacts(q)
    deepest = touches[np.arange(len(q)), touches[..., 0].argmin(axis=1)]
    gaps = deepest[:, 0]
    # what is round and sinks deeper than its axis is not told by the nearest points of that
    low = {"capsule": -0.1, "ellipsoid": -0.02}.get(other, -np.inf)
    seen = (expected < NEAR) & (expected > low)
    apart = seen & (expected > 1e-3)
    wrong = np.abs(gaps - expected)[seen].max()
    turned = np.linalg.norm(deepest[:, 4:7] - normals, axis=1)[apart].max()
    print(f"{other}: {seen.sum()} of {len(q)}, gaps by {wrong:.1e} m, normals by {turned:.1e}")
    assert seen.sum() > 100 and (gaps[expected > NEAR + 1e-6] > NEAR).all()
    # coal's own error; and what is within a hundredth of a capsule's end is told as the end
    most = {"ellipsoid": (1e-5, 1e-2), "capsule": (1e-4, 5e-2)}.get(other, (1e-9, 1e-8))
    assert wrong < most[0] and turned < most[1]


def test_a_cube_of_triangles_touches_as_a_box(tmp_path: Path) -> None:
    file = tmp_path / "cube.obj"
    trimesh.creation.box((0.5, 0.25, 0.75)).export(file)
    mesh = two_bodies(file, "box", (0.4, 0.3, 0.2), None)
    b = ts.Builder("two")
    for name, size in (("a", (0.4, 0.3, 0.2)), ("b", (0.5, 0.25, 0.75))):
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"free_{name}", "free", "world", name)
        b.shape(name, "box", size, role="collision")
    q = near_states(mesh, 300)
    ours, boxes = (
        world_of(m, Collision.from_model(m, contact_points=[]).arguments, None).contacts(q)
        for m in (mesh, b.build())
    )
    least, expected = ours[..., 0].min(axis=1), boxes[..., 0].min(axis=1)
    close = expected < NEAR
    np.testing.assert_allclose(least[close], expected[close], atol=1e-6)
    # faces on each other: as many places, and the same ones in some order
    for flat in (0.25 + 0.1 - 1e-4, 0.25 + 0.1 + 1e-4):
        state = mesh.neutral()
        state[7:10] = 0.1, 0.1, flat + 0.125
        mine, theirs = (
            world_of(m, Collision.from_model(m, contact_points=[]).arguments, None).contacts(
                state[None]
            )[0]
            for m in (mesh, b.build())
        )
        ours_at, boxes_at = (rows[rows[:, 0] < 1.0][:, :4] for rows in (mine, theirs))
        assert len(ours_at) == len(boxes_at) == 4
        np.testing.assert_allclose(
            ours_at[np.lexsort(ours_at.T.round(6))],
            boxes_at[np.lexsort(boxes_at.T.round(6))],
            atol=1e-9,
        )


def test_volumes_touch_hulls(tmp_path: Path) -> None:
    """A triangle with round edges lies flat on a cube of triangles, on its corners."""
    file = tmp_path / "cube.obj"
    trimesh.creation.box((1, 1, 1)).export(file)
    b = ts.Builder("plate").body("plate", 1.0, inertia=(0.01, 0.01, 0.02))
    b.joint("free", "free", "world", "plate")
    b.shape("world", "mesh", (1, 1, 1), role="collision", file=file, position=(0, 0, -0.5))
    m = b.build()
    corners = np.array([[0.2, 0, 0], [-0.1, 0.2, 0], [-0.1, -0.2, 0]])
    volumes = ts.geometry.Volumes({"plate": [ts.geometry.SweptSphere(corners, 0.02)]})
    touching = Collision.from_model(m, shapes=volumes)
    q = m.neutral()
    q[2] = 0.02 + 1e-3
    gaps = world_of(m, touching.arguments, None).contacts(q[None])[0, :, 0]
    assert sorted(gaps[gaps < 1.0].round(9))[:3] == pytest.approx([1e-3] * 3)
    run = ts.Simulation(m, ground=None, collision=touching).run(q, duration=0.5)
    assert run.q[-1, 2] == pytest.approx(0.02, abs=1e-6) and np.abs(run.v[-1]).max() < 1e-6


def test_lanes_tell_the_same_bits(tmp_path: Path) -> None:
    m = two_bodies(mesh_file(tmp_path, 1), "mesh", (1, 1, 1), mesh_file(tmp_path, 2))
    world = world_of(m, Collision.from_model(m, contact_points=[]).arguments, None)
    q = near_states(m, 21)
    together = world.contacts(q)
    assert all(np.array_equal(world.contacts(q[k : k + 1])[0], together[k]) for k in range(21))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hull_faces": [[[0, 1, 2]]]}, "not closed"),
        ({"hull_faces": [[[0, 1, 99], [2, 1, 0]]]}, "has the corner 99, the hull has"),
        ({"hull_faces": [[[0, 1]]]}, "three corners or more"),
        ({"hull_faces": [[[0, 1, 2] * 20]]}, "corners too many"),
        ({"hull_faces": []}, "one list for each hull"),
        ({"hull_counts": [3]}, "must be from 4 to 256"),
        ({"hull_corners": np.zeros((5, 3))}, "fewer than hull_counts says"),
        ({"solid_size": np.full((2, 4), 0.5)}, "must be its number, there are 1"),
    ],
)
def test_the_core_refuses_hulls_that_are_none(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    m = two_bodies(mesh_file(tmp_path, 1), "sphere", (0.1,), None)
    found = Collision.from_model(m, contact_points=[])
    with pytest.raises(ValueError, match=message):
        world_of(m, {**found.arguments, **change}, None)
