"""Creep of a box at rest on a slope of 10°, with friction 0.7: `python benchmarks/slope.py`."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np

import tarsus as ts
from tarsus.check.peers import NotComparableError, load_mujoco

ANGLE = math.radians(10.0)
DT = 2e-3
SIDE = 0.2
"""Of the cube [m]."""
MASS = 10.0
DOWNHILL = np.array([math.cos(ANGLE), 0.0, -math.sin(ANGLE)])


def creep(friction: float, seconds: float) -> dict[str, Any]:
    """Return how far the box moved downhill [m], in Tarsus and in MuJoCo as it is delivered."""
    result = {"seconds": seconds, "tarsus": tarsus_creep(friction, seconds)}
    with suppress(NotComparableError):
        result["mujoco"] = mujoco_creep(friction, seconds)
    return result


def tarsus_creep(friction: float, seconds: float) -> float:
    """Return the way of the box [m] with exact contact."""
    builder = ts.Builder("box")
    builder.body("box", MASS, inertia=MASS * SIDE**2 / 6.0 * np.eye(3))
    builder.joint("free", "free", "world", "box")
    builder.shape("box", "box", (SIDE, SIDE, SIDE), role="collision")
    model = builder.build()
    simulation = ts.Simulation(model, ground=ts.Ground(friction=friction, slope=ANGLE), dt=DT)
    up = 0.5 * SIDE * np.array([math.sin(ANGLE), 0.0, math.cos(ANGLE)])
    turned = [0.0, math.sin(0.5 * ANGLE), 0.0, math.cos(0.5 * ANGLE)]
    run = simulation.run(np.concatenate([up, turned]), duration=seconds)
    return float((run.q[-1, :3] - run.q[0, :3]) @ DOWNHILL)


def mujoco_creep(friction: float, seconds: float) -> float:
    """Return the way of the box [m] in MuJoCo with all its defaults, after it settled for 1 s."""
    mujoco = load_mujoco()
    spec = mujoco.MjSpec()
    turned = [math.cos(0.5 * ANGLE), 0.0, math.sin(0.5 * ANGLE), 0.0]
    surface = {"friction": [friction, 0.005, 0.0001], "quat": turned}
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], **surface)
    up = 0.5 * SIDE * np.array([math.sin(ANGLE), 0.0, math.cos(ANGLE)])
    body = spec.worldbody.add_body(pos=up, quat=turned)
    body.add_freejoint()
    size = [0.5 * SIDE] * 3
    box = body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=size, mass=MASS)
    box.friction = surface["friction"]
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, round(1.0 / model.opt.timestep))
    start = data.qpos[:3].copy()
    mujoco.mj_step(model, data, round(seconds / model.opt.timestep))
    return float((data.qpos[:3] - start) @ DOWNHILL)


def main() -> None:
    """Print the distance that the box moves in 10 s in both simulators."""
    result = creep(friction=0.7, seconds=10.0)
    for name, key in (("Tarsus", "tarsus"), ("MuJoCo", "mujoco")):
        distance = f"{1e3 * abs(result[key]):.2g} mm" if key in result else "not installed"
        print(f"{name}  {distance}")


if __name__ == "__main__":
    main()
