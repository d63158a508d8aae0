"""`contact="event"` beside answers on paper: bounces, slides, rocking, releases, strikes, stops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from compass_oracle import STABLE, Array, Compass, start
from contact_motions import Bounces, Roll, Slide
from kneed_oracle import LONG, Kneed
from rocking_oracle import Rocking
from test_walking_flows import leg_model

import tarsus as ts
from tarsus.scenes.contact import CASES

G = 9.81


def audit(run: ts.Trajectory) -> None:
    """The ledger closes to 1e-8 of the energy that flowed, or of a joule where none did."""
    ledger = run.energy
    worst = float(min(np.abs(ledger.relative_residual).max(), np.abs(ledger.residual).max()))
    print(f"ledger {worst:.1e}")
    assert worst < 1e-8


def ball(restitution: float, rest_speed: float, height: float = 1.0) -> ts.scenes.Scene:
    ground = ts.Ground(friction=0.3, restitution=restitution, rest_speed=rest_speed)
    return ts.scenes.bounce(restitution, height).but(ground=ground, contact="event", dt=0.01)


@pytest.mark.parametrize("restitution", [0.5, 0.9])
def test_a_ball_bounces_until_it_is_too_slow(restitution: float) -> None:
    """Strikes slower than `rest_speed` do not bounce: so many, and no more."""
    bounces = Bounces(1.0, restitution)
    count = int(np.floor(np.log(0.05 / bounces.speeds(1)[0]) / np.log(restitution))) + 2
    run = ball(restitution, 0.05).run(duration=1.2 * bounces.end)
    strikes = run.events.of("impact")
    times = strikes.t
    assert len(times) == count
    print(f"{count} strikes, times off by {np.abs(times - bounces.times(count)).max():.1e}")
    np.testing.assert_allclose(times, bounces.times(count), atol=1e-10)
    expected = bounces.losses(count, 1.0)
    expected[-1] = 0.5 * bounces.speeds(count)[-1] ** 2
    np.testing.assert_allclose(strikes.lost, expected, rtol=1e-8)
    impulses = strikes.impulse[:-1, 2]
    np.testing.assert_allclose(
        impulses, (1.0 + restitution) * bounces.speeds(count)[:-1], rtol=1e-9
    )
    assert np.abs(run.v[-1]).max() < 1e-12 and run.q[-1, 2] == pytest.approx(0.05, abs=1e-10)
    assert (strikes[0].body, strikes[0].other) == ("ball", "ground")
    audit(run)


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_infinitely_many_bounces_end(restitution: float) -> None:
    """Without a slowest bounce: a Zeno sequence ends where it must, and the ball lies."""
    bounces = Bounces(1.0, restitution)
    run = ball(restitution, 0.0).run(duration=bounces.end + 0.5)
    times = run.events.of("impact").t
    print(f"{len(times)} strikes, the last {times[-1] - bounces.end:.1e} s off the end")
    # strikes below 2e-6 m/s do not bounce
    n = min(12, len(times))
    np.testing.assert_allclose(times[:n], bounces.times(n), atol=1e-10)
    assert times[-1] == pytest.approx(bounces.end, abs=1e-5)
    assert np.abs(run.v[-1]).max() < 1e-9 and run.q[-1, 2] == pytest.approx(0.05, abs=1e-8)
    audit(run)


def test_a_block_slides_and_sticks() -> None:
    slide = Slide(1.0, 0.3)
    run = ts.scenes.slide().but(contact="event", dt=0.01).run(duration=0.5)
    (stop,) = set(run.events.of("stick").t)
    print(f"stops {stop - slide.time:.1e} s off")
    assert stop == pytest.approx(slide.time, abs=1e-9)
    assert run.q[-1, 0] == pytest.approx(slide.way, abs=1e-9)
    assert np.abs(run.v[-1]).max() < 1e-12
    audit(run)


@pytest.mark.parametrize("friction", [0.1, 0.5])
def test_a_block_slides_up_a_slope_and_holds_or_slides_back(friction: float) -> None:
    slope, up = 0.25, Slide(-1.0, friction, 0.25)
    assert up.holds == (friction == 0.5)
    scene = ts.scenes.incline(slope, friction).but(contact="event", dt=0.01)
    v0 = scene.v0.copy()
    v0[0] = -1.0  # in body axes, which are those of the slope
    run = scene.simulation().run(scene.q0, v0, duration=1.0)
    way = (run.q[:, :3] - run.q[0, :3]) @ [math.cos(slope), 0.0, -math.sin(slope)]
    late = run.t[-1] - up.time
    expected = up.way + (0.0 if up.holds else 0.5 * up.back * late**2)
    print(f"μ = {friction}: {way[-1] - expected:.1e} m off")
    assert way[-1] == pytest.approx(expected, abs=1e-8)
    if up.holds:
        (stop,) = set(run.events.of("stick").t)
        assert stop == pytest.approx(up.time, abs=1e-9)
    audit(run)


def test_a_ball_slides_until_it_rolls() -> None:
    slope, radius = 0.2, 0.05
    roll = Roll(1.0, 0.2, slope, radius)
    scene = ts.scenes.bounce(0.0, 0.0, radius)
    normal = np.array([math.sin(slope), 0.0, math.cos(slope)])
    ahead = np.array([math.cos(slope), 0.0, -math.sin(slope)])
    q0, v0 = scene.q0.copy(), scene.v0.copy()
    q0[:3], v0[:3] = radius * normal, ahead
    ground = ts.Ground(friction=0.2, slope=slope)
    simulation = ts.Simulation(scene.model, ground=ground, contact="event", dt=0.01)
    run = simulation.run(q0, v0, duration=1.0)
    (stick,) = run.events.of("stick")
    print(f"rolls {stick.t - roll.time:.1e} s off")
    assert stick.t == pytest.approx(roll.time, abs=1e-9)
    way, speed, spin = roll.state(1.0)
    assert ahead @ (run.q[-1, :3] - q0[:3]) == pytest.approx(way, abs=1e-8)
    turn = scene.model.frame_velocity(run.q[-1], run.v[-1], "ball", "local_world_aligned")
    assert (ahead @ turn[:3], turn[4]) == (
        pytest.approx(speed, abs=1e-8),
        pytest.approx(spin, abs=1e-6),
    )
    audit(run)


def test_a_closet_rocks() -> None:
    """Strikes from edge to edge, each with what it takes, beside a pendulum upside down."""
    w, h, m = 0.3, 0.8, 40.0
    rocking = Rocking(w, h, m, m * (w * w + h * h) / 3)
    times, rates = rocking.strikes(0.2, 8)
    run = ts.scenes.closet(w, h, m).run(duration=float(times[-1]) + 0.01)
    strikes = run.events.of("impact")
    found = strikes.t
    print(f"off by {np.abs(found - times).max():.1e} s")
    np.testing.assert_allclose(found, times, atol=1e-8)
    lost = 0.5 * rocking.about_edge * rates**2 * (1.0 - rocking.kept**2)
    np.testing.assert_allclose(strikes.lost, lost, rtol=1e-7)
    # at each strike the other edge is let go
    releases = run.events.of("release").t
    np.testing.assert_allclose(releases, found, atol=1e-12)
    audit(run)


@pytest.mark.parametrize(("inertia", "limit"), [(1e-6, 1.0), (None, math.sqrt(0.5))])
def test_closets_rock_above_a_height(inertia: float | None, limit: float) -> None:
    """By halving: rocks or stands, h/w from 0.4 to 1.6; the first strike is where it must be."""
    low, high = 0.4, 1.6
    for _ in range(14):
        h = 0.5 * (low + high)
        fall = Rocking(1.0, h, 1.0, (1.0 + h * h) / 3 if inertia is None else inertia).fall(0.02)
        run = ts.scenes.closet(1.0, h, 1.0, inertia, tilt=0.02).run(duration=2.0 * fall)
        assert run.events.of("impact").t[0] == pytest.approx(fall, rel=1e-9)
        rocks = len(run.events.of("release")) > 0
        # whether at once or after some rocking: it stands, and has no momentum left
        assert np.abs(run.v[-1]).max() < 1e-12
        low, high = (low, h) if rocks else (h, high)
    print(f"limit {0.5 * (low + high):.5f}")
    assert 0.5 * (low + high) == pytest.approx(limit, abs=2e-4)


@pytest.mark.parametrize(
    ("case", "stays"), [("rests", "both"), ("lifts", ""), ("tips", "second"), ("turns", "first")]
)
@pytest.mark.parametrize("law", ["event", ts.contact.Event(slips=False)], ids=["cones", "grips"])
def test_supports_of_a_bar(case: str, stays: str, law: str | ts.contact.Event) -> None:
    """Example 3.11, without friction and with points that never slip."""
    assert case in CASES
    run = ts.scenes.supports(case).but(contact=law).run()  # type: ignore[arg-type]
    heights = [run.model.frame_pose(run.q, name)[:, 2, 3] for name in ("first", "second")]
    held = [float(np.abs(each).max()) < 1e-9 for each in heights]
    assert held == [stays in ("both", "first"), stays in ("both", "second")]
    for let, each in zip(held, heights, strict=True):
        assert let or (np.diff(each) > 0.0).all()
    audit(run)


def sliding_arm(friction: float, t: float) -> Array:
    """Return (q₁, q₂, q̇₁, q̇₂) of the arm of example 3.9, by multipliers and SciPy."""
    from scipy.integrate import solve_ivp

    def rates(_: float, y: Array) -> Array:
        q1, q2, w1, w2 = y
        both, rate = q1 + q2, w1 + w2
        mass = np.array(
            [[1.5 + np.cos(q2), 0.25 + 0.5 * np.cos(q2)], [0.25 + 0.5 * np.cos(q2), 0.25]]
        )
        bias = 0.5 * np.sin(q2) * np.array([-(2 * w1 + w2) * w2, w1**2])
        along = np.array([-np.cos(q1) - np.cos(both), -np.cos(both)])
        up = np.array([-np.sin(q1) - np.sin(both), -np.sin(both)])
        up_bias = -np.cos(q1) * w1**2 - np.cos(both) * rate**2
        pull = np.array([-np.cos(q1) - 0.5 * np.cos(both), -0.5 * np.cos(both)])
        # it slides along +x: friction is against that
        pushed = up - friction * along
        free = np.linalg.solve(mass, pull - bias)
        force = -(up @ free + up_bias) / (up @ np.linalg.solve(mass, pushed))
        assert force > 0.0
        return np.concatenate([[w1, w2], free + np.linalg.solve(mass, pushed) * force])

    y0 = [np.pi / 4, np.pi / 2, 0.0, 0.0]
    return np.asarray(
        solve_ivp(rates, (0.0, t), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    )


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_an_arm_is_not_let_go_because_its_contact_would_pull(friction: float) -> None:
    """Example 3.9: held without slip λ is negative; let go it would sink. It slides."""
    scene = ts.scenes.release().but(ground=ts.Ground(friction=friction))
    run = scene.run(duration=0.5)
    assert not len(run.events.of("release"))
    expected = sliding_arm(friction, 0.5)
    print(f"μ = {friction}: off by {np.abs(np.r_[run.q[-1], run.v[-1]] - expected).max():.1e}")
    np.testing.assert_allclose(np.concatenate([run.q[-1], run.v[-1]]), expected, atol=1e-8)
    tip = run.model.frame_pose(run.q, "tip")[:, 2, 3]
    assert np.abs(tip).max() < 1e-10
    audit(run)


def test_an_arm_that_must_not_slip_is_held_by_a_force_that_pulls() -> None:
    """Example 3.9 by the rule of the thesis: λ = (−3/4, −1/4), and the arm does not move."""
    run = ts.scenes.release().but(contact=ts.contact.Event(slips=False)).run(duration=0.2)
    assert not len(run.events) and np.abs(run.q - run.q[0]).max() < 1e-14
    np.testing.assert_allclose(run.contacts.force[-1], [-0.75, 0.0, -0.25], atol=1e-12)


def test_a_free_walker_strikes_and_changes_feet() -> None:
    """The last part of a step of the free model on a slope: time, state and release at once."""
    walker, y0 = Compass(), start(STABLE)
    step = walker.step(y0)
    late = ts.flow(
        ts.robots.compass(slope=walker.slope, gravity=walker.g, rooted=True),
        *(y0[:2], y0[2:]),
        duration=0.6,
    )
    assert late.q[1] > 0.2 and 2.0 * late.q[0] + late.q[1] > 0.0  # past scuffing, foot in the air
    model = ts.robots.compass(slope=walker.slope, gravity=walker.g)
    feet = ts.geometry.Collision.from_model(model, ["left_foot", "right_foot"])
    simulation = ts.Simulation(
        model,
        ground=ts.Ground(slope=walker.slope, friction=5.0),
        collision=feet,
        contact="event",
        dt=0.01,
    )
    q0, v0 = np.concatenate([[0.0, 0.0], late.q]), np.concatenate([[0.0, 0.0], late.v])
    run = simulation.run(q0, v0, duration=step.time - 0.6 + 0.05)
    (strike,) = run.events.of("impact")
    print(f"strike {strike.t + 0.6 - step.time:.1e} s off")
    assert strike.t + 0.6 == pytest.approx(step.time, abs=1e-9)
    assert strike.lost == pytest.approx(step.lost, abs=1e-8)
    (release,) = run.events.of("release")
    assert release.t == pytest.approx(strike.t, abs=1e-12)
    # the left leg is the swing leg now: what is left of the run is a flow of the rooted model
    rest = float(run.t[-1]) + 0.6 - step.time
    rooted = ts.robots.compass(slope=walker.slope, gravity=walker.g, rooted=True)
    after = ts.flow(rooted, step.after[:2], step.after[2:], duration=rest)
    found = [run.q[-1, 2] + run.q[-1, 3], -run.q[-1, 3], run.v[-1, 2] + run.v[-1, 3], -run.v[-1, 3]]
    np.testing.assert_allclose(found, np.concatenate([after.q, after.v]), atol=1e-8)
    audit(run)


def test_a_knee_is_stopped() -> None:
    """A limit as an impact: when, what it takes, and how the other joints go on."""
    walker = Kneed()
    step = walker.step(np.array(LONG))
    editor = ts.Editor(leg_model(walker, knee=True, pivoted=True))
    model = editor.change("joint", "knee", lower=-2.0, upper=0.0).build()
    q0, v0 = [LONG[0], -2.0 * LONG[0], 0.0], [LONG[1], LONG[2], 0.0]
    simulation = ts.Simulation(model, contact="event", dt=0.01)
    run = simulation.run(q0, v0, duration=step.knee + 0.005)
    (stop,) = run.events.of("limit_impact")
    print(f"stop {stop.t - step.knee:.1e} s off")
    assert stop.t == pytest.approx(step.knee, abs=1e-9)
    mass = walker.mass_matrix(step.knee_before[:3])[2:, 2:]
    before, after = step.knee_before[3:], step.knee_after
    lost = 0.5 * before @ mass @ before - 0.5 * after @ mass @ after
    assert stop.lost == pytest.approx(lost, abs=1e-8)
    assert stop.body == "knee"
    audit(run)


def test_events_of_a_batch_are_those_of_each() -> None:
    """One state or many, any neighbours: the same bits, and each its own events."""
    scene = ts.scenes.closet()
    starts = [ts.scenes.closet(tilt=tilt).q0 for tilt in (0.05, 0.1, 0.2, 0.15, 0.02)]
    simulation = scene.simulation()
    together = simulation.run(np.array(starts), np.zeros((5, 3)), duration=1.5)
    for k, q0 in enumerate(starts):
        alone = simulation.run(q0, np.zeros(3), duration=1.5)
        assert np.array_equal(alone.q, together.q[k]) and np.array_equal(alone.v, together.v[k])
        own = together.events.of_state(k)
        assert np.array_equal(own.rows, alone.events.rows) and len(own) > 2
