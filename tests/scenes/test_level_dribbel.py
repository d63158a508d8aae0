"""Dribbel walks on level ground by the motor of its hip."""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.scenes import LevelWalk, level_walk

from tarsus.control import RE40_GP42C


def walks(walk: LevelWalk) -> bool:
    return not walk.fell and len(walk.strikes) >= 10


def test_the_gains_of_the_thesis_walk() -> None:
    """q_set = 0.3 rad, 10 A/rad, no damping: stable, below 8 A, at 0.15 to 0.30 of the weight."""
    walk = level_walk(duration=20.0)
    assert walks(walk)
    assert walk.current < 8.0
    assert 0.15 < walk.resistance < 0.30
    assert walk.speed == pytest.approx(0.35, abs=0.02)
    # the thesis has 0.54 m/s at 7.5 A: 10 A/rad from 0.3 rad are 0.45 rad between legs, and steps
    # of 0.40 m, which take as long as ours; ours are shorter, with legs as far apart as its current
    (one, _), (two, length) = walk.strikes[-2:]
    told = 2.0 * 0.9 * np.sin(0.5 * 0.45) / 0.54
    assert two - one == pytest.approx(told, rel=0.05)
    apart = walk.current / 10.0 - 0.3
    assert length == pytest.approx(2.0 * 0.9 * np.sin(0.5 * apart), rel=0.02)
    periods = np.diff([t for t, _ in walk.strikes])[-6:]
    assert np.ptp(periods) < 1e-3  # a gait
    assert walk.clearance.min() > -1e-6  # and no foot scuffs
    control, (_, q, v) = walk.controls[0], walk.flowed.samples
    current = np.clip(10.0 * (0.3 - q[:, 1]), -8.0, 8.0)
    np.testing.assert_allclose(control.current(0.0, q, v), current, atol=1e-12)


def test_work_of_the_hip_is_what_strikes_take() -> None:
    """In a gait the motor's mechanical work in a step is lost at the strikes of knee and foot."""
    walk = level_walk(duration=20.0)
    events = [event for event in walk.flowed.events if event.t > 15.0]
    events = events[[event.name for event in events].index("strike") :]
    models = {phase.name: phase.model for phase in walk.flowed.phases}
    names = list(models)

    def energy(phase: str, q: np.ndarray, v: np.ndarray) -> float:
        return float(models[phase].kinetic_energy(q, v) + models[phase].potential_energy(q))

    lost = 0.0
    for event in events[1:3]:
        other = names[1 - names.index(event.phase)]
        before, after = (
            energy(event.phase, event.q, event.v),
            energy(other, event.next_q, event.next_v),
        )
        lost += before - after
    t, q, v = walk.flowed.samples
    some = (t >= events[0].t) & (t <= events[2].t)
    torque = RE40_GP42C.torque(walk.controls[0].current(0.0, q, v))
    work = np.trapezoid((torque * v[:, 1])[some], t[some])
    assert work == pytest.approx(lost, rel=0.02)


def test_faster_costs_more_and_the_region_hangs_together() -> None:
    angles, gains = (0.2, 0.25, 0.3), (6.0, 8.0, 10.0)
    found = {(a, g): level_walk(a, g) for a in angles for g in gains}
    assert all(walks(walk) for walk in found.values())
    for gain in gains:
        row = [found[a, gain] for a in angles]
        assert (np.diff([walk.speed for walk in row]) > 0.0).all()
        assert (np.diff([walk.resistance for walk in row]) > 0.0).all()


def test_what_is_too_weak_falls() -> None:
    assert level_walk(0.5, 2.0).fell


def test_powers_of_the_experiment() -> None:
    """Electronics and magnets of the knees, and what is left for the motor: 6.8 W, 0.23."""
    knees = 3.74 * (2.0 + 0.6 * 2.0)
    idle = 11.2 + knees
    assert idle == pytest.approx(23.2, abs=0.05) and 30.0 - idle == pytest.approx(6.8, abs=0.05)
    assert (30.0 - idle) / (9.2 * 9.81 * 0.32) == pytest.approx(0.23, rel=0.03)
    assert knees / 30.0 == pytest.approx(0.399, abs=1e-3)
