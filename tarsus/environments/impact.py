"""Sudden pushes: momentum that a body is given at once."""

from __future__ import annotations

from tarsus._lib.files import Array
from tarsus.model import Model


def struck(model: Model, q: Array, frame: str, push: Array) -> Array:
    """Return how velocities (n, nv) change at q (n, nq) by pushes (n, 2) [m/s] along x and y.

    A push times the mass of the model is the momentum that acts at the origin of the frame.
    """
    rows = model.frame_jacobian(q, frame, "local_world_aligned")[:, :2]
    pushed = (rows.swapaxes(-1, -2) @ (model.total_mass * push)[..., None])[..., 0]
    change: Array = (model.inverse_mass_matrix(q) @ pushed[..., None])[..., 0]
    return change
