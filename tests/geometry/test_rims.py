"""How far shapes reach, against points on their surfaces, and what an outline keeps."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from tarsus.geometry.outlines import DIRECTIONS, outline, reach, rims, spread_directions
from tarsus.model.description import Shape

RANDOM = np.random.default_rng(5)


def place(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=seed).as_matrix()
    pose[:3, 3] = rng.normal(size=3)
    return pose


def surface(shape: Shape) -> np.ndarray:
    """Points (n, 3) all over the surface of a shape, in the frame of its body."""
    direction = RANDOM.normal(size=(200_000, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    size = shape.size
    if shape.kind == "box":
        points = np.sign(direction) * np.array(size) / 2
    elif shape.kind == "ellipsoid":
        points = direction * np.array(size)
    elif shape.kind == "torus":
        circle = size[0] / np.linalg.norm(direction[:, :2], axis=1)[:, None]
        points = direction * [1.0, 1.0, 0.0] * circle + size[1] * direction
    elif shape.kind == "cylinder":
        flat = direction[:, :2] / np.linalg.norm(direction[:, :2], axis=1)[:, None]
        points = np.column_stack([size[0] * flat, np.sign(direction[:, 2]) * size[1] / 2])
    else:
        length = size[1] if shape.kind == "capsule" else 0.0
        points = size[0] * direction
        points[:, 2] += np.sign(direction[:, 2]) * length / 2
    return points @ shape.placement[:3, :3].T + shape.placement[:3, 3]


SHAPES = [
    ("sphere", (0.3,), 1e-4),
    ("capsule", (0.1, 0.5), 1e-4),
    ("box", (0.1, 0.4, 0.2), 1e-12),
    ("cylinder", (0.2, 0.3), 1e-4),
    ("torus", (0.3, 0.1), 1e-4),
    ("ellipsoid", (0.3, 0.2, 0.0), 0.03),  # 64 points of a disc
]


@pytest.mark.parametrize(("kind", "size", "tolerance"), SHAPES)
def test_reach_is_that_of_the_surface(kind: str, size: tuple[float, ...], tolerance: float) -> None:
    shape = Shape("body", "collision", kind, size, place(1))
    directions = spread_directions(300)
    far = reach(rims(shape), directions).max(axis=1)
    expected = (surface(shape) @ directions.T).max(axis=0)
    print(f"{kind}: reaches {(far - expected).min():.1e} to {(far - expected).max():.1e} m beyond")
    # samples of a surface end before it does; no rim reaches out of the shape
    assert np.abs(far - expected).max() < tolerance
    assert (far <= expected + 1e-4).all()


def test_directions_are_spread_evenly() -> None:
    assert np.abs(np.linalg.norm(DIRECTIONS, axis=1) - 1).max() < 1e-12
    rng = np.random.default_rng(0)
    anywhere = rng.normal(size=(5000, 3))
    anywhere /= np.linalg.norm(anywhere, axis=1)[:, None]
    nearest = np.degrees(np.arccos(np.clip((anywhere @ DIRECTIONS.T).max(axis=1), -1, 1)))
    print(f"a direction is {nearest.max():.1f} degrees from the nearest one at most")
    assert nearest.max() < 4.5


def test_what_is_inside_is_left_out() -> None:
    box = rims(Shape("b", "collision", "box", (1, 1, 1)))
    inner = rims(Shape("b", "collision", "box", (0.9, 0.9, 0.9)))
    sphere = rims(Shape("b", "collision", "sphere", (0.6,)))  # bulges out of all faces
    cylinder = rims(Shape("b", "collision", "cylinder", (0.4, 0.99)))
    found = np.concatenate([box, inner, sphere, cylinder])
    kept, error = outline(found, np.zeros(len(found), bool), 4)
    assert kept.tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 16] and error == 0.0


@pytest.mark.parametrize("points", [8, 16, 32, 64])
def test_corners_of_a_mesh_keep_its_outline(points: int) -> None:
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.1).vertices
    corners = np.column_stack([mesh * [3, 1, 0.5], np.zeros((len(mesh), 5))])
    kept, error = outline(corners, np.ones(len(corners), bool), points)
    directions = np.random.default_rng(2).normal(size=(2000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    lost = reach(corners, directions).max(axis=1) - reach(corners[kept], directions).max(axis=1)
    print(f"{len(kept)} of {len(corners)} corners: {error:.5f} m, measured {lost.max():.5f}")
    assert len(kept) == points
    assert lost.min() >= 0.0 and lost.max() < error + 2e-3
    assert error < {8: 0.06, 16: 0.03, 32: 0.012, 64: 0.006}[points]


def test_corners_of_a_box_are_enough() -> None:
    box = trimesh.creation.box((1, 2, 3)).subdivide().subdivide().vertices
    found = np.column_stack([box, np.zeros((len(box), 5))])
    kept, error = outline(found, np.ones(len(box), bool), 32)
    assert len(kept) == 8 and error < 1e-12
    assert np.abs(np.abs(found[kept, :3]) - [0.5, 1, 1.5]).max() < 1e-12
