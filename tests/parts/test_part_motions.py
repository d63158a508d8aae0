"""Motions with parts that have closed answers, or equals among the joints of a model."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array

c, f = ts.constraint, ts.forces
G = 9.81


def ball(gravity: float = G, mass: float = 2.0) -> ts.Model:
    b = ts.Builder("ball", gravity=(0, 0, -gravity))
    b.body("ball", mass=mass, inertia=0.1 * np.eye(3))
    return b.joint("free", "free", "world", "ball").build()


def at(x: float, y: float, z: float) -> Array:
    return np.array([x, y, z, 0.0, 0.0, 0.0, 1.0])


def circle(n: int = 96) -> Array:
    """Return points of a circle of 1 m about the y axis, from the bottom on."""
    angle = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.sin(angle), np.zeros(n), -np.cos(angle)])


def test_a_bead_slides_down_a_straight_wire() -> None:
    """x = ½ g sin α t² along it."""
    wire = np.outer(np.linspace(-1.0, 6.0, 8), [0.6, 0.0, -0.8])
    sim = ts.Simulation(ball(), dt=1e-4)
    sim.add(c.PointOnPath("ball", wire, name="wire"))
    run = sim.run(at(0.0, 0.0, 0.0), duration=0.5)
    way = run.q[:, :3] @ [0.6, 0.0, -0.8]
    # semi-implicit Euler is ahead by ½ g sin α h t
    np.testing.assert_allclose(
        way, 0.5 * 0.8 * G * run.t**2, atol=0.5 * 0.8 * G * 1e-4 * 0.5 * 1.01
    )
    assert np.abs(run.parts["wire"].gap).max() < 1e-12
    # the wire carries what is across it
    np.testing.assert_allclose(run.parts["wire"].force[-1], 2.0 * G * 0.6 * np.array([0.8, 0, 0.6]))


def test_a_bead_on_a_ring_swings_as_on_a_rod() -> None:
    """The same motion by a path, by a rod in a plane, and by Richardson the same limit."""
    start, ends = at(np.sin(1.0), 0.0, -np.cos(1.0)), {}
    for name, parts in {
        "ring": [c.PointOnPath("ball", circle(), closed=True)],
        "rod": [c.Distance((0, 0, 0), "ball", 1.0), c.PointInPlane("ball", (0, 1, 0), (0, 0, 0))],
    }.items():
        sim = ts.Simulation(ball(), dt=1e-3)
        for part in parts:
            sim.add(part)
        run = sim.run(start, duration=3.0)
        ends[name] = run.q[:, :3]
        assert np.abs(run.energy.residual).max() < 1e-9
        assert abs(run.energy.parts[-1]) < 1e-3
    # the ring is a spline: its radius is right to 1e-7
    off = np.abs(ends["ring"] - ends["rod"]).max()
    print(f"ring beside rod: {off:.1e} m")
    assert off < 1e-4


@pytest.mark.parametrize("states", [None, 5])
def test_a_ring_is_gone_round_many_times(states: int | None) -> None:
    v = np.array([6.0, 0, 0, 0, 0, 0])
    sim = ts.Simulation(ball(0.0), dt=1e-3)
    sim.add(c.PointOnPath("ball", circle(), closed=True, name="ring"))
    q, v = (at(0, 0, -1), v) if states is None else (np.tile(at(0, 0, -1), (states, 1)), v)
    run = sim.run(q, np.tile(v, (states, 1)) if states else v, duration=5.0)
    place, speed = run.q[..., :3], np.linalg.norm(run.v[..., :3], axis=-1)
    turned = np.unwrap(np.arctan2(place[..., 0], -place[..., 2]), axis=-1)[..., -1]
    print(f"turned {turned} rad, speed {speed.min():.6f} … {speed.max():.6f}")
    np.testing.assert_allclose(turned, 30.0, rtol=1e-4)
    np.testing.assert_allclose(speed, 6.0, rtol=1e-4)
    # the first step does not know yet that the ring bends: ½ v² h²
    np.testing.assert_allclose(np.linalg.norm(place, axis=-1), 1.0, atol=0.5 * 6.0**2 * 1e-6 * 1.01)


def test_a_support_carries_and_does_not_stick() -> None:
    sim = ts.Simulation(ball(), dt=1e-3, forces=[f.Support("ball", 5e3, 100.0, name="floor")])
    run = sim.run(at(0, 0, 0.5), duration=8.0)
    assert run.parts["floor"].force[:, 2].min() >= 0.0
    assert run.q[-1, 2] == pytest.approx(-2.0 * G / 5e3, abs=1e-9)
    free = run.t < np.sqrt(2 * 0.5 / G) - 0.01
    assert (run.parts["floor"].force[free] == 0.0).all()


def test_move_to_comes_by_the_double_root() -> None:
    sim = ts.Simulation(ball(), dt=1e-3)
    target = np.eye(4)
    target[:3, 3] = 1.0, -2.0, 0.5
    target[:3, :3] = ts.spatial.rotation_from_vector([0.0, 0.0, 1.2])
    sim.add(c.MoveTo("ball", target, time_constant=0.2, name="way"))
    run = sim.run(at(0, 0, 0), duration=1.0)
    left = (1 + run.t / 0.2) * np.exp(-run.t / 0.2)
    np.testing.assert_allclose(run.q[:, :3], np.outer(1 - left, target[:3, 3]), atol=1e-10)
    turn = ts.spatial.vector_from_quaternion(run.q[:, 3:])
    np.testing.assert_allclose(turn[:, 2], 1.2 * (1 - left), atol=1e-10)


def test_a_field_is_gravity_and_an_orbit_keeps_its_energy() -> None:
    own = ts.Simulation(ball(), dt=1e-3).run(at(0, 0, 0), duration=0.5)
    field = f.GravityField((0.0, 0.0, -G))
    stated = ts.Simulation(ball(0.0), dt=1e-3, forces=[field]).run(at(0, 0, 0), duration=0.5)
    np.testing.assert_allclose(stated.q, own.q, atol=1e-12)
    np.testing.assert_allclose(stated.energy.in_parts, own.energy.gravity, atol=1e-9)
    sun = f.GravityField(center=(0, 0, 0), mu=4.0, name="sun")
    orbit = ts.Simulation(ball(0.0), dt=1e-3, forces=[sun])
    run = orbit.run(at(1.0, 0, 0), np.array([0, 1.5, 0, 0, 0, 0]), duration=20.0)
    r, v = run.q[:, :3], run.v[:, :3]  # it does not turn
    momentum = np.cross(r, v)[:, 2]
    np.testing.assert_allclose(momentum, 1.5, rtol=1e-12)
    # Kepler: a = 1 / (2/r − v²/μ), the nearest and the farthest point
    a = 1 / (2.0 - 1.5**2 / 4.0)
    far = np.linalg.norm(r, axis=1)
    assert far.max() == pytest.approx(1.0, abs=2e-3)
    assert far.min() == pytest.approx(2 * a - 1.0, abs=2e-3)
    print(f"residual {np.abs(run.energy.residual).max():.1e} J of {run.energy.flow:.3g}")
    assert np.abs(run.energy.relative_residual).max() < 1e-3


def test_a_limit_is_not_exceeded_and_no_contradiction() -> None:
    """What slips, because its force is bounded, is no conflict of constraints."""
    model = ball()
    sim = ts.Simulation(model)
    hand = sim.add(c.Grab("ball", (0, 0, 3.0), stiffness=1e4, limit=15.0))
    nail = sim.add(c.Nail("ball", (0, 0, 0.0), limit=2.0))
    run = sim.run(at(0, 0, 0), duration=0.3)  # a warning would be an error
    for part, most in ((hand, 15.0), (nail, 2.0)):
        force = np.linalg.norm(run.parts[part.name].force, axis=1)
        assert force.max() <= most * (1 + 1e-9)
    # 15 N up, 2 N up, 19.62 N down
    assert run.v[-1, 2] == pytest.approx((15.0 + 2.0 - 2.0 * G) / 2.0 * 0.3, rel=0.02)
    sim.reset(at(0, 0, 0))
    sim.step(steps=50)
    assert hand.missed == nail.missed == 0.0


def test_every_state_of_a_batch_misses_its_own() -> None:
    """Contacts join in rounds: what a lane has missed in an earlier one is not forgotten."""
    b = ts.Builder("box").body("box", mass=1.0, inertia=0.1 * np.eye(3))
    b.joint("free", "free", "world", "box").shape("box", "sphere", (0.1,), role="collision")
    sim = ts.Simulation(b.build(), ground=ts.Ground())
    q = np.array([at(0, 0, 0.1), at(0, 0, 0.5), at(0, 0, 0.1003)])
    sim.reset(q, np.array([[0, 0, -1.0, 0, 0, 0]] * 3))
    high = sim.add(c.Nail("box", name="here"))
    other = sim.add(c.Nail("box", (0, 0, 0.4), name="there"))
    sim.step(steps=3)
    alone = []
    for k in range(3):
        one = ts.Simulation(sim.model, ground=ts.Ground())
        one.reset(q[k], np.array([0, 0, -1.0, 0, 0, 0]))
        first = one.add(c.Nail("box"))
        one.add(c.Nail("box", (0, 0, 0.4)))
        one.step(steps=3)
        alone.append(first.missed)
    assert high.missed.tolist() == alone
    assert (other.missed > 1.0).all()
