"""Whole-body control of a humanoid on two soles, beside placo where it is installed.

Centre of mass, orientation of the torso and a posture, two planar contacts with friction, limits of
joints and torques, one state: what a control loop does. Both solve such a problem, each through its
own interface and with its own contacts (forces at corners here, wrenches in cones there); times are
medians of rounds that take turns, in µs. Also: a batch of 1024, time for each state.

    python benchmarks/whole_body.py [--json FILE]
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import numpy as np
from ik import pinocchio_order, robot_file, rounds

import tarsus as ts
from tarsus.robots.quadrupeds import legged

SOLES = ("left_sole_link", "right_sole_link")
CORNERS = np.array([[x, y, 0.0] for x in (-0.1, 0.1) for y in (-0.06, 0.06)])
TORSO, FRICTION, BATCH = "torso_2_link", 0.6, 1024


def controller(model: ts.Model, q: np.ndarray) -> ts.control.WholeBody:
    """Return the control of centre of mass, torso and posture on two soles."""
    tasks = [
        ts.ik.ComTask(model.center_of_mass(q) + [0.0, 0.005, -0.005], weight=10.0, gain=6.0),
        ts.ik.OrientationTask(TORSO, model.frame_pose(q, TORSO)[:3, :3], gain=8.0),
        ts.ik.PostureTask(q, weight=1e-3, gain=6.0, level=0),
    ]
    contacts = [ts.control.Contact(sole, CORNERS, friction=FRICTION) for sole in SOLES]
    return ts.control.WholeBody(model, tasks, contacts)


def moving(model: ts.Model, q: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return states (count, …) near q that move a little."""
    rng = np.random.default_rng(0)
    places = np.broadcast_to(q, (count, model.nq))
    steps, v = (scale * rng.normal(size=(count, model.nv)) for scale in (0.005, 0.02))
    return model.integrate(places, steps), v


def ours(model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a call of the controller at one state."""
    law, v = controller(model, q), np.zeros(model.nv)
    return lambda: law(0.0, q, v)


def ours_in_a_batch(model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a call of the controller at many states."""
    law, (many, v) = controller(model, q), moving(model, q, BATCH)
    return lambda: law(0.0, many, v)


def placo_call(file: Path, model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a solution of placo's dynamics solver at the same state."""
    import placo

    os.environ["ROS_PACKAGE_PATH"] = str(file).split("/example-robot-data/")[0]
    robot = placo.RobotWrapper(str(file), placo.Flags.ignore_collisions)
    robot.state.q = pinocchio_order(robot.model, model, q)
    robot.update_kinematics()
    solver = placo.DynamicsSolver(robot)
    solver.dt = 1e-3
    for sole in SOLES:
        task = solver.add_frame_task(sole, robot.get_T_world_frame(sole))
        task.configure(sole, "hard", 1.0, 1.0)
        contact = solver.add_planar_contact(task)
        contact.length, contact.width, contact.mu = 0.2, 0.12, FRICTION
        contact.weight_forces, contact.weight_moments = 1e-4, 1e-4
    com = solver.add_com_task(robot.com_world() + [0.0, 0.005, -0.005])
    com.configure("com", "soft", 10.0)
    torso = solver.add_orientation_task(TORSO, robot.get_T_world_frame(TORSO)[:3, :3])
    torso.configure("torso", "soft", 1.0)
    joints = solver.add_joints_task()
    joints.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
    joints.configure("posture", "soft", 1e-3)
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(True)
    solver.enable_torque_limits(True)

    def call() -> np.ndarray:
        robot.update_kinematics()  # also keeps the robot, which the solver only points to
        found = solver.solve(False)
        assert found.success
        return np.asarray(found.tau)

    return call


def measure() -> dict[str, float]:
    """Return medians in µs by name."""
    robot = legged("talos_reduced")
    model, q = robot.model, robot.stance
    calls = {"tarsus": ours(model, q)}
    try:
        metadata.version("placo")
        calls["placo"] = placo_call(robot_file("talos_reduced.urdf"), model, q)
    except metadata.PackageNotFoundError:
        print("placo is not installed: pip install placo")
    for call in calls.values():
        call()
    found = {name: float(np.median(times)) for name, times in rounds(calls).items()}
    many = ours_in_a_batch(model, q)
    many()
    batch = rounds({"batch": many}, calls=3)["batch"]
    found["tarsus, each of 1024"] = float(np.median(batch)) / BATCH
    found["alone / in a batch"] = found["tarsus"] / found["tarsus, each of 1024"]
    if "placo" in found:
        found["by placo"] = found["tarsus"] / found["placo"]
    return found


def main() -> None:
    """Print the table, and write it to a file if asked to."""
    found = measure()
    for name, time in found.items():
        print(f"{name:24} {time:8.2f}{'' if ' / ' in name or 'by' in name else ' µs'}")
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
