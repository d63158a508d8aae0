"""Friction against spinning and rolling: moments of a contact, bounded by lengths times the load.

`ts.Ground(torsion=τ, rolling=ρ)`, both in metres: a contact with the load F_n holds a spin about
its normal with a moment of up to τ F_n, and a roll about its tangents with up to ρ F_n. A ball of
mass m, radius r and inertia I = 2/5 m r² then

    spins:  I ω̇ = −τ m g,  so that it stops after I ω / (τ m g);
    rolls:  v̇ = −(5/7) ρ g / r,  so that it stops after 7 v² r / (10 ρ g);
    rests on a slope θ if tan θ ≤ ρ / r, else v̇ = (5/7) g (sin θ − ρ cos θ / r).
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from loose_bodies import G, loose, mechanical, placed

import tarsus as ts

RADIUS, MASS, DT = 0.1, 2.0, 5e-4
INERTIA = 0.4 * MASS * RADIUS**2
LAWS = {"block": ts.contact.Exact(), "pgs": ts.contact.Exact(solver="pgs")}
each_law = pytest.mark.parametrize("law", LAWS)


def ball() -> ts.Model:
    return loose(("sphere", (RADIUS,)), mass=MASS)


def on_slope(theta: float) -> np.ndarray:
    return placed(RADIUS * np.array([math.sin(theta), 0.0, math.cos(theta)]))


@each_law
@pytest.mark.parametrize("torsion", [1e-3, 5e-3])
def test_a_spinning_ball_stops(law: str, torsion: float) -> None:
    ground = ts.Ground(friction=0.5, torsion=torsion)
    spin = 20.0
    stop = INERTIA * spin / (torsion * MASS * G)
    sim = ts.Simulation(ball(), ground=ground, contact=LAWS[law], dt=DT)
    run = sim.run(on_slope(0.0), spin * np.eye(6)[5], duration=1.5 * stop)
    expected = np.maximum(0.0, spin - torsion * MASS * G / INERTIA * run.t)
    error = float(np.abs(run.v[:, 5] - expected).max())
    still = run.t > stop + 2 * DT
    print(f"τ = {torsion} m: stops after {stop:.4f} s, off by {error:.1e} rad/s")
    # constant deceleration is exact for a method of first order, but for the step in which it ends
    assert error < 1.01 * torsion * MASS * G / INERTIA * DT
    assert np.abs(run.v[still]).max() < 1e-9
    assert np.abs(run.q[-1, :3] - run.q[0, :3]).max() < 1e-9
    lost = run.energy.work("contact_friction")[-1]
    assert lost == pytest.approx(-0.5 * INERTIA * spin**2, rel=1e-6)
    run.energy.check(1e-6)


@each_law
@pytest.mark.parametrize("rolling", [1e-3, 4e-3])
def test_a_rolling_ball_stops(law: str, rolling: float) -> None:
    ground = ts.Ground(friction=0.5, rolling=rolling)
    speed = 0.5
    slows = 5.0 / 7.0 * rolling * G / RADIUS
    stop, way = speed / slows, speed**2 / (2.0 * slows)
    v = np.zeros(6)
    v[0], v[4] = speed, speed / RADIUS
    sim = ts.Simulation(ball(), ground=ground, contact=LAWS[law], dt=DT)
    run = sim.run(on_slope(0.0), v, duration=1.2 * stop)
    x = float(run.q[-1, 0])
    print(f"ρ = {rolling} m: {x:.5f} m of {way:.5f} m, at last {np.abs(run.v[-1]).max():.1e}")
    assert x == pytest.approx(way, rel=2.0 * DT / stop)
    assert np.abs(run.v[-1]).max() < 1e-9
    energy = mechanical(run)
    assert np.diff(energy).max() < 1e-9 * energy[0]


@each_law
@pytest.mark.parametrize("share", [0.9, 1.2])
def test_a_ball_on_a_slope_rests_or_rolls(law: str, share: float) -> None:
    rolling = 5e-3
    theta = math.atan(share * rolling / RADIUS)
    ground = ts.Ground(friction=0.8, rolling=rolling, slope=theta)
    sim = ts.Simulation(ball(), ground=ground, contact=LAWS[law], dt=DT)
    run = sim.run(on_slope(theta), duration=2.0)
    speed = float(np.linalg.norm(run.v[-1, :3]))
    expected = 5.0 / 7.0 * G * (math.sin(theta) - rolling * math.cos(theta) / RADIUS) * 2.0
    print(f"{share} of the angle: {speed:.6f} m/s, formula {max(0.0, expected):.6f} m/s")
    if share < 1.0:
        assert np.abs(run.q[-1] - run.q[0]).max() < 1e-9
    else:
        assert speed == pytest.approx(expected, rel=1e-3)


def test_without_them_a_ball_rolls_and_spins_for_ever() -> None:
    v = np.zeros(6)
    v[0], v[4], v[5] = 0.5, 5.0, 7.0
    run = ts.Simulation(ball(), ground=ts.Ground(friction=0.5), dt=DT).run(
        on_slope(0.0), v, duration=2.0
    )
    angular = float(np.linalg.norm(run.v[-1, 3:]))
    assert run.q[-1, 0] == pytest.approx(1.0, rel=1e-9)
    assert angular == pytest.approx(math.hypot(5.0, 7.0), rel=1e-9)


@pytest.mark.parametrize("name", ["torsion", "rolling"])
def test_bad_numbers_are_refused(name: str) -> None:
    for bad in (-1.0, math.nan, "much", [0.0, 1e-3]):
        with pytest.raises((ValueError, TypeError), match=name):
            ts.Ground(**{name: bad})
