"""The simplest walker against the equations of Garcia and others, (1) and (2), feet of no mass."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts


@pytest.mark.parametrize("slope", [0.0, 0.009, 0.3])
def test_its_legs_swing_as_in_the_paper(slope: float) -> None:
    walker = ts.robots.simplest_walker(slope, foot_mass=1e-9, rooted=True)
    rng = np.random.default_rng(0)
    theta, phi, theta_rate, phi_rate = rng.uniform(-0.5, 0.5, (4, 50))
    found = walker.forward_dynamics(
        np.stack([theta, -phi], axis=-1), np.stack([theta_rate, -phi_rate], axis=-1), np.zeros(2)
    )
    stance = np.sin(theta - slope)
    # the swing leg hangs from a hip that the stance leg accelerates
    swing = stance + np.sin(phi) * (theta_rate**2 - np.cos(theta - slope))
    difference = np.abs(found - np.stack([stance, -swing], axis=-1)).max()
    print(f"slope {slope}: accelerations within {difference:.1e}")
    assert difference < 1e-8  # feet weigh 1e-9 of the hip


def test_the_gait_walks_on_this_machine() -> None:
    (phase,) = ts.gait.walkers.simplest_walker(0.02, 1e-4).phases
    machine = ts.robots.simplest_walker(0.02, 1e-4, rooted=True)
    assert phase.model.fingerprint() == machine.fingerprint()


@pytest.mark.parametrize("wrong", [{"foot_mass": 0.0}, {"slope": "steep"}])
def test_wrong_numbers_are_named(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"simplest_walker: {next(iter(wrong))}"):
        ts.robots.simplest_walker(**wrong)  # type: ignore[arg-type]
