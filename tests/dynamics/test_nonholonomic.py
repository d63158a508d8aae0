"""Joints that roll or skate: by multipliers, by reduced momenta, and steps to other places.

The same vehicle, a base that rolls and an arm on it, is computed in three ways: by its own
velocity coordinates (the library), as a free body with constraint rows and multipliers λ, and by
the reduced momenta of Duindam, Port-Based Modeling and Control for Efficient Bipedal Walking
Robots, 2006, theorem 2.20, in unconstrained coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import Array, Oracle, axial, skew, slope
from rolling import ROLLING, rolling_motion, rolling_rate, touching_point
from scipy.spatial.transform import Rotation

import tarsus as ts
from tarsus.model.description import DescriptionDraft

SIZES: dict[str, dict[str, Any]] = {
    "knife_edge": {},
    "rolling_wheel": {"radius": 0.3},
    "rolling_disc": {"radius": 0.25},
    "rolling_ball": {"radius": 0.4},
    "differential_base": {"radius": 0.1, "track": 0.45},
    "rolling": {
        "surface": {"kind": "ellipsoid", "numbers": (0.3, 0.25, 0.35)},
        "ground": {"kind": "paraboloid", "numbers": (0.3, -0.2)},
    },
}
BALLS = ("rolling_ball", "rolling")
"""Those with a quaternion."""
each_kind = pytest.mark.parametrize("kind", ROLLING)


def vehicle(kind: str) -> ts.Model:
    """A base on a joint of this kind, on a tilted plane, with an arm of three bodies on it."""
    model = ts.robots.random_mechanism(7, 4, ["revolute", "universal", "prismatic", "revolute"])
    description = DescriptionDraft.of(model.description)
    for joint in list(description.joints):
        if joint.parent == "world":
            description.change(joint, parent="body_0")
    first = description.joints[0]
    description.joints[0] = ts.Joint(
        "root", kind, "world", "body_0", first.placement, **SIZES[kind]
    )
    return ts.Model(description.build())


def free_vehicle(model: ts.Model) -> ts.Model:
    """The same on a free joint."""
    description = DescriptionDraft.of(model.description)
    none: dict[str, Any] = {"radius": 0.0, "track": 0.0, "surface": None, "ground": None}
    description.change(description.joints[0], kind="free", **none)
    return ts.Model(description.build())


def constraint_rows(root: ts.model.JointView, q: Array) -> Array:
    """Return A (rows, 6) with A [linear, angular] = 0 for the base's velocity in its own axes.

    What touches the plane is at rest, and what cannot lean has no turn that would make it.
    """
    kind, still, unit = root.kind, np.zeros((3, 3)), np.eye(3)
    if kind == "rolling":
        return np.hstack([unit, -skew(touching_point(root, q))])
    if kind in ("knife_edge", "differential_base"):
        return np.block([[unit[1:], still[1:]], [still[:2], unit[:2]]])
    up = rolling_motion(root, q)[0].T @ [0.0, 0.0, 1.0]
    flat = up if kind == "rolling_ball" else up * [1.0, 0.0, 1.0]  # without the part on the axle
    arm = -root.radius * flat / np.linalg.norm(flat)
    rows = np.hstack([unit, -skew(arm)])
    if kind == "rolling_wheel":
        rows = np.vstack([rows, np.concatenate([still[0], np.cross([0.0, 1.0, 0.0], up)])])
    return rows


@each_kind
def test_multipliers_give_the_same_motion(kind: str) -> None:
    """M ẇ + b = f + Aᵀ λ and A ẇ + Ȧ w = 0 for the free vehicle; λ is the joint's reaction."""
    model = vehicle(kind)
    free, root = free_vehicle(model), model.joint("root")
    rng = np.random.default_rng(0)
    worst = np.zeros(3)
    for q in model.random_configuration(rng, 10):
        v = rng.normal(size=model.nv)
        tau = np.concatenate([np.zeros(root.nv), rng.normal(size=model.nv - root.nv)])
        external = rng.normal(size=(model.n_bodies, 6))
        a = model.forward_dynamics(q, v, tau, external)

        rotation, place = rolling_motion(root, q[root.q_slice])
        at = np.concatenate([place, Rotation.from_matrix(rotation).as_quat(), q[root.nq :]])
        w = np.concatenate([model.frame_velocity(q, v, "body_0"), v[root.nv :]])

        own = q[root.q_slice]
        along = rolling_rate(root, own, v[root.v_slice])
        base = constraint_rows(root, own)

        def moving(s: float, own: Array = own, along: Array = along) -> Array:
            return constraint_rows(root, own + s * along)

        A, drift = np.zeros((len(base), free.nv)), slope(moving) @ w[:6]
        A[:, :6] = base
        force = np.concatenate([np.zeros(6), tau[root.nv :]])
        force = force - free.inverse_dynamics(at, w, np.zeros(free.nv), external)
        h, none = free.mass_matrix(at), np.zeros((len(A), len(A)))
        solved = np.linalg.solve(np.block([[h, -A.T], [A, none]]), np.concatenate([force, -drift]))
        found = np.concatenate([model.frame_acceleration(q, v, a, "body_0"), a[root.nv :]])
        reaction = model.reaction_wrenches(q, v, a, external)[0]
        residuals = (
            np.abs(A @ w).max(),
            np.abs(solved[: free.nv] - found).max() / np.abs(found).max(),
            np.abs(base.T @ solved[free.nv :] - reaction).max() / np.abs(reaction).max(),
        )
        worst = np.maximum(worst, residuals)
    print(f"{kind}: A w {worst[0]:.1e}, accelerations {worst[1]:.1e}, reactions {worst[2]:.1e}")
    assert worst[0] < 1e-14 and worst[1] < 1e-10 and worst[2] < 1e-10


class Unconstrained:
    """A vehicle whose coordinates q may all move freely, and the rolling as q̇ = N(q) v."""

    def __init__(self, model: ts.Model) -> None:
        self.model, self.oracle = model, Oracle(model)

    def mass(self, q: Array) -> Array:
        """Return the mass matrix (nq, nq) of the velocities q̇."""
        oracle = self.oracle
        rates = oracle.poses(q + 1e-30j * np.eye(len(q))).imag * 1e30
        rotations = oracle.poses(q)[:, :3, :3]
        centre = (rates[..., :3, :3] @ oracle.coms[..., None])[..., 0] + rates[..., :3, 3]
        turning = axial(rates[..., :3, :3] @ np.swapaxes(rotations, -1, -2))
        h = np.einsum("kbi,b,lbi->kl", centre, oracle.masses, centre)
        return np.asarray(
            h + np.einsum("kbi,bij,lbj->kl", turning, oracle.world_inertias(q), turning)
        )

    def rolling(self, q: Array) -> Array:
        """Return N (nq, nv)."""
        return self.oracle.rate(q, np.eye(self.model.nv)).T

    def potential(self, q: Array) -> float:
        weights = self.oracle.masses[:, None] * self.model.gravity
        return -float((weights * self.oracle.centres(q)).sum())


@pytest.mark.parametrize("kind", [kind for kind in ROLLING if kind not in BALLS])
def test_reduced_momenta_give_the_same_motion(kind: str) -> None:
    """Theorem 2.20 with S = M N, so that α = v, M̄⁻¹ = Nᵀ M N and M⁻¹ S = N:

    M̄⁻¹ α̇ = −Nᵀ ∂H̄/∂q + Nᵀ (∂ᵀ(S α)/∂q − ∂(S α)/∂q) N α + u, which holds what Boltzmann and
    Hamel added to Lagrange's equations.
    """
    model = vehicle(kind)
    full, rng, worst = Unconstrained(model), np.random.default_rng(1), 0.0
    units = np.eye(model.nq)
    for q in model.random_configuration(rng, 5):
        v, tau = rng.normal(size=(2, model.nv))

        def momentum(q: Array, v: Array = v) -> Array:
            return np.asarray(full.mass(q) @ full.rolling(q) @ v)

        def energy(q: Array, v: Array = v) -> float:
            return float(0.5 * (full.rolling(q) @ v) @ momentum(q)) + full.potential(q)

        n = full.rolling(q)
        gradient = np.array([slope(lambda s, e=e, q=q: energy(q + s * e)) for e in units])
        jacobian = np.array([slope(lambda s, e=e, q=q: momentum(q + s * e)) for e in units]).T
        gyroscopic = n.T @ (jacobian.T - jacobian) @ n @ v
        expected = np.linalg.solve(n.T @ full.mass(q) @ n, gyroscopic - n.T @ gradient + tau)
        found = model.forward_dynamics(q, v, tau)
        worst = max(worst, float(np.abs(found - expected).max() / np.abs(expected).max()))
    print(f"{kind}: {worst:.1e}")
    assert worst < 1e-9


def only_base(kind: str) -> ts.Model:
    builder = ts.Builder(kind).body("body", 1.0, inertia=(1, 1, 1))
    sizes: dict[str, Any] = SIZES[kind]
    return builder.joint("root", kind, "world", "body", **sizes).build()


@each_kind
def test_differences_undo_many_turns(kind: str) -> None:
    """A step of any size comes back where wheel angles or headings count their turns."""
    model, rng = only_base(kind), np.random.default_rng(0)
    q, step = model.random_configuration(rng, 50), 20.0 * rng.normal(size=(50, model.nv))
    if kind == "knife_edge":
        step[:, 1] = np.clip(step[:, 1], -3.1, 3.1)
    if kind in BALLS:
        step *= rng.uniform(0.0, 3.1, (50, 1)) / np.linalg.norm(step, axis=1, keepdims=True)
    found = model.difference(q, model.integrate(q, step))
    np.testing.assert_allclose(found, step, atol=2e-13)


@each_kind
def test_differences_to_places_that_no_step_reaches(kind: str) -> None:
    """The orientation or the wheel angles are reached, and by a skate the nearest place."""
    model, rng = only_base(kind), np.random.default_rng(1)
    q, other = model.random_configuration(rng, (2, 50))
    step = model.difference(q, other)
    reached = model.integrate(q, step)
    met = {"differential_base": slice(3, 5)}.get(kind, slice(2, None))
    turns = (reached - other)[:, met] / (2 * np.pi)
    if kind in BALLS:
        turns = 1.0 - np.abs((reached * other)[:, met].sum(axis=1))
    assert np.abs(turns - np.round(turns)).max() < 1e-14
    assert np.abs(reached - other)[:, :2].max() > 0.1
    if kind == "knife_edge":
        for longer in (-1e-3, 1e-3):
            beyond = model.integrate(q, step + [longer, 0.0])
            far, near = (np.linalg.norm((x - other)[:, :2], axis=1) for x in (beyond, reached))
            assert (far > near).all()
