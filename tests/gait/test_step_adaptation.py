"""Adapted steps against the pendulum that is pushed, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tarsus._lib.files import Array
from tarsus.walking import plans
from tarsus.walking.plans.adaptation import FootReach

OMEGA, SINGLE, DOUBLE = 3.3, 0.65, 0.15
LIMITS = plans.StepLimits(ahead=0.6, near=0.13, far=0.5, shortest=0.35, longest=1.0)
HALF = np.array([0.06, 0.03])


def carried(xi: Array, p0: Array, p1: Array, long: float) -> Array:
    """Return ξ after `long` by Runge and Kutta, while the pressure moves from p0 to p1."""
    n = 200
    h = long / n

    def rate(t: float, x: Array) -> Array:
        return OMEGA * (x - (p0 + (p1 - p0) * t / long))

    for k in range(n):
        t = k * h
        a = rate(t, xi)
        b = rate(t + h / 2, xi + h / 2 * a)
        c = rate(t + h / 2, xi + h / 2 * b)
        d = rate(t + h, xi + h * c)
        xi = xi + h / 6 * (a + 2 * b + 2 * c + d)
    return xi


def adapt(xi: Array, **changed: Any) -> plans.Adapted:
    given: dict[str, Any] = {
        "stance": np.zeros(2),
        "heading": np.array(0.0),
        "side": np.array(1.0),
        "half": HALF,
        "place": np.array([0.2, 0.2]),
        "offset": np.array([0.03, -0.05]),
        "since": np.array(0.1),
        "left": np.array(0.55),
    }
    return plans.StepAdaptation(OMEGA, DOUBLE, LIMITS).adapt(xi, **{**given, **changed})


def test_the_offset_is_where_the_pendulum_gets() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        xi = np.array([0.05, 0.04]) + rng.uniform(-0.06, 0.06, 2)
        found = adapt(xi)
        landed = carried(xi, found.pressure, found.pressure, float(found.left))
        # double support leads from the foot that stood, not from where the pressure was
        after = carried(landed, np.zeros(2), found.place, DOUBLE)
        assert after - found.place == pytest.approx(found.offset, abs=1e-8)


def test_planned_steps_stay() -> None:
    """A pendulum that is where it should be, or that ankles can lead back, changes nothing."""
    supports = plans.Supports(OMEGA, SINGLE, DOUBLE, 1.0)
    steps = plans.Footsteps.steady(steps=8, width=0.2, length=0.2)
    ahead = supports.ahead(steps.position[None], np.array([3]))
    now, _ = supports.in_single(ahead, np.array([0.5]))
    for shift in (0.0, 0.008):
        found = plans.StepAdaptation(OMEGA, DOUBLE, LIMITS).adapt(
            now.point[:, :2] + shift,
            ahead[:, 0, :2],
            np.zeros(1),
            steps.side[[4]],
            HALF,
            ahead[:, 1, :2],
            supports.offset(ahead)[:, :2],
            np.array([0.15]),
            np.array([0.5]),
        )
        assert found.place == pytest.approx(ahead[:, 1, :2], abs=1e-3)
        assert found.left == pytest.approx([0.5], abs=2e-3)


def test_limits_hold() -> None:
    rng = np.random.default_rng(1)
    xi = rng.uniform(-1.0, 1.0, (500, 2))
    heading = rng.uniform(-3.0, 3.0, 500)
    side = rng.choice([-1.0, 1.0], 500)
    since = rng.uniform(0.0, 0.6, 500)
    found = adapt(
        xi, heading=heading, side=side, since=since, left=np.maximum(SINGLE - since, 0.05)
    )
    c, s = np.cos(heading), np.sin(heading)
    ahead = c * found.place[:, 0] + s * found.place[:, 1]
    aside = side * (-s * found.place[:, 0] + c * found.place[:, 1])
    assert np.abs(ahead).max() < LIMITS.ahead + 1e-9
    assert aside.min() > LIMITS.near - 1e-9
    assert aside.max() < LIMITS.far + 1e-9
    total = since + found.left
    assert total.max() < LIMITS.longest + 1e-9
    assert (total - np.maximum(LIMITS.shortest, since)).min() > -1e-9


def test_feet_get_where_they_shall_land() -> None:
    """A foot that rests can be led by so much in the time that is found; it is asked for no more.

    Without this bound most of the landings would be out of reach.
    """
    rng = np.random.default_rng(3)
    n, agile, settle = 400, 5.0, 0.03
    xi = rng.uniform(-0.3, 0.3, (n, 2))
    place = np.stack([rng.uniform(-0.2, 0.2, n), rng.uniform(0.15, 0.4, n)], axis=-1)
    since = rng.uniform(0.0, 0.4, n)
    given = {"since": since, "left": SINGLE - since, "soonest": np.full(n, 0.1)}
    foot = FootReach(place, np.zeros((n, 2)), agile, settle)
    beyond = []
    for found in (adapt(xi, **given), adapt(xi, **given, foot=foot)):
        far = np.abs(found.place - place).max(axis=-1)
        beyond.append(far - agile * np.maximum(found.left - settle, 0.0) ** 2)
    print(f"out of reach: {(beyond[0] > 0.02).mean():.0%}, with the bound {beyond[1].max():.3f} m")
    assert (beyond[0] > 0.02).mean() > 0.5
    # the reach is taken for linear in τ, which is a little too much for short times
    assert beyond[1].max() < 0.03
    assert (beyond[1] > 0.02).mean() < 0.1


def test_batches_are_loops() -> None:
    rng = np.random.default_rng(2)
    xi = rng.uniform(-0.2, 0.2, (7, 2))
    together = adapt(xi)
    for k in range(7):
        alone = adapt(xi[k])
        for a, b in zip(together, alone, strict=True):
            assert a[k] == pytest.approx(b, abs=1e-12)


def survives(push: Array, adapts: bool) -> bool:
    """Whether a pendulum that is pushed once goes on for ten steps, in brute force."""
    supports = plans.Supports(OMEGA, SINGLE, DOUBLE, 1.0)
    steps = plans.Footsteps.steady(steps=14, width=0.2, length=0.2)
    place = steps.position.copy()
    law = plans.StepAdaptation(OMEGA, DOUBLE, LIMITS)
    ahead = supports.ahead(place[None], np.array([1]))
    xi = supports.in_single(ahead, np.array([SINGLE]))[0].point[0, :2]
    dt = 0.01
    for k in range(2, 12):
        since, left = 0.0, SINGLE
        while left > 1e-9:
            ahead = supports.ahead(place[None], np.array([k - 1]))
            wanted, _ = supports.in_single(ahead, np.array([left]))
            p = np.clip(2.0 * (xi - wanted.point[0, :2]), -HALF, HALF) + place[k - 1, :2]
            if adapts and left > 0.08:
                found = law.adapt(
                    xi[None],
                    ahead[:, 0, :2],
                    np.zeros(1),
                    steps.side[[k]],
                    HALF,
                    ahead[:, 1, :2],
                    supports.offset(ahead)[:, :2],
                    np.array([since]),
                    np.array([left]),
                )
                place[k:, :2] += found.place[0] - place[k, :2]
                left = float(found.left[0])
            h = min(dt, left)
            xi = p + (xi - p) * np.exp(OMEGA * h)
            if k == 4 and since <= 0.2 < since + h:
                xi = xi + push
            since, left = since + h, left - h
        xi = carried(xi, place[k - 1, :2], place[k, :2], DOUBLE)
        if np.linalg.norm(xi - place[k, :2]) > 0.5:
            return False
    return True


def test_steps_that_adapt_survive_what_fixed_ones_do_not() -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    pushes = 0.1 * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    fixed = sum(survives(push, False) for push in pushes)
    adapted = sum(survives(push, True) for push in pushes)
    print(f"fixed {fixed}, adapted {adapted} of {len(pushes)}")
    assert survives(np.zeros(2), False)
    assert fixed == 0
    assert adapted >= 8
