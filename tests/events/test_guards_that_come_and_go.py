"""Guards that are past their zero, come back and go again, within one step of the integrator."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts


def thrown() -> ts.Model:
    """Return a ball that is thrown up; its motion is a parabola, which one step follows."""
    b = ts.Builder("ball").body("ball", 1.0)
    return b.joint("fall", "prismatic", "world", "ball", axis="z").build()


@pytest.mark.parametrize("above", [1e-6, 1e-3, 0.3])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_ball_that_comes_up_and_falls_is_caught(above: float, share: float) -> None:
    """It starts below a plane, rises `above` it, and is caught where it falls through it."""
    start, g = -1.0, 9.81
    up = np.sqrt(2 * g * (above - start))
    top = up / g
    caught = ts.Exit(ts.guards.Height("ball"), name="caught")
    motion = ts.flow(
        ts.Phase(thrown(), caught), [start], [up], duration=top / share, longest_step=10.0
    )
    wanted = (up + np.sqrt(2 * g * above)) / g
    if wanted <= top / share:
        assert motion.ended == "left by an exit"
        assert motion.t == pytest.approx(wanted, abs=1e-9)
    else:
        assert motion.ended == "lasted as long as it should"


def test_one_that_stays_below_is_left_alone() -> None:
    caught = ts.Exit(ts.guards.Height("ball"), name="caught")
    motion = ts.flow(ts.Phase(thrown(), caught), [-1.0], [np.sqrt(2 * 9.81 * 0.999)], duration=1.5)
    assert motion.ended == "lasted as long as it should"
