"""Steps of inverse kinematics on humanoids, beside placo, Pink and mink where they are installed.

Three frame tasks (both feet and a hand), a posture, limits of positions and velocities, one state:
what a control loop does. All solve the same problem, each through its own interface; times are
medians of rounds that take turns, in µs. The same with capsules that are kept apart and momentum
(`ik_capsules.py`), in a batch, the cycle of Lola (`ik_lola.py`), and poses of an arm a second.

    python benchmarks/ik.py [--json FILE]
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import tarsus as ts

FRAMES = ("left_sole_link", "right_sole_link", "gripper_left_base_link")
DT, ROUNDS, CALLS = 5e-3, 21, 200


def robot_file(name: str) -> Path:
    files = [file for file in metadata.files("example-robot-data") or () if file.name == name]
    return Path(str(files[0].locate()))


def posture(model: ts.Model) -> np.ndarray:
    """Return a bent configuration within all limits."""
    q = model.neutral()
    q[7:] = 0.2 * np.random.default_rng(0).normal(size=model.nq - 7)
    inside = np.clip(q, model.lower + 0.05, model.upper - 0.05)
    return np.where(model.rate_index >= 0, inside, q)


def targets(model: ts.Model, q: np.ndarray) -> list[np.ndarray]:
    poses = [model.frame_pose(q, frame) for frame in FRAMES]
    for pose in poses:
        pose[:3, 3] += (0.004, -0.002, 0.003)
    return poses


def ours(model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    solver = solver_of(model, q)
    return lambda: solver.step(q, DT).v


def placo_step(file: Path, model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    import placo

    # it looks for meshes, where package:// says
    os.environ["ROS_PACKAGE_PATH"] = str(file).split("/example-robot-data/")[0]
    robot = placo.RobotWrapper(str(file), placo.Flags.ignore_collisions)
    robot.state.q = pinocchio_order(robot.model, model, q)
    robot.update_kinematics()
    solver = placo.KinematicsSolver(robot)
    solver.dt = DT
    for frame, target in zip(FRAMES, targets(model, q), strict=True):
        solver.add_frame_task(frame, target).configure(frame, "soft", 1.0, 1.0)
    joints = solver.add_joints_task()
    joints.set_joints({name: robot.get_joint(name) for name in robot.joint_names()})
    joints.configure("posture", "soft", 1e-3)
    solver.enable_joint_limits(True)
    solver.enable_velocity_limits(True)

    def step() -> np.ndarray:
        robot.update_kinematics()  # also keeps the robot, which the solver only points to
        return np.asarray(solver.solve(False)) / DT

    return step


def pinocchio_order(peer: Any, model: ts.Model, q: np.ndarray) -> np.ndarray:
    """Return q with the joints in the order of a model of Pinocchio with a free base."""
    found = np.zeros(peer.nq)
    found[:7] = q[:7]
    for name, start in zip(list(peer.names)[2:], list(peer.idx_qs)[2:], strict=True):
        found[start] = q[model.joint(name).q_slice.start]
    return found


def pink_step(file: Path, model: ts.Model, q: np.ndarray) -> Callable[[], np.ndarray]:
    import pinocchio as pin
    from pink import Configuration, solve_ik
    from pink.tasks import FrameTask, PostureTask

    peer = pin.buildModelFromUrdf(str(file), pin.JointModelFreeFlyer())
    at = pinocchio_order(peer, model, q)
    tasks = []
    for frame, target in zip(FRAMES, targets(model, q), strict=True):
        task = FrameTask(frame, position_cost=1.0, orientation_cost=1.0)
        task.set_target(pin.SE3(target))
        tasks.append(task)
    rest = PostureTask(cost=np.sqrt(1e-3))
    rest.set_target(at)
    tasks.append(rest)

    def step() -> np.ndarray:
        configuration = Configuration(peer, peer.createData(), at)
        return np.asarray(solve_ik(configuration, tasks, DT, solver="daqp", damping=1e-6))

    return step


def rounds(
    steps: dict[str, Callable[[], np.ndarray]], calls: int = CALLS
) -> dict[str, list[float]]:
    """Return times of each [µs], round by round."""
    found: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(ROUNDS):
        for name, step in steps.items():
            start = time.perf_counter()
            for _ in range(calls):
                step()
            found[name].append(1e6 * (time.perf_counter() - start) / calls)
    return found


def poses_a_second(count: int = 20000) -> dict[str, float]:
    """Return how many poses of a Panda are found a second, and the shares of success."""
    model = ts.load(robot_file("panda.urdf"), base="fixed")
    there = model.frame_pose(model.random_configuration(1, count), "panda_link8")
    solver = ts.ik.Solver(model, [ts.ik.FrameTask("panda_link8", there)])
    start = np.tile(ts.ik.middle(model), (count, 1))
    numbers = {}
    for name, starts in (("one start", 1), ("restarts", 40)):
        search = ts.ik.Search(starts=starts)
        times, found = [], None
        for _ in range(5):
            begin = time.perf_counter()
            found = solver.solve(start, search=search)
            times.append(time.perf_counter() - begin)
        assert found is not None
        numbers[f"{name}: poses a second"] = count / float(np.median(times))
        numbers[f"{name}: found"] = float(np.mean(found.success))
    return numbers


def batch(model: ts.Model, q: np.ndarray, count: int = 1024) -> dict[str, float]:
    """Return times [µs] of steps of many states, one by one and in a batch, each from its last."""
    rng = np.random.default_rng(0)
    states = np.stack([model.integrate(q, 0.02 * rng.normal(size=model.nv)) for _ in range(count)])
    together = solver_of(model, q)
    together.step(states, DT)
    alone, many = [], []
    for _ in range(7):
        begin = time.perf_counter()
        together.step(states, DT)
        many.append(1e6 * (time.perf_counter() - begin) / count)
        for state in states[:50]:
            one = solver_of(model, q)
            one.step(state, DT)
            begin = time.perf_counter()
            one.step(state, DT)
            alone.append(1e6 * (time.perf_counter() - begin))
    found = {"one [us]": float(np.median(alone)), "in a batch [us]": float(np.median(many))}
    return {**found, "times as fast": found["one [us]"] / found["in a batch [us]"]}


def solver_of(model: ts.Model, q: np.ndarray) -> ts.ik.Solver:
    tasks = [ts.ik.FrameTask(f, t) for f, t in zip(FRAMES, targets(model, q), strict=True)]
    return ts.ik.Solver(model, [*tasks, ts.ik.PostureTask(q, level=0, weight=1e-3)])


def beside(steps: dict[str, Callable[[], np.ndarray]]) -> dict[str, Any]:
    """Return times of steps that take turns [µs], beside placo's, and how large velocities are."""
    velocities = {name: step() for name, step in steps.items()}
    times = rounds(steps)
    peer = np.array(times.get("placo", [np.nan] * ROUNDS))
    return {
        name: {
            "median [us]": float(np.median(own)),
            "min [us]": float(np.min(own)),
            "by placo": float(np.median(np.array(own) / peer)),
            "speed": float(np.linalg.norm(velocities[name])),
        }
        for name, own in times.items()
    }


def add_peers(steps: dict[str, Callable[[], np.ndarray]], peers: dict[str, Any]) -> None:
    for name, make in peers.items():
        try:
            steps[name] = make()
        except ImportError as error:
            print(f"{name} is not installed: {error}", file=sys.stderr)


def main() -> None:
    """Measure all, on one core; print, and with `--json FILE` keep the numbers."""
    import ik_capsules
    import ik_lola
    import ik_mink

    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    file = robot_file("talos_reduced.urdf")
    model = ts.load(file, base="free")
    q = posture(model)
    plain: dict[str, Callable[[], np.ndarray]] = {"tarsus": ours(model, q)}
    add_peers(
        plain,
        {
            "placo": lambda: placo_step(file, model, q),
            "pink": lambda: pink_step(file, model, q),
            "mink": lambda: ik_mink.mink_step(file, model, q),
        },
    )
    apart = ik_capsules.ours(model, q)
    crowded: dict[str, Callable[[], np.ndarray]] = {"tarsus": lambda: apart.step(q, DT).v}
    add_peers(crowded, {"placo": lambda: ik_capsules.placo_step(file, model, q)})
    result = {
        "step": beside(plain),
        "capsules": beside(crowded),
        "batch": batch(model, q),
        "poses": poses_a_second(),
        "lola": ik_lola.measure_lola(),
    }
    print(json.dumps(result, indent=1))
    if "--json" in sys.argv:
        Path(sys.argv[sys.argv.index("--json") + 1]).write_text(json.dumps(result))


if __name__ == "__main__":
    sys.modules["ik"] = sys.modules["__main__"]  # the other files of this bench ask for it
    main()
