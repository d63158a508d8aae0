"""How fast environments are: a step of a robot, with all that a learner gets, beside others.

    python benchmarks/environment_speed.py --quick

The same robot with random actions: our environment in lanes, Gymnasium's own vector environments
over the single one, and MuJoCo's rollout, which is physics alone: no observation, reward, end or
new start. On one core the time of the thread counts, on two the clock on the wall.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv
from learning import LearningSizes, learners
from target import Target
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio
from walkers import DT, FRICTION, Walker

import tarsus as ts
from tarsus.environments import (
    Friction,
    JointTargets,
    RobotEnv,
    RobotTask,
    RobotVectorEnv,
    StartAngles,
    robot_task,
)

ROBOTS = ("solo12", "anymal")
SINGLE = 8
"""Environments of Gymnasium: its time for one does not depend on how many there are."""
OURS, WALKS, MUJOCO = "RobotVectorEnv", "WalkVectorEnv", "mujoco.rollout, physics alone"
SYNC, ASYNC = "gymnasium.SyncVectorEnv", "gymnasium.AsyncVectorEnv"


def measure_environments(
    plan: Plan, progress: Callable[[str, float], None] | None = None
) -> dict[str, Any]:
    """Return rows: times of a step of physics of one robot [µs], and ratios to ours."""
    tell = progress or (lambda section, share: None)
    quick = plan.rounds < Plan().rounds
    sizes = LearningSizes.quick() if quick else LearningSizes()
    rows: list[dict[str, Any]] = []
    for robot in ROBOTS:
        tell(f"environments of {robot}", 0.0)
        walker = Walker(robot)
        for threads, contenders in ((1, on_one_core), (2, on_two_cores)):
            with ExitStack() as stack, pinned(threads):
                found = contenders(walker, sizes, stack)
                interleave(list(found.values()), sizes.rounds, plan.seconds, lambda share: None)
            rows += table(robot, threads, found)
    return {"rows": rows}


def table(robot: str, threads: int, found: dict[str, Contender]) -> list[dict[str, Any]]:
    """Return a row for each contender, with how many times as long as ours it takes."""
    ours = found[OURS]
    return [
        {
            "model": robot,
            "threads": threads,
            "what": what,
            "time": contender.summary(),
            "ratio": ratio(contender, ours),
        }
        for what, contender in found.items()
    ]


def task_of(walker: Walker) -> RobotTask:
    """Return the task of walking for a robot of the benchmarks."""
    kp, kd = (float(gain[6:].min()) for gain in walker.gains)
    return robot_task(
        "walk",
        acts=JointTargets(kp, kd),
        varies=(StartAngles(), Friction(FRICTION, FRICTION)),
        ground=ts.Ground(friction=FRICTION),
        stance=walker.stance,
        feet=tuple(walker.robot.feet.values()),
        collision=ts.Collision.from_model(walker.model),
        dt=DT,
    )


def on_one_core(walker: Walker, sizes: LearningSizes, stack: ExitStack) -> dict[str, Contender]:
    """Return ours, the older environment, MuJoCo's rollout, and Gymnasium's loop."""
    task, model = task_of(walker), walker.model
    known = learners(walker, sizes)
    single = SyncVectorEnv([lambda: RobotEnv(model, task)] * SINGLE)
    found = {OURS: played(RobotVectorEnv(model, task, sizes.states), sizes, task)}
    found[WALKS] = known["tarsus"]
    if "mujoco" in known:
        found[MUJOCO] = known["mujoco"]
    return {**found, SYNC: played(single, sizes, task)}


def on_two_cores(walker: Walker, sizes: LearningSizes, stack: ExitStack) -> dict[str, Contender]:
    """Return ours on two threads, MuJoCo's rollout on two, and Gymnasium's processes."""
    task, model = task_of(walker), walker.model
    clock = time.perf_counter
    ours = RobotVectorEnv(model, task, sizes.states, threads=2)
    processes = stack.enter_context(closing(AsyncVectorEnv([lambda: RobotEnv(model, task)] * 2)))
    found = {OURS: played(ours, sizes, task, clock)}
    known = learners(walker, sizes)
    if "mujoco" in known:
        from mujoco import MjData
        from mujoco.rollout import Rollout

        names = dict(known["mujoco"].names)
        names["data"] = [MjData(names["models"][0]) for _ in range(2)]
        names["rollout"] = stack.enter_context(Rollout(nthread=2)).rollout
        found[MUJOCO] = Contender(known["mujoco"].call, names, known["mujoco"].units, clock)
    return {**found, ASYNC: played(processes, sizes, task, clock)}


def played(
    envs: gymnasium.vector.VectorEnv[Any, Any, Any],
    sizes: LearningSizes,
    task: RobotTask,
    clock: Callable[[], float] = time.thread_time,
) -> Contender:
    """Return some periods with random actions; a unit is a step of physics of one robot."""
    shape = sizes.actions, *(envs.action_space.shape or ())
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, shape).astype(np.float32)
    envs.reset(seed=0)

    def episode() -> None:
        for action in actions:
            envs.step(action)

    units = sizes.actions * envs.num_envs * task.hold
    return Contender("episode()", {"episode": episode}, units, clock)


def environment_table(found: dict[str, Any]) -> list[str]:
    """Return the lines of a table: times, and how many times as long as ours."""
    lines = ["| robot | cores | | µs, median | × ours, median | × ours, min |"]
    lines.append("|---|---|---|---|---|---|")
    for row in found["rows"]:
        times = f"{row['time']['median']:.3g}"
        median, smallest = (f"{row['ratio'][key]:.3g}" for key in ("median", "min"))
        where = f"{row['model']} | {row['threads']} | {row['what']}"
        lines.append(f"| {where} | {times} | {median} | {smallest} |")
    return lines


def _ratio(what: str, key: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    def values(results: dict[str, Any]) -> dict[str, float]:
        rows = results.get("learning", {}).get("rows", ())
        return {
            f"{row['model']}, {row['threads']} cores": float(row["ratio"][key])
            for row in rows
            if row["what"] == what
        }

    return values


ENVIRONMENT_TARGETS = tuple(
    Target(f"{what}, time / {OURS}", must, aim, False, _ratio(what, "median"), _ratio(what, "min"))
    for what, must, aim in ((MUJOCO, 2.0, 5.0), (SYNC, 5.0, 10.0), (ASYNC, 5.0, 10.0))
)


def main() -> None:
    """Measure and print."""
    found = measure_environments(Plan.quick() if "--quick" in sys.argv else Plan())
    print("\n".join(environment_table(found)))


if __name__ == "__main__":
    main()
