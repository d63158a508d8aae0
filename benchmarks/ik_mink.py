"""A step of mink, the inverse kinematics on MuJoCo's models, for the bench of `ik.py`.

MuJoCo reads the robot's file without its shapes, with all links as bodies, and gets a free joint.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import tarsus as ts


def mink_step(file: Path, model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a step of the same tasks and limits; velocities in MuJoCo's order."""
    import mink
    import mujoco
    from ik import DT, FRAMES, targets

    stated = mujoco.MjSpec.from_string(without_shapes(file))
    stated.body(model.body_names[0]).add_freejoint()
    peer = stated.compile()
    configuration = mink.Configuration(peer)
    at = mujoco_order(peer, model, q)
    tasks: list[Any] = []
    for frame, target in zip(FRAMES, targets(model, q), strict=True):
        task = mink.FrameTask(frame, "body", position_cost=1.0, orientation_cost=1.0)
        task.set_target(mink.SE3.from_matrix(target))
        tasks.append(task)
    rest = mink.PostureTask(peer, cost=np.sqrt(1e-3))
    rest.set_target(at)
    tasks.append(rest)
    speeds = {
        view.name: float(view.velocity_limit[0])
        for view in model.joints
        if view.nv == 1 and np.isfinite(view.velocity_limit[0])
    }
    limits = [mink.ConfigurationLimit(peer), mink.VelocityLimit(peer, speeds)]

    def step() -> np.ndarray:
        configuration.update(at)
        found = mink.solve_ik(configuration, tasks, DT, solver="daqp", damping=1e-6, limits=limits)
        return np.asarray(found)

    return step


def without_shapes(file: Path) -> str:
    """Return a URDF file for MuJoCo: no shapes, and all links as they are."""
    root = ElementTree.parse(file).getroot()
    for link in root.findall("link"):
        for part in (*link.findall("visual"), *link.findall("collision")):
            link.remove(part)
    settings = ElementTree.SubElement(root, "mujoco")
    ElementTree.SubElement(
        settings, "compiler", fusestatic="false", balanceinertia="true", boundmass="1e-6",
        boundinertia="1e-9",
    )  # fmt: skip
    return ElementTree.tostring(root, encoding="unicode")


def mujoco_order(peer: Any, model: ts.Model, q: np.ndarray) -> np.ndarray:
    """Return q as MuJoCo has it: joints in its order, the scalar of the quaternion first."""
    found = np.zeros(peer.nq)
    found[:3], found[3:7] = q[:3], q[[6, 3, 4, 5]]
    for view in model.joints:
        if view.nv == 1 and view.nq == 1:
            found[peer.joint(view.name).qposadr[0]] = q[view.q_slice.start]
    return found
