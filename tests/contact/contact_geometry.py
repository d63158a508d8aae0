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
    """Return the candidates in the core's order: balls, three for each rim, eight for a pair.

    On a profile the second places of balls come last.
    """
    poses = model.forward_kinematics(q)
    found, second = [], []
    radii = np.broadcast_to(world.point_radius, len(world.point_body))
    for body, place, radius in zip(world.point_body, world.point_position, radii, strict=True):
        centre = moved(poses[body], place)
        for list_, (height, normal) in zip((found, second), places(world, centre), strict=False):
            point = centre - height * normal
            list_.append(Candidate(int(body), -1, height - float(radius), point, normal))
    for body, place, axis, radius in zip(
        world.ring_body, world.ring_position, world.ring_axis, world.ring_radius, strict=True
    ):
        for rim in rim_points(world, poses[body], place, axis, float(radius)):
            gap, point, normal = on_ground(world, rim, 0.0)
            found.append(Candidate(int(body), -1, gap, point, normal))
    for a, b in np.asarray(world.pairs, int).reshape(-1, 2):
        found += ball_pair(world, poses, int(a), int(b))
    return found + second


def moved(pose: Array, place: Array) -> Array:
    """Return a point of a body in the world."""
    return np.asarray(pose[:3, :3] @ place + pose[:3, 3])


def on_ground(world: World, centre: Array, radius: float) -> tuple[float, Array, Array]:
    """Return gap, point and normal of a ball against the ground; the point lies on the ground."""
    height, normal = min(places(world, centre), key=lambda place: place[0])
    return height - radius, centre - height * normal, normal


def places(world: World, centre: Array) -> list[tuple[float, Array]]:
    """Return height over the ground and normal of a point; on a profile, for two places."""
    numbers = np.asarray(world.ground_numbers, float)
    if world.ground_kind == "plane":
        return [(float(numbers[:3] @ centre - numbers[3]), numbers[:3])]
    if world.ground_kind == "profile":
        return above_profile(numbers.reshape(-1, 2), centre)
    if world.ground_kind == "height_field":
        return [above_field(numbers, centre)]
    return [(10.0 * FAR, np.array([0.0, 0.0, 1.0]))]


def above_profile(corners: Array, centre: Array) -> list[tuple[float, Array]]:
    """Return distances from a polyline in (x, z), flat beyond its ends, and normals: two places.

    Faces in which the line only turns up between each other, a valley, are places as a whole: free
    is what is above all of them. Faces have the slots 0 and 1 in turn, ridges that of their left.
    """
    left, right = corners[0] - [1e4, 0.0], corners[-1] + [1e4, 0.0]
    line, here = np.vstack([left, corners, right]), centre[[0, 2]]
    way = np.diff(line, axis=0)
    length = np.linalg.norm(way, axis=1)
    normals = np.column_stack([-way[:, 1], way[:, 0]]) / length[:, None]
    over = np.einsum("ki,ki->k", here - line[:-1], normals)
    along = np.einsum("ki,ki->k", here - line[:-1], way) / length**2
    up = np.array([np.linalg.det(two) for two in pairwise(normals)]) > -1e-9
    valley = np.concatenate([[0], np.cumsum(~up)])  # the valley of each face
    last = len(way) - 1
    # what is seen: height, normal, slot, valley (-1 for ridges)
    seen: list[tuple[float, Array, int, int]] = []
    away: list[float] = []
    for k in range(len(way)):
        if 0.0 <= along[k] <= 1.0:
            seen.append((float(over[k]), normals[k], k % 2, int(valley[k])))
            away.append(abs(float(over[k])))
        elif k < last and along[k] > 1.0 and along[k + 1] < 0.0:
            apart = here - line[k + 1]
            size = float(np.linalg.norm(apart))
            away.append(size)
            if up[k]:  # below the bottom of a valley
                face = min(k, k + 1, key=lambda i: over[i])
                seen.append((float(over[face]), normals[face], face % 2, int(valley[face])))
            else:
                seen.append((size, apart / size, k % 2, -1))
    first = seen[int(np.argmin(away))]
    others = [each for each in seen if each is not first and first[0] > 0.0 and each[0] > 0.0]
    others = [each for each in others if each[3] != first[3] or each[3] == -1]
    mine = np.flatnonzero(valley == first[3])
    at = next((k for k in mine if np.array_equal(normals[k], first[1])), -1)
    for k in mine:
        beyond = along[mine[0]] < 0.0 and along[k] < 0.0, along[mine[-1]] > 1.0 and along[k] > 1.0
        if abs(np.linalg.det([normals[k], first[1]])) > 1e-9 and not beyond[int(k > at)]:
            others.append((float(over[k]), normals[k], int(k) % 2, first[3]))
    slots = [(10.0 * FAR, np.array([0.0, 0.0, 1.0]))] * 2
    two = [first, *sorted(others, key=lambda each: each[0])[:1]]
    for (height, (x, z), _, _), slot in zip(two, (first[2], 1 - first[2]), strict=False):
        slots[slot] = height, np.array([x, 0.0, z])
    return slots


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
