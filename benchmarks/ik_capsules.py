"""A step of a humanoid that keeps 400 pairs of capsules apart and calms its momentum, beside placo.

Both have a capsule on each link, the same pairs, three frame tasks, angular momentum, a posture,
and limits of positions and velocities.
"""

from __future__ import annotations

import json
import os
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
from distances import limbs
from ik import DT, FRAMES, pinocchio_order, targets

import tarsus as ts
from tarsus.geometry import Distances, LinkPair, Volumes, link_pairs
from tarsus.spatial import rotation_along

PAIRS = 400
MARGIN, ACTIVATION = 0.01, 0.1
MOMENTUM, POSTURE = 1e-3, 1e-3
"""Weights."""


def crowd(model: ts.Model, q: np.ndarray) -> tuple[Volumes, list[LinkPair]]:
    """Return capsules, and pairs of them that do not overlap at q."""
    volumes = limbs(model)
    every = link_pairs(model, volumes)
    apart = Distances(model, volumes, every, activation=np.inf).distance(q)
    return volumes, [pair for pair, d in zip(every, apart, strict=True) if d > 3 * MARGIN][:PAIRS]


def ours(model: ts.Model, q: np.ndarray) -> ts.ik.Solver:
    volumes, pairs = crowd(model, q)
    near = Distances(model, volumes, pairs, activation=ACTIVATION)
    tasks: list[ts.ik.Task] = [
        *(ts.ik.FrameTask(f, t) for f, t in zip(FRAMES, targets(model, q), strict=True)),
        ts.ik.AngularMomentumTask(weight=MOMENTUM),
        ts.ik.PostureTask(q, level=0, weight=POSTURE),
    ]
    return ts.ik.Solver(model, tasks, avoid=ts.ik.Avoid(near, margin=MARGIN))


def placo_step(file: Path, model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    import placo

    volumes, pairs = crowd(model, q)
    folder = tempfile.mkdtemp()
    own = Path(folder) / "robot.urdf"
    with_capsules(file, volumes, own)
    listed = Path(folder) / "pairs.json"
    listed.write_text(json.dumps([[pair.first, pair.second] for pair in pairs]))
    os.environ["ROS_PACKAGE_PATH"] = str(file).split("/example-robot-data/")[0]
    robot = placo.RobotWrapper(str(own), 0)
    robot.load_collision_pairs(str(listed))
    assert len(robot.collision_model.collisionPairs) == len(pairs)
    robot.state.q = pinocchio_order(robot.model, model, q)
    robot.update_kinematics()
    solver = placo.KinematicsSolver(robot)
    solver.dt = DT
    for frame, target in zip(FRAMES, targets(model, q), strict=True):
        solver.add_frame_task(frame, target).configure(frame, "soft", 1.0, 1.0)
    momentum = solver.add_centroidal_momentum_task(np.zeros(3))
    momentum.configure("momentum", "soft", MOMENTUM)
    joints = solver.add_joints_task()
    joints.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
    joints.configure("posture", "soft", POSTURE)
    apart = solver.add_avoid_self_collisions_constraint()
    apart.self_collisions_margin, apart.self_collisions_trigger = MARGIN, ACTIVATION
    apart.configure("apart", "hard")
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(True)

    def step() -> np.ndarray:
        robot.update_kinematics()
        return np.asarray(solver.solve(False)) / DT

    return step


def with_capsules(file: Path, volumes: Volumes, to: Path) -> None:
    """Write a URDF whose links collide by their capsules, as Pinocchio reads them."""
    tree = ET.parse(file)
    for link in tree.getroot().findall("link"):
        name = link.get("name", "")
        for each in [*link.findall("collision"), *link.findall("visual")]:
            link.remove(each)
        for volume in volumes.get(name, ()):
            along = volume.points[1] - volume.points[0]
            length = float(np.linalg.norm(along))
            turn = rotation_along(along / length)
            collision = ET.SubElement(link, "collision", name=f"{name}_capsule")
            place = " ".join(map(str, volume.points.mean(axis=0)))
            angles = " ".join(map(str, roll_pitch_yaw(turn)))
            ET.SubElement(collision, "origin", xyz=place, rpy=angles)
            shape = ET.SubElement(collision, "geometry")
            # without its caps, which Pinocchio adds
            ET.SubElement(shape, "cylinder", radius=str(volume.radius), length=str(length))
            checking = ET.SubElement(link, "collision_checking")
            ET.SubElement(checking, "capsule", name=f"{name}_capsule")
    tree.write(to)


def roll_pitch_yaw(r: np.ndarray) -> tuple[float, float, float]:
    return (
        float(np.arctan2(r[2, 1], r[2, 2])),
        float(np.arctan2(-r[2, 0], np.hypot(r[0, 0], r[1, 0]))),
        float(np.arctan2(r[1, 0], r[0, 0])),
    )
