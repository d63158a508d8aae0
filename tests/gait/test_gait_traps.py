"""Traps of walking: grazes, events without end, rest, no gait at all, feet that slip or lift."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts


def bouncer(restitution: float) -> ts.gait.Walker:
    """Return a mass that falls and bounces: the less each time, the shorter."""
    b = ts.Builder("bouncer").body("ball", 1.0)
    model = b.joint("up", "prismatic", "world", "ball", axis="z").build()
    bounce = ts.Exit(
        ts.guards.JointPosition("up"),
        to="flight",
        reset=ts.resets.Linear([[1.0]], rates=[[-restitution]]),
        name="bounce",
    )
    phase = ts.Phase(model, bounce, name="flight")
    return ts.gait.Walker.from_phases(
        phase, start=([0.0], [1.0]), ahead=lambda q: np.ones(q.shape[:-1])
    )


def test_bounces_without_end_end() -> None:
    """A time 2 v / g Σ eᵏ holds infinitely many bounces: the flow ends there, and says why."""
    walker = bouncer(0.5)
    with pytest.raises(ts.FlowError, match="events that follow each other without time") as caught:
        ts.flow(walker.phases, *walker.start, duration=10.0)
    assert caught.value.flowed.t == pytest.approx(2.0 / 9.81 * 2.0, abs=1e-6)


def test_rest_is_no_gait() -> None:
    """What bounces less and less returns to rest, where steps take no time."""
    walker = bouncer(0.5)
    with pytest.raises(ts.gait.NoGaitError, match="comes to rest") as caught:
        ts.gait.limit_cycle(walker, walker.start)
    assert caught.value.best is not None
    assert ts.gait.limit_cycles(walker) == []


def test_what_loses_nothing_has_a_gait_for_every_energy() -> None:
    walker = bouncer(1.0)
    gait = ts.gait.limit_cycle(walker, ([0.0], [0.7]))
    assert gait.period == pytest.approx(2.0 * 0.7 / 9.81, abs=1e-9)
    assert not gait.stable  # nothing says that an energy is kept
    np.testing.assert_allclose(gait.multipliers, [1.0], atol=1e-9)


@pytest.mark.parametrize("above", [1e-3, 1e-6, 1e-9, 0.0, -1e-9, -1e-6, -1e-3])
def test_feet_that_graze(above: float) -> None:
    """A hopper rises to so much above the height of landing: it lands, or it falls."""
    walker = ts.gait.walkers.hopper()
    stance, rise, fall = walker.phases
    landing = float(walker.start[0][1])
    speed = math.sqrt(2.0 * 9.81 * (0.1 + above))
    flowed = ts.flow(
        (rise, fall, stance), [0.0, landing - 0.1], [5.0, speed], duration=2.0, events=2
    )
    event = flowed.events[1]
    if above:
        assert event.name == ("touch-down" if above > 0.0 else "fell")
    assert event.name in ("touch-down", "fell")
    assert np.isfinite(flowed.q).all()


def test_a_landing_at_no_speed_is_a_step_or_none() -> None:
    """From a start that grazes a search ends: with a gait, or with a reason."""
    walker = ts.gait.walkers.hopper(height=math.sin(math.radians(68.0)) + 1e-12)
    try:
        gait = ts.gait.limit_cycle(walker, walker.start)
    except ts.gait.NoGaitError as error:
        assert str(error)
    else:
        assert gait.error <= 1e-10
        assert gait.period > 0.1


def test_a_walker_that_falls_says_how() -> None:
    for walker in (ts.gait.walkers.compass(slope=0.5), ts.gait.walkers.round_feet(slope=-0.1)):
        with pytest.raises(ts.gait.NoGaitError) as caught:
            ts.gait.limit_cycle(walker, walker.start)
        print(caught.value)
        assert caught.value.best is not None
        assert "no gait from this guess" in str(caught.value) or "rounds" in str(caught.value)


def test_feet_that_would_lift_or_slip_are_told() -> None:
    """On a steep slope the compass is so fast that the ground would have to pull, or to grip."""
    found = {
        slope: ts.gait.limit_cycles(ts.gait.walkers.compass(slope=slope))[0]
        for slope in (math.radians(3.0), 0.28, 0.3)
    }
    words = {slope: " ".join(gait.violations) for slope, gait in found.items()}
    print(words)
    assert "stance foot" not in words[math.radians(3.0)]
    assert "the stance foot slips" in words[0.28]
    assert "the stance foot lifts" in words[0.3]
    footing = found[0.3].footings[0]
    assert footing is not None
    for k in (40, 200, 360):
        carried = _carried(found[0.3], float(footing.t[k]))
        assert footing.normal_force[k] == pytest.approx(carried, rel=1e-4)


def _carried(gait: ts.gait.LimitCycle, t: float) -> float:
    """Return what the ground carries at a time [N]: weight, and the second difference of heights.

    The masses of the compass are 5 kg at the hip, 1 kg in the middle of each leg.
    """
    h, heights = 1e-3, []
    for at in (t - h, t, t + h):
        lean, hip = ts.flow(gait.walker.phases, *gait.state, duration=at, rtol=1e-13, atol=1e-14).q
        stance, swing = math.cos(lean), math.cos(lean + hip)
        heights.append(0.5 * stance + 5.0 * stance + stance - 0.5 * swing)
    acceleration = (heights[0] - 2.0 * heights[1] + heights[2]) / h**2
    return acceleration + 7.0 * 9.8 * math.cos(gait.walker.slope)
