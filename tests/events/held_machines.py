"""Machines that stand on held points, and their motions by dense matrices in NumPy."""

from __future__ import annotations

import numpy as np
from oracle import Array
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.robots.trees import random_rotation

AHEAD = 2e-4
"""How far ahead and behind Jacobians are compared, as a time [s]."""


def crawler(seed: int, legs: str, *, arm: bool = False, armature: bool = False) -> ts.Model:
    """Return a free base with a neck on it, and legs of three joints that end in `tips`.

    A letter for each leg says what carries it, the base or the neck; capitals are legs whose second
    joint slides. Joints have springs and dampers.
    """
    rng = np.random.default_rng(seed)
    builder = ts.Builder("crawler")

    def body(name: str, mass: float) -> None:
        inertia = mass * rng.uniform(0.01, 0.02, 3)
        builder.body(name, mass, com=0.05 * rng.standard_normal(3), inertia=inertia)

    def joint(name: str, kind: str, parent: str, position: Array, axis: Array) -> None:
        body(name, rng.uniform(0.5, 1.0))
        builder.joint(
            *(f"{name}_joint", kind, parent, name),
            position=position,
            rotation=random_rotation(rng),
            axis=axis,
            armature=0.05 if armature else None,
            stiffness=40.0 if kind == "revolute" else 400.0,
            damping=0.3,
        )

    body("base", 8.0)
    builder.joint("root", "free", "world", "base")
    joint("neck", "revolute", "base", np.array([0.2, 0.0, 0.1]), np.array([0.0, 1.0, 0.0]))
    if arm:
        joint("arm", "revolute", "neck", np.array([0.1, 0.0, 0.1]), rng.standard_normal(3))
    for k, letter in enumerate(legs):
        parent, angle = {"b": "base", "n": "neck"}[letter.lower()], 2 * np.pi * k / len(legs)
        hip = 0.3 * np.array([np.cos(angle), np.sin(angle), 0.0])
        for j in range(3):
            slides = letter.isupper() and j == 1
            axis = rng.standard_normal(3) if j != 1 or slides else np.eye(3)[k % 3]
            along = hip if j == 0 else 0.25 * rng.standard_normal(3)
            joint(f"leg{k}_{j}", "prismatic" if slides else "revolute", parent, along, axis)
            parent = f"leg{k}_{j}"
        builder.frame(f"tip{k}", parent, position=0.3 * rng.standard_normal(3))
    return builder.build()


def tips(model: ts.Model) -> list[str]:
    """Return the frames at the ends of legs."""
    return [name for name in model.frame_names if name.startswith("tip")]


def still_velocity(model: ts.Model, q: Array, points: list[str], v: Array) -> Array:
    """Return the velocities next to v that leave points where they are."""
    J = point_jacobian(model, q, points)
    return np.asarray(v - np.linalg.pinv(J) @ (J @ v))


def point_jacobian(model: ts.Model, q: Array, points: list[str]) -> Array:
    """Return how points move in the world (3 points, nv)."""
    rows = [model.frame_jacobian(q, name, reference="local_world_aligned")[:3] for name in points]
    return np.concatenate(rows)


def dense_acceleration(model: ts.Model, points: list[str], q: Array, v: Array) -> Array:
    """Return accelerations (nv,) with points held, by one system of equations.

    H a + c = τ + Jᵀ λ and J a + J̇ v = 0, where J̇ is a difference of order 4 on the way.
    """
    n, J = model.nv, point_jacobian(model, q, points)
    weights = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    rate = sum(
        weight
        / AHEAD
        * point_jacobian(model, np.asarray(model.integrate(q, k * AHEAD * v)), points)
        for k, weight in weights.items()
    )
    matrix = np.block([[model.mass_matrix(q), -J.T], [J, np.zeros((len(J), len(J)))]])
    force = model.passive_forces(q, v) - model.bias_forces(q, v)
    right = np.concatenate([force, -rate @ v])
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=1e-13)[0][:n])


def dense_motion(
    model: ts.Model, points: list[str], q: Array, v: Array, duration: float
) -> tuple[Array, Array]:
    """Return the state after a motion by SciPy, of a model whose first joint alone is no number."""
    nq = model.nq

    def rates(_: float, y: Array) -> Array:
        q, v = y[:nq], y[nq:]
        u, w = q[3:6], q[6]
        turned = v[:3] + 2 * np.cross(u, np.cross(u, v[:3]) + w * v[:3])
        spin = 0.5 * np.append(w * v[3:6] + np.cross(u, v[3:6]), -u @ v[3:6])
        return np.concatenate([turned, spin, v[6:], dense_acceleration(model, points, q, v)])

    start = np.concatenate([q, v])
    found = solve_ivp(rates, (0.0, duration), start, method="DOP853", rtol=1e-12, atol=1e-12)
    return found.y[:nq, -1], found.y[nq:, -1]
