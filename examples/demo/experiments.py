"""What the demo computes. The page shows the source of each of these functions."""

from __future__ import annotations

import numpy as np

import tarsus as ts


def walk(robot: str, steps: int) -> ts.walking.Walked:
    m = ts.load(robot)
    push = ts.Push(m.body_names[0], force=(0.0, 40.0, 0.0), start=3.0, duration=0.3)
    return ts.walking.walk(m, speed=0.4, steps=steps, push=push)


def trot(robot: str, duration: float) -> ts.Trajectory:
    def bumps(x, y):  # [m], level before x = 0.7 m
        ramp = np.clip(2.0 * (x - 0.7), 0.0, 1.0)
        return 0.04 * ramp * np.sin(6 * x + 2 * np.sin(2 * y)) * np.cos(5 * y + x)

    ground = ts.HeightField.from_function(bumps, (-2, -3), (8, 3), spacing=0.05, friction=0.8)
    plan = ts.walking.plans.Walk(speed=(0.6, 0.0), period=0.4, lift=0.07, start=0.3)
    return ts.scenes.walk(robot, plan, duration).but(ground=ground).run()


def four_bar(duration: float) -> ts.Trajectory:
    m = ts.robots.four_bar()
    sim = ts.Simulation(m, ground=None, integrator="gauss", dt=1e-3)
    return sim.run(m.neutral(), [15.0], duration=duration)  # 15 rad/s of the crank


def fall(robots: int, duration: float) -> ts.Trajectory:
    scene = ts.scenes.stand("quadruped").but(dt=2e-3)
    rng = np.random.default_rng(0)
    turns = np.zeros((robots, scene.model.nv))
    turns[:, 3:6] = rng.normal(0.0, 0.7, (robots, 3))
    q0 = scene.model.integrate(np.tile(scene.q0, (robots, 1)), turns)
    q0[:, 2] += rng.uniform(0.3, 1.5, robots)
    hold = scene.controller  # implicit PD control of all joints
    record = ("q", "energy")
    return scene.simulation().run(q0, duration=duration, controller=hold, record=record, every=20)
