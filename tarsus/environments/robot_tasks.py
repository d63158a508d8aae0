"""Tasks that are there at once, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tarsus._lib.checks import suggestion
from tarsus.environments.command import Command
from tarsus.environments.ending_terms import Tilted, TooLow
from tarsus.environments.observation_terms import (
    BaseHeight,
    BaseVelocity,
    Clock,
    CommandedVelocity,
    Gravity,
    JointPositions,
    JointVelocities,
    LastAction,
)
from tarsus.environments.reward_terms import (
    ActionRate,
    Alive,
    Energy,
    PoseKept,
    Trot,
    TurnTracking,
    Upright,
    VelocityTracking,
)
from tarsus.environments.robot_task import RobotTask
from tarsus.environments.variations import Friction, Pushes, StartAngles

BODY = (BaseHeight(), Gravity(), BaseVelocity(), JointPositions(), JointVelocities(0.05))


def walk(**changes: Any) -> RobotTask:
    """Return the task of walking at a velocity that is drawn for each episode."""
    usual: dict[str, Any] = {
        "observes": (*BODY, LastAction(), CommandedVelocity()),
        "rewards": {
            VelocityTracking(): 1.0,
            TurnTracking(): 0.25,
            Alive(): 0.25,
            Energy(): -0.05,
            ActionRate(): -0.05,
        },
        "ends": (TooLow(), Tilted()),
        "varies": (StartAngles(), Friction(0.5, 1.0)),
        "command": Command(ahead=(0.2, 0.6)),
    }
    return RobotTask(**{**usual, **changes})


def trot(frequency: float = 2.5, **changes: Any) -> RobotTask:
    """Return the task of walking with diagonal legs together, by a clock of `frequency` [1/s].

    Of the `feet` the first and the last go together, and the two between.
    """
    rewards = {
        VelocityTracking(): 1.0,
        TurnTracking(): 0.25,
        Trot(frequency): 0.25,
        Upright(): 0.25,
        Energy(): -0.02,
        ActionRate(): -0.02,
    }
    usual = {"observes": (*BODY, CommandedVelocity(), Clock(frequency)), "rewards": rewards}
    return walk(**{**usual, **changes})


def stay(**changes: Any) -> RobotTask:
    """Return the task of standing while being pushed."""
    usual: dict[str, Any] = {
        "observes": (*BODY, LastAction()),
        "rewards": {Upright(): 1.0, Alive(): 0.25, PoseKept(): -0.5, Energy(): -0.05},
        "varies": (StartAngles(), Friction(0.5, 1.0), Pushes(0.0, 0.5)),
        "command": Command(),
    }
    return walk(**{**usual, **changes})


TASKS: dict[str, Callable[..., RobotTask]] = {"walk": walk, "trot": trot, "stand": stay}


def robot_task(name: str, **changes: Any) -> RobotTask:
    """Return a task by its name, "walk", "trot" or "stand"; fields can be changed."""
    if name not in TASKS:
        raise ValueError(f"there is no task {name!r}{suggestion(name, TASKS)}")
    return TASKS[name](**changes)
