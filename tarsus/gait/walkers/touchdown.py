"""Impacts of feet, landing, and forces of the ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from tarsus._lib.differences import WEIGHTS
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.events import guards, resets
from tarsus.events.foothold_model import Planted, held
from tarsus.events.phase import Exit
from tarsus.events.resets import Reset
from tarsus.model.model import Model
from tarsus.model.rerooted_model import Rooted
from tarsus.spatial import pose, rotation_along, skew

if TYPE_CHECKING:
    from tarsus.gait.walkers.stance import Stance


# What a strike does to a state, as a reset of a phase.
#
# The state goes to the same tree with a root that floats, falls onto the other foot, and is put
# down on that foot with the names of both exchanged. All three are maps of the core where
# coordinates of the new root are sums of the others, as in the plane and on flat feet; else they
# are one in NumPy.


HOLDS = {"flat": "weld", "line": "revolute"}
"""What a foot falls onto, where positions are sums of others."""
ACROSS = (0.0, -1.0, 0.0)
"""A foot on an edge turns about −y: positive leans back."""
Sums = tuple[Array, Array]
"""Positions after a strike from those before: a matrix (nq, nq) and a shift (nq,)."""


def strike_of(stance: Stance) -> Sequence[resets.Reset]:
    """Return what a strike does: lifted, fallen onto the other foot, put down."""
    sums = _sums(stance)
    if sums is None:
        return (_function(stance, stance.landed),)
    if stance.stance == "round":
        return (_function(stance, partial(_rolled, stance, sums)),)
    (matrix, shift), standing, floating = sums, stance.standing, stance.floating
    free_q, free_v = floating.nq - standing.nq, floating.nv - standing.nv
    lift = np.concatenate([np.zeros((free_q, standing.nq)), np.eye(standing.nq)])
    begin = np.concatenate([floating.neutral()[:free_q], np.zeros(standing.nq)])
    lift_rates = np.concatenate([np.zeros((free_v, standing.nv)), np.eye(standing.nv)])
    down = np.concatenate([np.zeros((standing.nq, free_q)), matrix], axis=1)
    down_rates = np.concatenate([np.zeros((standing.nv, free_v)), matrix], axis=1)
    name, placement = stance.feet[1]
    edge = pose(rotation=rotation_along(ACROSS)) if stance.stance == "line" else np.eye(4)
    fallen = held(floating, (name, placement @ edge), kind=HOLDS[stance.stance])
    return (
        resets.Linear(lift, begin, lift_rates),
        resets.Impact(fallen),
        resets.Linear(down, shift, down_rates),
    )


def _function(stance: Stance, strike: Strike) -> resets.Function:
    """Return a strike as a reset, with its derivatives."""
    return resets.Function(
        lambda t, q, v: strike(q, v),
        derivative=lambda t, q, v: strike_slopes(stance.standing, strike, q, v),
    )


def _rolled(stance: Stance, sums: Sums, q: Array, v: Array) -> tuple[Array, Array]:
    """Return states after a strike, positions as sums of those before: (…, nq), (…, nv)."""
    image = q @ sums[0].T + sums[1]
    there = image @ stance.names  # signs and places: its inverse is its transpose
    return image, rates_on(stance.other, there, stance.standing, q, v) @ stance.names.T


def _sums(stance: Stance) -> Sums | None:
    """Return the map of positions at a strike; None if it is no sum, which states tell.

    Quaternions, and joints that depend on others in loops, are none.
    """
    m = stance.standing
    if m.nq != m.nv:
        return None
    rng, count = np.random.default_rng(1), 3 * m.nv + 4
    away = 0.3 * rng.uniform(-1.0, 1.0, size=(count, m.nv))
    q = np.asarray(m.integrate(np.tile(stance.rest, (count, 1)), away))
    given = np.column_stack([q, np.ones(count)])
    image = stance.relabelling.configurations(stance.set_down(q).q)
    found, *_ = np.linalg.lstsq(given, image, rcond=None)
    if np.abs(given @ found - image).max() > 1e-9:
        return None
    return np.asarray(found[:-1].T), np.asarray(found[-1])


# A strike by momenta: the machine falls from one root onto another, whatever holds its feet.
#
# All bodies keep their momenta but for what the new foot takes: the motion after it is, of those
# that the new root allows, the nearest in the metric of the masses,
#
#     H v⁺ = Σ_b J_bᵀ p_b
#
# with the momenta p_b of the bodies before and their jacobians J_b on the new root (V. Duindam
# 2006, section 3.3.2, in coordinates of the new root). Where rotors and armatures have momenta,
# too, it is Jᵀ p, with all momenta p of the machine that floats and J from rates on the root to its
# own.


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


# The strike of a foot on a straight leg, from the other one: legs of the same length on a slope.
#
# The swing foot is 2 sin(e/2) sin(h/2) above the slope for legs of unit length, e = 2 lean + hip, h
# = hip: its strikes are the zeros of e, and where the legs pass each other it only scuffs, as
# straight legs must, which does not count. A strike catches the swing foot and lets the other go:
# the walker is lifted to its four coordinates, falls onto the new foot, and is put down with the
# names of its legs changed.


LIFT = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
"""From (lean, hip) to the stance foot's place, and both."""
RELABEL = np.array([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, -1.0]])
"""And back, stance and swing leg exchanged."""


def caught(model: Model, foot: str, relabel: Array = RELABEL) -> tuple[Reset, ...]:
    """Return what becomes of (lean, hip) where `foot` strikes.

    `model` has the stance foot free to move; `relabel` leads from its coordinates to
    those of the phase that follows.
    """
    return resets.Linear(LIFT), resets.Impact(held(model, foot)), resets.Linear(relabel)


def straight_strike(model: Model, foot: str, relabel: Array = RELABEL) -> Exit:
    """Return the exit into "swing" where `foot` strikes."""
    swung = guards.JointPosition("hip")
    return Exit(
        2.0 * guards.JointPosition("lean") + swung,
        to="swing",
        when=swung,
        reset=caught(model, foot, relabel),
        name="strike",
    )


# What the ground does to all feet that stand: those on spots, and the root of the machine.


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
