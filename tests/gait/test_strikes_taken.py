"""Optimised gaits end in strikes that a simulation takes, on the ground that the walker has."""

from __future__ import annotations

import math

import numpy as np
import pytest

import tarsus as ts
from tarsus.gait.optimal.costs import EffortCost
from tarsus.gait.optimal.foot_conditions import Taken
from tarsus.gait.optimal.transcription import Transcription
from tarsus.gait.walkers import Walker, compass


def crossing(way: str) -> Walker:
    """Return a compass walker whose strike passes zero in another way."""
    walker = compass()
    (phase,) = walker.phases
    strike, *others = phase.exits
    changed = ts.Exit(strike.guard, "swing", strike.reset, strike.when, way, "strike")
    phases = ts.Phase(phase.model, (changed, *others), name="swing")
    return Walker.from_phases(phases, start=walker.start, ahead=walker.ahead, slope=walker.slope)


def test_no_gait_ends_in_a_strike_that_is_not_taken() -> None:
    """A compass walker that walks back has its swing leg behind, where its strikes only scuff."""
    gait = ts.gait.optimize(compass(), speed=-0.7, starts=1)
    assert not gait.success
    assert gait.violations


def test_a_strike_passes_zero_the_right_way() -> None:
    """Where the foot must come from below, as none can, it is the dearer gait that does."""
    falling, rising = (
        ts.gait.optimize(crossing(way), 0.8, starts=1) for way in ("falling", "rising")
    )
    for gait, sign in ((falling, -1.0), (rising, 1.0)):
        lean, hip = gait.v(gait.duration)
        assert gait.success
        assert sign * (2.0 * lean + hip) > 0.0
    assert rising.cost > 10.0 * falling.cost


@pytest.mark.parametrize("speed", [0.7, 1.2, 1.3])
def test_strikes_are_taken_in_simulation(speed: float) -> None:
    gait = ts.gait.optimize(compass(), speed, starts=1)
    assert gait.success
    walked = ts.gait.replayed(gait).steps(*gait.state)
    assert [event.name for event in walked.events] == ["strike"]


def test_slopes_of_strikes_with_velocities() -> None:
    """Guards may have velocities, so that their rates have accelerations: by differences."""
    walker = compass()
    (phase,) = walker.phases
    lean, hip = (ts.guards.JointPosition(name) for name in ("lean", "hip"))
    height = ts.guards.Height("right_foot")
    guard = 2.0 * lean + hip + 0.3 * ts.guards.JointVelocity("hip") + height
    way = ts.Exit(guard, "swing", phase.exits[0].reset, (hip, height), name="strike")
    other = Walker.from_phases(
        ts.Phase(phase.model, way, name="swing"), start=walker.start, ahead=walker.ahead
    )
    conditions = Taken.of_all(other)
    basis = ts.gait.Chebyshev(6)
    stated = Transcription(other, basis, objective=EffortCost([np.eye(2)]), conditions=conditions)
    x = np.concatenate([np.random.default_rng(1).normal(size=14), [0.7]])
    slopes = stated.linearised(x).slack_slopes
    assert slopes.shape == (3, 15)
    step = 1e-6
    for k, unit in enumerate(np.eye(15)):
        there, back = (stated.values(x + side * step * unit).slacks for side in (1, -1))
        assert slopes[:, k] == pytest.approx((there - back) / (2 * step), abs=1e-5)
    # the rate of the guard, by its values a moment later
    c = x[:14].reshape(7, 2)
    s = 1.0 + np.array([-1e-5, 0.0, 1e-5])
    q, v = basis.at(s) @ c, basis.at(s, 1) @ c / 0.7
    foot = np.asarray(phase.model.frame_pose(q, "right_foot"))[:, 2, 3]
    values = 2.0 * q[:, 0] + q[:, 1] + 0.3 * v[:, 1] + foot
    rate = (values[2] - values[0]) / (0.7 * 2e-5)
    assert stated.values(x).slacks == pytest.approx(
        [q[1, 1], foot[1], -rate - 0.01], rel=1e-4, abs=1e-4
    )


def test_grip_is_that_of_the_walkers_ground() -> None:
    """Of the weight alone, a slope carries the part along its normal."""
    walker = compass(slope=0.2)
    still = np.array([[0.1, -0.2]]), np.zeros((1, 2)), np.zeros((1, 2))
    given = ts.gait.Grip(0.5, slope=0.2).of(walker).slack(*still)
    assert ts.gait.Grip(0.5).of(walker).slack(*still) == pytest.approx(given)
    pushed = float(ts.gait.Grip(0.5).of(walker).slack(*still)[0, 0])
    assert pushed == pytest.approx(walker.weight * math.cos(0.2))
    with pytest.raises(ValueError, match="slope"):
        ts.gait.Grip(slope=float("nan"))
