"""A second oracle: all bodies free, with every joint, coupling and loop as rows and multipliers.

Unknown are the accelerations of all bodies (of centres of mass, and angular) and of all joint
coordinates. A joint is six rows: its child moves as its parent and the joint let it. Multipliers
of these rows are the wrenches that joints transmit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from closures import derivatives, loop_accelerations, loop_rates
from oracle import Array, axial, joint_motion, skew
from projection import Projection

import tarsus as ts


@dataclass(frozen=True)
class Solution:
    """Accelerations (nw,) of all joints, and wrenches (n_bodies, 6) on bodies through joints.

    Wrenches are in body axes at the body's origin, force first.
    """

    joints: Array
    wrenches: Array


def solve(
    own: Projection, x: Array, v: Array, tau: Array, external: Array | None = None
) -> Solution:
    """Return the accelerations of everything under forces tau (nv,) on the independent joints."""
    n, nw = own.tree.n_bodies, own.tree.nv
    w = own.coupling_matrix(x) @ v
    poses, rates, _ = own.motion(x, w, np.zeros(nw))
    rows, bias = _joint_rows(own, x, w, poses, rates)
    for more_rows, more_bias in (_coupling_rows(own, x, w), _loop_rows(own, poses, rates)):
        rows, bias = np.vstack([rows, more_rows]), np.concatenate([bias, more_bias])
    mass = np.zeros((6 * n + nw, 6 * n + nw))
    inertias = own.bodies.world_inertias(x)
    for i in range(n):
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = own.bodies.masses[i] * np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertias[i]
    mass[6 * n :, 6 * n :] = np.diag(own.bodies.armature)
    force = np.zeros(6 * n + nw)
    force[: 6 * n] = _forces(own, x, poses, rates, external).ravel()
    force[6 * n :][own.free] = tau
    matrix = np.block([[mass, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    right = np.concatenate([force, -bias])
    found = scipy.linalg.lstsq(matrix, right, cond=1e-14, lapack_driver="gelsy")[0]
    return Solution(found[6 * n : 6 * n + nw], _wrenches(poses, found[6 * n + nw :][: 6 * n]))


def _forces(own: Projection, x: Array, poses: Array, rates: Array, external: Array | None) -> Array:
    """Return forces and moments (n_bodies, 6) about the centres: weight, gyroscopic, external."""
    masses, r = own.bodies.masses, poses[:, :3, :3]
    turning = axial(rates[:, :3, :3] @ np.swapaxes(r, -1, -2))
    spin = np.einsum("bij,bj->bi", own.bodies.world_inertias(x), turning)
    force, moment = masses[:, None] * own.tree.gravity, -np.cross(turning, spin)
    if external is not None:
        push = np.einsum("bij,bj->bi", r, external[:, :3])
        arm = poses[:, :3, 3] - own.bodies.centres(x)
        force = force + push
        moment = moment + np.einsum("bij,bj->bi", r, external[:, 3:]) + np.cross(arm, push)
    return np.concatenate([force, moment], axis=-1)


def _joint_rows(
    own: Projection, x: Array, w: Array, poses: Array, rates: Array
) -> tuple[Array, Array]:
    """Return rows (6 n_bodies, unknowns) and what they are beside accelerations (6 n_bodies,).

    Origin and axes of the child accelerate as the parent and the joint let them.
    """
    n = own.tree.n_bodies
    rows, bias = np.zeros((6 * n, 6 * n + own.tree.nv)), np.zeros(6 * n)
    turning = axial(rates[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], -1, -2))
    for i, (joint, body) in enumerate(zip(own.tree.joints, own.tree.bodies, strict=True)):
        mine, p = slice(6 * i, 6 * i + 6), body.parent
        rows[mine, mine], bias[mine] = _origin(poses[i], turning[i], body.com)
        axes, spin, d = joint.placement[:3, :3], np.zeros(3), poses[i, :3, 3]
        if p >= 0:
            axes, spin, d = poses[p, :3, :3] @ axes, turning[p], d - poses[p, :3, 3]
            carried, still = _origin(poses[p], spin, own.tree.bodies[p].com)
            carried[:3, 3:] -= skew(d)  # α × d
            rows[mine, 6 * p : 6 * p + 6], bias[mine] = -carried, bias[mine] - still
        subspace, velocity, drift = _relative(own, i, x, w)
        axes = np.kron(np.eye(2), axes)
        rows[mine, 6 * n + joint.v_slice.start : 6 * n + joint.v_slice.stop] = -axes @ subspace
        moving, rolling = np.split(axes @ velocity, 2)
        bias[mine] -= axes @ drift
        bias[mine][:3] -= 2.0 * np.cross(spin, moving) + np.cross(spin, np.cross(spin, d))
        bias[mine][3:] -= np.cross(spin, rolling)
    return rows, bias


def _origin(pose: Array, turning: Array, com: Array) -> tuple[Array, Array]:
    """Return a matrix from accelerations of the centre to those of the origin, and the rest."""
    arm = -pose[:3, :3] @ com
    matrix = np.eye(6)
    matrix[:3, 3:] = -skew(arm)  # α × arm
    return matrix, np.concatenate([np.cross(turning, np.cross(turning, arm)), np.zeros(3)])


def _relative(own: Projection, i: int, x: Array, w: Array) -> tuple[Array, Array, Array]:
    """Return subspace (6, nv), velocity (6,) and drift (6,) of a joint in the axes of its frame."""
    joint = own.tree.joints[i]

    def pose(x: Array) -> Array:
        rotation, translation = joint_motion(joint, x[..., joint.q_slice])
        return np.concatenate([rotation, translation[..., None]], axis=-1)

    def twist(rate: Array) -> Array:
        turning = axial(rate[..., :3] @ pose(x)[:, :3].T)
        return np.concatenate([rate[..., 3], turning], axis=-1)

    units = np.eye(own.tree.nv)[joint.v_slice]
    steps = pose(x + 1e-30j * own.bodies.rate(x[None], units)).imag * 1e30
    along, reach = own.curve(x, w, np.zeros_like(w))
    first, second = derivatives(lambda t: pose(along(t)), reach)
    return twist(steps).T, twist(first), twist(second)


def _coupling_rows(own: Projection, x: Array, w: Array) -> tuple[Array, Array]:
    """Return rows on the joint coordinates."""
    count = own.differences(x).size
    rows, bias = own.rows(x)[:count], own.row_accelerations(x, w)[:count]
    return np.hstack([np.zeros((count, 6 * own.tree.n_bodies)), rows]), bias


def _loop_rows(own: Projection, poses: Array, rates: Array) -> tuple[Array, Array]:
    """Return rows on the bodies that the loops join."""
    n = own.tree.n_bodies
    rows, bias = [np.zeros((0, 6 * n + own.tree.nv))], [np.zeros(0)]
    units = _unit_rates(own, poses)
    turning = axial(rates[:, :3, :3] @ np.swapaxes(poses[:, :3, :3], -1, -2))
    reach = 0.4 / max(1.0, np.abs(rates).max())

    def glide(t: Array) -> Array:
        """Bodies that turn and whose centres move without acceleration."""
        spin = skew(turning)
        second = spin @ spin @ poses[:, :3, :3]
        found = np.array(poses + t[:, None, None, None] * rates, complex)
        found[..., :3, :3] += 0.5 * t[:, None, None, None] ** 2 * second
        bent = np.einsum("bij,bj->bi", second, own.bodies.coms)
        found[..., :3, 3] -= 0.5 * t[:, None, None] ** 2 * bent
        return found

    for loop in own.loops:

        def closure(poses: Array, loop: ts.model.description.Loop = loop) -> Array:
            a = own.frame(poses, loop.body_a, loop.placement_a)
            return np.linalg.inv(a) @ own.frame(poses, loop.body_b, loop.placement_b)

        at = closure(poses)
        steps = closure(poses + 1e-30j * units).imag * 1e30
        mine = loop_rates(loop, at, steps).T
        rows.append(np.hstack([mine, np.zeros((len(mine), own.tree.nv))]))
        first, second = derivatives(lambda t: closure(glide(t)), reach)
        bias.append(loop_accelerations(loop, at, first, second))
    return np.vstack(rows), np.concatenate(bias)


def _unit_rates(own: Projection, poses: Array) -> Array:
    """Return rates of all poses (6 n, n, 4, 4) for unit velocities of centres and axes."""
    n = own.tree.n_bodies
    rates = np.zeros((6 * n, n, 4, 4))
    for i in range(n):
        for k in range(3):
            rates[6 * i + k, i, k, 3] = 1.0
            turned = skew(np.eye(3)[k]) @ poses[i, :3, :3]
            rates[6 * i + 3 + k, i, :3, :3] = turned
            rates[6 * i + 3 + k, i, :3, 3] = -turned @ own.bodies.coms[i]
    return rates


def _wrenches(poses: Array, multipliers: Array) -> Array:
    """Return the wrenches on bodies in body axes at their origins."""
    parts = multipliers.reshape(-1, 2, 3)
    return np.einsum("bji,bkj->bki", poses[:, :3, :3], parts).reshape(-1, 6)
