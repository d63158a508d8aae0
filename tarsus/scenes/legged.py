"""Scenes for any robot on legs: it stands, it is pushed, it walks."""

from __future__ import annotations

import numpy as np

from tarsus.control import ImplicitPD, Table
from tarsus.gait.plans import Walk, reach, static_loads
from tarsus.geometry import Ground
from tarsus.model.checks import expect
from tarsus.robots.legged import Legged, legged
from tarsus.scenes.scene import Scene, at_rest

SAMPLE = 2e-3
"""Time between two rows of a reference [s]."""

WALKS = {
    "anymal": Walk(speed=(0.2, 0.0), lift=0.05),
    "solo12": Walk(speed=(0.1, 0.0), period=0.4, lift=0.03),
}
"""Trots that suit a robot; the others walk as `Walk` does by itself."""


def stand(robot: str = "anymal", duration: float = 2.0) -> Scene:
    """Return a robot that stands: "quadruped", "anymal", "solo12" or "talos_reduced"."""
    one = legged(robot)
    return _scene(f"{robot} stands", one, standing(one), duration)


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
    one = legged(robot)
    plan = WALKS.get(robot, Walk()) if plan is None else plan
    expect(plan, Walk, "plan")
    return _scene(f"{robot} walks", one, walking(one, plan, duration), duration)


def standing(robot: Legged) -> ImplicitPD:
    """Return a controller that holds the stance, with the torques that carry the weight."""
    q, times = robot.stance, (0.0, SAMPLE)
    tau = static_loads(robot.model, q, tuple(robot.feet.values())).tau
    return _controller(robot, Table(robot.model, times, [q, q], added=[tau, tau]))


def walking(robot: Legged, plan: Walk, duration: float) -> ImplicitPD:
    """Return a controller that walks as planned, with the torques that carry the weight.

    The legs that the plan lifts must be among those of the robot.
    """
    missing = [leg for leg in plan.footfalls.legs if leg not in robot.feet]
    if missing:
        there = ", ".join(robot.feet)
        raise ValueError(f"{robot.name} has no leg {missing[0]!r} to walk with, only {there}")
    t = np.arange(round(duration / SAMPLE) + 1) * SAMPLE
    legs = tuple(robot.feet[leg] for leg in plan.footfalls.legs)
    start = np.stack([robot.model.frame_pose(robot.stance, leg)[:3, 3] for leg in legs])
    q = np.tile(robot.stance, (len(t), 1))
    q[:, :2] += plan.body(t, start)
    q = reach(robot.model, q, legs, plan.feet(t, start))
    down = plan.footfalls.standing((t - plan.start) / plan.period)
    tau = static_loads(robot.model, q, legs, down).tau
    return _controller(robot, Table(robot.model, t, q, added=tau))


def _controller(robot: Legged, reference: Table) -> ImplicitPD:
    return ImplicitPD(robot.model, robot.kp, robot.kd, reference)


def _scene(name: str, robot: Legged, controller: object, duration: float) -> Scene:
    return Scene(
        name,
        robot.model,
        robot.stance,
        at_rest(robot.model),
        controller,
        Ground(friction=0.7),
        robot.collision,
        duration,
    )
