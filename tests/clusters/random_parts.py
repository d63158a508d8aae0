"""Parts of random machines: axes, inertias, places, closed forms and loop joints."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from oracle import Array, turn

import tarsus as ts
from tarsus.model.description import Description
from tarsus.robots.trees import random_rotation

SINGLE = ("revolute", "prismatic", "screw")
"""Kinds of joints with one coordinate."""
SEVERAL = ("cylindrical", "universal", "spherical", "spherical_zyx", "planar", "translation")
"""Kinds of joints with several, as they come in loops."""


def summands(rng: np.random.Generator, total: int) -> list[str]:
    """Return kinds of joints with so many velocities in all."""
    sizes = ts._core.joint_kinds()
    found: list[str] = []
    while total:
        few = SINGLE if rng.random() < 0.6 else SEVERAL
        fit = [kind for kind in few if sizes[kind][1] <= total] or list(SINGLE)
        found.append(fit[rng.integers(len(fit))])
        total -= sizes[found[-1]][1]
    return found


def allowed(rng: np.random.Generator, kind: str) -> Array:
    """Return a pose of frame b in frame a that a loop joint allows."""
    pose, angle, p = np.eye(4), rng.uniform(-1.0, 1.0, 2), rng.normal(size=3) * 0.3
    about_z, about_x = turn(np.eye(3)[2], angle[0]), turn(np.eye(3)[0], angle[1])
    if kind in ("revolute", "cylindrical", "planar"):
        pose[:3, :3] = about_z
    elif kind == "universal":
        pose[:3, :3] = about_z @ about_x
    elif kind in ("spherical", "point_on_line", "distance", "knife_edge"):
        pose[:3, :3] = random_rotation(rng)
    if kind in ("prismatic", "cylindrical", "point_on_line"):
        pose[2, 3] = p[2]
    elif kind == "planar":
        pose[:2, 3] = p[:2]
    elif kind in ("distance", "knife_edge"):
        pose[:3, 3] = p / np.linalg.norm(p)
    return pose


def parameters(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Return parameters of a closed form."""
    if kind == "function":
        return {"function": wave}
    far, near = rng.normal(size=3), rng.normal(size=3)
    far, near = 0.4 * far / np.linalg.norm(far), 0.1 * near / np.linalg.norm(near)
    if kind == "parallel_ankle":
        sides = rng.normal(size=(2, 2, 3)) * 0.05
        frame = random_rotation(rng)
        places = {"ankle": far, "coupler": 1.0, "tops": sides[0], "bottoms": sides[1], "lead": 1.0}
        axes = {"first_axis": frame[:, 0], "second_axis": frame[:, 1], "screw_axis": unit(rng)}
        return places | axes
    frame = random_rotation(rng)
    found: dict[str, Any] = {"pivot": far, "nut": near, "axis": frame[:, 0], "lead": 1.0}
    if kind == "tilting_spindle":
        # within half a turn of the pivot's direction
        across = far - frame[:, 0] * (frame[:, 0] @ far)
        if np.linalg.norm(across) < 0.15:
            found["pivot"] = across = 0.4 * frame[:, 2]
        found["reference"] = across / np.linalg.norm(across)
    return found


def wave(y: Array) -> tuple[Array, Array, Array, Array]:
    """Two functions of two angles, sin a + a b² and cos(a − 2 b), with three derivatives."""
    a, b = y
    value = np.array([np.sin(a) + a * b**2, np.cos(a - 2.0 * b)])
    first = np.array([[np.cos(a) + b**2, 2.0 * a * b], np.sin(a - 2.0 * b) * np.array([-1.0, 2.0])])
    bend = -np.cos(a - 2.0 * b) * np.array([[1.0, -2.0], [-2.0, 4.0]])
    second = np.array([[[-np.sin(a), 2.0 * b], [2.0 * b, 2.0 * a]], bend])
    slope = np.array([1.0, -2.0])
    third = np.zeros((2, 2, 2, 2), np.result_type(a, b))
    third[0, 0, 0, 0] = -np.cos(a)
    third[0, 0, 1, 1] = third[0, 1, 0, 1] = third[0, 1, 1, 0] = 2.0
    third[1] = np.sin(a - 2.0 * b) * np.einsum("i,j,k->ijk", slope, slope, slope)
    return value, first, second, third


def axes(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Return random axes, and a pitch for a screw."""
    columns = random_rotation(rng)
    found: dict[str, Any] = {}
    if kind in ("revolute", "prismatic", "screw", "cylindrical", "universal", "planar"):
        found["axis"] = columns[:, 0]
    if kind == "universal":
        found["second_axis"] = columns[:, 1]
    if kind == "screw":
        found["pitch"] = 0.2
    return found


def unit(rng: np.random.Generator) -> Array:
    return np.asarray(random_rotation(rng)[:, 0])


def random_inertia(rng: np.random.Generator, mass: float) -> Array:
    spread = rng.normal(size=(3, 3)) * 0.2
    second_moments = mass * spread @ spread.T
    return np.asarray(np.trace(second_moments) * np.eye(3) - second_moments)


def random_placement(rng: np.random.Generator) -> Array:
    placement = np.eye(4)
    placement[:3, :3], placement[:3, 3] = random_rotation(rng), rng.normal(size=3) * 0.3
    return placement


def replay(description: Description) -> ts.Builder:
    """Return a builder to which everything in a description without couplings was told."""
    builder = ts.Builder(description.name, description.gravity)
    for body in description.bodies:
        builder.body(body.name, body.mass, body.com, body.inertia)
    for joint in description.joints:
        stated = {field.name: getattr(joint, field.name) for field in dataclasses.fields(joint)}
        names = [stated.pop(key) for key in ("name", "kind", "parent", "child")]
        stated.pop("source")
        said = {key: value for key, value in stated.items() if np.any(value) and value is not None}
        builder.joint(*names, **said)
    for frame in description.frames:
        builder.frame(frame.name, frame.body, placement=frame.placement)
    return builder
