"""Solids that stand for shapes: what they hold, and how much larger they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from tarsus._lib.files import Array
from tarsus.geometry.solids import Solid, solid
from tarsus.model.description import Shape


def distance(found: Solid, points: Array) -> Array:
    """Signed distances (n,) of points to a solid, negative inside."""
    back = np.linalg.inv(found.placement)
    local = points @ back[:3, :3].T + back[:3, 3]
    if found.kind == "box":
        beyond = np.abs(local) - found.size / 2
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return np.asarray(outside + np.minimum(beyond.max(axis=1), 0.0))
    half = found.size[1] / 2 if found.kind == "capsule" else 0.0
    local[:, 2] -= np.clip(local[:, 2], -half, half)
    return np.asarray(np.linalg.norm(local, axis=1) - found.size[0])


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        ("sphere", (0.2,), ("sphere", (0.2, 0, 0))),
        ("capsule", (0.2, 0.5), ("capsule", (0.2, 0.5, 0))),
        ("box", (1, 2, 3), ("box", (1, 2, 3))),
        ("ellipsoid", (0.2, 0.2, 0.2), ("sphere", (0.2, 0, 0))),
        ("ellipsoid", (0.2, 0.3, 0.4), ("ellipsoid", (0.2, 0.3, 0.4))),
        ("torus", (0.3, 0.1), ("torus", (0.3, 0.1, 0))),
    ],
)
def test_what_is_exact(
    kind: str, size: tuple[float, ...], expected: tuple[str, tuple[float, ...]]
) -> None:
    found = solid(Shape("b", "collision", kind, size))
    assert found.exact and found.kind == expected[0] and tuple(found.size) == expected[1]


def test_cylinders_keep_length_or_area() -> None:
    long = solid(Shape("b", "collision", "cylinder", (0.1, 0.5)))
    assert (long.kind, long.exact) == ("capsule", False)
    assert long.size.tolist() == pytest.approx([0.1, 0.3, 0.0])  # with its caps 0.5 m long
    flat = solid(Shape("b", "collision", "cylinder", (0.1, 0.05)))
    assert (flat.kind, flat.exact) == ("box", False)
    assert flat.size[0] * flat.size[1] == pytest.approx(np.pi * 0.1**2)
    assert flat.size[2] == 0.05


MESHES = {
    "rod": trimesh.creation.capsule(height=0.6, radius=0.05),
    "block": trimesh.creation.box((0.3, 0.2, 0.1)),
    "ball": trimesh.creation.icosphere(subdivisions=3, radius=0.2),
    "cone": trimesh.creation.cone(radius=0.1, height=0.4),
}


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("turned", [False, True])
def test_meshes_touch_as_their_hulls(tmp_path: Path, name: str, turned: bool) -> None:
    mesh = MESHES[name].copy()
    if turned:
        mesh.apply_transform(trimesh.transformations.euler_matrix(0.3, 0.6, 0.2))
    mesh.export(tmp_path / "mesh.obj")
    placement = trimesh.transformations.translation_matrix((1, 2, 3))
    shape = Shape("b", "collision", "mesh", (2, 2, 2), placement, str(tmp_path / "mesh.obj"))
    found = solid(shape, 32)
    assert found.kind == "hull" and found.exact and found.hull is not None
    corners = found.hull.corners + found.placement[:3, 3]
    direction = np.random.default_rng(0).normal(size=(5000, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    whole = ((2 * mesh.vertices + [1, 2, 3]) @ direction.T).max(axis=0)
    beyond = whole - (corners @ direction.T).max(axis=0)
    print(f"{name}: {len(corners)} corners, out by {beyond.max():.1e}, told {found.hull.error:.1e}")
    assert len(corners) <= 32 and beyond.min() > -1e-6
    # beyond an edge it is farther out than beyond the faces
    assert beyond.max() < 1.2 * found.hull.error + 1e-6


def test_flat_meshes_are_inside_what_stands_for_them(tmp_path: Path) -> None:
    plate = trimesh.Trimesh(
        [[0, 0, 0], [0.3, 0, 0], [0.3, 0.2, 0], [0, 0.2, 0]], [[0, 1, 2], [0, 2, 3]]
    )
    plate.export(tmp_path / "plate.obj")
    found = solid(Shape("b", "collision", "mesh", (1, 1, 1), file=str(tmp_path / "plate.obj")))
    assert found.kind == "box" and not found.exact
    assert distance(found, np.asarray(plate.vertices)).max() < 1e-9


def test_flat_ellipsoids_are_inside_what_stands_for_them() -> None:
    found = solid(Shape("b", "collision", "ellipsoid", (0.1, 0.0, 0.4)))
    direction = np.random.default_rng(0).normal(size=(5000, 3))
    surface = direction / np.linalg.norm(direction, axis=1)[:, None] * [0.1, 0.0, 0.4]
    gap = distance(found, surface)
    print(f"a {found.kind} of {found.size}: the surface is {gap.max():.1e} m out of it at most")
    assert not found.exact and gap.max() < 0.006
