"""Velocity products over a step: of velocities at its start and its end, each once.

A top, a body that carries nothing and turns freely, would alone go from ω to ω⁺ by
I (ω⁺ − ω) = −dt/2 (ω × I ω⁺ + ω⁺ × I ω). What that differs by from −dt ω × I ω acts on its joint.
Where others turn fast, all forces C(v, v) are C(v, v⁺) in the end, found by going round.
"""

from __future__ import annotations

import numpy as np
from cone_problem import Array

import tarsus as ts


def after(inertia: Array, w: Array, dt: float) -> Array:
    """Return ω⁺ (3,) of a body alone."""
    axes = np.eye(3)
    products = [np.cross(w, inertia @ e) + np.cross(e, inertia @ w) for e in axes]
    return np.linalg.solve(inertia + dt / 2 * np.transpose(products), inertia @ w)


SLOW, ROUNDS = 0.015, 3
"""Radians in a step from which on it goes round, and how often."""


def free_turns(model: ts.Model) -> list[tuple[ts.model.JointView, bool]]:
    """Return free and spherical joints that are clusters, and whether their bodies are tops."""
    carriers = {model.body(name).parent for name in model.body_names}
    alone = {cluster.joints[0] for cluster in model.clusters if cluster.kind == "joint"}
    found = []
    for joint in model.joints:
        if joint.kind in ("free", "spherical") and joint.name in alone:
            body = model.body(joint.child)
            centred = joint.kind == "spherical" or not np.any(body.com)
            found.append((joint, body.index not in carriers and centred))
    return found


def turning(model: ts.Model, q: Array, v: Array, joint: ts.model.JointView) -> Array:
    """Return the angular velocity of a joint's body in its own axes (3,)."""
    return np.asarray(model.frame_velocity(q, v, joint.child, reference="local")[3:])


def whirls(model: ts.Model, q: Array, v: Array, dt: float) -> bool:
    """Return whether a body that is no top turns fast, and nothing holds it."""
    if model.constraints or any(cluster.kind != "joint" for cluster in model.clusters):
        return False
    speeds = [turning(model, q, v, joint) for joint, top in free_turns(model) if not top]
    return any(float(np.linalg.norm(w)) * dt > SLOW for w in speeds)


def over_step(
    model: ts.Model, q: Array, v: Array, dt: float, implicit: Array, push: Array, held: bool = False
) -> tuple[Array, Array]:
    """Return the change of v (nv,) by forces, and the velocities that v was multiplied with."""
    if held or not whirls(model, q, v, dt):
        return dt * np.linalg.solve(implicit, push + gyration(model, q, v, dt)), v
    still = model.bias_forces(q, np.zeros(model.nv))

    def products(w: Array) -> Array:
        return np.asarray(model.bias_forces(q, w) - still)

    change, later = dt * np.linalg.solve(implicit, push), v
    for _ in range(ROUNDS):
        later = v + change
        mixed = (products(v + later) - products(v) - products(later)) / 2
        change = dt * np.linalg.solve(implicit, push + products(v) - mixed)
    return change, later


def gyration(model: ts.Model, q: Array, v: Array, dt: float) -> Array:
    """Return the torques (nv,) on the joints of tops."""
    found = np.zeros(model.nv)
    for joint in (joint for joint, top in free_turns(model) if top):
        body = model.body(joint.child)
        com = np.asarray(body.com)
        inertia = body.inertia + body.mass * (com @ com * np.eye(3) - np.outer(com, com))
        w = turning(model, q, v, joint)
        if not np.linalg.det(inertia) > 0.0:
            continue
        change = inertia @ (after(inertia, w, dt) - w) / dt
        found[joint.v_slice][-3:] = change + np.cross(w, inertia @ w)
    return found
