"""What of a robot touches the floor, as spheres: its feet, or all its links.

Both simulators get the same list. A robot that falls or lies has, beside its feet, a sphere at
the centre of mass of every link and one at every joint further out, as large as a ball of water
with the mass of the link.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from robot import Robot

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.model import Shape

DENSITY = 1000.0
"""Of the balls that links are replaced by [kg/m³]."""
SMALLEST, LARGEST = 0.01, 0.1
"""Radii of spheres of links [m]; what would be smaller is left out."""
CLEARANCE = 0.005
"""Height of all but the feet above the floor in the stance, at least [m]."""
APART = 0.02
"""Two spheres of a link that are closer than this [m] are one."""


class Sphere(NamedTuple):
    """A sphere on a moving body: centre in its axes [m], and radius [m]."""

    body: str
    centre: Array
    radius: float


def feet_spheres(robot: Robot, model: ts.Model, q: Array) -> list[Sphere]:
    """Return the spheres of all feet, whose soles are level in the configuration q (nq,)."""
    found = []
    poses = model.forward_kinematics(q)
    for name in robot.feet.values():
        frame = model.frame(name)
        body = model.body(frame.body)
        turned = poses[body.index, :3, :3].T if robot.level else frame.placement[:3, :3]
        found += [
            Sphere(body.name, turned @ point + frame.placement[:3, 3], robot.radius)
            for point in np.array(robot.points)
        ]
    return found


def link_spheres(model: ts.Model, stance: Array) -> list[Sphere]:
    """Return spheres of all links that are large enough, above the floor in the stance (nq,)."""
    poses = model.forward_kinematics(stance)
    found = []
    for body in model.bodies:
        size = min(LARGEST, math.cbrt(3.0 * body.mass / (4.0 * math.pi * DENSITY)))
        joints = [
            model.joints[child.index].placement[:3, 3]
            for child in model.bodies
            if child.parent == body.index
        ]
        centres: list[Array] = []
        for centre in (np.asarray(body.com), *joints):
            if all(np.linalg.norm(centre - other) > APART for other in centres):
                centres.append(centre)
        for centre in centres:
            height = float(poses[body.index, 2, :3] @ centre + poses[body.index, 2, 3])
            radius = min(size, height - CLEARANCE)
            if radius >= SMALLEST:
                found.append(Sphere(body.name, centre, radius))
    return found


def with_spheres(model: ts.Model, spheres: list[Sphere]) -> ts.Model:
    """Return the model with these collision shapes and no others."""
    shapes = [
        Shape(sphere.body, "collision", "sphere", (sphere.radius,), _at(sphere.centre))
        for sphere in spheres
    ]
    return ts.Model(replace(model.description, shapes=shapes), strict=False)


def _at(centre: Array) -> Array:
    placement = np.eye(4)
    placement[:3, 3] = centre
    return placement
