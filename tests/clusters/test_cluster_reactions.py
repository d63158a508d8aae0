"""Wrenches that joints transmit, also inside loops: multipliers of free bodies, and balances."""

from __future__ import annotations

import numpy as np
from closures import loop_rates
from cluster_cases import Case, check, distance
from maximal import solve
from oracle import Array, skew

from tarsus.model.description import Loop

CLUSTERS = ["gears", "couplings", "forms", "loops"]


def test_wrenches_are_the_multipliers_of_free_bodies() -> None:
    def residual(c: Case) -> float:
        expected = solve(c.own, c.x, c.v, c.tau, c.external).wrenches
        found = c.model.reaction_wrenches(c.q, c.v, c.forward_dynamics, c.external)
        return distance(found, expected)

    check("wrenches", residual, 1e-8, CLUSTERS, every=6)


def test_wrenches_work_on_the_joints() -> None:
    """On the joints' motions they do the work of tau; a joint that a loop moves is not driven."""

    def residual(c: Case) -> float:
        wrenches = c.model.reaction_wrenches(c.q, c.v, c.a, c.external)
        work = np.concatenate([_subspace(c, i).T @ f for i, f in enumerate(wrenches)])
        work += c.own.bodies.armature * c.wdot
        follows = [joint.dependent == "coupling" for joint in c.model.joints]
        by_loops = ~c.own.free & ~np.repeat(follows, [joint.nv for joint in c.own.tree.joints])
        moved = {joint.name for joint in c.model.joints if joint.dependent == "loop"}
        led = any(moved & set(coupling.leaders) for coupling in c.own.couplings)
        idle = 0.0 if led else float(np.abs(work[by_loops]).max(initial=0.0))
        scale = max(1.0, float(np.abs(work).max()))
        return max(distance(c.g.T @ work, c.inverse_dynamics), idle / scale)

    check("work", residual, 1e-9, CLUSTERS)


def _subspace(c: Case, i: int) -> Array:
    """Return the motion (6, nv) of a body by its own joint, in its axes, from the spanning tree."""
    joint = c.own.tree.joints[i]
    return np.asarray(c.own.tree.frame_jacobian(c.x, joint.child)[:, joint.v_slice])


def test_every_body_is_in_balance() -> None:
    """What comes in by its joint, and by loops, and goes out by other joints moves a body."""

    def residual(c: Case) -> float:
        wrenches = c.model.reaction_wrenches(c.q, c.v, c.a, c.external)
        poses = c.motion[0]
        force, moment = c.own.body_forces(c.x, c.w, c.wdot, c.external)
        arms = c.own.bodies.centres(c.x)
        missing = np.concatenate([force, moment + np.cross(arms, force)], axis=-1)
        for i, body in enumerate(c.model.bodies):
            wrench = _about_the_origin(poses[i], wrenches[i])
            missing[i] -= wrench
            if body.parent >= 0:
                missing[body.parent] += wrench
        for loop, own in zip(
            c.own.loops, c.model.loop_wrenches(c.q, c.v, c.a, c.external), strict=True
        ):
            frame = c.own.frame(poses, loop.body_b, loop.placement_b)
            for name, sign in ((loop.body_a, 1.0), (loop.body_b, -1.0)):
                body = "world" if name == "world" else c.model.frame(name).body
                if body != "world":
                    missing[c.model.body_names.index(body)] += sign * _about_the_origin(frame, own)
        return float(np.abs(missing).max()) / max(1.0, float(np.abs(wrenches).max()))

    check("balance", residual, 1e-10, CLUSTERS)


def _about_the_origin(pose: Array, wrench: Array) -> Array:
    """Return a wrench, given in a frame at its origin, in the world about the world's origin."""
    push, twist = (pose[:3, :3] @ part for part in np.split(wrench, 2))
    return np.concatenate([push, twist + np.cross(pose[:3, 3], push)])


def test_loop_wrenches_push_only_where_the_loop_holds() -> None:
    """They do no work on what a loop joint lets free, seen from frame b."""

    def residual(c: Case) -> float:
        wrenches = c.model.loop_wrenches(c.q, c.v, c.a, c.external)
        closures, worst = c.own.closures(c.x), 0.0
        for loop, relative, wrench in zip(c.own.loops, closures, wrenches, strict=True):
            held = _held(loop, relative)
            left = wrench - held @ np.linalg.lstsq(held, wrench, rcond=1e-10)[0]
            worst = max(worst, float(np.abs(left).max()) / max(1.0, float(np.abs(wrench).max())))
        return worst

    check("loop wrenches", residual, 1e-10, ["loops"])


def _held(loop: Loop, relative: Array) -> Array:
    """Return the wrenches (6, rows) at frame b, in its axes, that the rows of a loop can exert."""
    units = np.zeros((6, 4, 4))
    units[:3, :3, 3] = np.eye(3)
    units[3:, :3, :3] = skew(np.eye(3))
    return loop_rates(loop, relative, relative @ units)
