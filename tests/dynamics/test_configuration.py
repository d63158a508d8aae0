"""Steps on the configuration manifold: integrate, difference, rates, samples and springs."""

from __future__ import annotations

import numpy as np
import pytest
from mechanisms import Case, cases, check, distance
from oracle import slope
from rolling import ROLLING
from scipy.spatial.transform import Rotation

import tarsus as ts

ANGLES = {
    "spherical": slice(0, 3),
    "free": slice(3, 6),
    "planar": slice(2, 3),
    "knife_edge": slice(1, 2),
    "rolling_ball": slice(0, 3),
    "rolling": slice(0, 3),
}
"""The parts of a step that are angles which `difference` gives as the shortest turn."""


SHORT = 0.05
"""Turns up to this [rad] follow curved grounds to rounding; test_rolling_bodies.py has longer."""


def within_half_a_turn(model: ts.Model, step: np.ndarray) -> np.ndarray:
    """Shorten rotations beyond 0.99 π, which come back the other way round."""
    out = step.copy()
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in ANGLES:
            angle = out[joint.v_slice][ANGLES[joint.kind]]
            angle *= min(1.0, 0.99 * np.pi / max(float(np.linalg.norm(angle)), 1e-300))
    return out


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e-3, 3e-3, 0.01, 0.05, 0.3, 1.0, 5.0, 50.0])
def test_integrate_is_the_exponential(size: float) -> None:
    def residual(c: Case) -> float:
        found, expected = c.model.integrate(c.q, size * c.v), c.oracle.integrate(c.q, size * c.v)
        for joint in c.oracle.joints:
            if joint.kind in ("spherical", "free", "rolling_ball", "rolling"):
                quaternion = expected[joint.q_slice][-4:]
                quaternion *= np.sign(quaternion @ found[joint.q_slice][-4:])
            if joint.kind == "rolling" and np.linalg.norm(size * c.v[joint.v_slice]) > SHORT:
                expected[joint.q_slice][:2] = found[joint.q_slice][:2]
        return distance(found, expected)

    # series stand in for sines of small angles: they must be as exact
    check(f"integrate, step {size:g}", residual, 3e-15 if size < 1.0 else 2e-13)


@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-5, 3e-3, 0.01, 0.05, 0.3, 1.0, 3.0])
def test_difference_undoes_integrate(size: float) -> None:
    def residual(c: Case) -> float:
        step = within_half_a_turn(c.model, size * c.v)
        found = c.model.difference(c.q, c.model.integrate(c.q, step))
        return float(np.abs(found - step).max())

    check(f"difference(q, integrate(q, {size:g} v))", residual, 2e-14)


def test_integrate_undoes_difference() -> None:
    def residual(c: Case) -> float:
        other = c.model.random_configuration(c.seed)
        step = within_half_a_turn(c.model, 3.0 * c.a)
        for joint in c.oracle.joints:
            if joint.kind in ROLLING:  # goes to few places by one step: try one of these
                other[joint.q_slice] = c.model.integrate(c.q, step)[joint.q_slice]
        reached = c.model.integrate(c.q, c.model.difference(c.q, other))
        poses = c.model.forward_kinematics(np.stack([reached, other]))
        return distance(poses[0], poses[1])

    check("integrate(q0, difference(q0, q1))", residual, 1e-11)


@pytest.mark.parametrize("turn", [np.pi - 1e-9, np.pi, -np.pi, np.pi + 1e-9, -np.pi + 1e-7])
@pytest.mark.parametrize("kind", ["spherical", "free", "planar", "knife_edge"])
def test_half_turns(kind: str, turn: float) -> None:
    builder = ts.Builder("one").body("body", 1.0, inertia=(1, 1, 1))
    model = builder.joint("joint", kind, "world", "body").build()
    rng = np.random.default_rng(0)
    for start in model.random_configuration(rng, 20):
        step = rng.normal(size=model.nv)
        angle = step[ANGLES[kind]]
        angle *= turn / np.linalg.norm(angle)
        end = model.integrate(start, step)
        back = model.difference(start, end)
        size = float(np.linalg.norm(back[ANGLES[kind]]))
        assert abs(size - min(abs(turn), 2 * np.pi - abs(turn))) < 1e-12
        poses = model.forward_kinematics(np.stack([end, model.integrate(start, back)]))
        assert distance(poses[1], poses[0]) < 1e-12


def test_quaternions_stay_unit_and_both_signs_are_one_place() -> None:
    model = ts.Builder("one").body("b", 1.0, inertia=(1, 1, 1)).joint("j", "free", "world", "b")
    one = model.build()
    q = one.random_configuration(1)
    other = q * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0])
    np.testing.assert_allclose(one.difference(q, other), 0.0, atol=1e-15)
    scaled = q * np.array([1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0])
    np.testing.assert_allclose(one.mass_matrix(scaled), one.mass_matrix(q), atol=1e-14)
    stepped = one.integrate(scaled, np.full(6, 0.1))
    assert abs(np.linalg.norm(stepped[3:]) - 1.0) < 1e-15


def test_configuration_rate() -> None:
    def residual(c: Case) -> float:
        found = c.model.configuration_rate(c.q, c.v)
        along = slope(lambda s: c.model.integrate(c.q, s * c.v))
        return max(distance(found, c.oracle.rate(c.q, c.v)), 1e-3 * distance(found, along))

    check("configuration rate", residual, 1e-13)


def test_samples_are_within_limits() -> None:
    model = ts.robots.random_mechanism(5, 32, limits=True)
    q = model.random_configuration(0, 1000)
    assert (q >= model.lower).all() and (q <= model.upper).all()
    bounded = np.isfinite(model.lower)
    span = (model.upper - model.lower)[bounded]
    covered = q.max(axis=0)[bounded] - q.min(axis=0)[bounded]
    assert bounded.any() and (covered > 0.97 * span).all()
    for name in model.joint_names:
        joint = model.joint(name)
        if joint.kind in ("spherical", "free", "rolling_ball"):
            rotations = q[:, joint.q_slice][:, -4:]
            np.testing.assert_allclose(np.linalg.norm(rotations, axis=1), 1.0, rtol=1e-15)
            assert np.abs(rotations.mean(axis=0)).max() < 0.1


def test_springs() -> None:
    """Spring forces are the negative slope of the elastic energy, along every coordinate."""

    def residual(c: Case) -> float:
        still = np.zeros(c.model.nv)
        units = np.eye(c.model.nv)
        along = slope(lambda s: c.model.elastic_energy(c.model.integrate(c.q, s * units)))
        return distance(c.model.passive_forces(c.q, still), -along)

    assert any(c.model.elastic_energy(c.q) > 1.0 for c in cases())
    check("springs", residual, 1e-9)


def test_damping_and_dry_friction() -> None:
    def residual(c: Case) -> float:
        joints = c.oracle.joints
        damping, friction = (
            np.concatenate([getattr(joint, key) for joint in joints])
            for key in ("damping", "friction")
        )
        v = c.v * (np.arange(c.model.nv) % 3 > 0)
        springs = c.model.passive_forces(c.q, np.zeros_like(v))
        expected = springs - damping * v - friction * np.sign(v)
        return distance(c.model.passive_forces(c.q, v), expected)

    check("damping and friction", residual, 1e-14)


def test_rest_is_relaxed() -> None:
    builder = ts.Builder("one").body("b", 1.0, inertia=(1, 1, 1))
    builder.joint("j", "revolute", "world", "b", stiffness=[3.0], rest=[0.5])
    model = builder.build()
    assert model.elastic_energy(np.array([0.5])) == 0.0
    assert model.passive_forces(np.array([0.7]), np.zeros(1)) == pytest.approx([-0.6])
    assert model.elastic_energy(np.array([0.7])) == pytest.approx(0.06)


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-8, 1e-6, 3e-6, 1e-3, 0.1])
def test_axes_near_minus_z_are_as_exact_as_others(tilt: float) -> None:
    axis = np.array([tilt, -2 * tilt, -1.0])
    builder = ts.Builder("one").body("b", 1.0, inertia=(1, 1, 1))
    model = builder.joint("j", "revolute", "world", "b", axis=axis).build()
    axis /= np.linalg.norm(axis)
    for angle in (0.0, 0.7, -2.0):
        expected = Rotation.from_rotvec(angle * axis).as_matrix()
        found = model.forward_kinematics([angle])[0, :3, :3]
        np.testing.assert_allclose(found, expected, atol=3e-16 * 10)
