"""Swept spheres on links: what they hold, their mirror images, their files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.geometry import SweptSphere, Volumes
from tarsus.geometry.volumes import enclosures

KINDS = (1, 2, 3)


def random_volume(rng: np.random.Generator, count: int) -> SweptSphere:
    return SweptSphere(rng.normal(size=(count, 3)), rng.uniform(0.1, 1.0))


def spread(volume: SweptSphere, rng: np.random.Generator, count: int) -> Array:
    """Random points of what is swept over."""
    weights = rng.dirichlet(np.ones(len(volume.points)), count)
    return np.asarray(weights @ volume.points)


@pytest.mark.parametrize("count", KINDS)
def test_volume_by_counting_points(count: int) -> None:
    """Points of a box around it fall inside as often as the volume says."""
    rng = np.random.default_rng(count)
    volume = random_volume(rng, count)
    low, high = volume.points.min(0) - volume.radius, volume.points.max(0) + volume.radius
    trials = 200_000
    share = (volume.distance_to_points(rng.uniform(low, high, (trials, 3))) <= 0.0).mean()
    counted = share * np.prod(high - low)
    deviation = np.prod(high - low) * np.sqrt(share * (1 - share) / trials)
    print(f"{volume.kind}: counted {counted:.4f}, formula {volume.volume:.4f} m³")
    assert abs(counted - volume.volume) < 4 * deviation


@pytest.mark.parametrize("count", KINDS)
def test_distance_to_points(count: int) -> None:
    """No point of the core is nearer, and a fine grid of it comes close."""
    rng = np.random.default_rng(10 + count)
    volume = random_volume(rng, count)
    points = 2.0 * rng.normal(size=(50, 3))
    found = volume.distance_to_points(points)
    core = spread(volume, rng, 20_000)
    nearest = np.linalg.norm(points[:, None] - core, axis=-1).min(1) - volume.radius
    assert (found <= nearest + 1e-12).all() and np.allclose(found, nearest, atol=0.02)
    assert volume.distance_to_points(points.reshape(5, 10, 3)).shape == (5, 10)


def test_coinciding_points() -> None:
    point = [0.1, 0.2, 0.3]
    for points in ([point] * 2, [point] * 3, [point, point, [0.1, 0.2, 0.8]]):
        volume = SweptSphere(points, 0.1)
        assert volume.distance_to_points([0.1, 0.2, 0.0]) == pytest.approx(0.2, abs=1e-15)
    assert SweptSphere([point] * 3, 0.1).volume == pytest.approx(4 / 3 * np.pi * 1e-3)


SHAPES = [
    ("sphere", (0.2,)),
    ("capsule", (0.2, 0.5)),
    ("box", (0.3, 0.05, 0.2)),
    ("box", (0.2, 0.2, 0.2)),
    ("box", (0.4, 0.3, 0.0)),
    ("cylinder", (0.1, 0.5)),
    ("cylinder", (0.3, 0.1)),
    ("cylinder", (0.1, 0.2)),
    ("ellipsoid", (0.3, 0.1, 0.2)),
    ("ellipsoid", (0.1, 0.1, 0.3)),
    ("torus", (0.3, 0.05)),
    ("mesh", (1.0, 1.0, 1.0)),
]


def surface(kind: str, size: tuple[float, ...], rng: np.random.Generator) -> Array:
    """Random points on a shape, edges and corners among them."""
    unit = rng.normal(size=(5000, 3))
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    angle, share = rng.uniform(0, 2 * np.pi, 5000), rng.uniform(-1, 1, 5000)
    circle = np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    up = np.array([0.0, 0.0, 1.0])
    if kind == "sphere":
        return np.asarray(unit * size[0])
    if kind == "capsule":
        return np.asarray(unit * size[0] + np.sign(share)[:, None] * up * size[1] / 2)
    if kind == "box":
        return np.asarray(np.clip(3 * unit, -1, 1) * np.array(size) / 2)
    if kind == "cylinder":
        return np.asarray(circle * size[0] + np.sign(share)[:, None] * up * size[1] / 2)
    if kind == "ellipsoid":
        return np.asarray(unit * np.array(size))
    tube = np.column_stack([np.cos(angle), np.sin(angle)]) * size[1]
    turn = rng.uniform(0, 2 * np.pi, 5000)
    radius = size[0] + tube[:, 0]
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), tube[:, 1]])


@pytest.mark.parametrize(("kind", "size"), SHAPES)
def test_shapes_are_enclosed(kind: str, size: tuple[float, ...], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rotation = Rotation.from_euler("xyz", [1.1, 0.2, 0.4]).as_matrix()
    placement = ts.spatial.pose([0.1, -0.2, 0.3], rotation)
    shape = ts.Shape("b", "collision", kind, size, placement)
    if kind == "mesh":
        mesh = trimesh.creation.icosphere(2, 0.1)
        mesh.apply_scale([1.0, 3.0, 0.3])
        shape = replace(shape, file=str(tmp_path / "egg.stl"))
        mesh.export(shape.file)
        points = np.asarray(mesh.vertices)
    else:
        points = surface(kind, size, rng)
    beyond = 0.02
    volumes, reached = enclosures(shape, beyond)
    placed = points @ placement[:3, :3].T + placement[:3, 3]
    outside = np.min([each.distance_to_points(placed) for each in volumes], axis=0).max()
    print(f"{kind} {size}: {len(volumes)} volumes, {outside:.1e} outside, {reached:.4f} m beyond")
    assert outside <= 1e-15 + 1e-9 * (kind == "mesh")  # STL holds single precision
    if kind in ("sphere", "capsule"):
        assert len(volumes) == 1 and reached == 0.0
    if kind == "box":
        assert reached <= beyond


def test_from_model() -> None:
    model = ts.robots.quadruped()
    volumes = Volumes.from_model(model)
    print(volumes, *volumes.notes, sep="\n")
    assert set(volumes) == {shape.body for shape in model.description.shapes}
    assert all("enclosed" in note for note in volumes.notes)
    volumes.check_links(model)
    with pytest.raises(ValueError, match="shapes is 'all', must be one of collision"):
        Volumes.from_model(model, "all")
    with pytest.raises(ValueError, match="beyond is 0"):
        Volumes.from_model(model, beyond=0.0)


def test_mirror_images() -> None:
    side = SweptSphere([[0.1, 0.2, 0.3], [0.0, 0.1, 0.0]], 0.05, "side", ("inner",))
    middle = SweptSphere([[0.1, -0.2, 0.3], [0.1, 0.2, 0.3]], 0.05, "middle")
    volumes = Volumes({"left": [side], "torso": [side, middle]})
    both = volumes.mirrored({"left": "right", "torso": "torso"})
    assert list(both) == ["left", "torso", "right"]
    image = both["right"][0]
    assert image.points.tolist() == [[0.1, -0.2, 0.3], [0.0, -0.1, 0.0]]
    assert (image.name, image.groups, image.radius) == ("side", ("inner",), 0.05)
    assert [each.name for each in both["torso"]] == ["side", "middle", "side"]
    assert side.mirrored("x").mirrored("x") == side
    with pytest.raises(ValueError, match="'right' has volumes already"):
        both.mirrored({"left": "right"})
    with pytest.raises(KeyError, match="no volumes on a link 'arm'"):
        volumes.mirrored({"arm": "other"})
    with pytest.raises(ValueError, match="axis is 'w', must be one of x, y, z"):
        volumes.mirrored({"left": "right"}, axis="w")


def test_groups() -> None:
    inner, outer, always = (
        SweptSphere([[0.0, y, 0.0]], 0.1, groups=groups)
        for y, groups in ((-0.1, ("inner",)), (0.1, ("outer",)), (0.0, ()))
    )
    volumes = Volumes({"thigh": [inner, outer, always]})
    assert volumes.of_group("thigh") == (inner, outer, always)
    assert volumes.of_group("thigh", "inner") == (inner, always)
    with pytest.raises(KeyError, match=re.escape("no volumes of a group 'iner'; did you mean")):
        volumes.of_group("thigh", "iner")


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_files_keep_all_bits(suffix: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    volumes = Volumes(
        {
            f"link {k}": [random_volume(rng, count) for count in KINDS]
            + [SweptSphere([[1e-7, -0.0, 1e5]], 0.0, "yes", ("a", "b c"))]
            for k in range(3)
        }
    )
    volumes.save(tmp_path / f"v.{suffix}")
    again = Volumes.load(tmp_path / f"v.{suffix}")
    assert dict(again) == dict(volumes)
    for link in volumes:
        for one, other in zip(volumes[link], again[link], strict=True):
            assert one.points.tobytes() == other.points.tobytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "must be a mapping"),
        ("{format: tarsus, version: 1, volumes: []}", "must be format 'tarsus-volumes'"),
        ("{format: tarsus-volumes, version: 1, volumes: 3}", "volumes must be a list"),
        ("{format: tarsus-volumes, version: 1}", "has no 'volumes'"),
    ],
)
def test_wrong_files(content: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "v.yaml"
    file.write_text(content)
    with pytest.raises(ts.ModelError, match=message):
        Volumes.load(file)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{link: a, radius: 1.0}", "entry 1 of volumes has no 'points'"),
        ("{link: 3, radius: 1.0, points: [[0, 0, 0]]}", "link is 3, must be a name"),
        ("{link: a, radius: -1.0, points: [[0, 0, 0]]}", "radius is -1.0"),
        ("{link: a, radius: 1.0, points: [[0, 0]]}", r"points has shape \(1, 2\)"),
        ("{link: a, radius: 1.0, points: [[0, 0, .nan]]}", "points is not an array of numbers"),
        ("{link: a, radius: 1.0, points: [[0, 0, 0]], groups: x}", "groups must be a list"),
        ("{link: a, radius: 1.0, points: [[0, 0, 0]], groups: [1]}", "must be names"),
        ("{link: a, radius: 1.0, points: [[0, 0, 0]], name: 1}", "must be a string"),
        ("{link: a, radius: 1.0, pionts: [[0, 0, 0]]}", "unknown key 'pionts'; did you mean"),
    ],
)
def test_wrong_entries(entry: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "v.yaml"
    file.write_text(f"format: tarsus-volumes\nversion: 1\nvolumes:\n- {entry}\n")
    with pytest.raises(ts.ModelError, match=rf"v\.yaml:4: .*{message}"):
        Volumes.load(file)


@pytest.mark.parametrize(
    ("points", "radius", "message"),
    [
        ([[0, 0, 0]] * 4, 1.0, r"shape \(4, 3\), must be \(1, 3\), \(2, 3\) or \(3, 3\)"),
        ([0, 0, 0], 1.0, r"shape \(3,\)"),
        (np.zeros((0, 3)), 1.0, r"shape \(0, 3\)"),
        ([[np.nan, 0, 0]], 1.0, "points is not finite"),
        ("abc", 1.0, "not an array of numbers"),
        ([[0, 0, 0], [1]], 1.0, "not an array of numbers"),
        ([[0, 0, 0]], np.inf, "radius is not finite"),
        ([[0, 0, 0]], -0.1, "radius is -0.1, must not be negative"),
        ([[0, 0, 0]], "a", "radius is not an array of numbers"),
    ],
)
def test_wrong_numbers(points: object, radius: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SweptSphere(points, radius)  # type: ignore[arg-type]


def test_wrong_arguments() -> None:
    ball = SweptSphere([[0, 0, 0]], 0.1)
    with pytest.raises(ValueError, match=r"points has shape \(2,\), must be \(…, 3\)"):
        ball.distance_to_points([1.0, 2.0])
    with pytest.raises(ValueError, match="NaN or infinite"):
        ball.distance_to_points([1.0, 2.0, np.nan])
    with pytest.raises(TypeError, match="must be a mapping"):
        Volumes([ball])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a volume of link 'a' is of type int"):
        Volumes({"a": [3]})  # type: ignore[list-item]
    with pytest.raises(KeyError, match="no link 'shin'"):
        Volumes({"shin": [ball]}).check_links(ts.robots.quadruped())
    with pytest.raises(ts.ModelError, match="groups is 'inner', must be names in a list"):
        SweptSphere([[0, 0, 0]], 0.1, groups="inner")
