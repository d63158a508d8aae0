"""Phases of gaits, plans of feet, support polygons and the zero moment point, without dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.robots.quadrupeds import HIP, LEGS
from tarsus.walking import plans

STANCE = np.array([[x * HIP[0], y * HIP[1], 0.0] for x, y in LEGS.values()])
TIMES = np.arange(0.0, 6.0, 1e-3)


def test_legs_move_together_as_the_gaits_say() -> None:
    phases = np.linspace(1.0, 4.0, 3001)
    for name, pairs in (
        ("trot", [("hind_right", "front_left"), ("hind_left", "front_right")]),
        ("pace", [("hind_right", "front_right"), ("hind_left", "front_left")]),
    ):
        one = plans.FOOTFALLS[name]
        standing = dict(zip(one.legs, one.standing(phases).T, strict=True))
        for a, b in pairs:
            assert (standing[a] == standing[b]).all()
        first, second = (standing[a] for a, _ in pairs)
        assert (first | second).all(), "no flight"
        both = float((first & second).mean())
        print(f"{name}: double support {both:.1%}")
        assert both == pytest.approx(0.1, abs=0.01)


def test_three_feet_are_down_in_a_crawl() -> None:
    down = plans.CRAWL.standing(np.linspace(0.0, 5.0, 5001)).sum(axis=-1)
    assert set(down.tolist()) == {3, 4}
    order = sorted(plans.CRAWL.lifts, key=lambda leg: plans.CRAWL.lifts[leg])
    assert order == ["front_left", "hind_right", "front_right", "hind_left"]


def test_crawling_is_statically_stable_and_trotting_is_not() -> None:
    """The centre, moved along with the feet, above the polygon: three legs can hold it, two not."""
    margins = {}
    for one in (plans.CRAWL, plans.TROT):
        walk = plans.Walk(one, speed=(0.02, 0.0), period=2.0)
        feet, standing = walk.feet(TIMES, STANCE), one.standing((TIMES - 1.0) / 2.0)
        body = walk.body(TIMES, STANCE)
        margins[one.name] = min(
            plans.support_margin(f[s], b)
            for f, s, b in zip(feet[::50], standing[::50], body[::50], strict=True)
        )
    print(margins)
    assert margins["trot"] < 0.0
    # a triangle of three corners of a rectangle has its centre on its edge
    assert margins["crawl"] == pytest.approx(0.0, abs=0.02)


def test_feet_stand_still_or_swing() -> None:
    walk = plans.Walk(speed=(0.3, 0.1), period=0.6, lift=0.05)
    feet = walk.feet(TIMES, STANCE)
    standing = walk.footfalls.standing((TIMES - walk.start) / walk.period)
    still = standing[1:] & standing[:-1]
    moved = np.abs(np.diff(feet, axis=0))[still].max()
    print(f"a foot that stands moves {moved:.1e} m, the highest lift is {feet[..., 2].max():.4f} m")
    assert moved < 1e-15
    assert feet[..., 2].max() == pytest.approx(0.05, rel=1e-4)
    assert feet[..., 2].min() == 0.0
    jumps = np.abs(np.diff(feet, n=2, axis=0)).max() / 1e-6
    print(f"largest acceleration {jumps:.1f} m/s²")
    assert jumps < 20.0, "smooth"
    # below the hip in the middle of each stance, so ahead as often as behind
    ahead = (feet - STANCE)[..., :2] - walk.body(TIMES, STANCE)[:, None]
    steady = ahead[TIMES > 3.0].reshape(-1, 2)
    np.testing.assert_allclose(steady.max(0), -steady.min(0), atol=2e-3)


def test_body_moves_at_the_speed_after_a_ramp() -> None:
    walk = plans.Walk(speed=(0.2, -0.1), period=0.5, start=1.0)
    assert np.array_equal(walk.steady([0.0, 1.0]), np.zeros((2, 2)))
    np.testing.assert_allclose(np.diff(walk.steady([2.0, 3.0]), axis=0), [[0.2, -0.1]])
    np.testing.assert_allclose(walk.steady(1.5), [0.05, -0.025])


def test_support_polygon() -> None:
    polygon = plans.support_polygon([[0, 0], [1, 0], [0.5, 0.2], [1, 1], [0, 1], [1, 0]])
    np.testing.assert_array_equal(polygon, [[0, 0], [1, 0], [1, 1], [0, 1]])
    square = [[0, 0, 5], [1, 0, 7], [1, 1, 0], [0, 1, 0]]
    cases = {(0.5, 0.5): 0.5, (0.9, 0.5): 0.1, (1.5, 0.5): -0.5, (2.0, 2.0): -np.sqrt(2.0)}
    for point, margin in cases.items():
        assert plans.support_margin(square, point) == pytest.approx(margin)
    assert plans.support_margin([[0, 0], [2, 0]], (1.0, 0.3)) == pytest.approx(-0.3)
    assert plans.support_margin([[1, 1]], (1, 3)) == pytest.approx(-2.0)
    with pytest.raises(ValueError, match=r"points has the shape \(3,\)"):
        plans.support_polygon([1.0, 2.0, 3.0])


def test_preview_follows_the_zero_moment_point() -> None:
    """Steps of 0.1 m to both sides: the error of the ZMP is short, the cart equation exact."""
    t = np.arange(0.0, 8.0, 0.005)
    side = np.where((t < 2.0) | (t > 6.0), 0.0, np.where((t // 0.4) % 2 == 0, 0.1, -0.1))
    preview = plans.ZmpPreview(0.6)
    sway = preview.follow(np.stack([side, 0.0 * t], axis=-1))
    cart = np.abs(sway.zmp - (sway.com - 0.6 / 9.81 * sway.acceleration)).max()
    error = np.abs(sway.zmp[:, 0] - side)
    print(f"cart {cart:.1e} m, error of the ZMP {error.mean():.1e} m in the mean")
    assert cart < 1e-15
    assert error.mean() < 3e-3
    assert np.abs(sway.com[:, 0]).max() < 0.1, "the centre of mass sways less than the ZMP"
    assert np.abs(sway.com[:, 1]).max() == 0.0
    assert abs(sway.com[-1, 0]) < 1e-3
    # it begins to move before the reference does: that is the preview
    assert np.abs(sway.com[t < 2.0, 0]).max() > 1e-3


def test_preview_is_optimal() -> None:
    """No other jerk of the first step has a lower cost: error of the ZMP and weighted jerk."""
    dt, n = 0.02, 250
    preview = plans.ZmpPreview(0.5, dt, 2.0, 1e-6)
    wanted = np.where(np.arange(n) * dt < 1.5, 0.0, 0.1)
    sway = preview.follow(wanted)
    jerks = np.diff(sway.acceleration) / dt
    A = np.array([[1, dt, dt**2 / 2], [0, 1, dt], [0, 0, 1]])
    B, C = np.array([dt**3 / 6, dt**2 / 2, dt]), np.array([1, 0, -0.5 / 9.81])

    def cost(jerks: np.ndarray) -> float:
        x, total, before = np.zeros(3), 0.0, 0.0
        for k, jerk in enumerate(jerks):
            total += (C @ x - wanted[k]) ** 2 + 1e-6 * (jerk - before) ** 2
            x, before = A @ x + B * jerk, jerk
        return total

    least = cost(jerks)
    rng = np.random.default_rng(0)
    worse = [cost(jerks + 1e-4 * np.abs(jerks).max() * rng.normal(size=n - 1)) for _ in range(50)]
    print(f"cost {least:.3e}, of others at least {min(worse):.3e}")
    assert least < min(worse)


def test_preview_of_a_walk() -> None:
    walk = plans.Walk(preview=plans.ZmpPreview(0.6))
    body = walk.body(TIMES, STANCE)
    steady = plans.Walk().body(TIMES, STANCE)
    away = np.abs(body - steady).max(axis=0)
    print(f"the body is up to {away} m from that at a constant speed")
    assert 1e-4 < away[0] < 0.02
    assert away[1] < 1e-12, "the middle of a diagonal is on the middle line"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: plans.ZmpPreview(-1.0), "height is -1.0, must be above 0"),
        (lambda: plans.Walk(period=0.0), "period is 0.0, must be above 0"),
        (lambda: plans.Walk(speed=0.1), "speed is 0.1, must be two numbers"),
        (lambda: plans.Walk(speed=(np.nan, 0.0)), "speed is .*nan.*, must be two numbers"),
        (lambda: plans.Footfalls("hop", {"a": 0.0}, 1.0), "swing is 1.0, must be between 0 and 1"),
    ],
)
def test_bad_plans(make: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()  # type: ignore[operator]
