"""One law of viscous friction, whoever solves it: the bound is μ F_n + c |v_t| where F_n > 0.

A point of mass m that slides on level ground has v̇ = −μ g − k v with k = c / m, so that

    v(t) = (v₀ + μ g / k) e^(−k t) − μ g / k,      stops at t = ln(1 + k v₀ / μ g) / k.

(Bound of O. Ayit 2015, equation 4.22.) Where c v is more than the load, too.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from loose_bodies import G

import tarsus as ts

DT, FRICTION, SPEED = 1e-4, 0.3, 1.0
LAWS = {
    "block": ts.contact.Exact(),
    "pgs": ts.contact.Exact(solver="pgs"),
    "lemke": ts.contact.Lemke(facets=8),
    # stiff along the ground, so that the bristle bends by less than what is tested
    "penalty": ts.contact.Penalty(1e4, 20.0, tangential_stiffness=1e5, tangential_damping=20.0),
}
each_law = pytest.mark.parametrize("law", LAWS)
CASES = {"heavy": (10.0, 1.6), "light": (0.1, 5.0), "between": (1.0, 15.0)}
"""Masses [kg] and viscous coefficients [N s/m]; the light one is braked by 5 times its weight."""


def point(mass: float) -> ts.Model:
    b = ts.Builder("point")
    b.body("point", mass, inertia=(1e-3, 1e-3, 1e-3))
    b.joint("slide", "translation", "world", "point")
    b.shape("point", "sphere", (0.0,), role="collision")
    return b.build()


def slide(law: str, mass: float, viscous: float, duration: float) -> ts.Trajectory:
    """Return the run of a point that starts at 1 m/s, as deep as its springs want it."""
    depth = mass * G / 1e4 if law == "penalty" else 0.0
    ground = ts.Ground(friction=FRICTION, viscous=viscous)
    sim = ts.Simulation(point(mass), ground=ground, contact=LAWS[law], dt=DT)
    return sim.run([0.0, 0.0, -depth], [SPEED, 0.0, 0.0], duration=duration)


@each_law
@pytest.mark.parametrize("case", CASES)
def test_a_point_slides_as_the_formula_says(case: str, law: str) -> None:
    mass, viscous = CASES[case]
    k, c = viscous / mass, FRICTION * G
    t_stop = math.log(1.0 + k * SPEED / c) / k
    x_stop = (SPEED - c * t_stop) / k
    run = slide(law, mass, viscous, 1.2 * t_stop)
    before = run.t < t_stop
    expected = (SPEED + c / k) * np.exp(-k * run.t) - c / k
    error = float(np.abs(run.v[:, 0] - expected)[before].max())
    late = float(np.abs(run.v[run.t > 1.05 * t_stop, 0]).max())
    x = float(run.q[-1, 0])
    print(
        f"{case}, {law}: v off by {error:.1e} m/s, stops at {x:.5f} m (formula {x_stop:.5f}), "
        f"then {late:.1e} m/s"
    )
    # a method of first order, for which k dt is a step; springs bend by F / K besides
    bend = (c * mass + viscous * SPEED) / 1e5 if law == "penalty" else 0.0
    first_order = 2.0 * (k + c) * DT
    assert error < first_order + math.sqrt(1e5 / mass) * bend
    assert x == pytest.approx(x_stop, abs=first_order * x_stop + 2.0 * bend + DT)
    # what has stopped on bristles swings on them
    assert late < (1e-9 if law != "penalty" else math.sqrt(1e5 / mass) * c * mass / 1e5)


@each_law
@pytest.mark.parametrize("case", CASES)
def test_labels_know_the_same_bound(case: str, law: str) -> None:
    """What slides is said to slip, in every step until it stops; then it sticks."""
    mass, viscous = CASES[case]
    k, c = viscous / mass, FRICTION * G
    t_stop = math.log(1.0 + k * SPEED / c) / k
    run = slide(law, mass, viscous, 1.5 * t_stop)
    state, time = run.contacts.states, run.t[run.contacts.sample]
    moving = state[(time > 0.05 * t_stop) & (time < 0.9 * t_stop)]
    resting = state[time > 1.4 * t_stop]
    print(f"{case}, {law}: moving {dict(zip(*np.unique(moving, return_counts=True), strict=True))}")
    print(f"resting {dict(zip(*np.unique(resting, return_counts=True), strict=True))}")
    assert len(moving) > 100 and (moving == "slip").all()
    assert len(resting) > 40 and (resting == "stick").all()


@each_law
def test_forces_are_at_the_bound(law: str) -> None:
    """F_t = μ F_n + c |v_t|, with the velocity of the start or of the end of the step."""
    mass, viscous = CASES["light"]
    run = slide(law, mass, viscous, 5e-3)
    force = np.array([run.contacts.at(k)[0].force for k in range(20, len(run.t))])
    speed = run.v[:, 0]
    bounds = [FRICTION * force[:, 2] + viscous * v for v in (speed[19:-1], speed[20:])]
    low, high = np.minimum(*bounds), np.maximum(*bounds)
    found = -force[:, 0]
    worst = float(np.maximum(low - found, found - high).max() / high.max())
    print(f"{law}: off its bound by {worst:.1e}")
    # springs lag by the time in which they bend
    assert worst < (1e-9 if law != "penalty" else 0.05)


@each_law
def test_no_load_no_friction(law: str) -> None:
    """A point that is pulled up, at the moment when it still touches: nothing rubs."""
    mass, viscous = CASES["light"]
    ground = ts.Ground(friction=FRICTION, viscous=viscous)
    sim = ts.Simulation(point(mass), ground=ground, contact=LAWS[law], dt=DT)
    pull = 1.5 * mass * G * np.eye(3)[2]
    run = sim.run(np.zeros(3), [SPEED, 0.0, 0.0], duration=1e-2, controller=lambda t, q, v: pull)
    lost = float(np.abs(run.v[:, 0] - SPEED).max())
    print(f"{law}: loses {lost:.1e} m/s")
    assert lost < 1e-12


def test_lemke_measures_its_residual() -> None:
    """Pivoting rounds as everything does; what it reports is measured in each step."""
    run = ts.scenes.drop(0.1).but(contact=ts.contact.Lemke(facets=8), duration=0.4).run()
    touches = run.statistics.active > 0
    left = run.statistics.residual[touches]
    speed = np.maximum(np.abs(run.v).max(axis=1), 0.1)[touches]
    print(
        f"{touches.sum()} steps in contact, residuals from {left.min():.1e} to {left.max():.1e} "
        f"m/s, {(left > 0.0).mean():.0%} of them not zero"
    )
    assert touches.sum() > 20
    assert (left > 0.0).mean() > 0.5
    assert (left / speed).max() < 1e-8
