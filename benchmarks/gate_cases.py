"""The calls that `make bench-gate` compares between two revisions.

Each revision runs its own copy of this file, so a case may follow a change of the API as long as it
computes the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tarsus as ts

Case = tuple[Callable[[], Any], int]
"""A call, and what it counts for, such as states of a batch."""

STATES = 4096


def cases() -> Iterator[tuple[str, Case]]:
    """Yield the cases by name."""
    rng = np.random.default_rng(0)
    model = ts.robots.mini_cheetah()
    q, v = model.random_configuration(rng, (STATES,)), rng.normal(size=(STATES, model.nv))
    one, many = (q[0], v[0], np.zeros(model.nv)), (q, v, np.zeros((STATES, model.nv)))
    out = np.empty((STATES, model.nv))
    yield "forward_dynamics, one state", (lambda: model.forward_dynamics(*one), 1)
    yield "forward_dynamics, batch", (lambda: model.forward_dynamics(*many, out=out), STATES)

    scene = ts.scenes.stand("quadruped")
    held = {"ground": scene.ground, "collision": scene.collision}
    stepped = ts.Simulation(scene.model, **held)
    stepped.reset(scene.q0, scene.v0)
    yield "sim.step", (stepped.step, 1)
    sim = ts.Simulation(scene.model, **held)
    yield (
        "sim.run, 100 steps",
        (lambda: sim.run(scene.q0, duration=0.1, controller=scene.controller, progress=False), 100),
    )
    starts, torques = np.tile(scene.q0, (STATES, 1)), np.zeros((1, 2, scene.model.nv))
    yield (
        "rollout of 4096, 4 steps",
        (lambda: ts.rollout(sim, starts, torques=torques, hold=2), 4 * STATES),
    )
    yield "environment step", environment_step()
    yield "ik.Solver.step", ik_step()


def environment_step() -> Case:
    """Return a step of a vector environment of quadrupeds."""
    from tarsus.environments import RobotVectorEnv

    count = 64
    environment = RobotVectorEnv("quadruped", "stand", count)
    environment.reset(seed=0)
    actions = np.zeros(environment.action_space.shape)
    return lambda: environment.step(actions), count


def ik_step() -> Case:
    """Return a step of inverse kinematics of a humanoid with three tasks."""
    model = ts.robots.lola()
    q = model.neutral()
    frames = [body.name for body in model.bodies][-3:]
    tasks = [ts.ik.FrameTask(name, model.frame_pose(q, name)) for name in frames]
    solver = ts.ik.Solver(model, [*tasks, ts.ik.PostureTask(q, level=0, weight=1e-3)])
    q = model.integrate(q, np.full(model.nv, 0.01))
    return lambda: solver.step(q, 0.01), 1
