"""Where bodies may touch, from the definitions: balls and rims on the ground, balls on balls."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from cone_problem import Array
from contact_worlds import World

import tarsus as ts

FAR = 1e29
"""Gaps beyond this are those of places that are not there."""
PLACES = 8
"""Candidates of a pair of solids."""


@dataclass(frozen=True)
class Candidate:
    """A place where two bodies may touch: bodies (−1 the world), gap [m], point and normal."""

    body: int
    other: int
    gap: float
    point: Array
    normal: Array

    @property
    def axes(self) -> Array:
        """Normal and two tangents (3, 3), as rows (Duff et al. 2017)."""
        x, y, z = self.normal
        sign = -1.0 if z < 0.0 else 1.0
        a = -1.0 / (sign + z)
        first = [1.0 + sign * x * x * a, sign * x * y * a, -sign * x]
        return np.array([self.normal, first, [x * y * a, sign + y * y * a, -y]])


def candidates(world: World, model: ts.Model, q: Array) -> list[Candidate]:
    """Return the candidates in the core's order: balls, three for each rim, eight for a pair."""
    poses = model.forward_kinematics(q)
    found = []
    radii = np.broadcast_to(world.point_radius, len(world.point_body))
    for body, place, radius in zip(world.point_body, world.point_position, radii, strict=True):
        gap, point, normal = on_ground(world, moved(poses[body], place), float(radius))
        found.append(Candidate(int(body), -1, gap, point, normal))
    for body, place, axis, radius in zip(
        world.ring_body, world.ring_position, world.ring_axis, world.ring_radius, strict=True
    ):
        for rim in rim_points(world, poses[body], place, axis, float(radius)):
            gap, point, normal = on_ground(world, rim, 0.0)
            found.append(Candidate(int(body), -1, gap, point, normal))
    for a, b in np.asarray(world.pairs, int).reshape(-1, 2):
        found += ball_pair(world, poses, int(a), int(b))
    return found


def moved(pose: Array, place: Array) -> Array:
    """Return a point of a body in the world."""
    return np.asarray(pose[:3, :3] @ place + pose[:3, 3])


def on_ground(world: World, centre: Array, radius: float) -> tuple[float, Array, Array]:
    """Return gap, point and normal of a ball against the ground; the point lies on the ground."""
    numbers = np.asarray(world.ground_numbers, float)
    if world.ground_kind == "plane":
        height, normal = float(numbers[:3] @ centre - numbers[3]), numbers[:3]
    elif world.ground_kind == "profile":
        height, normal = above_profile(numbers.reshape(-1, 2), centre)
    elif world.ground_kind == "height_field":
        height, normal = above_field(numbers, centre)
    else:
        height, normal = 10.0 * FAR, np.array([0.0, 0.0, 1.0])
    return height - radius, centre - height * normal, normal


def above_profile(corners: Array, centre: Array) -> tuple[float, Array]:
    """Return the signed distance from a polyline in (x, z), flat beyond its ends, and its slope."""
    left, right = corners[0] - [1e4, 0.0], corners[-1] + [1e4, 0.0]
    line, here = np.vstack([left, corners, right]), centre[[0, 2]]
    best, way, across = np.inf, np.zeros(2), np.zeros(2)
    for a, b in pairwise(line):
        length = float(np.linalg.norm(b - a))
        if length == 0.0:
            continue
        share = np.clip((here - a) @ (b - a) / length**2, 0.0, 1.0)
        apart = here - (a + share * (b - a))
        if np.linalg.norm(apart) < best:
            best, way = float(np.linalg.norm(apart)), apart
            across = np.array([-(b - a)[1], (b - a)[0]]) / length
    inside = here[1] < np.interp(here[0], line[:, 0], line[:, 1])
    sign = -1.0 if inside else 1.0
    normal = sign * way / best if best > 1e-9 else across
    return sign * best, np.array([normal[0], 0.0, normal[1]])


def above_field(numbers: Array, centre: Array) -> tuple[float, Array]:
    """Return the distance along the surface's normal, to first order, and the normal."""
    (x0, y0, dx, dy), (nx, ny) = numbers[:4], numbers[4:6].astype(int)
    heights = numbers[6:].reshape(nx, ny)

    def height(x: float, y: float) -> float:
        u, v = np.clip((x - x0) / dx, 0, nx - 1), np.clip((y - y0) / dy, 0, ny - 1)
        i, j = min(int(u), nx - 2), min(int(v), ny - 2)
        cell, a, b = heights[i : i + 2, j : j + 2], u - i, v - j
        return float(np.array([1 - a, a]) @ cell @ np.array([1 - b, b]))

    x, y, z = centre
    step = 1e-6
    slopes = [
        (height(x + step, y) - height(x - step, y)) / (2.0 * step),
        (height(x, y + step) - height(x, y - step)) / (2.0 * step),
    ]
    normal = np.array([-slopes[0], -slopes[1], 1.0])
    normal /= np.linalg.norm(normal)
    return float((z - height(x, y)) * normal[2]), normal


def rim_points(world: World, pose: Array, place: Array, axis: Array, radius: float) -> list[Array]:
    """Return the deepest point of a rim on a plane, and those a third of a turn from it."""
    assert world.ground_kind == "plane"
    centre, axis = moved(pose, place), pose[:3, :3] @ axis
    down = -np.array(world.ground_numbers[:3])
    along = down - axis * (axis @ down)
    along = along / np.linalg.norm(along)
    side = np.cross(axis, along)
    turns = 2.0 * np.pi / 3.0 * np.array([0.0, 1.0, -1.0])
    return [centre + radius * (np.cos(a) * along + np.sin(a) * side) for a in turns]


def ball_pair(world: World, poses: Array, a: int, b: int) -> list[Candidate]:
    """Return the places of two balls: the first touches, the others are not there."""
    assert world.solid_kind[a] == world.solid_kind[b] == "sphere"
    bodies = [int(world.solid_body[k]) for k in (a, b)]
    centres = [
        (np.eye(4) if body < 0 else poses[body]) @ world.solid_placement[k] @ [0.0, 0.0, 0.0, 1.0]
        for body, k in zip(bodies, (a, b), strict=True)
    ]
    apart = (centres[0] - centres[1])[:3]
    distance = float(np.linalg.norm(apart))
    normal, radii = apart / distance, [world.solid_size[k][0] for k in (a, b)]
    gap = float(distance - sum(radii))
    point = centres[1][:3] + normal * (radii[1] + 0.5 * gap)
    nowhere = Candidate(bodies[0], bodies[1], 10.0 * FAR, point, np.array([0.0, 0.0, 1.0]))
    return [Candidate(bodies[0], bodies[1], gap, point, normal)] + [nowhere] * (PLACES - 1)
