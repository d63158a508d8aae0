"""Machines that float, to be stood on their bodies; and what must be the same on every root."""

from __future__ import annotations

from typing import Any

import numpy as np
from machines import machine

import tarsus as ts
from tarsus.model.description import DescriptionDraft

FEET = {
    "bolt": "FL_FOOT",
    "g1": "left_ankle_roll_link",
    "talos": "left_sole_link",
    "cassie": "left-foot",
    "solo12": "FL_FOOT",
    "anymal": "LF_FOOT",
}


KNEE = {
    "lower": 0.0,
    "upper": 2.0,
    "damping": 0.2,
    "friction": 0.1,
    "stiffness": 5.0,
    "rest": 0.4,
    "armature": 0.01,
}


def walker() -> ts.Model:
    """Return a trunk on two legs with a gear, springs, a mimicking toe, shapes and a force."""
    b = ts.Builder("walker")
    b.body("trunk", 10.0, (0.0, 0.0, 0.3), (1.0, 1.1, 0.5))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_thigh", 3.0, (0.0, 0.0, -0.2), (0.1, 0.11, 0.02))
        b.body(f"{side}_shank", 2.0, (0.0, 0.01, -0.2), (0.08, 0.07, 0.01))
        b.body(f"{side}_foot", 1.0, (0.03, 0.0, -0.02), (0.01, 0.02, 0.02))
        b.body(f"{side}_toe", 0.2, (0.02, 0.0, 0.0), (0.001, 0.001, 0.001))
        b.body(f"{side}_rotor", 0.3, inertia=(1e-3, 1e-3, 2e-3))
        b.joint(f"{side}_hip", "universal", "trunk", f"{side}_thigh", position=(0, y, 0))
        b.joint(
            *(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank"),
            position=(0, 0, -0.4),
            axis="y",
            **KNEE,
        )
        b.joint(
            f"{side}_ankle", "spherical", f"{side}_shank", f"{side}_foot", position=(0, 0, -0.4)
        )
        b.joint(
            f"{side}_toe", "revolute", f"{side}_foot", f"{side}_toe", position=(0.1, 0, 0), axis="y"
        )
        b.gear(f"{side}_knee", 30.0, f"{side}_rotor")
        b.frame(f"{side}_sole", f"{side}_foot", position=(0.02, 0, -0.05))
        b.shape(f"{side}_foot", "box", (0.2, 0.1, 0.04), role="collision", position=(0, 0, -0.03))
        b.couple([f"{side}_knee", f"{side}_toe"], [[1.0], [-0.5]], name=f"{side}_mimic")
    b.force(
        ts.forces.Spring(
            "trunk", ("left_foot", (0.0, 0.0, 0.1)), 30.0, rest_length=0.5, name="cord"
        )
    )
    return b.build()


def on_a_trunk(model: ts.Model, base: str = "free") -> ts.Model:
    """Return the mechanism on a body that floats, in the place of the world."""
    stated = DescriptionDraft.of(model.description)
    trunk = ts.Body("trunk", 2.0, np.array([0.1, 0.2, 0.3]), np.diag([0.2, 0.3, 0.25]))
    for joint in list(stated.joints):
        if joint.parent == "world":
            stated.change(joint, parent="trunk")
    for loop in list(stated.loops):
        ends = {key: getattr(loop, key) for key in ("body_a", "body_b")}
        stated.change(loop, **{key: "trunk" for key, body in ends.items() if body == "world"})
    stated.bodies.insert(0, trunk)
    stated.joints.insert(0, ts.Joint("base", base, "world", "trunk"))
    return ts.Model(stated.build())


def random_floater(seed: int, n: int, **options: Any) -> ts.Model:
    """Return a random tree with every kind of joint on a trunk that floats."""
    return on_a_trunk(ts.robots.random_mechanism(seed, n, **options))


def machine_that_floats(seed: int, flavour: str) -> ts.Model:
    """Return a random machine with gears, couplings and loops on a trunk that floats."""
    return on_a_trunk(ts.Model(machine(seed, flavour).description))


def same_on_both_roots(rooted: ts.Rooted, seed: int = 0) -> None:
    """Assert that random states have the same poses, velocities, energies, inertia on both."""
    old, rng = rooted.original, np.random.default_rng(seed)
    q, v = rooted.random_configuration(rng, 3), rng.normal(size=(3, rooted.nv))
    there = rooted.to_original(q, v)
    assert there.exact, str(there)
    again = rooted.from_original(there.q, there.v)
    assert again.exact, str(again)
    np.testing.assert_allclose(rooted.difference(q, again.q), 0.0, atol=1e-12)
    np.testing.assert_allclose(again.v, v, atol=1e-12)
    speed = 1.0 + np.abs(there.v).max()
    for name in set(old.frame_names) & set(rooted.frame_names):
        pose, twist = (
            (m.frame_pose(x, name) for m, x in ((rooted, q), (old, there.q))),
            (
                rooted.frame_velocity(q, v, name),
                old.frame_velocity(there.q, there.v, name),
            ),
        )
        np.testing.assert_allclose(*pose, atol=1e-11)
        np.testing.assert_allclose(*twist, atol=1e-11 * speed)
    kinetic = old.kinetic_energy(there.q, there.v)
    np.testing.assert_allclose(rooted.kinetic_energy(q, v), kinetic, rtol=1e-11)
    # a body that is welded to the world has no energy there, which here is a constant
    apart = rooted.potential_energy(q) - np.asarray(old.potential_energy(there.q))
    np.testing.assert_allclose(apart, apart[0], atol=1e-9)
    elastic = old.elastic_energy(there.q)
    np.testing.assert_allclose(rooted.elastic_energy(q), elastic, rtol=1e-11, atol=1e-12)
    jacobian = rooted.original_jacobian(q)
    np.testing.assert_allclose((jacobian @ v[..., None])[..., 0], there.v, atol=1e-11 * speed)
    projected = np.swapaxes(jacobian, -1, -2) @ old.mass_matrix(there.q) @ jacobian
    size = np.abs(projected).max()
    np.testing.assert_allclose(rooted.mass_matrix(q), projected, atol=1e-12 * size)
    passive = np.asarray(old.passive_forces(there.q, there.v))[..., None]
    np.testing.assert_allclose(
        rooted.passive_forces(q, v),
        (np.swapaxes(jacobian, -1, -2) @ passive)[..., 0],
        atol=1e-9 * (1.0 + np.abs(passive).max()),
    )
