"""What the ground does to all feet that stand: those on spots, and the root of the machine."""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.events.planted import Planted
from tarsus.kit.rooted import Rooted
from tarsus.model import Model


def ground_forces(model: Planted, q: Array, v: Array, tau: Array) -> Array:
    """Return forces on the root and then on the feet on spots (…, 1 + feet, 3) [N], ground axes.

    What those on spots do not bear of the weight and of the rate of momentum the root bears. `tau`
    (…, nv) are efforts of motors.
    """
    on_spots = model.loads(q, v, tau)
    a = model.forward_dynamics(q, v, tau + model.passive_forces(q, v))
    rows, rates = (
        np.asarray(matrix)[..., :3, :]
        for matrix in (
            model.centroidal_momentum_matrix(q),
            model.centroidal_momentum_matrix_rate(q, v),
        )
    )
    changes = (rows @ np.asarray(a)[..., None] + rates @ v[..., None])[..., 0]
    whole: Model = model
    while isinstance(whole, Planted | Rooted):
        whole = whole.original
    total = (changes - whole.total_mass * model.gravity) @ model.ground[:3, :3]
    root = total - on_spots.sum(axis=-2)
    return np.concatenate([root[..., None, :], on_spots], axis=-2)
