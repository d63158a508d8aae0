"""Events of `tarsus.flow` at times that formulas know: bounces, flips, swings, chains of events."""

from __future__ import annotations

import numpy as np
import pytest
from contact_motions import Bounces
from scipy.special import ellipk
from test_free_body import BETWEEN, FIRST, SPIN, body

import tarsus as ts

G = 9.81


def ball() -> ts.Model:
    builder = ts.Builder("ball").body("ball", 2.0)
    return builder.joint("fall", "prismatic", "world", "ball", axis="z").build()


def bouncing(restitution: float) -> ts.Phase:
    strike = ts.Exit(
        ts.guards.Height("ball"),
        to="flight",
        reset=ts.resets.Linear([[1.0]], rates=[[-restitution]]),
        name="strike",
    )
    return ts.Phase(ball(), strike, name="flight")


def test_bounces() -> None:
    bounces = Bounces(1.0, 0.8)
    flowed = ts.flow(bouncing(0.8), [1.0], duration=10.0, events=40)
    times = np.array([event.t for event in flowed.events])
    print(f"times off by {np.abs(times - bounces.times(40)).max():.1e}")
    np.testing.assert_allclose(times, bounces.times(40), atol=1e-11)
    speeds = -np.array([event.v[0] for event in flowed.events])
    np.testing.assert_allclose(speeds, bounces.speeds(40), atol=1e-11)
    for event in flowed.events:
        assert event.next_v[0] == -0.8 * event.v[0]
        assert abs(event.q[0]) < 1e-11 * max(1.0, abs(event.v[0]))


@pytest.mark.parametrize("restitution", [0.3, 0.8])
def test_infinitely_many_bounces_end_by_name(restitution: float) -> None:
    """A bare flow cannot pass the end of a Zeno sequence: it says so, and where."""
    bounces = Bounces(1.0, restitution)
    with pytest.raises(ts.FlowError, match="events that follow each other without time") as error:
        ts.flow(bouncing(restitution), [1.0], duration=20.0)
    flowed = error.value.flowed
    print(
        f"e = {restitution}: {flowed.n_events} bounces, {flowed.t - bounces.end:.1e} s off the end"
    )
    assert flowed.t == pytest.approx(bounces.end, abs=1e-8)
    assert abs(flowed.q[0]) < 1e-9 and abs(flowed.v[0]) < 1e-6
    # others of a batch go on
    many = ts.flow(bouncing(restitution), [[1.0], [300.0]], duration=5.0)
    assert many.failed.tolist() == [True, False] and many.t[1] == 5.0


def test_a_tumbling_body_flips() -> None:
    """A guard in Python: the middle rate passes zero at times of elliptic functions."""
    exit = ts.Exit(
        ts.guards.Function(lambda t, q, v: float(v[4])), to="flight", crossing="any", name="flip"
    )
    v0 = np.concatenate([np.zeros(3), SPIN])
    model = body()
    flowed = ts.flow(ts.Phase(model, exit, name="flight"), model.neutral(), v0, duration=60.0)
    times = [event.t for event in flowed.events]
    np.testing.assert_allclose(times, FIRST + BETWEEN * np.arange(3), atol=3e-5)
    assert np.abs(np.diff(times, n=2)).max() < 1e-7


@pytest.mark.parametrize("amplitude", [0.1, 1.5, 3.1])
def test_a_pendulum_swings(amplitude: float) -> None:
    """It is down after a quarter of 4 √(l/g) K(sin(A/2)), and every half of it."""
    builder = ts.Builder("pendulum").body("bob", 1.0, (0.0, 0.0, -1.0))
    model = builder.joint("pivot", "revolute", "world", "bob", axis="y").build()
    down = ts.Exit(ts.guards.JointPosition("pivot"), to="swing", crossing="any", name="down")
    turned = ts.Exit(ts.guards.JointVelocity("pivot"), to="swing", crossing="any", name="turn")
    phase = ts.Phase(model, [down, turned], name="swing")
    quarter = float(ellipk(np.sin(amplitude / 2) ** 2)) / np.sqrt(G)
    flowed = ts.flow(phase, [amplitude], duration=8.5 * quarter, rtol=1e-13, atol=1e-14)
    assert [event.name for event in flowed.events] == ["down", "turn"] * 4
    times = np.array([event.t for event in flowed.events])
    print(f"{amplitude}: off by {np.abs(times / quarter - np.arange(1, 9)).max():.1e} quarters")
    np.testing.assert_allclose(times, quarter * np.arange(1, 9), rtol=1e-9)


def test_events_that_never_come_and_two_at_once() -> None:
    high = ts.Exit(ts.guards.Height("ball", over=(0, 0, 5)), crossing="rising", name="too high")
    flowed = ts.flow(ts.Phase(ball(), high), [1.0], [1.0], duration=3.0)
    assert flowed.t == 3.0 and not flowed.events
    assert flowed.ended == "lasted as long as it should"
    # two guards with one zero: the first that is listed is the event, and one is enough
    same = [ts.Exit(ts.guards.Height("ball"), name=name) for name in ("first", "second")]
    flowed = ts.flow(ts.Phase(ball(), same), [1.0], duration=3.0)
    assert [event.name for event in flowed.events] == ["first"]
    assert flowed.t == pytest.approx(np.sqrt(2.0 / G), abs=1e-12)
