"""What the feet carry at rest, and the joint torques that hold the posture with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model import Model
from tarsus.model.description import Array


class Loads(NamedTuple):
    """Forces of the ground on the feet (…, feet, 3) [N], torques (…, nv) that hold the posture."""

    forces: Array
    tau: Array


def static_loads(
    model: Model, q: ArrayLike, feet: Sequence[str], standing: ArrayLike | None = None
) -> Loads:
    """Return forces at the frames `feet` that carry a robot with a free base, and its torques.

    Of all forces that balance gravity on the base those of least squares; where they cannot
    balance it (on two legs, say), what is left is as small as possible. `standing` (…, feet) says
    which feet carry, by default all. `tau` of the base is zero.
    """
    rows = [
        model.frame_jacobian(q, foot, reference="local_world_aligned")[..., :3, :] for foot in feet
    ]
    jacobian = np.stack(rows, axis=-3)
    if standing is not None:
        jacobian = jacobian * np.asarray(standing, float)[..., None, None]
    flat = jacobian.reshape(*jacobian.shape[:-3], -1, model.nv)
    gravity = np.asarray(model.gravity_forces(q))
    base = ~model.driven
    to_base = np.swapaxes(flat[..., base], -1, -2)
    forces = (np.linalg.pinv(to_base) @ gravity[..., base, None])[..., 0]
    tau = gravity - (np.swapaxes(flat, -1, -2) @ forces[..., None])[..., 0]
    tau[..., base] = 0.0
    return Loads(forces.reshape(*forces.shape[:-1], len(feet), 3), tau)
