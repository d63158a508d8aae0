"""Solids that stand for shapes: what they hold, and how much larger they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from tarsus.arrays import Array
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


def volume(found: Solid) -> float:
    radius, length, _ = found.size
    if found.kind == "box":
        return float(np.prod(found.size))
    return float(np.pi * radius**2 * (length + 4 / 3 * radius))


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


@pytest.mark.parametrize(
    ("name", "kind"),
    [("rod", "capsule"), ("block", "box"), ("ball", "capsule"), ("cone", "capsule")],
)
@pytest.mark.parametrize("turned", [False, True])
def test_meshes_are_inside_what_stands_for_them(
    tmp_path: Path, name: str, kind: str, turned: bool
) -> None:
    mesh = MESHES[name].copy()
    if turned:
        mesh.apply_transform(trimesh.transformations.euler_matrix(0.3, 0.6, 0.2))
    mesh.export(tmp_path / "mesh.obj")
    placement = trimesh.transformations.translation_matrix((1, 2, 3))
    found = solid(Shape("b", "collision", "mesh", (2, 2, 2), placement, str(tmp_path / "mesh.obj")))
    gap = distance(found, 2 * mesh.vertices + [1, 2, 3])
    excess = volume(found) / (8 * mesh.volume)
    print(
        f"{name}: a {found.kind} of {excess:.2f} times the volume, corners out by {gap.max():.1e}"
    )
    assert found.kind == kind and not found.exact
    assert gap.max() < 1e-6 and gap.max() > -1e-3
    assert excess < {"rod": 1.1, "block": 1.001, "ball": 1.1, "cone": 4.5}[name]


def test_flat_ellipsoids_are_inside_what_stands_for_them() -> None:
    found = solid(Shape("b", "collision", "ellipsoid", (0.1, 0.0, 0.4)))
    direction = np.random.default_rng(0).normal(size=(5000, 3))
    surface = direction / np.linalg.norm(direction, axis=1)[:, None] * [0.1, 0.0, 0.4]
    gap = distance(found, surface)
    print(f"a {found.kind} of {found.size}: the surface is {gap.max():.1e} m out of it at most")
    assert not found.exact and gap.max() < 0.006
