"""A ball between two faces of the ground rests on both, with the forces that statics knows.

In a symmetric valley of slope θ each face carries m g / (2 cos θ). In the corner of a stair the
riser carries what pushes the ball, the tread its weight.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from loose_bodies import G, loose, placed

import tarsus as ts

RADIUS, MASS = 0.1, 2.0


def ball() -> ts.Model:
    return loose(("sphere", (RADIUS,)), mass=MASS)


def valley(theta: float, other: float | None = None, **options: float) -> ts.Profile:
    """Return a V with its lowest point at the origin, faces of slopes θ and `other`."""
    right = theta if other is None else other
    points = [[-2.0, 2.0 * math.tan(theta)], [0.0, 0.0], [2.0, 2.0 * math.tan(right)]]
    return ts.Profile(points, **options)


def loads(run: ts.Trajectory, face: np.ndarray) -> float:
    """Return the normal force [N] at the end of the contacts whose normals are that of a face."""
    return sum(
        contact.normal_force
        for contact in run.contacts.at(-1)
        if float(contact.normal @ face) > 1.0 - 1e-6
    )


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("degrees", [10.0, 30.0, 45.0, 60.0])
def test_a_ball_in_a_valley(degrees: float, friction: float) -> None:
    theta = math.radians(degrees)
    m, top = ball(), RADIUS / math.cos(theta)
    drop = 0.01
    ground = valley(theta, friction=friction)
    run = ts.Simulation(m, ground=ground, dt=1e-3).run(placed([0, 0, top + drop]), duration=2.0)
    depth = top - run.q[:, 2]
    faces = [np.array([s * math.sin(theta), 0.0, math.cos(theta)]) for s in (1.0, -1.0)]
    found = [loads(run, face) for face in faces]
    expected = MASS * G / (2.0 * math.cos(theta))
    print(f"{degrees}°: {depth.max():.1e} m too deep, {found} N of {expected:.6f} N on each face")
    assert depth.max() < 1e-9 and abs(depth[-1]) < 1e-9
    assert np.abs(run.v[-1]).max() < 1e-9
    # with friction what the faces carry is not unique, but their sum is
    if friction == 0.0:
        # the solver's tolerance, 1e-10 of 0.1 m/s, of the 0.01 m/s that a step of weight is
        np.testing.assert_allclose(found, expected, rtol=2e-9)
    else:
        total = run.contacts.ground_force()[-1]
        np.testing.assert_allclose(total, [0, 0, MASS * G], atol=1e-7 * MASS * G)
        assert min(found) > 0.0


@pytest.mark.parametrize(("left", "right"), [(20.0, 50.0), (5.0, 80.0)])
def test_a_ball_in_a_skew_valley(left: float, right: float) -> None:
    """Without friction: N₁ sin θ₁ = N₂ sin θ₂ and N₁ cos θ₁ + N₂ cos θ₂ = m g."""
    a, b = math.radians(left), math.radians(right)
    m, ground = ball(), valley(a, b, friction=0.0)
    # the centre is one radius from both faces
    n1, n2 = (math.sin(a), math.cos(a)), (-math.sin(b), math.cos(b))
    x, z = np.linalg.solve([n1, n2], [RADIUS, RADIUS])
    run = ts.Simulation(m, ground=ground, dt=1e-3).run(placed([x, 0.0, z]), duration=0.5)
    found = [loads(run, np.array([n[0], 0.0, n[1]])) for n in (n1, n2)]
    expected = MASS * G / math.sin(a + b) * np.array([math.sin(b), math.sin(a)])
    moved = float(np.abs(run.q[-1, :3] - [x, 0.0, z]).max())
    print(f"moves {moved:.1e} m, {found} N of {expected} N")
    assert moved < 1e-9
    np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("push", [1.0, 40.0])
def test_a_ball_in_the_corner_of_a_stair(push: float) -> None:
    """Pushed against the riser [N]: it carries the push, the tread the weight."""
    m = ball()
    stairs = ts.Steps(rise=0.3, depth=0.5, count=2, start=0.0, friction=0.0)
    q = placed([-RADIUS, 0.0, RADIUS])
    sim = ts.Simulation(m, ground=stairs, dt=1e-3)
    run = sim.run(q, duration=1.0, controller=lambda t, q, v: push * np.eye(6)[0])
    tread, riser = (loads(run, np.array(n)) for n in ([0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]))
    moved = float(np.abs(run.q[-1, :3] - q[:3]).max())
    print(f"moves {moved:.1e} m; tread {tread:.6f} N, riser {riser:.6f} N")
    assert moved < 1e-9
    assert tread == pytest.approx(MASS * G, rel=1e-9)
    assert riser == pytest.approx(push, rel=1e-9)


def test_a_ball_rolls_against_a_riser_and_stops_there() -> None:
    """It comes along the tread at 1 m/s; without restitution it stays in the corner."""
    m = ball()
    stairs = ts.Steps(rise=0.3, depth=0.5, count=2, start=0.0, friction=0.0)
    q, v = placed([-0.5, 0.0, RADIUS]), np.eye(6)[0]
    run = ts.Simulation(m, ground=stairs, dt=1e-3).run(q, v, duration=1.0)
    least = np.array([-RADIUS - run.q[:, 0].max(), run.q[:, 2].min() - RADIUS])
    print(f"gaps to riser and tread {least} m, speed at last {np.abs(run.v[-1]).max():.1e} m/s")
    assert least.min() > -1e-9
    assert run.q[-1, 0] == pytest.approx(-RADIUS, abs=1e-9)
    assert np.abs(run.v[-1, :3]).max() < 1e-9


def test_a_log_lies_in_a_valley_along_it() -> None:
    """Balls at its ends, each on both faces: four contacts, a quarter of the load each."""
    theta, length = math.radians(30.0), 0.4
    b = ts.Builder("log")
    b.body("log", MASS, inertia=(0.1, 0.1, 0.1)).joint("flight", "free", "world", "log")
    b.shape("log", "sphere", (RADIUS,), role="collision", position=(0, -length / 2, 0))
    b.shape("log", "sphere", (RADIUS,), role="collision", position=(0, length / 2, 0))
    m, top = b.build(), RADIUS / math.cos(theta)
    run = ts.Simulation(m, ground=valley(theta, friction=0.0), dt=1e-3).run(
        placed([0, 0, top]), duration=0.5
    )
    found = sorted(contact.normal_force for contact in run.contacts.at(-1))
    expected = MASS * G / (4.0 * math.cos(theta))
    print(f"{found} N of {expected:.6f} N; lower by {top - run.q[-1, 2]:.1e} m")
    assert abs(run.q[-1, 2] - top) < 1e-9
    np.testing.assert_allclose(found, [expected] * 4, rtol=1e-8)
