"""Positions, velocities and accelerations of machines with couplings and loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cluster_cases import REFERENCES, Case, check, distance
from oracle import Array, axial, seen_from, slope
from projection import user_layout
from rolling import ROLLING

each_reference = pytest.mark.parametrize("reference", REFERENCES)


def test_bodies_stand_parents_first_and_clusters_together() -> None:
    def residual(c: Case) -> float:
        assert all(body.parent < body.index for body in c.model.bodies)
        members = [name for cluster in c.model.clusters for name in cluster.bodies]
        assert tuple(members) == c.model.body_names
        return 0.0

    check("order", residual, 1e-13)


def test_joint_positions() -> None:
    check("positions", lambda c: distance(c.model.joint_positions(c.q), c.x), 1e-12)


def test_joint_velocities() -> None:
    check("velocities", lambda c: distance(c.model.joint_velocities(c.q, c.v), c.w), 1e-11)


def test_joint_accelerations() -> None:
    def residual(c: Case) -> float:
        return distance(c.model.joint_accelerations(c.q, c.v, c.a), c.wdot)

    check("accelerations", residual, 1e-10)


def test_coupling_matrix() -> None:
    check("coupling matrix", lambda c: distance(c.model.coupling_matrix(c.q), c.g), 1e-11)


def test_poses() -> None:
    check("poses", lambda c: distance(c.model.forward_kinematics(c.q), c.motion[0]), 1e-12)


def test_configuration_rate() -> None:
    def residual(c: Case) -> float:
        expected = user_layout(c.model, c.own.bodies.rate(c.x, c.w))
        return distance(c.model.configuration_rate(c.q, c.v), expected)

    check("configuration rate", residual, 1e-11)


def whole(c: Case) -> bool:
    """Whether where joints are does not depend on how they got there: they depend as a whole."""
    depend = [joint for joint in c.model.joints if joint.dependent]
    return all(not j.own_velocities and j.kind not in ROLLING for j in depend)


def test_integrate_moves_the_independent_joints_and_closes_the_loops() -> None:
    def residual(c: Case) -> float:
        if not whole(c):
            return 0.0
        step = np.zeros(c.own.tree.nv)
        step[c.own.free] = 0.02 * c.v
        expected = c.own.close(c.own.bodies.integrate(c.x, step))
        found = c.model.integrate(c.q, 0.02 * c.v)
        return distance(c.model.forward_kinematics(found), c.own.bodies.poses(expected))

    check("integrate", residual, 1e-10)


def test_difference_undoes_integrate() -> None:
    def residual(c: Case) -> float:
        if not whole(c):
            return 0.0
        return distance(c.model.difference(c.q, c.model.integrate(c.q, 0.02 * c.v)), 0.02 * c.v)

    check("difference", residual, 1e-12)


def test_integrate_closes_all_loops() -> None:
    def residual(c: Case) -> float:
        gaps = c.model.loop_gaps(c.model.integrate(c.q, 0.02 * c.v))
        return float(np.abs(gaps[c.own.eliminated[len(c.own.differences(c.x)) :]]).max())

    check("gaps after a step", residual, 1e-11, ["loops", "everything"])


def test_small_steps_follow_the_coupling_matrix() -> None:
    def residual(c: Case) -> float:
        def positions(s: float) -> Array:
            return np.asarray(c.model.integrate(c.q, s * c.v))

        expected = user_layout(c.model, c.own.bodies.rate(c.x, c.w))
        return distance(slope(positions, 1e-4), expected)

    check("slope of integrate", residual, 1e-8)


def test_closing() -> None:
    """From dependent joints that are a little off, the loops close to where they were."""

    def residual(c: Case) -> float:
        rng = np.random.default_rng(0)
        step = 1e-2 * rng.normal(size=c.own.tree.nv) * ~c.own.free
        off = user_layout(c.model, c.own.bodies.integrate(c.x, step))
        clusters = c.own.eliminated[len(c.own.differences(c.x)) :]
        gaps = [np.abs(c.model.loop_gaps(q)[clusters]).max() for q in (off, c.q)]
        assert gaps[0] > 1e-4 and gaps[1] < 1e-12
        closed = c.model.close(off)
        assert np.abs(c.model.loop_gaps(closed)[clusters]).max() < 1e-11
        found, expected = c.model.joint_positions(off), c.model.joint_positions(closed)
        return distance(found, expected) + (distance(closed, c.q) if whole(c) else 0.0)

    check("closing", residual, 1e-10, ["loops"])


def test_gaps_are_residuals_of_the_loops() -> None:
    def residual(c: Case) -> float:
        rng = np.random.default_rng(0)
        step = 0.1 * rng.normal(size=c.own.tree.nv)
        x = c.own.follow(c.own.bodies.integrate(c.x, step))
        expected = c.own.gaps(x)[len(c.own.differences(x)) :]
        return distance(c.model.loop_gaps(user_layout(c.model, x)), expected)

    check("gaps", residual, 1e-12, ["loops", "constraints", "everything"])


def frame_motion(c: Case, name: str) -> tuple[Array, Array, Array, Array]:
    """Return pose, rate, second rate and unit rates of a frame."""
    frame = c.model.frame(name)
    if frame.body == "world":
        still = np.zeros((4, 4))
        return frame.placement, still, still, np.zeros((c.model.nv, 4, 4))
    body = c.model.body_names.index(frame.body)
    pose, rate, second = (part[body] @ frame.placement for part in c.motion)
    return pose, rate, second, c.unit_rates[:, body] @ frame.placement


def frames(c: Case) -> list[str]:
    """The last bodies, some frames, and the world's."""
    return [*c.model.body_names[-3:], *c.model.body_names[:2], *c.model.frame_names[-3:]]


@each_reference
def test_frame_velocities(reference: Any) -> None:
    def residual(c: Case) -> float:
        worst = 0.0
        for name in frames(c):
            pose, rate, _, _ = frame_motion(c, name)
            found = c.model.frame_velocity(c.q, c.v, name, reference)
            worst = max(worst, distance(found, seen_from(reference, pose, rate)))
            worst = max(worst, distance(c.model.frame_pose(c.q, name), pose))
        return worst

    check(f"velocity, {reference}", residual, 1e-11)


@each_reference
def test_frame_jacobians(reference: Any) -> None:
    def residual(c: Case) -> float:
        worst = 0.0
        for name in frames(c):
            pose, _, _, units = frame_motion(c, name)
            found = c.model.frame_jacobian(c.q, name, reference)
            worst = max(worst, distance(found, seen_from(reference, pose, units).T))
        return worst

    check(f"Jacobian, {reference}", residual, 1e-11)


def acceleration(reference: str, pose: Array, rate: Array, second: Array) -> Array:
    """Return the rate of the numbers of `seen_from` (6,)."""
    r = pose[:3, :3]
    turning, spinning = axial(rate[:3, :3] @ r.T), axial(second[:3, :3] @ r.T)
    p, moving, linear = pose[:3, 3], rate[:3, 3], second[:3, 3]
    if reference == "world":
        linear = linear - np.cross(spinning, p) - np.cross(turning, moving)
    if reference == "local":
        linear, spinning = r.T @ (linear - np.cross(turning, moving)), r.T @ spinning
    return np.concatenate([linear, spinning])


@each_reference
def test_frame_accelerations(reference: Any) -> None:
    def residual(c: Case) -> float:
        worst = 0.0
        for name in frames(c):
            expected = acceleration(reference, *frame_motion(c, name)[:3])
            found = c.model.frame_acceleration(c.q, c.v, c.a, name, reference)
            worst = max(worst, distance(found, expected))
        return worst

    check(f"acceleration, {reference}", residual, 1e-10)


@each_reference
def test_frame_jacobian_rates(reference: Any) -> None:
    """J a + J̇ v is the acceleration, and J̇ the slope of J along the motion."""

    def residual(c: Case) -> float:
        name = frames(c)[0]
        expected = acceleration(reference, *frame_motion(c, name)[:3])
        rate = c.model.frame_jacobian_rate(c.q, c.v, name, reference)
        found = c.model.frame_jacobian(c.q, name, reference) @ c.a + rate @ c.v

        def jacobian(s: float) -> Array:
            return c.model.frame_jacobian(c.model.integrate(c.q, s * c.v), name, reference)

        # the slope is taken of the library's own Jacobian, which is tested above
        return max(distance(found, expected), 1e-3 * distance(rate, slope(jacobian, 1e-4)))

    check(f"Jacobian rate, {reference}", residual, 1e-10)
