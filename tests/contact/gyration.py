"""Gyroscopic torques over a step: products of velocities at its start and its end, each once.

A body that carries nothing and turns freely, alone, would go from ω to ω⁺ by
I (ω⁺ − ω) = −dt/2 (ω × I ω⁺ + ω⁺ × I ω). What that differs by from −dt ω × I ω acts on its joint.
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


def gyration(model: ts.Model, q: Array, v: Array, dt: float) -> Array:
    """Return the torques (nv,) on free and spherical joints."""
    found = np.zeros(model.nv)
    carriers = {model.body(name).parent for name in model.body_names}
    alone = {cluster.joints[0] for cluster in model.clusters if cluster.kind == "joint"}
    for joint in model.joints:
        if joint.kind not in ("free", "spherical") or joint.name not in alone:
            continue
        body = model.body(joint.child)
        if body.index in carriers:
            continue
        inertia, com = np.asarray(body.inertia), np.asarray(body.com)
        if joint.kind == "spherical":
            inertia = inertia + body.mass * (com @ com * np.eye(3) - np.outer(com, com))
        w = model.frame_velocity(q, v, joint.child, reference="local")[3:]
        if not np.linalg.det(inertia) > 0.0:
            continue
        change = inertia @ (after(inertia, w, dt) - w) / dt
        found[joint.v_slice][-3:] = change + np.cross(w, inertia @ w)
    return found
