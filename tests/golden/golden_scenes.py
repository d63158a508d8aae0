"""Scenes of the golden record: short runs that together use every engine, joint kind and part.

Each scene is run with every engine. An engine that refuses a scene is recorded as refusing it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.scenes import Scene

TICKS = 48
"""Steps of dt of a run: enough for several contacts."""
FEWER_TICKS = {"cat": 6, "elastic_lola": 6}
"""Steps of scenes that take seconds otherwise, with a controller in Python or stiff gears."""
LEFT_OUT = {(name, "compliant") for name in ("push", "robot_on_steps", "robot_on_rough_ground")}
"""Runs that take minutes: stiff controllers on compliant ground."""

ENGINES: dict[str, dict[str, Any]] = {
    "step": {},
    "event": {"contact": "event"},
    "compliant": {"contact": "compliant"},
    "smooth": {"integrator": "dormand_prince"},
}
"""Changes of a scene that select an engine."""

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "lemke": ("slide", {"contact": "lemke"}),
    "penalty": ("slide", {"contact": "penalty"}),
    "explicit": ("robot_on_steps", {"integrator": "explicit"}),
    "rk4": ("chain", {"integrator": "rk4"}),
    "radau": ("chain", {"integrator": "radau"}),
    "gauss": ("four_bar_chain", {"integrator": "gauss"}),
    "adams": ("chain", {"integrator": "adams"}),
}
"""Contact laws and integrators beside those of `ENGINES`: a scene and its changes."""


def moving(model: ts.Model) -> Scene:
    """Return a mechanism that moves in free space under gravity."""
    v = 0.5 * (1.0 + np.arange(model.nv) % 4)
    return Scene(model.name, model, model.neutral(), v, ground=None)


def every_joint_kind() -> Scene:
    """Return random mechanisms in free space, which together have every kind of joint."""
    kinds = [kind for kind in ts.model.description.KINDS if kind != "fixed"]
    return moving(ts.robots.random_mechanism(7, len(kinds), kinds))


def random_shapes(seed: int) -> Scene:
    """Return a random tree whose bodies have shapes, on the ground."""
    made = ts.robots.random_mechanism(seed, 5, ["free", "revolute"])
    description = made.description
    shapes = (("sphere", (0.1,)), ("box", (0.1, 0.2, 0.3)), ("capsule", (0.05, 0.3)))
    added = [
        ts.Shape(body.name, "collision", *shapes[k % 3])
        for k, body in enumerate(description.bodies)
    ]
    model = ts.Model(replace(description, shapes=[*description.shapes, *added]), strict=False)
    ground = ts.Ground(friction=0.6)
    q = ts.stand(model, model.neutral(), ground)
    return Scene("random shapes", model, q, np.zeros(model.nv), ground=ground)


def on(scene: Scene, ground: Any) -> Scene:
    """Return a scene on another ground, its robot placed on it."""
    return scene.but(ground=ground, q0=ts.stand(scene.model, scene.q0, ground))


def heights() -> ts.HeightField:
    """Return rough ground."""
    x, y = np.meshgrid(np.arange(-4, 5), np.arange(-4, 5), indexing="ij")
    return ts.HeightField(0.01 * ((3 * x + 5 * y) % 7), 0.4, friction=0.7)


SCENES: dict[str, Callable[[], Scene]] = {
    # what `tarsus.scenes` has, from states in which something happens soon
    "bounce": lambda: ts.scenes.bounce(height=0.052),
    "slide": ts.scenes.slide,
    "incline": ts.scenes.incline,
    "bowl": ts.scenes.bowl,
    "eggs": ts.scenes.eggs,
    "bungee": ts.scenes.bungee,
    "cans": ts.scenes.cans,
    "car": ts.scenes.car,
    "cat": ts.scenes.cat,
    "closet": ts.scenes.closet,
    "drop": lambda: ts.scenes.drop(0.001),
    "jump": ts.scenes.jump,
    "trot": ts.scenes.trot,
    "elastic_lola": ts.scenes.elastic_lola,
    "four_bars": ts.scenes.four_bars,
    "three_bars": ts.scenes.three_bars,
    "gyroscope": ts.scenes.gyroscope,
    "hanging_chain": ts.scenes.hanging_chain,
    "pendulum_wave": ts.scenes.pendulum_wave,
    "release": ts.scenes.release,
    "snakeboard": ts.scenes.snakeboard,
    "soft_ball": ts.scenes.soft_ball,
    "supports": ts.scenes.supports,
    "tensegrity": ts.scenes.tensegrity,
    "push": lambda: ts.scenes.push("quadruped"),
    # robots and mechanisms
    "robot_on_steps": lambda: on(ts.scenes.push("quadruped"), ts.Steps(rise=0.05)),
    "robot_on_rough_ground": lambda: on(ts.scenes.push("quadruped"), heights()),
    "mini_cheetah": lambda: moving(ts.robots.mini_cheetah()),
    "lola": lambda: moving(ts.robots.lola()),
    "dribbel": lambda: moving(ts.robots.dribbel()),
    "strandbeest_leg": lambda: moving(ts.robots.strandbeest_leg()),
    "four_bar_chain": lambda: moving(ts.robots.four_bar_chain(4)),
    "slider_crank": lambda: moving(ts.robots.slider_crank()),
    "spatial_four_bar": lambda: moving(ts.robots.spatial_four_bar()),
    "rolling_disc": lambda: moving(ts.robots.rolling_disc()),
    "differential": lambda: moving(ts.robots.differential()),
    "chain": lambda: moving(ts.robots.chain(12)),
    "rotor_tree": lambda: moving(ts.robots.rotor_tree(8)),
    "every_joint_kind": every_joint_kind,
    "random_shapes": lambda: random_shapes(7),
}
"""How to make each scene."""


def inverse_kinematics() -> list[np.ndarray]:
    """Return poses of a humanoid whose feet and posture follow targets."""
    model = ts.robots.lola()
    q = model.neutral()
    there = model.integrate(q, 0.05 * (1.0 + np.arange(model.nv) % 3))
    names = [body.name for body in model.bodies][-2:]
    tasks = [ts.ik.FrameTask(name, model.frame_pose(there, name)) for name in names]
    solver = ts.ik.Solver(model, [*tasks, ts.ik.PostureTask(q, level=1)])
    found = [q]
    for _ in range(5):
        found.append(solver.step(found[-1], 0.01).q)
    return [*found, solver.solve(q).q]


def limit_cycle() -> list[np.ndarray]:
    """Return the gait of the compass walker, with its multipliers."""
    cycle = ts.gait.limit_cycle(ts.gait.walkers.compass())
    return [cycle.q, cycle.v, np.abs(cycle.multipliers)]


def rollout() -> list[np.ndarray]:
    """Return the ends of motions of a batch."""
    scene = ts.scenes.stand("quadruped")
    starts = np.tile(scene.q0, (5, 1))
    torques = 0.1 * np.ones((5, 4, scene.model.nv))
    run = ts.rollout(scene.simulation(), starts, torques=torques, hold=5)
    return [run.q, run.v]


def environment() -> list[np.ndarray]:
    """Return what a learner gets in a few steps of a vector environment."""
    from tarsus.environments import RobotVectorEnv

    made = RobotVectorEnv("quadruped", "stand", 5)
    found = [made.reset(seed=3)[0]]
    for k in range(4):
        found += made.step(np.full(made.action_space.shape, 0.1 * k))[:2]
    made.close()
    return found


CALCULATIONS: dict[str, Callable[[], list[np.ndarray]]] = {
    "inverse_kinematics": inverse_kinematics,
    "limit_cycle": limit_cycle,
    "rollout": rollout,
    "environment": environment,
}
"""Results of other packages, as arrays."""
