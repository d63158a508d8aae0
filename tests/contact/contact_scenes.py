"""Mechanisms that stand, fall and slide: a box, a ball, robots of files, random mechanisms."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from cluster_cases import COUNTS, Case, case
from cone_problem import Array
from contact_worlds import World

import tarsus as ts

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = {
    file.name: Path(str(file.locate()))
    for file in metadata.files("example-robot-data") or ()
    if file.name.endswith(".urdf")
}
FEET = {
    "anymal.urdf": ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"),
    "solo12.urdf": ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"),
}


@functools.cache
def box_model(mass: float = 10.0) -> ts.Model:
    """Return a free box of 0.4 × 0.3 × 0.2 m."""
    size = np.array([0.4, 0.3, 0.2])
    inertia = mass / 12.0 * (size @ size - size**2)
    builder = ts.Builder("box")
    builder.body("box", mass, inertia=inertia)
    return builder.joint("flight", "free", "world", "box").build()


def box(corners: int = 4, **options: Any) -> World:
    """Return the box with its four lower corners, or all eight, as points."""
    signs = np.array([[x, y, z] for z in (-1, 1) for x in (-1, 1) for y in (-1, 1)])[:corners]
    places = signs * np.array([0.2, 0.15, 0.1])
    defaults: dict[str, Any] = {"point_body": [0] * corners, "point_position": places}
    return World(box_model(), **(defaults | options))


def on_slope(angle: float) -> tuple[float, ...]:
    """Return the numbers of a plane through the origin that falls along +x."""
    return (float(np.sin(angle)), 0.0, float(np.cos(angle)), 0.0)


def box_at_rest(angle: float = 0.0, height: float = 0.1) -> tuple[Array, Array]:
    """Return the box on a slope, its centre at `height` above it, at rest."""
    turn = [0.0, np.sin(0.5 * angle), 0.0, np.cos(0.5 * angle)]
    place = height * np.array(on_slope(angle)[:3])
    return np.concatenate([place, turn]), np.zeros(6)


@functools.cache
def ball_model() -> ts.Model:
    """Return a free ball of 1 kg and 0.1 m radius."""
    builder = ts.Builder("ball")
    builder.body("ball", 1.0, inertia=(0.004, 0.004, 0.004))
    return builder.joint("flight", "free", "world", "ball").build()


def point_mass(**options: Any) -> World:
    """Return a mass of 1 kg that moves along x, y, z, as one point."""
    builder = ts.Builder("mass")
    builder.body("mass", 1.0)
    builder.joint("flight", "translation", "world", "mass")
    return World(builder.build(), point_body=[0], point_position=np.zeros((1, 3)), **options)


def shape_points(model: ts.Model) -> dict[str, Any]:
    """Return points for all collision spheres, corners of boxes and ends of cylinders."""
    body, place, radius = [], [], []
    for shape in model.shapes:
        if shape.role != "collision" or shape.body not in model.body_names:
            continue
        if shape.kind == "sphere":
            ends, size = np.zeros((1, 3)), float(shape.size[0])
        elif shape.kind == "box":
            signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
            ends, size = signs * np.array(shape.size), 0.0
        elif shape.kind in ("cylinder", "capsule"):
            ends = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * shape.size[1]
            size = float(shape.size[0])
        else:
            continue
        for end in ends:
            body.append(model.body_names.index(shape.body))
            place.append(shape.placement[:3, :3] @ end + shape.placement[:3, 3])
            radius.append(size)
    return {"point_body": body, "point_position": np.array(place), "point_radius": radius}


@functools.cache
def quadruped(**options: Any) -> World:
    """Return the quadruped of the examples with all of its collision shapes as points."""
    model = ts.load(EXAMPLES / "quadruped.urdf", base="free")
    return World(model, **shape_points(model), **options)


def foot_points(model: ts.Model, frames: tuple[str, ...]) -> dict[str, Any]:
    """Return points at frames."""
    views = [model.frame(name) for name in frames]
    return {
        "point_body": [model.body_names.index(view.body) for view in views],
        "point_position": np.array([view.placement[:3, 3] for view in views]),
    }


@functools.cache
def robot(name: str) -> World:
    """Return one of the robots of example-robot-data with points at its feet."""
    model = ts.load(FILES[name], base="free")
    if name in FEET:
        return World(model, **foot_points(model, FEET[name]))
    body, place = [], []
    for side in ("left", "right"):
        view = model.frame(f"leg_{side}_6_link")
        for x in (-0.1, 0.1):
            for y in (-0.06, 0.06):
                body.append(model.body_names.index(view.body))
                place.append((view.placement @ [x, y, -0.107, 1.0])[:3])
    return World(model, point_body=body, point_position=np.array(place))


def touchable(flavour: str, every: int) -> Iterator[Case]:
    """Yield machines that can be stepped: none with Python functions as couplings."""
    for seed in range(0, COUNTS[flavour], every):
        found = case(flavour, seed)
        if all(coupling.kind != "function" for coupling in found.own.couplings):
            yield found


def random_points(model: ts.Model, rng: np.random.Generator, count: int) -> dict[str, Any]:
    """Return points and small spheres anywhere on the bodies."""
    radius = rng.uniform(0.0, 0.1, count) * rng.integers(0, 2, count)
    carriers = [k for k, name in enumerate(model.body_names) if "rotor" not in name]
    return {
        "point_body": rng.choice(carriers, count).tolist(),
        "point_position": rng.normal(size=(count, 3)) * 0.3,
        "point_radius": radius,
    }


def through(world: World, q: Array, share: float = 0.4) -> World:
    """Return the world with a plane such that a share of the points is at or below it at q."""
    normal = np.array([0.2, -0.3, 0.9])
    normal /= np.linalg.norm(normal)
    poses = world.model.forward_kinematics(q)
    radii = np.broadcast_to(world.point_radius, len(world.point_body))
    heights = sorted(
        float(normal @ (poses[body] @ [*place, 1.0])[:3]) - radius
        for body, place, radius in zip(world.point_body, world.point_position, radii, strict=True)
    )
    offset = heights[int(share * (len(heights) - 1))] - 1e-4
    return world.but(ground_numbers=(*normal.tolist(), offset))
