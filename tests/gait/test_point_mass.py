"""The walker with its mass in its hip: pushes, foot placement, paths, headings, start and stop.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 5.4; multipliers and the time of the fall are from an independent computation
with the Hamiltonian of (5.31).
"""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Array
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus.gait.impact_analysis import leg_direction, leg_rates, leg_velocity, push_off, struck
from tarsus.gait.return_map import take_step
from tarsus.gait.walkers.point_mass import pendulum, point_mass

RNG = np.random.default_rng(8)
START = {"lean": (-0.3, -0.1), "rates": (2.0 / np.cos(0.1) ** 2, 0.1)}
"""As in the thesis, momenta (2, 0.1)."""


def strikes(count: int) -> tuple[Array, Array, Array, Array]:
    """Return angles of both legs (n, 2), rates (n, 2) and velocities (n, 3), falling forward."""
    old = RNG.uniform([0.1, -0.3], [0.5, 0.3], (count, 2))
    new = RNG.uniform([-0.5, -0.3], [-0.1, 0.3], (count, 2))
    rates = RNG.uniform([0.5, -0.3], [2.0, 0.3], (count, 2))
    return old, new, rates, leg_velocity(old[:, 0], old[:, 1], rates)


def test_pushes_restore_what_strikes_take() -> None:
    old, new, rates, velocity = strikes(200)
    s, n = leg_direction(*old.T), leg_direction(*new.T)
    push = push_off(velocity, s, n)
    # (5.37) as it is printed
    (q4, q5), (q6, q7), (w4, w5) = old.T, new.T, rates.T
    above = w5 * np.cos(q4 - q6) * np.cos(q7) * np.sin(q5) + np.cos(q5) * (
        w4 * np.cos(q7) * np.sin(q4 - q6) - w5 * np.sin(q7)
    )
    below = 1.0 + np.cos(q5) * np.cos(q4 - q6) * np.cos(q7) + np.sin(q5) * np.sin(q7)
    np.testing.assert_allclose(push, above / below, rtol=1e-12)
    after = struck(velocity, s, n, push)
    kinetic = (velocity**2).sum(-1), (after**2).sum(-1)
    np.testing.assert_allclose(*kinetic, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose((after * n).sum(-1), 0.0, atol=1e-14)
    # any other energy, as long as it takes a push
    wanted = 0.5 * kinetic[0] * RNG.uniform(1.0, 1.5, 200)
    after = struck(velocity, s, n, push_off(velocity, s, n, wanted))
    np.testing.assert_allclose(0.5 * (after**2).sum(-1), wanted, rtol=1e-12)
    assert (push_off(velocity, s, n, 0.0) == 0.0).all()


def test_rates_and_velocities_are_inverse() -> None:
    old, _, rates, velocity = strikes(20)
    np.testing.assert_allclose(leg_rates(*old.T, velocity), rates, rtol=1e-12)
    h = 1e-6
    moved = leg_direction(*(old + h * rates).T) - leg_direction(*(old - h * rates).T)
    np.testing.assert_allclose(velocity, moved / (2 * h), atol=1e-9)


def test_the_pendulum_has_the_hamiltonian() -> None:
    """H = ½ (p₁²/cos² q₅ + p₂²) + g cos q₄ cos q₅, by SciPy."""

    def rates(t: float, y: Array) -> list[float]:
        q4, q5, p1, p2 = y
        forces = [
            9.81 * np.sin(q4) * np.cos(q5),
            9.81 * np.cos(q4) * np.sin(q5) - p1**2 * np.sin(q5) / np.cos(q5) ** 3,
        ]
        return [p1 / np.cos(q5) ** 2, p2, *forces]

    y0 = np.array([-0.3, -0.1, 2.0, 0.1])
    found = solve_ivp(rates, (0.0, 0.3), y0, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    q0, v0 = [-0.3, -0.1, -0.3, 0.1], [2.0 / np.cos(0.1) ** 2, 0.1, 0.0, 0.0]
    flowed = ts.flow(pendulum(), q0, v0, duration=0.3)
    np.testing.assert_allclose(flowed.q, [*found[:2], -0.3, 0.1], atol=1e-9)
    np.testing.assert_allclose(
        flowed.v, [found[2] / np.cos(found[1]) ** 2, found[3], 0.0, 0.0], atol=1e-9
    )


def by_hamiltonian(push: float, until: float) -> tuple[list[float], list[float]]:
    """Return times of mid-stances, and where the hip is aside then [m], by SciPy.

    The pendulum of (5.31), the push (5.37) as the root of the energy, the placement (5.40) to
    (5.42); pushed aside after two seconds.
    """

    def rates(t: float, y: Array) -> list[float]:
        q4, q5, w4, w5 = y
        bend = 9.81 * np.cos(q4) * np.sin(q5) - w4**2 * np.sin(q5) * np.cos(q5)
        return [w4, w5, 9.81 * np.sin(q4) / np.cos(q5) + 2.0 * w4 * w5 * np.tan(q5), bend]

    def ways(q4: float, q5: float) -> Array:
        """Return e, and how it changes with both angles."""
        (s4, s5), (c4, c5) = np.sin([q4, q5]), np.cos([q4, q5])
        return np.array(
            [[s4 * c5, -s5, c4 * c5], [c4 * c5, 0.0, -s4 * c5], [-s4 * s5, -c5, -c4 * s5]]
        )

    t, side, foot, aimed, pushed = 0.0, 1, 0.0, None, False
    y = np.array([*START["lean"], *START["rates"]])
    times, aside = [], []
    while t < until:

        def event(t: float, y: Array, aimed: Array | None = aimed) -> float:
            return y[0] if aimed is None else ways(*aimed)[0, 2] - ways(*y[:2])[0, 2]

        event.terminal, event.direction = True, 1.0  # type: ignore[attr-defined]
        end = until if pushed else 2.0
        found = solve_ivp(rates, (t, end), y, method="DOP853", events=event, rtol=1e-11, atol=1e-12)
        t, y = found.t[-1], found.y[:, -1]
        leg, along, across = ways(*y[:2])
        if found.status == 0 and not pushed:
            y[3], pushed = y[3] + push * across[1], True
        elif found.status == 1 and aimed is None:
            times.append(t)
            aside.append(foot + leg[1])
            wanted = np.clip(aside[-1] + 1.5 * (y[2] * along + y[3] * across)[1], -0.3, 0.3)
            aimed = np.array([-0.3, side * 0.1 + 0.3 * (wanted - y[3])])
        elif found.status == 1:
            new, v = ways(*aimed), y[2] * along + y[3] * across
            # |v + r e − n (n·(v + r e))|² = |v|²
            both, fast = new[0] @ leg, new[0] @ v
            r = max(np.roots([1.0 - both**2, -2.0 * both * fast, -(fast**2)]).real)
            after = v + r * leg
            after = after - new[0] * (new[0] @ after)
            foot += leg[1] - new[0, 1]
            y = np.array([*aimed, after @ new[1] / np.cos(aimed[1]) ** 2, after @ new[2]])
            aimed, side = None, -side
    return times, aside


def multipliers(gain: float) -> Array:
    """Return what pushes are multiplied by, of the gait at 1.76 m/s."""
    walker = point_mass(gain=gain)
    q, v = (x[None] for x in walker.start)
    step = take_step(walker, q, v, derivatives=True)
    np.testing.assert_allclose([*(step.q - q), *(step.v - v)], 0.0, atol=1e-10)
    assert step.slopes is not None
    found = np.linalg.eigvals(step.slopes[0])
    return np.asarray(found[np.argsort(-np.abs(found))][:3])


def lateral(gain: float) -> float:
    """Return the size of the largest multiplier but that of the energy, which is one."""
    found = multipliers(gain)
    energy = np.argmin(np.abs(found - 1.0))
    assert abs(found[energy] - 1.0) < 1e-9
    return float(np.abs(np.delete(found, energy)).max())


def test_multipliers_of_foot_placement() -> None:
    assert np.abs(multipliers(0.0) + 1.509).min() < 0.01
    assert np.abs(multipliers(0.3) - (-0.525 + 0.429j)).min() < 0.01
    assert lateral(0.3) == pytest.approx(0.678, abs=0.01)
    assert lateral(0.24) == pytest.approx(0.606, abs=0.01)
    for gain, inside in ((0.156, False), (0.176, True), (0.643, True), (0.663, False)):
        assert (lateral(gain) < 1.0) == inside


def test_multipliers_are_differences() -> None:
    walker = point_mass()
    q, v = walker.start
    h = 1e-5
    exact = take_step(walker, q[None], v[None], derivatives=True).slopes
    assert exact is not None
    for column in range(2):
        step = np.eye(4)[column] * h
        ends = walker.steps(np.stack([q, q]), np.stack([v + step, v - step]))
        found = (ends.v[0] - ends.v[1]) / (2 * h)
        np.testing.assert_allclose(exact[0, 4:, 4 + column], found, atol=1e-6)


def test_fixed_feet_fall_aside_and_placed_feet_do_not() -> None:
    fell = ts.gait.point_mass_walk(ts.gait.FootPlacement(gain=0.0), **START)
    assert fell.ended == "fell" and fell.t[-1] == pytest.approx(5.08, abs=0.1)
    walk = ts.gait.point_mass_walk(ts.gait.FootPlacement(), **START)
    assert walk.ended == "walks on" and len(walk.strikes) >= 60
    assert abs(walk.middles[-1][2][1]) < 1e-6
    np.testing.assert_allclose(walk.energy, walk.energy[0], atol=1e-8)


def test_the_walk_in_space_is_that_of_the_walker() -> None:
    """Steps in the world, foot by foot, and mirrored ones of the gait's phases."""
    walker = point_mass()
    q0 = np.array([*START["lean"], -0.3, 0.1])
    v0 = np.array([*START["rates"], 0.0, 0.0])
    mirrored = walker.steps(q0, v0, 10)
    times = [event.t for event in mirrored.events if event.name == "strike"]
    walk = ts.gait.point_mass_walk(ts.gait.FootPlacement(), **START, duration=5.0)
    np.testing.assert_allclose(walk.strikes[:10], times, atol=1e-9)


@pytest.mark.parametrize("push", [0.1, 0.3, 0.5])
def test_pushes_aside_are_recovered(push: float) -> None:
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(), **START, disturbances=[(2.0, (0.0, -push, 0.0))]
    )
    calm = ts.gait.point_mass_walk(ts.gait.FootPlacement(), **START)
    assert walk.ended == "walks on" and abs(walk.middles[-1][2][1]) < 1e-4
    assert walk.energy[-1] > walk.energy[0] + 0.005
    assert walk.middles[-1][1][1] < calm.middles[-1][1][1] - 0.05  # along another line


def test_a_line_is_found_again() -> None:
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(line=0.0),
        **START,
        duration=42.0,
        disturbances=[(2.0, (0.0, -0.3, 0.0))],
    )
    assert walk.ended == "walks on"
    times = np.array([t for t, _, _ in walk.middles])
    aside = np.array([place[1] for _, place, _ in walk.middles])
    # how far aside it comes hangs on when in a step the push comes, which the thesis does not tell:
    # SciPy has the same 0.161 m, and 0.31 m for a push a tenth of a second later
    assert np.abs(aside).max() == pytest.approx(0.1613, abs=1e-4)
    assert np.abs(aside[times > 4.5]).max() < 0.15
    times, wanted = by_hamiltonian(-0.3, 6.0)
    count = len(times)
    np.testing.assert_allclose([t for t, _, _ in walk.middles[:count]], times, atol=1e-8)
    np.testing.assert_allclose(aside[:count], wanted, atol=1e-8)
    # a push of the same size to the other side stays within 0.15 m at once
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(line=0.0),
        **START,
        duration=42.0,
        disturbances=[(2.0, (0.0, 0.3, 0.0))],
    )
    assert max(abs(place[1]) for _, place, _ in walk.middles) < 0.15


def test_a_reference_that_steps_aside_is_followed() -> None:
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(line=lambda t: 0.5 if 10.0 < t < 25.0 else 0.0),
        **START,
        duration=40.0,
    )
    assert walk.ended == "walks on"
    for begin, end, wanted in ((5.0, 10.0, 0.0), (18.0, 25.0, 0.5), (33.0, 40.0, 0.0)):
        aside = [place[1] for t, place, _ in walk.middles if begin < t < end]
        assert np.mean(aside) == pytest.approx(wanted, abs=0.06)


def test_headings_are_followed() -> None:
    """Turned by two radians in twenty seconds, energy as before; no gait of it is turned."""
    walk = ts.gait.point_mass_walk(
        ts.gait.FootPlacement(heading=lambda t: min(0.1 * t, 2.0)), **START, duration=40.0
    )
    assert walk.ended == "walks on"
    way = walk.feet[-1] - walk.feet[-9]
    assert np.arctan2(way[1], way[0]) == pytest.approx(2.0, abs=0.02)
    # what is turned as a whole walks the same way, turned
    plain = ts.gait.point_mass_walk(ts.gait.FootPlacement(line=0.0), **START, duration=5.0)
    placement = ts.gait.FootPlacement(heading=0.4, line=0.0)
    turn = placement.looks(0.0)
    over = turn @ leg_direction(*START["lean"])
    moving = turn @ leg_velocity(*START["lean"], START["rates"])
    lean = np.array([np.arctan2(over[0], over[2]), -np.arcsin(over[1])])
    turned = ts.gait.point_mass_walk(placement, lean, leg_rates(*lean, moving), duration=5.0)
    np.testing.assert_allclose(np.array(turned.feet), np.array(plain.feet) @ turn.T, atol=1e-7)


def test_it_starts_from_rest_and_stops() -> None:
    placement = ts.gait.FootPlacement()
    lean, rates = ts.gait.standing_start(placement, 1.5)
    walk = ts.gait.point_mass_walk(
        placement, lean, rates, speed=lambda t: 1.76 if t < 10.0 else 0.0, duration=20.0
    )
    assert walk.ended == "stopped" and 10.0 < walk.t[-1] < 14.0
    pushes = np.array(walk.pushes)
    late = np.array(walk.strikes) > 10.0
    assert (pushes[late] == 0.0).all() and (pushes[~late] > 0.3).all()
    fast = [np.linalg.norm(v) for t, _, v in walk.middles if 5.0 < t < 10.0]
    assert np.mean(fast) == pytest.approx(1.76, abs=0.04)


def test_wrong_numbers_of_placement_are_named() -> None:
    for arguments, message in (
        ({"pitch": 0.1}, "pitch is 0.1, must be negative"),
        ({"roll": 2.0}, "roll is 2.0, must be within"),
        ({"gain": -1.0}, "gain is -1.0, must not be negative"),
        ({"heading": "north"}, "heading"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            ts.gait.FootPlacement(**arguments)  # type: ignore[arg-type]
