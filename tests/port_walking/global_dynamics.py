"""Dynamics of a tree in momenta, by local charts that are only used at their origin.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, theorem 2.17. Joints that are Lie groups have velocities in body axes or in those of
their parent ("space"); planar joints have rates of coordinates. Twists are (angular, linear), as
in the thesis. Plain NumPy: nothing of the library but the numbers that state the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from rotations import Array, skew, turn, turn_by_quaternion

import tarsus as ts

Convention = Literal["body", "space"]


def pose(rotation: Array, place: Array) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = rotation, place
    return found


def adjoint(h: Array) -> Array:
    r, p = h[:3, :3], h[:3, 3]
    return np.block([[r, np.zeros((3, 3))], [skew(p) @ r, r]])


def bracket(twist: Array) -> Array:
    w, v = skew(twist[:3]), skew(twist[3:])
    return np.block([[w, np.zeros((3, 3))], [v, w]])


@dataclass(frozen=True)
class Joint:
    """H(Q), X(Q), ∂X/∂φ (a list), the velocity v, and the gyroscopic G(p) v of a joint."""

    h: Array
    x: Array
    dx: list[Array]
    v: Array
    sign: float
    """+1 for body axes, −1 for those of the parent, 0 for plain coordinates."""

    def gyroscopic(self, p: Array) -> Array:
        if self.sign == 0.0:
            return np.zeros_like(p)
        ad = skew(self.v) if len(p) == 3 else bracket(self.v)
        return np.asarray(self.sign * ad.T @ p)


def joint_at(view: ts.model.JointView, q: Array, v: Array, convention: Convention) -> Joint:
    """Return a joint at a state of the library, in the words of the thesis."""
    zero = np.zeros(3)
    if view.kind == "revolute":
        x = np.concatenate([view.axis, zero])[:, None]
        return Joint(pose(turn(view.axis, q[0]), zero), x, [0 * x], v, 0.0)
    if view.kind == "prismatic":
        x = np.concatenate([zero, view.axis])[:, None]
        return Joint(pose(np.eye(3), q[0] * view.axis), x, [0 * x], v, 0.0)
    if view.kind == "planar":
        r = turn(np.array([0.0, 0.0, 1.0]), q[2])
        x, dx = np.zeros((6, 3)), [np.zeros((6, 3)) for _ in range(3)]
        x[3, 0] = x[4, 1] = x[2, 2] = 1.0
        x[3, 2], x[4, 2] = q[1], -q[0]
        dx[0][4, 2], dx[1][3, 2] = -1.0, 1.0
        return Joint(pose(r, np.array([q[0], q[1], 0.0])), x, dx, r @ v, 0.0)
    if view.kind == "spherical":
        r = turn_by_quaternion(q)
        whole = np.vstack([np.eye(3), np.zeros((3, 3))])
        if convention == "space":
            return Joint(pose(r, zero), whole, [0 * whole] * 3, r @ v, -1.0)
        return Joint(pose(r, zero), whole @ r, [whole @ r @ skew(e) for e in np.eye(3)], v, 1.0)
    if view.kind == "free":
        h = pose(turn_by_quaternion(q[3:]), q[:3])
        ad, own = adjoint(h), np.roll(v, 3)
        if convention == "space":
            return Joint(h, np.eye(6), [np.zeros((6, 6))] * 6, ad @ own, -1.0)
        return Joint(h, ad, [ad @ bracket(e) for e in np.eye(6)], own, 1.0)
    raise ValueError(view.kind)


def inertia(body: ts.model.BodyView) -> Array:
    """Return the inertia (6, 6) of a body about its origin (2.52)."""
    c = skew(body.com)
    return np.block(
        [
            [body.inertia - body.mass * c @ c, body.mass * c],
            [-body.mass * c, body.mass * np.eye(3)],
        ]
    )


def twist_rates(
    model: ts.Model, q: Array, v: Array, tau: Array, convention: Convention
) -> tuple[Array, Array]:
    """Return rates of the bodies' twists in their own axes (n, 6), and of the energy [W].

    `tau` (nv,) are efforts of the library, which do work on its velocities.
    """
    views = [model.joint(name) for name in model.joint_names]
    bodies = [model.body(name) for name in model.body_names]
    joints = [joint_at(j, q[j.q_slice], v[j.v_slice], convention) for j in views]
    columns, count = [], 0
    for joint in joints:
        columns.append(slice(count, count + len(joint.v)))
        count += len(joint.v)

    at, mounts, paths = [], [], []
    for k, (view, body, joint) in enumerate(zip(views, bodies, joints, strict=True)):
        parent = body.parent
        mounts.append((np.eye(4) if parent < 0 else at[parent]) @ view.placement)
        at.append(mounts[k] @ joint.h)
        paths.append([*([] if parent < 0 else paths[parent]), k])

    def column(k: int, j: int) -> Array:
        return np.asarray(adjoint(np.linalg.inv(at[k]) @ mounts[j]) @ joints[j].x)

    jacobians = np.zeros((len(bodies), 6, count))
    for k, path in enumerate(paths):
        for j in path:
            jacobians[k][:, columns[j]] = column(k, j)
    inertias = [inertia(body) for body in bodies]
    mass = sum(b.T @ i @ b for b, i in zip(jacobians, inertias, strict=True))
    speed = np.concatenate([joint.v for joint in joints])

    slopes = np.zeros((count, len(bodies), 6, count))
    for i, joint in enumerate(joints):
        for a in range(len(joint.v)):
            x = joint.x[:, a]
            for k, path in enumerate(paths):
                if i not in path:
                    continue
                outer = adjoint(np.linalg.inv(at[k]) @ mounts[i])
                for j in path[: path.index(i) + 1]:
                    inner = adjoint(np.linalg.inv(mounts[i]) @ mounts[j]) @ joints[j].x
                    slope = -outer @ bracket(x) @ inner
                    if j == i:
                        slope = slope + outer @ joint.dx[a]
                    slopes[columns[i].start + a, k][:, columns[j]] = slope

    weights = []
    for body, h in zip(bodies, at, strict=True):
        force = h[:3, :3].T @ (body.mass * model.gravity)
        weights.append(np.concatenate([np.cross(body.com, force), force]))
    gravity = sum(b.T @ w for b, w in zip(jacobians, weights, strict=True))
    each = zip(slopes.swapaxes(0, 1), inertias, jacobians, strict=True)
    mass_slopes = sum(
        np.einsum("aji,jk,kl->ail", s, i, b) + np.einsum("ji,jk,akl->ail", b, i, s)
        for s, i, b in each
    )
    energy_slope = -0.5 * np.einsum("i,aij,j->a", speed, mass_slopes, speed)
    p = mass @ speed
    gyroscopic = np.concatenate(
        [joint.gyroscopic(p[own]) for joint, own in zip(joints, columns, strict=True)]
    )
    effort = np.concatenate(
        [
            efforts(view, joint, q[view.q_slice], tau[view.v_slice], convention)
            for view, joint in zip(views, joints, strict=True)
        ]
    )
    p_rate = -energy_slope + gravity + gyroscopic + effort
    mass_rate = np.einsum("aij,a->ij", mass_slopes, speed)
    acceleration = np.linalg.solve(mass, p_rate - mass_rate @ speed)
    jacobian_rate = np.einsum("akij,a->kij", slopes, speed)
    power = speed @ p_rate - 0.5 * speed @ mass_rate @ speed - gravity @ speed
    return jacobians @ acceleration + jacobian_rate @ speed, power


def efforts(
    view: ts.model.JointView, joint: Joint, q: Array, tau: Array, convention: Convention
) -> Array:
    """Return efforts that do the same work on the velocities of the thesis."""
    if view.kind == "planar":
        return np.asarray(joint.h[:3, :3] @ tau)
    if view.kind == "spherical":
        return np.asarray(joint.h[:3, :3] @ tau) if convention == "space" else tau
    if view.kind == "free":
        own = np.roll(tau, 3)
        back = adjoint(np.linalg.inv(joint.h)).T
        return np.asarray(back @ own) if convention == "space" else own
    return tau
