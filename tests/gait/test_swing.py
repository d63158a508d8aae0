"""Feet in the air: without jumps, wherever and whenever they shall land, clear of the ground."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking import plans
from tarsus.walking.plans import Swing, Way


def swings(
    swing: Swing, start: np.ndarray, target: np.ndarray, ground: ts.Ground | None, dt: float = 1e-3
) -> list[Way]:
    """Return a swing of 0.6 s, sample by sample."""
    now, since, left = Way.at_rest(start), np.array(0.0), np.array(0.6)
    top = swing.top(ground, start, target, 0.2)
    found = [now]
    for _ in range(600):
        end, times = swing.aim(now.position, target, top, since, left)
        now = plans.bend(now, end, times, dt)
        since, left = since + dt, left - dt
        found.append(now)
    return found


def test_a_quintic_is_a_quintic_however_often_it_is_made_anew() -> None:
    rng = np.random.default_rng(0)
    now = Way(*rng.uniform(-1, 1, (3, 4)))
    end = Way(*rng.uniform(-1, 1, (3, 4)))
    long, dt = 0.8, 0.01
    # SciPy's interpolation of the six conditions
    from scipy.interpolate import BPoly

    curve = BPoly.from_derivatives(
        [0.0, long], [np.stack([now[0], now[1], now[2]]), np.stack([end[0], end[1], end[2]])]
    )
    way = now
    for k in range(80):
        way = plans.bend(way, end, long - k * dt, dt)
        assert way.position == pytest.approx(curve((k + 1) * dt), abs=1e-9)
        if k < 79:
            assert way.velocity == pytest.approx(curve((k + 1) * dt, 1), abs=1e-8)
            assert way.acceleration == pytest.approx(curve((k + 1) * dt, 2), abs=1e-5)


def test_landings_that_move_make_no_jumps() -> None:
    rng = np.random.default_rng(1)
    swing, dt = Swing(), 1e-3
    now, since, left = Way.at_rest(np.zeros(3)), 0.0, 0.6
    target, top = np.array([0.3, 0.1, 0.0]), np.array(0.06)
    ways = [now]
    for k in range(500):
        if k % 50 == 0 and left > 0.15:
            target = target + rng.uniform(-0.03, 0.03, 3) * (1.0, 1.0, 0.0)
            left = left + rng.uniform(-0.03, 0.03)
        end, times = swing.aim(now.position, target, top, np.array(since), np.array(left))
        now = plans.bend(now, end, times, dt)
        since, left = since + dt, left - dt
        ways.append(now)
    place, rate, faster = (np.stack(part) for part in zip(*ways, strict=True))
    # the trapezoid of a C² motion is its own derivative's integral to the third order
    assert np.diff(place, axis=0) == pytest.approx(dt * (rate[1:] + rate[:-1]) / 2, abs=1e-6)
    assert np.diff(rate, axis=0) == pytest.approx(dt * (faster[1:] + faster[:-1]) / 2, abs=1e-3)
    assert np.abs(np.diff(faster, axis=0)).max() < 3.0


def test_feet_land_where_they_shall_and_go_on_if_there_is_nothing() -> None:
    swing, target = Swing(), np.array([0.25, -0.05, 0.02])
    ways = swings(swing, np.zeros(3), target, None)
    last = ways[-1]
    assert last.position == pytest.approx(target, abs=1e-4)
    assert last.velocity == pytest.approx([0.0, 0.0, -swing.land], abs=1e-6)
    end, times = swing.aim(target, target, np.array(0.1), np.array(0.7), np.array(-0.1))
    beyond = plans.bend(last, end, times, 0.1)
    assert beyond.position[2] == pytest.approx(target[2] - 0.1 * swing.land, abs=1e-3)


@pytest.mark.parametrize("rise", [0.1, -0.1, 0.05])
def test_feet_clear_steps(rise: float) -> None:
    """Between the first and the last tenth of the time no part of the sole is in the ground."""
    ground = ts.Steps(rise=rise, depth=0.4, count=3, start=0.3)
    swing = Swing(lift=0.06)
    start, target = np.array([0.15, 0.0, 0.0]), np.array([0.45, 0.0, rise])
    ways = swings(swing, start, target, ground)
    place = np.stack([way.position for way in ways])
    sole = np.linspace(-0.1, 0.1, 11)
    gap = place[:, 2, None] - ground.height(place[:, :1] + sole, np.zeros((len(place), 11)))
    print(f"{1e3 * gap[60:540].min():.1f} mm")
    assert gap[60:540].min() > 0.0


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(ValueError, match="lift is -1"):
        Swing(lift=-1.0)
    with pytest.raises(ValueError, match="0 < rise ≤ sink < 1"):
        Swing(rise=0.8, sink=0.5)
