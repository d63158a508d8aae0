"""A strike by momenta: the machine falls from one root onto another, whatever holds its feet.

All bodies keep their momenta but for what the new foot takes: the motion after it is, of those that
the new root allows, the nearest in the metric of the masses,

    H v⁺ = Σ_b J_bᵀ p_b

with the momenta p_b of the bodies before and their jacobians J_b on the new root (V. Duindam 2006,
section 3.3.2, in coordinates of the new root). Where rotors and armatures have momenta, too, it is
Jᵀ p, with all momenta p of the machine that floats and J from rates on the root to its own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from tarsus.arrays import Array
from tarsus.differences import WEIGHTS
from tarsus.kit.rooted import Rooted
from tarsus.model import Model, ModelError
from tarsus.spatial import skew

Strike = Callable[[Array, Array], tuple[Array, Array]]
"""States before a strike, q (…, nq) and v (…, nv), to those after it, on the same root."""
STEP = 1e-3
"""Of differences of sixth order of strikes [rad, m]."""


def rates_on(root: Rooted, q: Array, before: Rooted, q_before: Array, v_before: Array) -> Array:
    """Return rates (…, nv) on a root just after the machine fell onto it from another.

    `q` and `q_before` are the same configuration of the machine on both roots, which may be places
    apart.
    """
    if _only_bodies(root.original):
        momenta = np.zeros((*q.shape[:-1], root.nv))
        for name, inertia in _inertias(root.original):
            twist = np.asarray(before.frame_velocity(q_before, v_before, name))
            jacobian = np.asarray(root.frame_jacobian(q, name))
            momenta += ((twist @ inertia)[..., None, :] @ jacobian)[..., 0, :]
    else:
        floats = before.to_original(q_before, v_before)
        whole = np.asarray(root.original.mass_matrix(floats.q)) @ floats.v[..., None]
        momenta = (np.swapaxes(root.original_jacobian(q), -1, -2) @ whole)[..., 0]
    try:
        return np.asarray(np.linalg.solve(root.mass_matrix(q), momenta[..., None])[..., 0])
    except np.linalg.LinAlgError:
        name = root.original.name
        raise ModelError(
            f"{name!r} has a motion that moves no mass: a strike does not tell it"
        ) from None


@lru_cache(64)
def _only_bodies(model: Model) -> bool:
    """Return whether bodies have all inertia, and no rotors or armatures some."""
    q = model.random_configuration(0)
    total = np.zeros((model.nv, model.nv))
    for name, inertia in _inertias(model):
        jacobian = np.asarray(model.frame_jacobian(q, name))
        total += jacobian.T @ inertia @ jacobian
    mass = np.asarray(model.mass_matrix(q))
    return bool(np.abs(total - mass).max() < 1e-9 * np.abs(mass).max())


@lru_cache(64)
def _inertias(model: Model) -> list[tuple[str, Array]]:
    """Return the bodies that have a mass, and their inertias (6, 6) about their own origins."""
    found = []
    for body in model.description.bodies:
        if body.mass > 0.0:
            arm = body.mass * skew(body.com)
            about = body.inertia - arm @ skew(body.com)
            found.append((body.name, np.block([[body.mass * np.eye(3), -arm], [arm, about]])))
    return found


def strike_slopes(
    model: Model, strike: Strike, q: Array, v: Array, after: Model | None = None
) -> Array:
    """Return derivatives of a strike (2 nv, 2 nv + 1) at q (nq,), v (nv,), by steps of q, v and t.

    Rates after it are linear in those before, exactly; by q differences are taken, all at once.
    States after it are those of `after`, the same model unless stated.
    """
    nv, next_model = model.nv, model if after is None else after
    offsets = np.array([(way * k, way * w / STEP) for k, w in WEIGHTS for way in (1, -1)])
    pushes = (STEP * offsets[:, 0, None, None] * np.eye(nv)).reshape(-1, nv)
    around = model.integrate(np.broadcast_to(q, (len(pushes), len(q))), pushes)
    states = np.concatenate([around, np.broadcast_to(q, (nv + 1, len(q)))])
    rates = np.concatenate([np.broadcast_to(v, pushes.shape), np.eye(nv), v[None]])
    after_q, after_v = strike(states, rates)
    ends = after_q[: len(pushes)]
    steps = next_model.difference(np.broadcast_to(after_q[-1], ends.shape), ends)
    both = np.concatenate([steps, after_v[: len(pushes)]], axis=1)
    found = np.zeros((2 * next_model.nv, 2 * nv + 1))
    found[:, :nv] = np.einsum("o,oij->ji", offsets[:, 1], both.reshape(len(offsets), nv, -1))
    found[next_model.nv :, nv : 2 * nv] = after_v[len(pushes) : -1].T
    return found
