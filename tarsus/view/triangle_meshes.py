"""Triangles of a model's shapes, to look at: boxes, round shapes, meshes, or a plain skeleton."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.formats.mesh_files import read_mesh
from tarsus.model.description import Shape
from tarsus.model.model import Model
from tarsus.spatial import rotation_along

ShownShapes = Literal["visual", "collision", "skeleton"]
Color = tuple[float, float, float]

PALETTE: tuple[Color, ...] = (
    *((0.39, 0.47, 0.56), (0.18, 0.47, 0.71), (0.90, 0.60, 0.24), (0.23, 0.65, 0.59)),
    *((0.77, 0.34, 0.25), (0.56, 0.76, 0.89), (0.54, 0.35, 0.58), (0.85, 0.80, 0.66)),
)
"""Colours of bodies that state none, by their distance from the root, as in page/materials.js."""
SEGMENTS = 20
"""Sides of a round shape."""


@dataclass(frozen=True)
class Surface:
    """Triangles (M, 3) between vertices (N, 3) [m], fixed to a body, or to the world (−1).

    `shape` is the number of the model's shape that it is the surface of, −1 for none.
    """

    body: int
    vertices: Array
    triangles: NDArray[np.int64]
    color: Color
    shape: int = -1


def surfaces(
    model: Model, shapes: ShownShapes | None = None, *, detail: float | None = None
) -> list[Surface]:
    """Return what a model looks like: its "visual" or "collision" shapes, or a "skeleton".

    None takes the first of these that there is and that can be read. With `detail` [m] meshes
    are simplified to parts of about that size.
    """
    if shapes is not None and shapes not in get_args(ShownShapes):
        raise ValueError(f"shapes is {shapes!r}, must be one of {', '.join(get_args(ShownShapes))}")
    for role in ("visual", "collision"):
        numbered = [(k, shape) for k, shape in enumerate(model.shapes) if shape.role == role]
        chosen = [shape for _, shape in numbered]
        if shapes not in (role, None):
            continue
        if not chosen and shapes == role:
            raise ValueError(f"{model.name} has no {role} shapes; shapes='skeleton' draws it")
        try:
            meshes = [_triangles(shape) for shape in chosen]
        except (ImportError, OSError, ValueError):
            if shapes == role:
                raise
            continue  # meshes that are missing or that nobody here can read
        # some readers return nothing instead of an error: better simple shapes than half a robot
        if meshes and (shapes == role or all(len(triangles) for _, triangles in meshes)):
            found = map(functools.partial(_placed, model, detail), numbered, meshes)
            return [surface for surface in found if len(surface.triangles)]
    return list(_skeleton(model))


def box(size: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices and triangles of a box of the size (3,), about the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]
    return corners * np.asarray(size) / 2, np.array(triangles)


def turned(profile: Array) -> tuple[Array, NDArray[np.int64]]:
    """Return the surface that a profile (k, 2) of radii and heights makes about the z axis."""
    angles = 2 * np.pi * np.arange(SEGMENTS) / SEGMENTS
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    vertices = np.concatenate(
        [np.column_stack([r * circle, np.full(SEGMENTS, z)]) for r, z in profile]
    )
    ring = np.arange(SEGMENTS)
    after = (ring + 1) % SEGMENTS
    triangles = [
        np.column_stack([corner + SEGMENTS * row for corner, row in corners])
        for k in range(len(profile) - 1)
        for corners in (
            ((ring, k), (after, k), (after, k + 1)),
            ((ring, k), (after, k + 1), (ring, k + 1)),
        )
    ]
    found = np.concatenate(triangles)
    # rings of radius zero leave triangles without area
    first, second, third = vertices[found].swapaxes(0, 1)
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    return vertices, found[area > 1e-12 * max(float(area.max()), 1e-300)]


def rod(start: Array, end: Array, radius: float) -> tuple[Array, NDArray[np.int64]]:
    """Return a capsule from one point to another."""
    length = float(np.linalg.norm(end - start))
    vertices, triangles = turned(_capsule(radius, length))
    z = (end - start) / length
    return vertices @ rotation_along(z).T + (start + end) / 2, triangles


def simplified(
    vertices: Array, triangles: NDArray[np.int64], size: float
) -> tuple[Array, NDArray[np.int64]]:
    """Return a mesh with vertices of the same cell of a grid joined (Rossignac, Borrel 1993)."""
    cells = np.floor((vertices - vertices.min(axis=0)) / size).astype(np.int64)
    cell = np.zeros(len(vertices), np.int64)
    # to number them axis by axis is far faster than to sort rows
    for along in cells.T:
        _, cell = np.unique(cell * (along.max() + 1) + along, return_inverse=True)
    count = np.bincount(cell)
    joined = np.column_stack([np.bincount(cell, weights=each) for each in vertices.T])
    found = cell[triangles]
    a, b, c = found.T
    return joined / count[:, None], found[(a != b) & (b != c) & (c != a)]


def _triangles(shape: Shape) -> tuple[Array, NDArray[np.int64]]:
    return _mesh(shape) if shape.kind == "mesh" else _primitive(shape)


def _placed(
    model: Model,
    detail: float | None,
    numbered: tuple[int, Shape],
    mesh: tuple[Array, NDArray[np.int64]],
) -> Surface:
    """Return the mesh of a shape on its body, simplified if it was read from a file."""
    (number, shape), (vertices, triangles) = numbered, mesh
    if shape.kind == "mesh" and detail is not None and len(vertices):
        # small parts keep their outline, too
        size = min(detail, float(np.ptp(vertices, axis=0).max()) / 4)
        vertices, triangles = simplified(vertices, triangles, size)
    body = -1 if shape.body == WORLD else model.body(shape.body).index
    color = shape.color[:3] if shape.color else _color(model, body)
    placed = vertices @ shape.placement[:3, :3].T + shape.placement[:3, 3]
    return Surface(body, placed, triangles, color, number)


def _primitive(shape: Shape) -> tuple[Array, NDArray[np.int64]]:
    size = shape.size
    if shape.kind == "box":
        return box(np.array(size))
    if shape.kind == "cylinder":
        radius, half = size[0], size[1] / 2
        return turned(np.array([[0, -half], [radius, -half], [radius, half], [0, half]]))
    if shape.kind == "capsule":
        return turned(_capsule(size[0], size[1]))
    if shape.kind == "torus":
        angles = 2 * np.pi * np.arange(SEGMENTS + 1) / SEGMENTS
        tube = np.column_stack([np.cos(angles), np.sin(angles)])
        return turned(size[1] * tube + [size[0], 0.0])
    vertices, triangles = turned(_capsule(1.0, 0.0))
    return vertices * (np.array(size) if shape.kind == "ellipsoid" else size[0]), triangles


def _capsule(radius: float, length: float) -> Array:
    """Return the profile of a capsule whose straight part has a length."""
    angles = np.linspace(-np.pi / 2, np.pi / 2, SEGMENTS // 2 + 2)
    radii = radius * np.cos(angles)
    radii[[0, -1]] = 0.0
    return np.column_stack([radii, radius * np.sin(angles) + np.sign(angles) * length / 2])


def _mesh(shape: Shape) -> tuple[Array, NDArray[np.int64]]:
    if shape.file is None or not Path(shape.file).is_file():
        raise FileNotFoundError(f"the mesh of {shape.body} is missing: {shape.file}")
    try:
        vertices, triangles = _read_mesh(shape.file)
    except ValueError as error:
        raise ValueError(f"the mesh {shape.file} of {shape.body} cannot be read: {error}") from None
    return vertices * np.array(shape.size or (1.0, 1.0, 1.0)), triangles


@functools.lru_cache(maxsize=64)
def _read_mesh(file: str) -> tuple[Array, NDArray[np.int64]]:
    return read_mesh(Path(file), merge=True)


def _color(model: Model, body: int) -> Color:
    depth, bodies = 0, model.bodies
    while body >= 0:
        body, depth = bodies[body].parent, depth + 1
    return PALETTE[max(depth - 1, 0) % len(PALETTE)]


def _skeleton(model: Model) -> Iterator[Surface]:
    """Yield rods from joint to joint, to frames and centres of mass; boxes for single bodies."""
    ends: dict[int, list[Array]] = {body.index: [] for body in model.bodies}
    for joint, body in zip(model.joints, model.bodies, strict=True):
        if body.parent >= 0:
            ends[body.parent].append(joint.placement[:3, 3])
    indices = {body.name: body.index for body in model.bodies}
    for frame in model.frames:
        if frame.body in indices:
            ends[indices[frame.body]].append(frame.placement[:3, 3])
    origin = np.zeros(3)
    lengths = [float(np.linalg.norm(end)) for found in ends.values() for end in found]
    longest = max(lengths, default=0.0)
    for body in model.bodies:
        far = [end for end in ends[body.index] if np.linalg.norm(end) > 1e-2 * longest]
        if not far and np.linalg.norm(body.com) > 1e-2 * longest:
            far = [2 * body.com]
        color = _color(model, body.index)
        for end in far:
            radius = 0.08 * min(longest or np.inf, float(np.linalg.norm(end)))
            yield Surface(body.index, *rod(origin, end, radius), color)
        if not far and body.mass > 0.0:
            yield _inertia_box(body.index, body.mass, body.com, body.inertia, color)


def _inertia_box(body: int, mass: float, com: Array, inertia: Array, color: Color) -> Surface:
    """Return the homogeneous box that has the mass and inertia of a body."""
    moments, axes = np.linalg.eigh(inertia)
    sides = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / mass, 0.0))
    vertices, triangles = box(np.maximum(sides, 0.02 * max(sides.max(), 0.05)))
    return Surface(body, vertices @ (axes * np.linalg.det(axes)).T + com, triangles, color)
