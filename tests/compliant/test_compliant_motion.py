"""Motions on compliant surfaces: closed answers, SciPy beside them, and what the ledger says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from compliant_motion import GRAVITY, INERTIA, MASS, RADIUS, motion, state_of
from compliant_oracle import Array, Oracle
from contact_scenes import on_slope
from scipy.special import beta

import tarsus as ts
from tarsus.simulation.contact import Bristle, Compliant, Hertz, HuntCrossley, Saturation


def ball(gravity: float = GRAVITY, joint: str = "free") -> ts.Model:
    """Return a ball with its shape."""
    builder = ts.Builder("ball", gravity=(0.0, 0.0, -gravity))
    builder.body("ball", MASS, inertia=(INERTIA,) * 3)
    builder.joint("flight", joint, "world", "ball")
    builder.shape("ball", "sphere", [RADIUS], role="collision")
    return builder.build()


def thrown(law: Compliant, p: Any, v: Any, w: Any = (0, 0, 0), **options: Any) -> ts.Trajectory:
    """Return a ball that is thrown."""
    gravity, duration = options.pop("gravity", GRAVITY), options.pop("duration", 0.1)
    ground = options.pop("ground", ts.Ground())
    sim = ts.Simulation(ball(gravity), ground=ground, contact=law, **options)
    start = state_of(*(np.array(each, float) for each in (p, v, w)))
    return sim.run(*start, duration=duration)


def test_ball_bounces_as_long_as_it_must() -> None:
    run = thrown(
        Compliant(stiffness=1e4, damping=0.0),
        [0, 0, RADIUS + 1e-3],
        [0, 0, -np.sqrt(1 - 2e-3 * GRAVITY)],
    )
    touch, release = run.events
    assert (touch.kind, release.kind) == ("touch", "release")
    assert touch.speed == pytest.approx(-1.0, abs=1e-9)
    lasts = release.t - touch.t
    closed = 2.0 / 100.0 * (np.pi - np.arctan(100.0 / GRAVITY))
    print(f"contact of {lasts:.7f} s, closed {closed:.7f} s, rebound {release.speed:.9f} m/s")
    assert lasts == pytest.approx(0.033372, abs=5e-7)
    assert lasts == pytest.approx(closed, abs=1e-9)
    assert release.speed == pytest.approx(1.0, abs=1e-8)
    run.energy.check(1e-7)


def test_damper_takes_its_share() -> None:
    run = thrown(
        Compliant(stiffness=1e4, damping=20.0), [0, 0, RADIUS + 1e-3], [0, 0, -1], gravity=0.0
    )
    ratio = 0.1 / np.sqrt(1 - 0.01)
    assert run.events[1].speed == pytest.approx(np.exp(-np.pi * ratio), abs=1e-8)
    assert run.events[1].speed == pytest.approx(0.7292, abs=1e-4)
    lost = -run.energy.contact_normal[-1]
    assert lost == pytest.approx(0.5 * (1 - run.events[1].speed ** 2), abs=1e-9)


def test_hertz_has_its_own_time() -> None:
    k = 1e6
    run = thrown(
        Compliant(law=Hertz(k), damping=0.0), [0, 0, RADIUS + 1e-3], [0, 0, -1], gravity=0.0
    )
    deepest = (5 * MASS / (4 * k)) ** 0.4
    closed = 2 * deepest * beta(0.4, 0.5) / 2.5  # ∫ dx / √(1 − x^(5/2)), twice
    assert run.events[1].t - run.events[0].t == pytest.approx(closed, rel=1e-7)
    assert run.events[1].speed == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.3])
@pytest.mark.parametrize("speed", [0.2, 1.0, 3.0])
def test_hunt_crossley_restitution(exponent: float, speed: float) -> None:
    """c (v₁ + v₂) = ln((1 + c v₁) / (1 − c v₂)), whatever stiffness and exponent are."""
    c = 0.4
    law = Compliant(law=HuntCrossley(1e6, exponent, c), damping=0.0)
    run = thrown(law, [0, 0, RADIUS + 1e-3], [0, 0, -speed], gravity=0.0)
    back = run.events[1].speed
    assert c * (speed + back) == pytest.approx(np.log((1 + c * speed) / (1 - c * back)), abs=1e-8)
    run.energy.check(1e-7)


def slider(law: Compliant, speed: float, duration: float) -> ts.Trajectory:
    """Return something far too heavy to be stopped that slides at a depth of 1 mm."""
    builder = ts.Builder("slider")
    builder.body("slider", 1e9, inertia=(1.0,) * 3)
    builder.joint("rail", "prismatic", "world", "slider", axis=(1, 0, 0))
    builder.shape("slider", "sphere", [RADIUS], role="collision", position=(0, 0, RADIUS - 1e-3))
    sim = ts.Simulation(builder.build(), ground=ts.Ground(), contact=law)
    return sim.run([0.0], [speed], duration=duration)


def test_deformation_saturates() -> None:
    largest, speed = 4e-3, 0.5
    run = slider(Compliant(slip=Saturation(largest), damping=0.0), speed, 0.05)
    closed = largest * (1 - np.exp(-speed * run.t / largest))
    deformed = run.contacts.deformation
    print(f"deformation: {np.abs(deformed[:, 1] - closed).max():.1e} m")
    np.testing.assert_allclose(deformed[:, 1], closed, atol=1e-9)
    np.testing.assert_allclose(deformed[:, 3], -1e-3, atol=1e-12)
    # the force is passed on by the same part of the velocity that deforms
    force = -1e5 * closed * (1 - closed / largest)
    np.testing.assert_allclose(run.contacts.force[:, 0], force, atol=1e-3)
    np.testing.assert_allclose(run.energy.in_contacts, 0.5e5 * (closed**2 + 1e-6), rtol=1e-6)


def test_bristles_slide_with_coulomb() -> None:
    law = Compliant(damping=50.0)
    run = slider(law, 0.5, 0.05)
    closed = 0.7 * 100.0 / 1e5 * (1 - np.exp(-0.5 * run.t * 1e5 / 70.0))
    np.testing.assert_allclose(run.contacts.deformation[:, 1], closed, rtol=1e-4, atol=1e-12)
    assert run.contacts.force[-1, 0] == pytest.approx(-0.7 * 100.0, rel=1e-4)
    assert (run.contacts.states[5:] == "slip").all()


def test_bristles_hold_and_let_go_on_a_slope() -> None:
    def block(slope: float) -> ts.Trajectory:
        builder = ts.Builder("block")
        builder.body("block", MASS)
        builder.joint("flight", "translation", "world", "block")
        builder.shape("block", "sphere", [RADIUS], role="collision")
        model = builder.build()
        ground = ts.Ground(slope=slope, friction=0.5)
        depth = GRAVITY * np.cos(slope) / 1e5
        start = (RADIUS - depth) * np.array(on_slope(slope)[:3])
        return ts.Simulation(model, ground=ground, contact="compliant").run(start, duration=0.5)

    still, slides = block(0.4), block(0.6)
    assert np.linalg.norm(still.v[-1]) < 1e-9
    assert np.linalg.norm(still.q[-1] - still.q[0]) < 2e-4
    push = GRAVITY * (np.sin(0.6) - 0.5 * np.cos(0.6))
    gained = np.linalg.norm(slides.v[-1]) - np.linalg.norm(slides.v[250])
    assert gained == pytest.approx(0.25 * push, rel=1e-4)
    assert slides.energy.contact_friction[-1] < 0.0
    for run in (still, slides):
        run.energy.check(1e-7)


@pytest.mark.parametrize("roll", [0.0, 5.0])
def test_rolling_loses_nothing(roll: float) -> None:
    stiffness, speed = 1e4, 1.3
    law = Compliant(stiffness=stiffness, damping=40.0, slip="stick", roll=roll)
    depth = MASS * GRAVITY / stiffness
    arm = RADIUS - depth + 0.5 * depth  # to the frame between the surfaces
    start = [0, 0, RADIUS - depth]
    run = thrown(law, start, [speed, 0, 0], [0, speed / arm, 0], duration=0.5)
    assert run.q[-1, 0] == pytest.approx(0.5 * speed, abs=1e-9)
    assert abs(run.energy.contact_normal[-1]) < 1e-12
    assert abs(run.energy.contact_friction[-1]) < 1e-12
    assert np.ptp(run.energy.kinetic) < 1e-10


def test_rolling_relaxes_and_gives_back() -> None:
    """A deformation that rolls away drives the ball: nothing is lost, and β says how fast."""
    left = []
    for roll in (2.0, 8.0):
        law = Compliant(stiffness=1e4, damping=0.0, slip="stick", roll=roll)
        start = [0, 0, RADIUS - MASS * GRAVITY / 1e4]
        run = thrown(law, start, [1.0, 0, 0], [0, 9.0, 0], duration=0.4)
        left.append(np.abs(run.contacts.deformation[-80:, 1]).max())
        assert np.abs(run.energy.residual).max() < 1e-8
        assert run.energy.contact_friction[-1] == 0.0
    assert left[1] < 0.5 * left[0]


def test_what_is_left_at_a_release_is_lost_at_the_next_touch() -> None:
    law = Compliant(stiffness=1e4, damping=0.0, slip="stick")
    run = thrown(law, [0, 0, RADIUS + 1e-3], [0.8, 0, -1], [0, -3, 0], duration=0.5)
    kinds = [event.kind for event in run.events]
    assert kinds[:4] == ["touch", "release", "touch", "release"]
    released, touched = run.events[1], run.events[2]
    assert released.left > 1e-3 and released.lost == 0.0
    assert touched.lost == pytest.approx(released.left, rel=1e-12) and touched.left == 0.0
    between = np.searchsorted(run.t, [released.t, touched.t])
    flight = run.energy.in_contacts[between[0] : between[1]]
    np.testing.assert_allclose(flight, released.left, rtol=1e-12)
    assert run.energy.impacts[between[1]] == pytest.approx(-touched.lost)
    assert run.energy.n_impacts[-1] == kinds.count("touch")
    run.energy.check(1e-8)


@pytest.mark.parametrize(
    "law",
    [
        Compliant(stiffness=1e4, damping=15.0, slip="stick", ratio=0.5),
        Compliant(
            stiffness=1e4, damping=5.0, slip=Saturation(2e-3, 0.2), twist_stiffness=20.0, roll=4.0
        ),
        Compliant(stiffness=2e4, damping=20.0, slip=Bristle(1.3, 0.2), law=HuntCrossley(3e5)),
        Compliant(stiffness=1e4, law=Hertz(5e5), twist_stiffness=5.0, slip="bristle", ratio=3.0),
    ],
    ids=["stick", "saturation", "bristle", "twist"],
)
def test_motions_beside_scipy(law: Compliant) -> None:
    bristles = isinstance(law.slip, Bristle)
    torsion = 0.02 if bristles and law.twist_stiffness > 0.0 else 0.0
    ground = ts.Ground(slope=0.15, friction=0.4, torsion=torsion)
    p, v, w = np.array([0.1, 0.05, 0.13]), np.array([0.6, -0.3, -0.9]), np.array([2.0, 5.0, -7.0])
    oracle = Oracle(law, friction=0.4, torsion=torsion)
    duration = 0.2
    expected, events = motion(oracle, np.array(on_slope(0.15)[:3]), p, v, w, duration)
    fine = Compliant(**{**vars(law), "rtol": 1e-11, "atol": 1e-13})
    run = thrown(fine, p, v, w, ground=ground, duration=duration, dt=1e-2)
    assert len(run.events) == len(events) >= 1
    turn = np.asarray(run.model.forward_kinematics(run.q[-1]))[0, :3, :3]
    found = np.concatenate([run.q[-1, :3], turn @ run.v[-1, :3], turn @ run.v[-1, 3:]])
    print(f"end: {np.abs(found - expected).max():.1e}")
    np.testing.assert_allclose([event.t for event in run.events], events, atol=1e-8)
    np.testing.assert_allclose(found, expected, atol=2e-7)
    run.energy.check(1e-9)


def test_two_balls_swap_their_velocities() -> None:
    builder = ts.Builder("balls", gravity=(0, 0, 0))
    for name in ("one", "two"):
        builder.body(name, MASS, inertia=(INERTIA,) * 3)
        builder.joint(f"flight of {name}", "free", "world", name)
        builder.shape(name, "sphere", [RADIUS], role="collision")
    model = builder.build()
    q = model.neutral()
    q[7] = 2 * RADIUS + 0.01
    v = np.zeros(12)
    v[0] = 1.0
    run = ts.Simulation(model, contact=Compliant(damping=0.0)).run(q, v, duration=0.1)
    assert [event.other for event in run.events] == ["two", "two"] or run.events[0].body == "two"
    np.testing.assert_allclose(run.v[-1][[0, 6]], [0.0, 1.0], atol=1e-8)
    lasts = run.events[1].t - run.events[0].t
    assert lasts == pytest.approx(np.pi * np.sqrt(0.5 / 1e5), rel=1e-8)
    run.energy.check(1e-8)


def test_residuals_follow_the_tolerance() -> None:
    sizes: list[float] = []
    for rtol in (1e-5, 1e-7, 1e-9):
        law = Compliant(rtol=rtol, atol=0.1 * rtol)
        run = thrown(law, [0, 0, RADIUS + 1e-2], [1, 0, -1], [0, 3, 5], duration=0.3)
        sizes.append(float(np.abs(run.energy.relative_residual).max()))
    print("residuals:", sizes)
    assert sizes[1] < 0.2 * sizes[0] and sizes[2] < 0.2 * sizes[1] and sizes[2] < 1e-7


def states(count: int) -> tuple[Array, Array]:
    """Return balls that are thrown in many ways."""
    rng = np.random.default_rng(0)
    q = np.tile([0, 0, RADIUS, 0, 0, 0, 1.0], (count, 1))
    q[:, 2] += rng.uniform(0.0, 0.02, count)
    return q, rng.normal(size=(count, 6))


@pytest.mark.parametrize("threads", [1, 2])
def test_batches_have_the_bits_of_one(threads: int) -> None:
    q, v = states(70)
    friction = np.linspace(0.1, 0.9, 70)
    whole = ts.Simulation(ball(), ground=ts.Ground(friction=friction), contact="compliant")
    run = whole.run(q, v, duration=0.1, threads=threads)
    for k in (0, 3, 64, 69):
        ground = ts.Ground(friction=float(friction[k]))
        one = ts.Simulation(ball(), ground=ground, contact="compliant").run(
            q[k], v[k], duration=0.1
        )
        own = run[k]
        assert own.q.tobytes() == one.q.tobytes() and own.v.tobytes() == one.v.tobytes()
        assert own.energy.rows.tobytes() == one.energy.rows.tobytes()
        assert own.contacts.rows.tobytes() == one.contacts.rows.tobytes()
        assert [event.t for event in own.events] == [event.t for event in one.events]
        assert own.contacts.deformation.tobytes() == one.contacts.deformation.tobytes()
