"""Walkers from recorded steps, strikes included, and machines that functions make."""

from __future__ import annotations

import numpy as np
import pytest
from recorded import recorded

import tarsus as ts
from tarsus.gait.walkers import compass

TRUE = {"leg_mass": 1.1, "slope": 0.055, "damping": 0.03}


def test_a_compass_walker_from_three_steps() -> None:
    walker = compass(**TRUE)
    t, q, _ = recorded(walker.phases, *walker.start, 2.2, 0.01)
    found = ts.identify(compass(), list(TRUE), t, q)
    assert len(found.machine.numbers) == len(walker.numbers)
    for name, true in TRUE.items():
        assert abs(found[name] - true) < 1e-8
        assert abs(found.machine.numbers[name] - true) < 1e-8
    assert "10 samples next to strikes had no say" in str(found)


@pytest.mark.parametrize("seed", range(4))
def test_strikes_are_placed_although_encoders_are_bad(seed: int) -> None:
    """Velocities guessed from these samples are off by a fifth of what they are."""
    walker = compass(**TRUE)
    t, q, _ = recorded(walker.phases, *walker.start, 4.0, 0.005)
    noisy = q + 3e-3 * np.random.default_rng(seed).normal(size=q.shape)
    found = ts.identify(compass(), list(TRUE), t, noisy, noise=3e-3)
    assert found.converged
    assert (np.abs(found.values - list(TRUE.values())) < 4.0 * found.deviations).all()
    assert abs(found.spread - 1.0) < 0.1


def test_motion_without_efforts_tells_ratios_of_masses() -> None:
    walker = compass(**TRUE)
    t, q, _ = recorded(walker.phases, *walker.start, 2.2, 0.01)
    noisy = q + 1e-3 * np.random.default_rng(2).normal(size=q.shape)
    found = ts.identify(compass(), [*TRUE, "hip_mass"], t, noisy, noise=1e-3)
    assert found.converged
    (untold,) = found.observability.combinations
    assert set(untold.shares) >= {"leg_mass", "hip_mass"}
    ratio = untold.shares["hip_mass"] / untold.shares["leg_mass"]
    assert abs(ratio - found["hip_mass"] / found["leg_mass"]) < 1e-3 * ratio
    assert np.isfinite(found.deviations[found.names.index("slope")])


def test_numbers_without_derivatives_are_found_by_differences() -> None:
    walker = compass(center=0.52, slope=0.055)
    t, q, _ = recorded(walker.phases, *walker.start, 1.4, 0.01)
    found = ts.identify(compass(), ["center", "slope"], t, q)
    assert abs(found["center"] - 0.52) < 1e-7
    assert abs(found["slope"] - 0.055) < 1e-8


def test_restitution_of_a_ball_by_a_function() -> None:
    def ball(restitution: float, gravity: float) -> ts.Phase:
        b = ts.Builder("ball", gravity=(0.0, 0.0, -gravity)).body("ball", 1.0)
        b.joint("z", "prismatic", "world", "ball", axis="z")
        bounce = ts.resets.Linear([[1.0]], rates=[[-restitution]])
        ground = ts.Exit(ts.guards.JointPosition("z"), to="flight", reset=bounce)
        return ts.Phase(b.build(), ground, name="flight")

    t, q, _ = recorded(ball(0.8, 9.81), [1.0], [0.0], 1.9, 0.01)
    noisy = q + 1e-3 * np.random.default_rng(5).normal(size=q.shape)
    found = ts.identify(ball, {"restitution": 0.7, "gravity": 9.6}, t, noisy, noise=1e-3)
    assert found.converged
    assert (np.abs(found.values - [0.8, 9.81]) < 4.0 * found.deviations).all()
    assert (found.deviations < [1e-3, 0.02]).all()


def test_what_a_walker_has_not_is_named() -> None:
    walker = compass()
    t, q, _ = recorded(walker.phases, *walker.start, 1.0, 0.01)
    with pytest.raises(ts.UnknownNameError, match="leg_mas"):
        ts.identify(walker, ["leg_mas"], t, q)
    with pytest.raises(ValueError, match="empty"):
        ts.identify(walker, [], t, q)


def test_a_driven_walker_tells_all_its_masses() -> None:
    """Known efforts at the hip set the scale that a passive gait lacks."""
    true = {"leg_mass": 1.1, "hip_mass": 4.7, "slope": 0.055, "damping": 0.03}
    walker = compass(**true)
    t = 0.01 * np.arange(220)
    tau = np.stack([0.0 * t, 0.15 * np.sin(7.0 * t)], axis=1)
    states = [walker.start]
    for k in range(len(t) - 1):
        end = ts.flow(walker.phases, *states[-1], tau=tau[k], duration=0.01)
        states.append((end.q, end.v))
    q = np.array([state[0] for state in states])
    assert (np.abs(np.diff(q, axis=0)).max(axis=1) > 0.3).sum() == 2  # strikes
    found = ts.identify(compass(), list(true), t, q, tau=tau)
    assert np.abs(found.values - list(true.values())).max() < 1e-8
