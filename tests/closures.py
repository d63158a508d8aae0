"""Couplings and loops as rows: their definitions in NumPy, for real and complex positions.

A loop joint holds numbers of the pose of frame b in frame a at zero, a coupling the difference
of a follower's position from a function of its leaders'. Derivatives along a motion follow
by complex numbers. Nothing here is shared with the library but the records that state a model.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from oracle import Array, turn

from tarsus.model.description import Coupling, Loop

HALF_CIRCLE = np.exp(1j * np.pi * (np.arange(12) + 0.5) / 12)
"""Points of a circle; a function that is real for real numbers mirrors them on the other half."""

P, R01, R02, R12, R20 = ((0, 3), (1, 3), (2, 3)), (0, 1), (0, 2), (1, 2), (2, 0)
ENTRIES = {
    "weld": (*P, R12, R20, R01),
    "revolute": (*P, R02, R12),
    "prismatic": (*P[:2], R12, R20, R01),
    "universal": (*P, R20),
    "cylindrical": (*P[:2], R02, R12),
    "spherical": P,
    "planar": (P[2], R02, R12),
    "point_on_line": P[:2],
}
"""Entries of the pose of frame b in frame a that a loop joint holds at zero."""


def derivatives(function: Callable[[Array], Array], reach: float) -> tuple[Array, Array]:
    """Return first and second derivatives at 0 of an analytic function of one number."""
    values = function(reach * HALF_CIRCLE)
    turned = HALF_CIRCLE.reshape(-1, *(1,) * (values.ndim - 1))
    first, second = (values * turned**-n for n in (1, 2))
    return first.real.mean(axis=0) / reach, 2.0 * second.real.mean(axis=0) / reach**2


def loop_rows(loop: Loop, pose: Array) -> Array:
    """Return the residuals (…, rows) of a loop for the pose (…, 4, 4) of frame b in frame a.

    A knife edge has none; its row is zero.
    """
    if loop.kind == "knife_edge":
        return np.zeros((*pose.shape[:-2], 1))
    if loop.kind == "distance":
        p = pose[..., :3, 3]
        return np.asarray((p * p).sum(-1, keepdims=True) - loop.length**2) / (2.0 * loop.length)
    return np.stack([pose[..., i, j] for i, j in ENTRIES[loop.kind]], axis=-1)


def loop_rates(loop: Loop, pose: Array, rate: Array) -> Array:
    """Return what the loop holds at zero of the velocities, (…, rows)."""
    moving = rate[..., :3, 3]
    if loop.kind == "knife_edge":
        return (pose[..., :3, 1] * moving).sum(-1, keepdims=True)
    if loop.kind == "distance":
        return (pose[..., :3, 3] * moving).sum(-1, keepdims=True) / loop.length
    return loop_rows(loop, rate)


def loop_accelerations(loop: Loop, pose: Array, rate: Array, second: Array) -> Array:
    """Return the time derivatives of `loop_rates`, (rows,)."""
    if loop.kind == "knife_edge":
        return np.array([rate[:3, 1] @ rate[:3, 3] + pose[:3, 1] @ second[:3, 3]])
    if loop.kind == "distance":
        p, u, a = pose[:3, 3], rate[:3, 3], second[:3, 3]
        return np.array([u @ u + p @ a]) / loop.length
    return loop_rows(loop, second)


def follow(coupling: Coupling, y: Array) -> Array:
    """Return the positions (…, followers) for those of the leaders (…, leaders), also complex."""
    if coupling.kind == "linear":
        offset = 0.0 if coupling.offset is None else coupling.offset
        return np.asarray(y @ coupling.matrix.T + offset)  # type: ignore[union-attr]
    if coupling.kind == "function":
        assert coupling.function is not None
        states = y.reshape(-1, y.shape[-1])
        values = np.array([coupling.function(state)[0] for state in states])  # type: ignore[arg-type]
        return values.reshape(*y.shape[:-1], -1)
    own = {key: np.asarray(value, float) for key, value in coupling.parameters.items()}
    per_metre = 2.0 * np.pi / own["lead"]
    if coupling.kind == "parallel_ankle":
        tilt = turn(unit(own["first_axis"]), y[..., 0]) @ turn(unit(own["second_axis"]), y[..., 1])
        r = own["ankle"] + np.einsum("...ij,kj->...ki", tilt, own["bottoms"]) - own["tops"]
        along = r @ unit(own["screw_axis"])
        return np.asarray(per_metre * (along - np.sqrt(own["coupler"] ** 2 - dot(r, r) + along**2)))
    axis = unit(own["axis"])
    r = own["pivot"] + (turn(axis, y[..., 0]) @ own["nut"])
    screw = per_metre * np.sqrt(dot(r, r))
    if coupling.kind == "spindle":
        return np.asarray(screw[..., None])
    # the angle about the axis from the reference to r; arctan2 does not take complex numbers
    reference = own["reference"] - axis * (axis @ own["reference"])
    cosine, sine = r @ reference, r @ np.cross(axis, reference)
    near = np.arctan2(sine.real, cosine.real)
    c, s = np.cos(near), np.sin(near)
    tilt = near + np.arctan((sine * c - cosine * s) / (cosine * c + sine * s))
    return np.stack([tilt, screw], axis=-1)


def unit(vector: Array) -> Array:
    """Return the vector with length 1."""
    return np.asarray(vector / np.linalg.norm(vector))


def dot(a: Array, b: Array) -> Array:
    """Return the products (…) of vectors (…, 3), without conjugates."""
    return np.asarray((a * b).sum(axis=-1))
