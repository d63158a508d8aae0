"""Triangles of shapes: closed, oriented outwards, of the right volume, also for meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_up_runs import hopper

import tarsus as ts
from tarsus.view.triangle_meshes import SEGMENTS, Surface, box, rod, simplified, surfaces, turned


def volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """Return the volume inside a surface; negative if its corners go around the wrong way."""
    a, b, c = vertices[triangles].swapaxes(0, 1)
    return float(np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6)


def one_shape(kind: str, size: tuple[float, ...], **more: object) -> Surface:
    builder = ts.Builder("one")
    builder.body("body", 1.0, inertia=(1, 1, 1))
    builder.joint("root", "free", "world", "body")
    builder.shape("body", kind, size, role="visual", **more)
    (surface,) = surfaces(builder.build())
    return surface


POLYGON = SEGMENTS / (2 * np.pi) * np.sin(2 * np.pi / SEGMENTS)
"""Area of the polygon that stands for a circle, as a share of the circle's."""


@pytest.mark.parametrize(
    ("kind", "size", "exact", "tolerance"),
    [
        ("box", (0.3, 0.4, 0.5), 0.06, 1e-12),
        ("cylinder", (0.2, 0.7), np.pi * 0.04 * 0.7 * POLYGON, 1e-12),
        ("sphere", (0.3,), 4 / 3 * np.pi * 0.027, 0.04),
        ("capsule", (0.1, 0.5), np.pi * 0.01 * 0.5 + 4 / 3 * np.pi * 1e-3, 0.04),
        ("ellipsoid", (0.1, 0.2, 0.3), 4 / 3 * np.pi * 0.006, 0.04),
        ("torus", (0.3, 0.1), 2 * np.pi**2 * 0.3 * 0.01, 0.04),
    ],
)
def test_volumes(kind: str, size: tuple[float, ...], exact: float, tolerance: float) -> None:
    surface = one_shape(kind, size)
    found = volume(surface.vertices, surface.triangles)
    print(f"{kind}: volume {found:.6g}, exact {exact:.6g}")
    assert found == pytest.approx(exact, rel=tolerance)


def test_a_shape_is_where_it_is_placed() -> None:
    surface = one_shape("sphere", (0.1,), position=(1.0, 2.0, 3.0))
    middle = (surface.vertices.min(axis=0) + surface.vertices.max(axis=0)) / 2
    assert middle == pytest.approx((1.0, 2.0, 3.0), abs=1e-12)
    assert surface.body == 0


def test_a_rod_reaches_from_one_end_to_the_other() -> None:
    start, end = np.array([0.1, -0.2, 0.3]), np.array([-0.4, 0.5, 0.9])
    vertices, triangles = rod(start, end, 0.05)
    along = (vertices - start) @ (end - start) / np.linalg.norm(end - start) ** 2
    reach = 0.05 / np.linalg.norm(end - start)
    assert along.min() == pytest.approx(-reach)
    assert along.max() == pytest.approx(1 + reach)
    assert volume(vertices, triangles) > 0.0


def test_meshes_are_read_and_simplified(tmp_path: Path) -> None:
    trimesh = pytest.importorskip("trimesh")
    file = tmp_path / "ball.stl"
    trimesh.creation.icosphere(subdivisions=4, radius=0.1).export(file)
    surface = one_shape("mesh", (2.0, 2.0, 2.0), file=str(file))
    assert len(surface.triangles) == 5120
    assert np.linalg.norm(surface.vertices, axis=1) == pytest.approx(0.2, abs=1e-6)
    vertices, triangles = simplified(surface.vertices, surface.triangles, 0.05)
    print(f"5120 triangles become {len(triangles)}")
    assert 50 < len(triangles) < 1000
    assert volume(vertices, triangles) == pytest.approx(4 / 3 * np.pi * 0.008, rel=0.15)


def test_a_mesh_that_is_missing_gives_way_to_simple_shapes(tmp_path: Path) -> None:
    builder = ts.Builder("two")
    builder.body("body", 1.0, inertia=(1, 1, 1))
    builder.joint("root", "free", "world", "body")
    builder.shape("body", "mesh", (1, 1, 1), role="visual", file=str(tmp_path / "nowhere.stl"))
    builder.shape("body", "box", (1, 1, 1), role="collision")
    model = builder.build()
    assert len(surfaces(model)[0].triangles) == 12
    with pytest.raises(FileNotFoundError, match=r"the mesh of body is missing: .*nowhere\.stl"):
        surfaces(model, "visual")


def test_models_without_shapes_have_a_skeleton() -> None:
    for model in (ts.robots.chain(5), ts.robots.mini_cheetah(), ts.robots.four_bar()):
        found = surfaces(model)
        assert {surface.body for surface in found} <= set(range(model.n_bodies))
        assert all(volume(s.vertices, s.triangles) > 0.0 for s in found)
    with pytest.raises(ValueError, match="has no visual shapes; shapes='skeleton' draws it"):
        surfaces(ts.robots.chain(2), "visual")
    with pytest.raises(ValueError, match="must be one of visual, collision, skeleton"):
        surfaces(hopper(), "wireframe")  # type: ignore[arg-type]


def test_profiles_that_touch_the_axis_have_no_empty_triangles() -> None:
    vertices, triangles = turned(np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0]]))
    assert len(triangles) == 2 * SEGMENTS
    assert volume(vertices, triangles) == pytest.approx(2 / 3 * np.pi * POLYGON)
    assert volume(*box(np.ones(3))) == pytest.approx(1.0)


def test_cells_are_those_of_rows() -> None:
    """Numbered axis by axis, cells have the order and the means of sorted rows."""
    rng = np.random.default_rng(3)
    vertices, triangles = rng.normal(size=(500, 3)), rng.integers(0, 500, (900, 3))
    cells = np.floor((vertices - vertices.min(axis=0)) / 0.7).astype(int)
    rows, cell = np.unique(cells, axis=0, return_inverse=True)
    wanted = np.array([vertices[cell == k].mean(axis=0) for k in range(len(rows))])
    joined, found = simplified(vertices, triangles, 0.7)
    assert joined == pytest.approx(wanted)
    assert {tuple(each) for each in found} <= {tuple(each) for each in cell[triangles]}
