"""Robots that fall or stand under `contact="event"` come to the end, and what slides slowly turns.

Oracles: SciPy's stiff integrator for Coulomb's law in closed form, the step "exact" at a small dt
within its first order, the ledger, and what the ground must not let through.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from compass_oracle import Array

import tarsus as ts
from tarsus.geometry import Collision, stand
from tarsus.robots.quadrupeds import legged

G = 9.81


def puck() -> ts.Model:
    """Return a kilogram that slides on the plane without turning, on a point."""
    builder = ts.Builder("puck").body("carriage", 1e-3).body("bridge", 1e-3).body("puck", 1.0)
    builder.joint("x", "prismatic", "world", "carriage", axis="x")
    builder.joint("y", "prismatic", "carriage", "bridge", axis="y")
    builder.joint("z", "prismatic", "bridge", "puck", axis="z")
    return builder.shape("puck", "sphere", (0.1,), role="collision").build()


def pulled(t: float) -> Array:
    """Return a pull along x and y [N] that grows out of the cone and turns."""
    return np.array([2.0 + 8.0 * t, 1.0 + 30.0 * t])


@pytest.mark.parametrize(("creep", "error"), [(1e-4, 1e-7), (1e-6, 1e-10)])
def test_what_begins_to_slide_turns(creep: float, error: float) -> None:
    """A pull leaves the cone: the direction of sliding turns as fast as Coulomb's law says.

    Beside SciPy's Radau from just after the slip, with the slow manifold as its start: friction is
    against the pull. The error is that of the speed `creep`.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    mu, mass = 0.3, np.array([1.002, 1.001])
    hold = mu * 1.0 * G

    def rates(t: float, y: Array) -> Array:
        v = y[2:]
        return np.concatenate([v, (pulled(t) - hold * v / np.linalg.norm(v)) / mass])

    slips = float(brentq(lambda t: np.linalg.norm(pulled(t)) - hold, 0.0, 1.0))
    start = slips + 1e-5
    way = pulled(slips) / hold
    growth = float(way @ np.array([8.0, 30.0]))
    v0 = way * (0.5 * growth * 1e-10)
    found = solve_ivp(
        rates, (start, 0.3), np.r_[0.0, 0.0, v0], method="Radau", rtol=1e-9, atol=1e-14
    )
    q0 = np.array([0.0, 0.0, 0.1])
    simulation = ts.Simulation(
        puck(), ground=ts.Ground(friction=mu), contact=ts.contact.Event(creep=creep), dt=0.01
    )
    run = simulation.run(q0, duration=0.3, controller=lambda t, q, v: np.r_[pulled(t), 0.0])
    (slip,) = run.events.of("slip").t
    assert slip == pytest.approx(slips, abs=1e-9)
    off = np.abs(run.v[-1, :2] - found.y[2:, -1]).max()
    print(f"creep {creep}: velocities {run.v[-1, :2]}, off by {off:.1e} m/s")
    assert off < error
    run.energy.check(1e-8)


def drum(tilt: float) -> tuple[ts.Model, Array]:
    """Return a short cylinder and where it stands on its edge, tilted."""
    radius, half = 0.1, 0.05
    builder = ts.Builder("drum").body("drum", 1.0, inertia=(4e-3, 4e-3, 5e-3))
    builder.joint("flight", "free", "world", "drum")
    builder.shape("drum", "cylinder", (radius, 2 * half), role="collision")
    q = np.zeros(7)
    q[2] = radius * math.sin(tilt) + half * math.cos(tilt)
    q[3:] = [math.sin(0.5 * tilt), 0.0, 0.0, math.cos(0.5 * tilt)]
    return builder.build(), q


def test_a_drum_falls_from_its_edge_onto_its_face() -> None:
    """It turns about the lowest point, which stands; the fall takes what a pendulum does."""
    from scipy.integrate import quad

    tilt, radius, half = 0.2, 0.1, 0.05
    model, q0 = drum(tilt)
    simulation = ts.Simulation(model, ground=ts.Ground(friction=2.0), contact="event", dt=0.01)
    run = simulation.run(q0, duration=0.3)

    def height(angle: float) -> float:
        return radius * math.sin(angle) + half * math.cos(angle)

    about = 4e-3 + radius**2 + half**2

    def slowness(root: float) -> float:
        """Return dt/ds for angle = tilt − s², without the singularity at rest."""
        fallen = height(tilt) - height(tilt - root**2)
        return 2.0 * root / math.sqrt(2.0 * G * fallen / about) if root > 0.0 else 0.0

    expected = quad(slowness, 1e-9, math.sqrt(tilt), epsabs=1e-12)[0]
    strikes = run.events.of("impact")
    print(f"face strikes at {strikes.t[0]:.9f} s, expected {expected:.9f}")
    assert strikes.t[0] == pytest.approx(expected, abs=2e-6)
    assert run.q[-1, 2] == pytest.approx(half, abs=2e-6)
    # where it tips on its face it is moved by up to 1e-5 of its radius
    assert float(np.abs(run.energy.residual).max()) < 2 * 1e-5 * radius * 1.0 * G


def test_a_drum_that_rolls_on_its_edge_keeps_its_energy() -> None:
    """A wheel, upright to a degree: nothing slips, and energy stays."""
    model, q0 = drum(math.pi / 2 - 0.02)
    simulation = ts.Simulation(model, ground=ts.Ground(friction=2.0), contact="event", dt=0.01)
    still = simulation.run(q0, duration=0.05)
    assert not len(still.events.of("slip"))
    still.energy.check(1e-8)


def dropped(name: str) -> tuple[ts.Model, Array, Collision]:
    """Return a robot, tilted and a little above the ground."""
    robot = legged(name)
    q = robot.stance.copy()
    q[3:7] = [0.6 * math.sin(0.1), 0.8 * math.sin(0.1), 0.0, math.cos(0.1)]
    q = stand(robot.model, q, collision=robot.collision)
    q[2] += 0.05
    return robot.model, q, robot.collision


@pytest.mark.parametrize("name", ["solo12", "anymal"])
def test_robots_that_fall_come_to_the_end(name: str) -> None:
    """Limp, from five centimetres: impacts, slides, edges of cylinders, and the ledger closes."""
    model, q0, collision = dropped(name)
    options = {"ground": ts.Ground(friction=0.7), "collision": collision}
    simulation = ts.Simulation(model, contact="event", dt=0.01, **options)  # type: ignore[arg-type]
    run = simulation.run(q0, duration=0.5)
    worst = float(np.abs(run.energy.relative_residual).max())
    print(f"{name}: {run.events}, ledger {worst:.1e}")
    assert run.t[-1] == pytest.approx(0.5) and len(run.events.of("impact")) > 4
    assert worst < 1e-8
    assert run.contacts.gap.min() > -1e-8
    stepped = ts.Simulation(model, dt=1e-4, **options).run(q0, duration=0.12)  # type: ignore[arg-type]
    off = np.abs(stepped.q[-1, :3] - run.q[12, :3]).max()
    print(f"{name}: base off by {off:.1e} m from steps after 0.12 s")
    assert off < 2e-4


def test_a_robot_with_dry_friction_in_its_joints_comes_to_rest() -> None:
    """The quadruped limp on the ground, with friction in sixteen joints."""
    robot = legged("quadruped")
    simulation = ts.Simulation(
        robot.model,
        ground=ts.Ground(friction=0.7),
        collision=robot.collision,
        contact="event",
        dt=0.01,
    )
    run = simulation.run(robot.stance, duration=0.6)
    print(run.events)
    assert run.t[-1] == pytest.approx(0.6)
    run.energy.check(1e-8)
