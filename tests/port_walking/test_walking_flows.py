"""Steps of walkers through `tarsus.flow`, beside equations that are written by hand.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, sections 4.2 and 4.3; the oracles are integrated by SciPy's DOP853 at 1e-12.
"""

from __future__ import annotations

import numpy as np
import pytest
from compass_oracle import STABLE, UNSTABLE, Array, Compass, start
from kneed_oracle import (
    ABOVE_KNEE,
    LONG,
    LOWER,
    MASSES,
    SHORT,
    TURNING,
    UPPER,
    Kneed,
)
from scipy.optimize import root

import tarsus as ts
from tarsus.gait.walkers import compass

WALKER = Compass()


def states(y: Array) -> tuple[Array, Array]:
    return y[..., :2], y[..., 2:]


def near(gait: tuple[float, float, float], count: int, seed: int) -> Array:
    """Return states (count, 4) around a gait, both feet down."""
    rng = np.random.default_rng(seed)
    found = [np.asarray(gait) + rng.uniform(-0.01, 0.01, 3) for _ in range(count)]
    return np.array([start(tuple(each)) for each in found])


def test_steps_are_those_of_the_oracle() -> None:
    """Strike times and states to 1e-9, from twenty starts in one batch."""
    starts = near(STABLE, 20, 1)
    flowed = ts.flow(compass().phases, *states(starts), duration=3.0, events=1)
    assert len(flowed.events) == 20
    worst = 0.0
    for event, y in zip(flowed.events, starts, strict=True):
        step = WALKER.step(y)
        errors = [
            event.t - step.time,
            *(np.concatenate([event.q, event.v]) - step.before),
            *(np.concatenate([event.next_q, event.next_v]) - step.after),
        ]
        worst = max(worst, float(np.abs(errors).max()))
        assert (event.name, event.phase) == ("strike", "swing")
    print(f"largest error {worst:.1e}")
    assert worst < 1e-9


def fixed(gait: tuple[float, float, float]) -> Array:
    """Return a gait of the oracle to all digits."""

    def residual(x: Array) -> Array:
        after = WALKER.step(start(tuple(x))).after
        return np.array([after[0], after[2], after[3]]) - x

    return np.asarray(root(residual, gait, options={"xtol": 1e-13}).x)


def test_a_hundred_steps_of_the_stable_gait() -> None:
    """From six digits it comes to the gait, and stays."""
    flowed = ts.flow(compass().phases, *states(start(STABLE)), duration=100.0, events=100)
    assert flowed.n_events == 100
    found = np.array([flowed.q[0], *flowed.v])
    print(f"off by {np.abs(found - fixed(STABLE)).max():.1e}")
    np.testing.assert_allclose(found, fixed(STABLE), atol=1e-9)
    np.testing.assert_allclose(found, STABLE, atol=2e-6)
    times = np.diff([event.t for event in flowed.events])
    assert times[-1] == pytest.approx(0.782798, abs=1e-6)
    assert 2.0 * np.sin(found[0]) / times[-1] == pytest.approx(0.753314, abs=1e-6)


def test_the_unstable_gait_is_left() -> None:
    step = ts.flow(compass().phases, *states(start(tuple(fixed(UNSTABLE)))), duration=2.0, events=1)
    np.testing.assert_allclose([step.q[0], *step.v], fixed(UNSTABLE), atol=1e-8)
    assert step.t == pytest.approx(0.607858, abs=1e-6)
    away = fixed(UNSTABLE) + [1e-4, 0.0, 0.0]
    flowed = ts.flow(compass().phases, *states(start(tuple(away))), duration=6.0, events=6)
    feet = [event.next_q[0] for event in flowed.events]
    offsets = np.abs(np.array(feet) - fixed(UNSTABLE)[0])
    assert offsets[-1] > 20 * offsets[0]


@pytest.mark.parametrize(("gait", "largest"), [(STABLE, 0.49007), (UNSTABLE, 4.4606)])
def test_multipliers_by_differences(gait: tuple[float, float, float], largest: float) -> None:
    """A batch of steps beside the gait: how fast offsets grow from step to step."""
    x, h = fixed(gait), 1e-4
    offsets = np.concatenate([h * np.eye(3), -h * np.eye(3)])
    flowed = ts.flow(
        compass().phases,
        *states(np.array([start(tuple(x + e)) for e in offsets])),
        duration=3.0,
        events=1,
    )
    after = np.column_stack([flowed.q[:, 0], flowed.v])
    slope = (after[:3] - after[3:]).T / (2 * h)
    assert np.abs(np.linalg.eigvals(slope)).max() == pytest.approx(largest, abs=1e-4)


def test_energy_is_kept_in_between_and_lost_at_strikes() -> None:
    flowed = ts.flow(compass().phases, *states(near(STABLE, 1, 2)[0]), duration=20.0, events=20)
    model = flowed.phases[0].model

    def energy(q: Array, v: Array) -> float:
        return float(model.kinetic_energy(q, v) + model.potential_energy(q))

    y = near(STABLE, 1, 2)[0]
    begin = energy(*states(y))
    for event in flowed.events:
        assert energy(event.q, event.v) == pytest.approx(begin, abs=1e-8)
        after = WALKER.impact(np.concatenate([event.q, event.v]))
        np.testing.assert_allclose(np.concatenate([event.next_q, event.next_v]), after, atol=1e-12)
        begin = energy(event.next_q, event.next_v)


def test_results_do_not_depend_on_neighbours_order_or_threads() -> None:
    starts = np.concatenate([near(STABLE, 21, 3), near(UNSTABLE, 22, 4)])
    together = ts.flow(compass().phases, *states(starts), duration=4.0, events=3)
    order = np.random.default_rng(5).permutation(len(starts))
    shuffled = ts.flow(compass().phases, *states(starts[order]), duration=4.0, events=3, threads=3)
    for name in ("t", "q", "v"):
        assert np.array_equal(getattr(together, name)[order], getattr(shuffled, name))
    for k in (0, 20, 42):
        alone = ts.flow(compass().phases, *states(starts[k]), duration=4.0, events=3)
        assert np.array_equal(alone.q, together.q[k]) and np.array_equal(alone.v, together.v[k])
        own = [event for event in together.events if event.motion == k]
        assert [event.t for event in own] == [event.t for event in alone.events]


def test_a_descent_has_its_feet_on_the_slope() -> None:
    run = ts.gait.limit_cycle(ts.gait.walkers.compass()).run(5)
    model, ground = run.model, run.ground
    assert isinstance(ground, ts.Ground)
    feet = [model.frame_pose(run.q, f"{side}_foot")[:, :3, 3] for side in ("left", "right")]
    heights = np.stack([foot @ ground.numbers[:3] for foot in feet])
    down = np.abs(heights) < 1e-9
    assert down.any(axis=0).all()  # one foot is down at any time, and both take their turns
    assert down[0].sum() > 100 and down[1].sum() > 100
    # names change, the walker does not: places, velocities and energy have no other jumps
    hips = model.frame_pose(run.q, "hip")[:, :3, 3]
    assert np.linalg.norm(np.diff(hips, axis=0), axis=1).max() < 0.02
    for k in range(0, len(run.t), 37):
        speeds = [
            model.frame_velocity(run.q[k], run.v[k], f"{side}_foot", "local_world_aligned")[:3]
            for side in ("left", "right")
        ]
        assert np.linalg.norm(speeds, axis=1)[int(np.argmax(down[:, k]))] < 1e-9


BACK = (0.0, -1.0, 0.0)


def leg_model(walker: Kneed, *, knee: bool, pivoted: bool) -> ts.Model:
    """Return Dribbel on a straight stance leg, whose swing knee is free or locked."""
    builder = ts.Builder("kneed", gravity=(0.0, 0.0, -walker.g))
    names = ("shank", "thigh", "swing_thigh", "swing_shank")
    centers = (LOWER / 2, ABOVE_KNEE, ABOVE_KNEE - UPPER, -LOWER / 2)
    for name, mass, turning, z in zip(names, MASSES, TURNING, centers, strict=True):
        builder.body(name, mass, (0.0, 0.0, z), (turning,) * 3)
    foot, tilt = "world", (0.0, walker.slope, 0.0)
    if not pivoted:
        builder.body("ahead").body("above")
        builder.joint("forward", "prismatic", "world", "ahead", axis="x", rotation=tilt)
        builder.joint("up", "prismatic", "ahead", "above", axis="z")
        foot, tilt = "above", (0.0, 0.0, 0.0)
    builder.joint("lean", "revolute", foot, "shank", axis=BACK, rotation=tilt)
    builder.joint("stance_knee", "fixed", "shank", "thigh", position=(0.0, 0.0, LOWER))
    at = (0.0, 0.0, UPPER)
    builder.joint("hip", "revolute", "thigh", "swing_thigh", axis=BACK, position=at)
    kind = {"kind": "revolute", "axis": BACK} if knee else {"kind": "fixed"}
    builder.joint(
        "knee", parent="swing_thigh", child="swing_shank", position=(0, 0, -UPPER), **kind
    )
    builder.frame("swing_foot", "swing_shank", position=(0.0, 0.0, -LOWER))
    return builder.build()


def kneed_phases(walker: Kneed) -> list[ts.Phase]:
    """Return three links until the knee strikes, two until the foot does."""
    bent = leg_model(walker, knee=True, pivoted=True)
    straight = leg_model(walker, knee=False, pivoted=True)
    free = leg_model(walker, knee=False, pivoted=False)
    joint = ts.guards.JointPosition
    editor, at = ts.Editor(bent), np.array([0.0, 0.0, -UPPER])
    editor.close_loop("weld", "swing_thigh", at, "swing_shank", np.zeros(3), constraint=True)
    stopped = editor.build()
    knee = ts.Exit(
        joint("knee"),
        to="straight",
        crossing="rising",
        reset=(
            ts.resets.Impact(stopped),
            ts.resets.Linear([[1, 0, 0], [0, 1, 0]]),
        ),
        name="knee",
    )
    lift = np.array([[0, 0], [0, 0], [1, 0], [0, 1]])
    foot = ts.Exit(
        2.0 * joint("lean") + joint("hip"),
        to="bent",
        when=joint("hip"),
        reset=(
            ts.resets.Linear(lift),
            ts.resets.Impact(ts.held(free, "swing_foot")),
            ts.resets.Linear([[0, 0, 1, 1], [0, 0, 0, -1], [0, 0, 0, 0]]),
        ),
        name="foot",
    )
    return [ts.Phase(bent, knee, name="bent"), ts.Phase(straight, foot, name="straight")]


@pytest.mark.parametrize(("gait", "times"), [(LONG, (0.52702, 0.85089)), (SHORT, (None, 0.75250))])
def test_a_walker_with_knees(
    gait: tuple[float, float, float], times: tuple[float | None, float]
) -> None:
    """Two phases with three and two coordinates; gaits that the thesis did not find."""
    walker = Kneed()
    step = walker.step(np.array(gait))
    q0, v0 = [gait[0], -2.0 * gait[0], 0.0], [gait[1], gait[2], 0.0]
    flowed = ts.flow(kneed_phases(walker), q0, v0, duration=3.0, events=2)
    knee, foot = flowed.events
    assert (knee.name, foot.name) == ("knee", "foot")
    found = [knee.t, foot.t, flowed.q[0], *flowed.v[:2]]
    expected = [step.knee, step.foot, *step.after]
    print(f"off by {np.abs(np.subtract(found, expected)).max():.1e}")
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose([*knee.q, *knee.v], step.knee_before, atol=1e-9)
    np.testing.assert_allclose(knee.next_v, step.knee_after[:2], atol=1e-9)
    np.testing.assert_allclose(step.after, gait, atol=3e-6)
    for ours, golden in zip((step.knee, step.foot), times, strict=True):
        assert golden is None or ours == pytest.approx(golden, abs=1e-5)


def test_the_knee_strike_that_is_printed() -> None:
    """(4.27), with its damaged denominators: 3.254 − cos² q₅; three digits."""
    walker = Kneed()
    for q5 in np.linspace(-1.2, 1.2, 9):
        q, c = np.array([0.1, q5, 0.0]), np.cos(q5)
        first, second, _ = walker.knee_strike(q, np.array([0.0, 0.0, 1.0]))
        assert first == pytest.approx(0.0516 * c / (3.254 - c * c), rel=0.01)
        printed = (-0.999 + 0.0516 * c + 0.237 * c * c) / (c * c - 3.254)
        assert second == pytest.approx(printed, rel=0.01)
        model = leg_model(walker, knee=True, pivoted=True)
        np.testing.assert_allclose(model.mass_matrix(q), walker.mass_matrix(q)[2:, 2:], atol=1e-13)


def test_a_walker_with_knees_comes_to_its_gait() -> None:
    """The long gait is stable: a hundred events later it is what it was."""
    q0, v0 = [LONG[0], -2.0 * LONG[0], 0.0], [LONG[1], LONG[2], 0.0]
    flowed = ts.flow(kneed_phases(Kneed()), q0, v0, duration=100.0, events=100)
    np.testing.assert_allclose([flowed.q[0], *flowed.v[:2]], LONG, atol=2e-6)
    last = [event.t for event in flowed.events[-3:]]
    assert last[2] - last[0] == pytest.approx(0.85089, abs=1e-5)
