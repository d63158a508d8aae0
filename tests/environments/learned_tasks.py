"""Tasks for tests of environments."""

from __future__ import annotations

from typing import Any

from tarsus.environments import (
    CommandedVelocity,
    FeetHeights,
    FootClearance,
    Friction,
    Gains,
    Masses,
    Noisy,
    Pushes,
    RobotTask,
    StartAngles,
    robot_task,
)


def everything_varies(**changes: Any) -> RobotTask:
    """Return walking with noise, pushes, and all numbers drawn for each episode."""
    usual = robot_task("walk")
    return robot_task(
        "walk",
        observes=(*usual.observes, Noisy(CommandedVelocity(), 0.1), Noisy(FeetHeights(), 0.01)),
        rewards={**usual.rewards, FootClearance(): -1.0},
        varies=(
            StartAngles(high=0.1),
            Friction(0.4, 1.0),
            Masses(0.9, 1.1, each=True),
            Gains(0.8, 1.2),
            Pushes(0.1, 0.5, every=0.1),
        ),
        **changes,
    )
