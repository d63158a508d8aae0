"""Two robots, a ramp, a block and stones: meshes touch each other as their convex hulls.

The ramp and the block are fixed to the world, the stones fall on the ramp. At the end a ball of
rubber rests on a cushion: how shapes give way is stated with them, and counts where contacts are
springs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull

import tarsus as ts

FOLDER = Path(tempfile.mkdtemp())


def mesh(name: str, corners: np.ndarray) -> Path:
    """Write the hull of corners (n, 3) [m] to a file, as programs for drawing do."""
    lines = ["v {:.6f} {:.6f} {:.6f}".format(*corner) for corner in corners]
    hull = ConvexHull(corners)
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        a, b, c = corners[face]
        outwards = np.cross(b - a, c - a) @ plane[:3] > 0
        lines.append("f {} {} {}".format(*(face if outwards else face[::-1]) + 1))
    file = FOLDER / f"{name}.obj"
    file.write_text("\n".join(lines))
    return file


def stone(seed: int) -> ts.Model:
    corners = np.random.default_rng(seed).normal(size=(30, 3)) * [0.03, 0.04, 0.05]
    builder = ts.Builder("stone").body("stone", mass=0.5, inertia=[6e-4, 5e-4, 4e-4])
    builder.joint("free", "free", "world", "stone")
    file = mesh(f"stone{seed}", corners)
    builder.shape("stone", "mesh", (1, 1, 1), role="collision", file=file, friction=0.2)
    builder.shape("stone", "mesh", (1, 1, 1), file=file, color=(0.8, 0.5, 0.3, 1.0))
    return builder.build()


def yard() -> ts.Model:
    """Return a ramp and a block, fixed to the world."""
    ramp = np.array([[x, y, z] for y in (-0.4, 0.4) for x, z in ((0, 0), (1, 0), (0, 0.4))])
    builder = ts.Builder("yard").body("yard").joint("weld", "fixed", "world", "yard")
    for role in ("collision", "visual"):
        file = mesh("ramp", ramp)
        builder.shape("yard", "mesh", (1, 1, 1), role=role, file=file, position=(0.2, 0, 0))
        builder.shape("yard", "box", (0.9, 0.6, 0.2), role=role, position=(-0.6, 0, 0.1))
    return builder.build()


def scene_of_meshes() -> None:
    robot = ts.load("examples/quadruped.urdf", base="free")
    bent = robot.neutral()
    for name in robot.joint_names:
        bent[robot.joint(name).q_slice] += {"hip": 0.6, "knee": -1.2}.get(name.split("_")[-1], 0.0)
    height = ts.stand(robot, bent)[2]
    # the first robot on the block, the second one on the ground, at the foot of the ramp
    places = [(-0.6, 0, height + 0.2), (1.7, 0, height), None, (0.4, 0.1, 0.5), (0.6, -0.1, 0.5)]
    names = ("first", "second", "yard", "stone", "other")
    scene = ts.combine(robot, robot, yard(), stone(1), stone(2), names=names, at=places)
    sim = ts.Simulation(scene, ground=ts.Ground())
    print(sim.collision, *sim.collision.warnings, sep="\n")
    start = scene.initial_configuration.copy()
    for name in robot.joint_names[1:]:
        for side in ("first", "second"):
            start[scene.joint(f"{side}/{name}").q_slice] = bent[robot.joint(name).q_slice]
    run = sim.run(start, duration=1.0, controller=ts.control.ImplicitPD(scene, 300.0, 10.0, start))
    for name in ("first/trunk", "second/trunk", "stone/stone", "other/stone"):
        x, y, z = scene.frame_pose(run.q[-1], name)[:3, 3]
        print(f"{name:>12}: x {x:+.3f}  y {y:+.3f}  z {z:+.3f} m")


def rubber_on_a_cushion() -> None:
    builder = ts.Builder("rubber").body("ball", mass=2.0, inertia=[8e-3] * 3)
    builder.joint("up", "prismatic", "world", "ball", axis="z", position=(0, 0, 0.1))
    builder.shape("ball", "sphere", (0.1,), role="collision", stiffness=3e3, damping=120.0)
    builder.shape(
        "world", "box", (1, 1, 0.1), role="collision", position=(0, 0, -0.05), name="cushion"
    )
    model = builder.build()
    soft = ts.Collision.from_model(model, stiffness={"cushion": 6e3}, damping={"cushion": 240.0})
    sim = ts.Simulation(model, ground=None, collision=soft, contact="compliant")
    sunk = -sim.run([0.0], duration=0.9).q[-1, 0]
    series = 1 / (1 / 3e3 + 1 / 6e3)
    print(f"the ball sinks by {1e3 * sunk:.3f} mm: {2e3 * 9.81 / series:.3f} by springs in series")


if __name__ == "__main__":
    scene_of_meshes()
    rubber_on_a_cushion()
