"""Scenes for any robot on legs: it stands, it is pushed, it walks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarsus.gait import Walk
from tarsus.geometry import Ground
from tarsus.scenes.scene import Scene, at_rest
from tarsus.scenes.walkers import Walker, walker


def stand(robot: str = "anymal", duration: float = 2.0) -> Scene:
    """Return a robot that stands: "quadruped", "anymal", "solo12" or "talos_reduced"."""
    one = walker(robot)
    return _scene(f"{robot} stands", one, one.standing(), duration)


def push(robot: str = "anymal", speed: float = 0.4, direction: float = 0.0) -> Scene:
    """Return a robot that stands and is pushed: its base starts at `speed` [m/s].

    `direction` [rad] is from x towards y.
    """
    scene = stand(robot, 3.0)
    v0 = scene.v0.copy()
    v0[:2] = speed * np.cos(direction), speed * np.sin(direction)
    return scene.but(name=f"{robot} is pushed", v0=v0)


def walk(robot: str = "anymal", plan: Walk | None = None, duration: float = 5.0) -> Scene:
    """Return a robot that trots, or walks as another `plan` says, after standing for a second."""
    one = walker(robot)
    if plan is not None:
        one = replace(one, walk=plan)
    return _scene(f"{robot} walks", one, one.walking(duration), duration)


def _scene(name: str, one: Walker, controller: object, duration: float) -> Scene:
    return Scene(
        name,
        one.model,
        one.stance,
        at_rest(one.model),
        controller,
        Ground(friction=0.7),
        one.collision,
        duration,
    )
