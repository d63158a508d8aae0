"""Frames of random mechanisms: velocities, Jacobians and their rates in three references."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mechanisms import REFERENCES, Case, cases, check, distance
from oracle import Array, seen_from, slope

each_reference = pytest.mark.parametrize("reference", REFERENCES)


def frames(c: Case) -> list[str]:
    """All added frames, also on the world, and some bodies; welded ones too."""
    names = c.model.frame_names
    return [*names[-3:], names[0], names[c.seed % len(names)], names[-4]]


def worst(c: Case, residual: Callable[[str], float]) -> float:
    return max(residual(name) for name in frames(c))


@functools.cache
def unit_motions(seed: int) -> tuple[Array, Array]:
    """Poses of the bodies, and their rates (nv, n_bodies, 4, 4) for unit velocities."""
    case = cases()[seed]
    poses, rates = case.oracle.unit_motions(case.q)
    return poses[0], rates


def pose_and_rate(c: Case, name: str, v: Array) -> tuple[Array, Array]:
    """The pose of a frame and its rates for velocities (…, nv), by the oracle."""
    frame = c.model.frame(name)
    if frame.body == "world":
        return frame.placement, np.zeros((*v.shape[:-1], 4, 4))
    body = c.model.body_names.index(frame.body)
    poses, rates = unit_motions(c.seed)
    rate = np.einsum("...k,kij->...ij", v, rates[:, body])
    return poses[body] @ frame.placement, rate @ frame.placement


def test_poses() -> None:
    def residual(c: Case) -> float:
        return worst(
            c, lambda name: distance(c.model.frame_pose(c.q, name), pose_and_rate(c, name, c.v)[0])
        )

    check("frame poses", residual, 1e-13)


@each_reference
def test_velocities_are_rates_of_poses(reference: Any) -> None:
    def residual(c: Case) -> float:
        def of(name: str) -> float:
            expected = seen_from(reference, *pose_and_rate(c, name, c.v))
            return distance(c.model.frame_velocity(c.q, c.v, name, reference), expected)

        return worst(c, of)

    check(f"velocity, {reference}", residual, 1e-12)


@each_reference
def test_jacobians_are_velocities_of_unit_steps(reference: Any) -> None:
    def residual(c: Case) -> float:
        def of(name: str) -> float:
            expected = seen_from(reference, *pose_and_rate(c, name, np.eye(c.model.nv))).T
            return distance(c.model.frame_jacobian(c.q, name, reference), expected)

        return worst(c, of)

    check(f"Jacobian, {reference}", residual, 1e-12)


@each_reference
def test_jacobian_rates_are_slopes(reference: Any) -> None:
    def residual(c: Case) -> float:
        def of(name: str) -> float:
            def jacobian(s: float) -> Array:
                return c.model.frame_jacobian(c.model.integrate(c.q, s * c.v), name, reference)

            found = c.model.frame_jacobian_rate(c.q, c.v, name, reference)
            return distance(found, slope(jacobian))

        return worst(c, of)

    check(f"Jacobian rate, {reference}", residual, 1e-10)


@each_reference
def test_accelerations_are_slopes_of_velocities(reference: Any) -> None:
    def residual(c: Case) -> float:
        def of(name: str) -> float:
            def velocity(s: float) -> Array:
                q = c.model.integrate(c.q, s * c.v)
                return c.model.frame_velocity(q, c.v + s * c.a, name, reference)

            found = c.model.frame_acceleration(c.q, c.v, c.a, name, reference)
            return distance(found, slope(velocity))

        return worst(c, of)

    check(f"acceleration, {reference}", residual, 1e-10)


@each_reference
def test_accelerations_by_jacobians(reference: Any) -> None:
    def residual(c: Case) -> float:
        def of(name: str) -> float:
            jacobian = c.model.frame_jacobian(c.q, name, reference)
            rate = c.model.frame_jacobian_rate(c.q, c.v, name, reference)
            found = c.model.frame_acceleration(c.q, c.v, c.a, name, reference)
            return distance(found, jacobian @ c.a + rate @ c.v)

        return worst(c, of)

    check(f"J a + J̇ v, {reference}", residual, 1e-11)
