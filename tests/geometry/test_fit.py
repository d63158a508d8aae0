"""Volumes around meshes: nothing is outside, they are tight, and the same each time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from touching import robot
from trimesh.transformations import rotation_matrix, translation_matrix

import tarsus as ts
from tarsus._lib.checks import UnknownNameError
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.geometry import SweptSphere, Volumes, fit
from tarsus.geometry.meshes import mesh_triangles

TURN = rotation_matrix(0.7, (1.0, 2.0, 3.0))
make = trimesh.creation


def l_shape() -> trimesh.Trimesh:
    leg = make.box((0.1, 0.1, 0.4), transform=translation_matrix((0.25, 0.0, 0.25)))
    return trimesh.util.concatenate([make.box((0.6, 0.1, 0.1)), leg])


MESHES = {
    "capsule": lambda: make.capsule(height=0.5, radius=0.1, count=[24, 24]),
    "ball": lambda: make.icosphere(3, 0.2),
    "box": lambda: make.box((1.0, 0.5, 0.2)),
    "plate": lambda: make.box((1.0, 0.8, 0.03)),
    "rod": lambda: make.cylinder(0.05, 0.8, sections=24),
    "L": l_shape,
    "ring": lambda: make.torus(0.4, 0.05, major_sections=24, minor_sections=12),
    "sheet": lambda: trimesh.Trimesh(
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]
    ),
}


def model_of(
    folder: Path, mesh: trimesh.Trimesh, name: str = "mesh", **more: trimesh.Trimesh
) -> ts.Model:
    """Return a model with one link for each mesh, of its name."""
    b = ts.Builder(name)
    for link, each in {name: mesh, **more}.items():
        each.export(folder / f"{link}.stl")
        b.body(link, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"{link}_root", "free", "world", link)
        b.shape(link, "mesh", role="collision", file=str(folder / f"{link}.stl"))
    return b.build()


def outside(volumes: Volumes, model: ts.Model, seed: int = 0) -> float:
    """Return how far random points of the faces, and all corners, are outside of all volumes."""
    rng = np.random.default_rng(seed)
    worst = -np.inf
    for shape in model.description.shapes:
        if shape.role == "collision" and shape.body in volumes and shape.kind == "mesh":
            vertices, triangles = mesh_triangles(shape)
            corners = vertices[triangles]
            area = np.linalg.norm(
                np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
            )
            chosen = rng.choice(len(corners), 4000, p=area / area.sum())
            weights = rng.dirichlet(np.ones(3), 4000)
            points = np.concatenate([vertices, np.einsum("ni,nij->nj", weights, corners[chosen])])
            placed = points @ shape.placement[:3, :3].T + shape.placement[:3, 3]
            gaps = [each.distance_to_points(placed) for each in volumes[shape.body]]
            worst = max(worst, float(np.min(gaps, axis=0).max()))
    return worst


@pytest.mark.parametrize("name", MESHES)
@pytest.mark.parametrize("parts", [1, 2])
def test_no_vertex_and_no_face_is_outside(tmp_path: Path, name: str, parts: int) -> None:
    mesh = MESHES[name]()
    mesh.apply_transform(TURN)
    model = model_of(tmp_path, mesh, name)
    found = fit(model, parts=parts)
    (row,) = found.report.links
    far = outside(found, model)
    print(f"{name}: {row.kinds}, {row.of_solid:.3f} of the solid, outside {far:.1e} m")
    assert far <= 0.0 and len(found[name]) <= parts


def test_the_inside_of_a_solid_is_held(tmp_path: Path) -> None:
    """A box is not a shell: points in it are in a volume, too."""
    model = model_of(tmp_path, make.box((1.0, 0.9, 0.8)), "box")
    found = fit(model, parts=2, tightness=1.0)
    points = np.random.default_rng(0).uniform(-0.5, 0.5, (20_000, 3)) * [1.0, 0.9, 0.8]
    gaps = np.min([each.distance_to_points(points) for each in found["box"]], axis=0)
    print(f"{len(found['box'])} volumes, farthest outside {gaps.max():.2e} m")
    assert gaps.max() <= 0.0


def test_faces_are_held_one_by_one(tmp_path: Path) -> None:
    """An L needs both legs, and its one long face is cut where volumes meet."""
    model = model_of(tmp_path, l_shape(), "L")
    one, two = (fit(model, parts=parts).report.links[0] for parts in (1, 2))
    print(f"one volume {one.of_solid:.2f}, two {two.of_solid:.2f} of the solid")
    assert two.volumes == 2 and two.of_solid < 0.75 * one.of_solid


@pytest.mark.parametrize(
    ("name", "kind", "ratio"),
    [
        ("capsule", "line", 1.02),
        ("ball", "ball", 1.04),
        ("rod", "line", 1.25),
        ("plate", "triangle", 1.1),
    ],
)
def test_known_shapes_are_found(tmp_path: Path, name: str, kind: str, ratio: float) -> None:
    mesh = MESHES[name]()
    mesh.apply_transform(TURN)
    found = fit(model_of(tmp_path, mesh, name), tightness=1.3)
    (row,) = found.report.links
    taken = sum(each.volume for each in found[name])
    print(f"{name}: {row.kinds}, {row.of_solid:.3f}; sum of volumes {taken / mesh.volume:.3f}")
    assert {each.kind for each in found[name]} == {kind}
    assert row.of_solid <= ratio and row.of_hull <= ratio + 0.01


def test_a_capsule_has_its_radius_and_length(tmp_path: Path) -> None:
    mesh = MESHES["capsule"]()
    mesh.apply_transform(TURN)
    (line,) = fit(model_of(tmp_path, mesh, "capsule"))["capsule"]
    length = float(np.linalg.norm(line.points[1] - line.points[0]))
    print(f"radius {line.radius:.4f}, length {length:.4f}")
    assert line.radius == pytest.approx(0.1, abs=1e-3) and length == pytest.approx(0.5, abs=5e-3)


def test_the_report_measures_what_is_there(tmp_path: Path) -> None:
    """A ball around a cube: all numbers are known."""
    model = model_of(tmp_path, make.box((0.2, 0.2, 0.2)), "cube")
    (row,) = fit(model, parts=1).report.links
    (volume,) = fit(model, parts=1)["cube"]
    assert row.of_solid == pytest.approx(volume.volume / 0.2**3, rel=0.01)
    far = volume.points.max() + volume.radius  # how far it may reach, at most
    assert 0.0 < row.gap <= far
    text = str(fit(model, parts=1).report)
    assert "of solid" in text and f"{row.of_solid:.2f}" in text


def test_gap_of_a_line_around_a_rod(tmp_path: Path) -> None:
    """The round ends stick out as far as the line is long beyond the flat ones."""
    found = fit(model_of(tmp_path, make.cylinder(0.05, 0.8, sections=64), "rod"), parts=1)
    (line,) = found["rod"]
    tip = float(np.abs(line.points[:, 2]).max()) + line.radius - 0.4
    print(f"largest gap {found.report.links[0].gap:.4f} m, by hand {tip:.4f} m")
    assert found.report.links[0].gap == pytest.approx(tip, rel=0.05)


def test_mirror_images_get_mirrored_volumes(tmp_path: Path) -> None:
    left = l_shape()
    left.apply_transform(TURN)
    right = left.copy()
    right.apply_transform(np.diag([1.0, -1.0, 1.0, 1.0]))
    model = model_of(tmp_path, left, "left_leg", right_leg=right)
    found = fit(model, parts=2)
    assert found.report.links[1].origin == "image across y of left_leg"
    for one, other in zip(found["left_leg"], found["right_leg"], strict=True):
        assert np.array_equal(one.mirrored("y").points, other.points)
        assert other.radius == pytest.approx(one.radius, rel=1e-5)
    assert outside(found, model) <= 0.0
    assert fit(model, parts=1, mirror=False).report.links[1].origin == ""


def test_what_only_looks_alike_has_volumes_of_its_own(tmp_path: Path) -> None:
    """The same box and nearly the same volume, but a corner elsewhere."""
    other = l_shape()
    other.apply_transform(rotation_matrix(np.pi / 2, (1, 0, 0)))
    found = fit(model_of(tmp_path, l_shape(), "one", two=other), parts=1)
    assert [row.origin for row in found.report.links] == ["", ""]


def test_the_same_each_time(tmp_path: Path) -> None:
    model = model_of(tmp_path, l_shape(), "L")
    once, again = fit(model, parts=2), fit(model, parts=2)
    for one, other in zip(once["L"], again["L"], strict=True):
        assert np.array_equal(one.points, other.points) and one.radius == other.radius


def primitives() -> ts.Model:
    b = ts.Builder("shapes")
    shapes = {
        "sphere": (0.1,),
        "capsule": (0.05, 0.3),
        "box": (0.3, 0.2, 0.1),
        "cylinder": (0.1, 0.3),
    }
    shapes |= {"ellipsoid": (0.3, 0.2, 0.1), "torus": (0.2, 0.03)}
    for kind, size in shapes.items():
        b.body(kind, 1.0, inertia=(0.1, 0.1, 0.1)).joint(f"{kind}_root", "free", "world", kind)
        b.shape(kind, kind, size, role="collision", position=(0.1, 0.2, 0.3))
    return b.build()


def surface_points(kind: str, size: tuple[float, ...]) -> Array:
    """Random points on a shape, by its own formula."""
    rng = np.random.default_rng(1)
    unit = rng.normal(size=(5000, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    if kind in ("sphere", "capsule"):
        length = size[1] if kind == "capsule" else 0.0
        return size[0] * unit + np.sign(unit[:, 2:]) * [0.0, 0.0, length / 2]
    if kind == "ellipsoid":
        return unit * size
    angle, tube = rng.uniform(0, 2 * np.pi, (2, 5000))
    circle = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(5000)])
    if kind == "cylinder":
        return size[0] * circle + rng.choice([-0.5, 0.5], (5000, 1)) * [0.0, 0.0, size[1]]
    if kind == "torus":
        across = np.cos(tube)[:, None] * circle + np.sin(tube)[:, None] * [0.0, 0.0, 1.0]
        return size[0] * circle + size[1] * across
    return rng.choice([-0.5, 0.5], (5000, 3)) * size


def test_primitive_shapes_are_held_and_round_ones_exact() -> None:
    model = primitives()
    found = fit(model, parts=2)
    for shape in model.description.shapes:
        points = surface_points(shape.kind, shape.size) + [0.1, 0.2, 0.3]
        gap = np.min([each.distance_to_points(points) for each in found[shape.body]], axis=0)
        print(f"{shape.kind}: {len(found[shape.body])} volumes, outside {gap.max():.1e} m")
        assert gap.max() <= 1e-12
    (ball,), (line,) = found["sphere"], found["capsule"]
    assert ball.kind == "ball" and ball.radius == pytest.approx(0.1, rel=1e-6)
    assert line.kind == "line" and line.radius == pytest.approx(0.05, rel=1e-6)
    assert np.allclose(np.sort(line.points, axis=0), [[0.1, 0.2, 0.15], [0.1, 0.2, 0.45]])


LINKS = {
    "panda.urdf": ["panda_hand"],
    "talos_reduced.urdf": ["leg_left_4_link", "leg_right_4_link"],
    "g1_29dof_rev_1_0.urdf": ["left_wrist_yaw_link"],
    "anymal.urdf": ["LF_SHANK", "RH_SHANK"],
}


@pytest.mark.parametrize(("name", "links"), LINKS.items())
def test_links_of_robots(name: str, links: list[str]) -> None:
    model = robot(name)
    found = fit(model, links=links, parts=2)
    print(found.report)
    assert list(found) == links and outside(found, model) <= 0.0
    assert all(row.of_hull < 2.5 for row in found.report.links)
    assert all(row.origin.endswith(f"of {links[0]}") for row in found.report.links[1:])


def test_volumes_are_saved_as_others(tmp_path: Path) -> None:
    found = fit(model_of(tmp_path, MESHES["rod"](), "rod"))
    found.save(tmp_path / "volumes.yaml")
    (line,) = Volumes.load(tmp_path / "volumes.yaml")["rod"]
    assert isinstance(line, SweptSphere) and np.array_equal(line.points, found["rod"][0].points)


def test_progress_names_the_links_and_may_interrupt() -> None:
    said: list[tuple[str, float]] = []
    fit(primitives(), progress=lambda text, share: said.append((text, share)), parts=1)
    assert said[0] == ("sphere", 0.0) and said[-1][0] == "torus" and said[-1][1] < 1.0

    def stop(text: str, share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(primitives(), progress=stop)


def test_meshes_that_are_open_are_told(tmp_path: Path) -> None:
    mesh = make.icosphere(3, 0.2)
    bowl = trimesh.Trimesh(mesh.vertices, mesh.faces[mesh.triangles_center[:, 2] < 0.1])
    model = model_of(tmp_path, bowl, "bowl")
    found = fit(model)
    assert np.isnan(found.report.links[0].of_solid) and outside(found, model) <= 0.0
    assert any("bowl.stl" in note and "not closed" in note for note in found.notes)
    assert found.report.to_dict()["links"][0]["of_solid"] is None


def test_large_meshes_are_replaced_by_their_hulls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tarsus.geometry.fitting.skins.MOST_TRIANGLES", 100)
    model = model_of(tmp_path, l_shape().subdivide().subdivide(), "L")
    found = fit(model, parts=1)
    assert any("convex hull" in note for note in found.notes) and outside(found, model) <= 0.0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "cannot be read"),
        ("v 0 0 0\nv 1 0 0\n", "cannot be read"),
        ("", "cannot be read"),
    ],
)
def test_bad_meshes_are_named(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "bad.obj").write_text(content)
    b = (
        ts.Builder("bad")
        .body("link", 1.0, inertia=(1, 1, 1))
        .joint("root", "free", "world", "link")
    )
    b.shape("link", "mesh", role="collision", file=str(tmp_path / "bad.obj"))
    with pytest.raises(ModelError, match=rf"bad\.obj' of body 'link'.*({message})"):
        fit(b.build())


@pytest.mark.parametrize("points", [[[0, 0, 0]] * 3, [[0, 0, 0], [1, 0, 0], [2, 0, 0]]])
def test_meshes_without_area_are_held(tmp_path: Path, points: list[list[float]]) -> None:
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    (tmp_path / "thin.obj").write_text(text + "f 1 2 3\n")
    b = (
        ts.Builder("thin")
        .body("link", 1.0, inertia=(1, 1, 1))
        .joint("root", "free", "world", "link")
    )
    b.shape("link", "mesh", role="collision", file=str(tmp_path / "thin.obj"))
    found = fit(b.build())
    gaps = [each.distance_to_points(np.array(points, float)) for each in found["link"]]
    assert np.min(gaps, axis=0).max() <= 0.0


def test_wrong_arguments_name_what_is_right(tmp_path: Path) -> None:
    model = primitives()
    with pytest.raises(UnknownNameError, match=r"no link 'spere'.*did you mean 'sphere'"):
        fit(model, links=["spere"])
    with pytest.raises(TypeError, match="links is 'box'"):
        fit(model, links="box")
    with pytest.raises(ValueError, match="parts is 0"):
        fit(model, parts=0)
    with pytest.raises(ValueError, match=r"tightness is 0\.5"):
        fit(model, tightness=0.5)
    with pytest.raises(ValueError, match="shapes is 'visible'"):
        fit(model, shapes="visible")
    with pytest.raises(ModelError, match="no visual shapes"):
        fit(model, shapes="visual")
    with pytest.raises(TypeError, match="model"):
        fit("panda")  # type: ignore[arg-type]
