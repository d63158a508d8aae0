"""Strikes of walkers of every joint and of robots: dense projections in the metric of masses."""

from __future__ import annotations

import numpy as np
import pytest
from dense_strike import dense_strike

import tarsus as ts
from tarsus.events.phase import mapped
from tarsus.gait.walkers.touchdown import rates_on
from tarsus.robots.load import example


def robot(name: str) -> ts.Model:
    """Return a robot by its name."""
    return ts.robots.lola() if name == "lola" else example(name)


JOINTS: dict[str, dict[str, str]] = {
    "revolute": {"axis": "y"},
    "prismatic": {"axis": "z"},
    "cylindrical": {"axis": "z"},
    "universal": {},
    "spherical": {},
    "spherical_zyx": {},
    "translation": {},
    "planar": {"axis": "y"},
}


def biped(kind: str, armature: float = 0.0, **given: str) -> ts.Model:
    """Return a trunk on two legs, whose hips are of a kind."""
    b = ts.Builder("biped").body("trunk", 10.0, (0.02, 0, 0.3), inertia=(1.0, 1.2, 0.3))
    b.joint("base", "free", "world", "trunk")
    for side, y in (("left", 0.1), ("right", -0.1)):
        b.body(f"{side}_thigh", 3.0, (0.01, 0, -0.2), inertia=(0.1, 0.1, 0.02))
        b.body(f"{side}_shank", 2.0, (0, 0, -0.2), inertia=(0.1, 0.1, 0.01))
        b.joint(f"{side}_hip", kind, "trunk", f"{side}_thigh", position=(0, y, 0), **given)
        b.joint(
            *(f"{side}_knee", "revolute", f"{side}_thigh", f"{side}_shank"),
            position=(0, 0, -0.4),
            axis="y",
            armature=armature,
        )
        b.frame(f"{side}_foot", f"{side}_shank", position=(0, 0, -0.4))
    return b.build()


def strike_error(walker: ts.gait.Walker) -> float:
    """Return how far energies of strikes of random states are from the dense projection [parts]."""
    machine = walker.stance
    assert machine is not None
    m, model = machine.standing, machine.model
    rng, worst = np.random.default_rng(0), 0.0
    for _ in range(3):
        q = m.integrate(walker.start[0], 0.1 * rng.normal(size=m.nv))
        v = rng.normal(size=m.nv)
        floats = m.to_original(q, v)
        rows = 3 if machine.stance == "point" else 6
        after = dense_strike(model, machine.feet[1], floats.q, floats.v, rows)
        there = machine.set_down(q).q
        rates = rates_on(machine.other, there, m, q, v)
        wanted = float(model.kinetic_energy(floats.q, after))
        assert wanted < float(model.kinetic_energy(floats.q, floats.v))
        worst = max(worst, abs(float(machine.other.kinetic_energy(there, rates)) / wanted - 1.0))
        one, many = machine.landed(q, v), machine.landed(np.tile(q, (2, 1)), np.tile(v, (2, 1)))
        for a, b in zip(one, many, strict=True):
            np.testing.assert_allclose(b, [a, a], atol=1e-13)
    return worst


@pytest.mark.parametrize("kind", JOINTS)
def test_strikes_of_every_joint_are_dense_projections(kind: str) -> None:
    """Bodies move after a strike as the image of what the projection has them do."""
    model = biped(kind, **JOINTS[kind])
    walker = ts.gait.Walker.from_model(model, ["left_foot", "right_foot"], stance="point")
    machine = walker.stance
    assert machine is not None
    m = machine.standing
    rng = np.random.default_rng(1)
    q, v = m.integrate(m.neutral(), 0.2 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    floats = m.to_original(q, v)
    after = dense_strike(model, machine.feet[1], floats.q, floats.v, 3)
    there, rates = machine.landed(q, v)
    for side, other in (("left", "right"), ("right", "left")):
        for part in ("thigh", "shank", "foot"):
            seen = model.frame_velocity(floats.q, after, f"{side}_{part}", "local_world_aligned")
            ours = m.frame_velocity(there, rates, f"{other}_{part}", "local_world_aligned")
            image = np.asarray(seen) * [1, -1, 1, -1, 1, -1]
            np.testing.assert_allclose(ours, image, atol=1e-11)


@pytest.mark.parametrize(
    "name", ["bolt", "g1", "talos_reduced", "romeo", "icub", "cassie", "lola", ""]
)
def test_strikes_of_robots_are_dense_projections(name: str) -> None:
    """Rotors of lola, armatures of joints and rods in loops have momenta, too."""
    if name:
        walker = ts.gait.Walker.from_model(robot(name), stance="point")
    else:
        model = biped("revolute", 0.5, axis="y")
        walker = ts.gait.Walker.from_model(model, ["left_foot", "right_foot"], stance="point")
    error = strike_error(walker)
    print(f"{error:.1e}")
    assert error < 1e-9


@pytest.mark.parametrize("name", ["g1", "talos_reduced", "romeo", "icub", "cassie", "lola"])
def test_strikes_onto_soles_are_dense_projections(name: str) -> None:
    """Resets of a phase on flat feet: joints turn as the projection has them, by their image."""
    model = robot(name)
    walker = ts.gait.Walker.from_model(model, stance="flat")
    machine = walker.stance
    assert machine is not None
    m, rng = machine.standing, np.random.default_rng(2)
    q, v = m.integrate(walker.start[0], 0.1 * rng.normal(size=m.nv)), rng.normal(size=m.nv)
    floats = m.to_original(q, v)
    after = dense_strike(model, machine.feet[1], floats.q, floats.v, 6)
    rates = np.zeros(m.nv)
    for joint in machine.other.joints:
        rates[joint.v_slice] = after[model.joint(joint.name).v_slice]
    ours = mapped(walker.phases[0].exits[0].reset, q[None], v[None])[1][0]  # type: ignore[index, union-attr]
    np.testing.assert_allclose(ours, machine.names @ rates, atol=1e-8)


@pytest.mark.parametrize("kind", JOINTS)
def test_strikes_onto_soles_of_every_joint(kind: str) -> None:
    """Coordinates of balls and of slides in a plane after a strike are no sums of those before."""
    walker = ts.gait.Walker.from_model(
        biped(kind, **JOINTS[kind]), ["left_foot", "right_foot"], stance="flat"
    )
    assert strike_error(walker) < 1e-9
