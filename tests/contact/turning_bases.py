"""Free and planar joints in a step: their linear velocities are written in axes that turn.

A step takes velocities after it in the axes of its start, moves along a straight line and turns,
and then writes the linear velocity in the new axes. So a body in free fall, however it spins,
moves as its centre does.
"""

from __future__ import annotations

import numpy as np
from cone_problem import Array
from scipy.spatial.transform import Rotation

import tarsus as ts


def turning(model: ts.Model) -> list[ts.model.JointView]:
    """Return the free and planar joints that are clusters by themselves."""
    alone = {cluster.joints[0] for cluster in model.clusters if cluster.kind == "joint"}
    return [j for j in model.joints if j.kind in ("free", "planar") and j.name in alone]


def _parts(joint: ts.model.JointView, v: Array) -> tuple[Array, Array]:
    """Return linear and angular velocity (3,), those of a planar joint in its plane's axes."""
    own = v[joint.v_slice]
    if joint.kind == "free":
        return own[:3], own[3:]
    return np.array([own[0], own[1], 0.0]), np.array([0.0, 0.0, own[2]])


def _linear(joint: ts.model.JointView) -> slice:
    start = joint.v_slice.start
    return slice(start, start + (3 if joint.kind == "free" else 2))


def carried(model: ts.Model, v: Array, later: Array) -> Array:
    """Return ½ (ω × v⁺ + ω⁺ × v) (nv,): how numbers of linear velocities change by turning axes."""
    found = np.zeros(model.nv)
    for joint in turning(model):
        (linear, angular), (moving, spinning) = _parts(joint, v), _parts(joint, later)
        turned = (np.cross(angular, moving) + np.cross(spinning, linear)) / 2
        where = _linear(joint)
        found[where] = turned[: where.stop - where.start]
    return found


def moved(model: ts.Model, q: Array, step: Array) -> Array:
    """Return the configuration after a tangent step (nv,), free bodies along straight lines."""
    turned = step.copy()
    for joint in turning(model):
        turned[_linear(joint)] = 0.0
    after = np.array(model.integrate(q, turned))
    for joint in turning(model):
        linear, _ = _parts(joint, step)
        own, at = q[joint.q_slice], after[joint.q_slice]
        if joint.kind == "free":
            at[:3] = own[:3] + Rotation.from_quat(own[3:]).apply(linear)
        else:
            at[:2] = own[:2] + Rotation.from_euler("z", own[2]).apply(linear)[:2]
    return after


def in_new_axes(model: ts.Model, v: Array, step: Array) -> Array:
    """Return v (nv,) with its linear parts written in the axes after a tangent step."""
    found = v.copy()
    for joint in turning(model):
        where = _linear(joint)
        linear, _ = _parts(joint, v)
        _, angle = _parts(joint, step)
        found[where] = Rotation.from_rotvec(angle).inv().apply(linear)[: where.stop - where.start]
    return found
