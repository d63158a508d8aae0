"""The hopper: SciPy beside it, what others published, families of energies, and its falls."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tarsus as ts
from tarsus._lib.files import Array

GRAVITY, MASS, STIFFNESS, ANGLE = 9.81, 80.0, 20_000.0, math.radians(68.0)


def apex_after(height: float, energy: float) -> tuple[float, float]:
    """Return the next greatest height [m], and how long that took [s], by SciPy in polar form.

    `energy` is by mass [J/kg].
    """
    landing = math.sin(ANGLE)
    speed = math.sqrt(2.0 * (energy - GRAVITY * height))
    fall = math.sqrt(2.0 * GRAVITY * (height - landing))
    # r and φ, the angle of the leg from the ground behind it: x = −r cos φ, z = r sin φ
    rate = -speed * math.cos(ANGLE) - fall * math.sin(ANGLE)
    turn = speed * math.sin(ANGLE) - fall * math.cos(ANGLE)

    def rates(t: float, y: Array) -> list[float]:
        r, phi, dr, dphi = y
        push = STIFFNESS / MASS * (1.0 - r)
        return [
            dr,
            dphi,
            r * dphi**2 - GRAVITY * math.sin(phi) + push,
            (-GRAVITY * math.cos(phi) - 2.0 * dr * dphi) / r,
        ]

    def long(t: float, y: Array) -> float:
        return float(y[0] - 1.0) if t > 1e-6 else -1.0

    long.terminal, long.direction = True, 1.0  # type: ignore[attr-defined]
    found = solve_ivp(
        rates, (0.0, 1.0), [1.0, ANGLE, rate, turn], "DOP853", events=long, rtol=1e-12, atol=1e-12
    )
    _, phi, dr, dphi = found.y[:, -1]
    rise = dr * math.sin(phi) + dphi * math.cos(phi)
    apex = math.sin(phi) + rise**2 / (2.0 * GRAVITY)
    flight = rise / GRAVITY + math.sqrt(2.0 * (apex - landing) / GRAVITY)
    return apex, float(found.t[-1]) + flight


def test_the_runner_of_seyfarth_is_stable_by_itself() -> None:
    """Seyfarth et al. 2002: 80 kg, 1 m, 20 kN/m at 68° and about 5 m/s return to a stable apex."""
    walker = ts.gait.walkers.hopper()
    stable, unstable = ts.gait.limit_cycles(walker)
    assert stable.stable
    assert not unstable.stable
    assert stable.speed == pytest.approx(5.0, abs=0.1)
    energy = 0.5 * 5.0**2 + GRAVITY * 1.0
    for gait in (stable, unstable):
        (forward, fall), height = gait.v[0], gait.q[0, 1]
        assert 0.5 * (forward**2 + fall**2) + GRAVITY * height == pytest.approx(energy, abs=1e-9)
        apex = height + fall**2 / (2.0 * GRAVITY)
        again, period = apex_after(apex, energy)
        assert again == pytest.approx(apex, abs=1e-8)
        assert period == pytest.approx(gait.period, abs=1e-8)
        h = 1e-4
        ends = [apex_after(apex + h, energy)[0], apex_after(apex - h, energy)[0]]
        slope = (ends[0] - ends[1]) / (2.0 * h)
        print(f"{gait}: apex {apex:.5f} m, slope of SciPy's map {slope:.6f}, {gait.multipliers}")
        assert np.abs(gait.multipliers - slope).min() < 1e-4
        assert np.abs(gait.multipliers - 1.0).min() < 1e-9
        assert abs(gait.energy.impacts) < 1e-9
        assert abs(gait.energy.closure) < 1e-9


def test_runs_need_a_least_speed_to_be_stable() -> None:
    """Seyfarth et al. 2002: whatever the angle, slow runners are not stable by themselves."""
    angles = np.radians((66, 74, 78))
    slow = [
        gait.stable
        for angle in angles
        for gait in ts.gait.limit_cycles(ts.gait.walkers.hopper(angle, speed=3.0))
    ]
    assert slow
    assert not any(slow)
    assert ts.gait.limit_cycle(ts.gait.walkers.hopper(math.radians(70), speed=4.0)).stable


def test_steeper_legs_stop_to_be_stable_and_flatter_ones_to_run() -> None:
    """At one energy the stable gaits are between a fold, where they meet others, and a flip."""
    walker = ts.gait.walkers.hopper()
    gait = ts.gait.limit_cycle(walker)
    flatter = ts.gait.continuation(walker, "angle", gait, to=math.radians(60))
    (fold,) = flatter.of("fold")
    steeper = ts.gait.continuation(walker, "angle", gait, to=math.radians(70))
    (flip,) = steeper.of("flip")
    print(flatter, steeper)
    assert math.degrees(fold.value) < 68.0 < math.degrees(flip.value)
    for branch in (flatter, steeper):
        kept = [branch.cycle(k) for k in range(0, len(branch), 5)]
        wanted = walker.kept(*walker.start)  # type: ignore[misc]
        for each in kept:
            found = each.walker.kept(*each.state)  # type: ignore[misc]
            np.testing.assert_allclose(found, wanted, atol=1e-9)
    # at the fold the return map of the apex has slope one
    at = fold.gait.multipliers
    assert np.sort(np.abs(at - 1.0))[1] < 1e-3


def test_a_hop_on_the_spot_has_a_closed_form() -> None:
    """On a leg that is all but upright: half a swing of the spring, and a flight up and down."""
    walker = ts.gait.walkers.hopper(math.radians(89.999), speed=1e-3, height=1.2)
    flowed = walker.steps(*walker.start)
    fall, swing = math.sqrt(2.0 * GRAVITY * 0.2), math.sqrt(STIFFNESS / MASS)
    sink = GRAVITY / swing**2
    # about where it would rest: z − z₀ = sink cos ωt − fall/ω sin ωt, again `sink` after stance
    stance = 2.0 / swing * (math.pi - math.atan2(fall / swing, sink))
    assert flowed.events[0].t == pytest.approx(stance, abs=1e-5)
    assert flowed.t == pytest.approx(stance + 2.0 * fall / GRAVITY, abs=1e-5)


def test_hoppers_fall_and_say_so() -> None:
    walker = ts.gait.walkers.hopper(math.radians(40.0), speed=1.0)
    flowed = walker.steps(*walker.start)
    assert flowed.ended == "left by an exit"
    assert flowed.events[-1].name == "fell"
    with pytest.raises(ts.gait.NoGaitError):
        ts.gait.limit_cycle(walker)
    with pytest.raises(ts.ModelError, match="angle is 2 rad"):
        ts.gait.walkers.hopper(2.0)
    with pytest.raises(ts.ModelError, match=r"height is 0\.5 m"):
        ts.gait.walkers.hopper(height=0.5)
    with pytest.raises(ts.ModelError, match="stiffness is -1"):
        ts.gait.walkers.hopper(stiffness=-1.0)


def test_of_a_family_the_energy_of_the_guess_is_found() -> None:
    """A walker that restores what strikes take has a gait for any speed: each guess has its own."""
    for speed in (1.6, 2.0):
        walker = ts.gait.walkers.point_mass(speed=speed)
        q, v = walker.start
        gait = ts.gait.limit_cycle(walker, (q, v + [0.0, 1e-3, 0.0, 0.0]))
        assert walker.neutral == 1
        assert gait.stable
        np.testing.assert_allclose(
            walker.kept(*gait.state),  # type: ignore[misc]
            walker.kept(q, v + [0.0, 1e-3, 0.0, 0.0]),  # type: ignore[misc]
            atol=1e-9,
        )
