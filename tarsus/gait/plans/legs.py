"""Inverse kinematics of all legs at once, for any robot: Newton's method on frames of feet.

The base stays where it is; every configuration of a batch is solved at the same time. Where a leg
has more joints than it needs, the step of least norm is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.model.description import Array

REACHED = 1e-10
"""Distance at which a foot is where it should be [m]."""


def reach(
    model: Model,
    q: ArrayLike,
    feet: Sequence[str],
    targets: ArrayLike,
    *,
    damping: float = 1e-6,
    iterations: int = 50,
) -> Array:
    """Return configurations (…, nq) near `q` (…, nq) whose frames `feet` are at `targets`.

    `targets` (…, feet, 3) [m] are in the world. The base stays where it is. A target out of reach
    is a ValueError that names the foot.
    """
    wanted = np.asarray(targets, float)
    lead = np.broadcast_shapes(np.shape(q)[:-1], wanted.shape[:-2])
    found = np.array(np.broadcast_to(np.asarray(q, float), (*lead, model.nq)))
    moving = np.flatnonzero(model.driven)
    for _ in range(iterations):
        errors = wanted - _positions(model, found, feet)
        if np.abs(errors).max(initial=0.0) < REACHED:
            return found
        rows = [
            model.frame_jacobian(found, foot, reference="local_world_aligned")[..., :3, moving]
            for foot in feet
        ]
        jacobian = np.concatenate(rows, axis=-2)
        square = jacobian @ np.swapaxes(jacobian, -1, -2) + damping**2 * np.eye(3 * len(feet))
        right = errors.reshape(*lead, -1, 1)
        step = np.zeros((*lead, model.nv))
        step[..., moving] = (np.swapaxes(jacobian, -1, -2) @ np.linalg.solve(square, right))[..., 0]
        # long steps lose their way near stretched legs
        largest = np.abs(step).max(axis=-1, keepdims=True)
        found = np.asarray(model.integrate(found, step * np.minimum(1.0, 0.5 / (largest + 1e-12))))
    missed = np.abs(errors).max(axis=-1).reshape(-1, len(feet)).max(axis=0)
    foot = feet[int(missed.argmax())]
    raise ValueError(f"targets: {foot!r} is out of reach by {missed.max():.2g} m")


def _positions(model: Model, q: Array, feet: Sequence[str]) -> Array:
    return np.stack([model.frame_pose(q, foot)[..., :3, 3] for foot in feet], axis=-2)
