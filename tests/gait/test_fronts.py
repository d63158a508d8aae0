"""Gaits that are played come back, and fronts have what no other beats."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts


def test_efforts_that_are_played_lead_back() -> None:
    """Collocation and simulation share no integrator: a step of the one is a step of the other."""
    for speed, stable in ((0.8, True), (0.9, False)):
        gait = ts.gait.optimize(ts.gait.walkers.compass(), speed, starts=1)
        played = ts.gait.replayed(gait)
        walked = played.steps(*(x[None] for x in gait.state))
        away = np.abs([*(walked.q[0] - gait.state[0]), *(walked.v[0] - gait.state[1])]).max()
        print(f"{away:.1e} away after a step")
        assert away < 1e-6
        cycle = ts.gait.limit_cycle(played, gait.state, tolerance=1e-6)
        assert cycle.stable == stable
        assert cycle.speed == pytest.approx(speed, abs=1e-6)


def test_fronts() -> None:
    front = ts.gait.front(ts.gait.walkers.compass(), [0.7, 0.8, 0.9], starts=1)
    assert front.speeds == pytest.approx([0.7, 0.8, 0.9], abs=1e-8)
    assert front.multipliers[1] < 1.0 < front.multipliers[0]
    # the slowest is dearer and less stable than the next: it is beaten; the others are not
    assert front.best.tolist() == [False, True, True]


def test_forces_that_are_not_known_are_refused() -> None:
    walker = ts.gait.walkers.compass()
    phase = walker.phases[0]
    model = ts.Editor(phase.model).force(ts.forces.Drag("hip", 1.0)).build()
    other = ts.gait.Walker.from_phases(
        ts.Phase(model, phase.exits, name=phase.name), start=walker.start, ahead=walker.ahead
    )
    with pytest.raises(ValueError, match="carries forces"):
        ts.gait.optimize(other)
