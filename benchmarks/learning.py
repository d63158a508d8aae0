"""Learning and loops in Python: robots by the hundred with random actions, and step by step.

A step of a robot in `WalkVectorEnv` is all of it: physics, rewards, observations and new starts.
MuJoCo's side is its rollout alone, of the same robot with the same actions.

    python benchmarks/learning.py --quick
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from motions import Situation, stands
from mujoco_walker import MujocoWalker
from rows import HEADER, line
from steps import Side, sides
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio
from tarsus_walker import TarsusWalker
from walkers import DT, FRICTION, Walker, controller_of

import tarsus as ts
from tarsus.environments import WalkTask, WalkVectorEnv


@dataclass(frozen=True)
class LearningSizes:
    """How much is simulated."""

    robots: tuple[str, ...] = ("anymal", "a1", "solo12")
    states: int = 256
    actions: int = 20
    """Of each robot in a timed call."""
    together: int = 250
    """Steps in a timed loop in Python."""
    rounds: int = 9

    @classmethod
    def quick(cls) -> LearningSizes:
        """Return sizes that take some seconds."""
        return cls(actions=5, rounds=3)


def measure_learning(
    plan: Plan, sizes: LearningSizes, show: Callable[[dict[str, Any]], None] = lambda row: None
) -> list[dict[str, Any]]:
    """Return rows: times of a step of one robot [µs], ours and MuJoCo's, and their ratios."""
    rows = []
    for title in sizes.robots:
        walker = Walker(title)
        for what, contenders in (
            ("learns", learners(walker, sizes)),
            ("sim.step in a loop", loops(walker, sizes.together)),
            ("sim.run of one step", single_runs(walker)),
        ):
            pair = list(contenders.values())
            interleave(pair, min(plan.rounds, sizes.rounds), plan.seconds, lambda share: None)
            row: dict[str, Any] = {"model": title, "nv": walker.model.nv, "motion": what}
            keys = {"tarsus": "one", "mujoco": "mujoco"}
            row |= {keys[name]: contender.summary() for name, contender in contenders.items()}
            if len(pair) == 2:
                row["one_ratio"] = ratio(*pair)
            rows.append(row)
            show(row)
    return rows


def learners(walker: Walker, sizes: LearningSizes) -> dict[str, Contender]:
    """Return random actions from the same starts, in an environment and in MuJoCo's rollout."""
    kp, kd = walker.gains
    task = WalkTask(
        walker.model,
        walker.stance,
        float(kp[6:].min()),
        float(kd[6:].min()),
        ts.Collision.from_model(walker.model),
        ts.Ground(friction=FRICTION),
        friction=(FRICTION, FRICTION),
        dt=DT,
    )
    env = WalkVectorEnv(sizes.states, task)
    rng = np.random.default_rng(0)
    shape = sizes.actions, sizes.states, len(task.joints)
    actions = rng.uniform(-1.0, 1.0, shape).astype(np.float32)

    def episode() -> None:
        env.reset(seed=0)
        for action in actions:
            env.step(action)

    steps = sizes.actions * task.hold
    env.reset(seed=0)
    reference = np.tile(walker.stance, (sizes.states, steps, 1))
    reference[:, :, task.joints] += task.reach * np.repeat(
        np.swapaxes(actions, 0, 1), task.hold, axis=1
    )
    start = env.herd.q.copy(), env.herd.v.copy()
    situation = Situation(
        walker, "learns", walker.model, walker.feet, *start, reference=reference, lead=0
    )
    found = {"tarsus": Contender("episode()", {"episode": episode}, sizes.states * steps)}
    for side in sides(situation):
        if isinstance(side, MujocoWalker):
            found[side.name] = side.batch(steps)
    return found


def loops(walker: Walker, steps: int) -> dict[str, Contender]:
    """Return steps by hand with efforts that hold the robot, each side with those it needs."""
    found = {}
    for side in sides(stands(walker, 1)):
        side.settle(1)
        tau = side.efforts(steps)
        found[side.name] = _loop(side, tau)
    return found


def _loop(side: Side, tau: Any) -> Contender:
    if isinstance(side, TarsusWalker):
        names = {"sim": side.simulation, "q": side.q[0], "v": side.v[0], "tau": tau}
        call = "sim.reset(q, v)\nfor u in tau: sim.step(u)"
        return Contender(call, names, units=len(tau))
    # another model without gains, in the same state
    walker, mujoco = side.situation.walker, side.mujoco
    q, v = walker.stance[None], np.zeros((1, walker.model.nv))
    bare = MujocoWalker(Situation(walker, "", walker.model, walker.feet, q, v, None, 0))
    names = {"model": bare.model, "data": bare.data, "step": mujoco.mj_step, "tau": tau}
    names |= {"set_state": mujoco.mj_setState, "start": side.states[0]}
    names |= {"kind": mujoco.mjtState.mjSTATE_FULLPHYSICS}
    call = "set_state(model, data, start, kind)\nfor u in tau:\n    data.qfrc_applied[:] = u"
    return Contender(f"{call}\n    step(model, data)", names, units=len(tau))


def single_runs(walker: Walker) -> dict[str, Contender]:
    """Return `Simulation.run` of a single step as it is called first, and `mj_step`."""
    found = {}
    for side in sides(stands(walker, 1)):
        side.settle(1)
        if isinstance(side, MujocoWalker):
            found[side.name] = side.one(1)
            continue
        names = {"sim": side.simulation, "q": side.q[0], "v": side.v[0], "dt": DT}
        names["hold"] = controller_of(walker, walker.model, walker.standing[None])
        found[side.name] = Contender("sim.run(q, v, duration=dt, controller=hold)", names)
    return found


def main() -> None:
    """Measure and show the rows."""
    parser = argparse.ArgumentParser(description="learning and loops in Python beside MuJoCo")
    parser.add_argument("--quick", action="store_true", help="fewer actions and rounds")
    quick = parser.parse_args().quick
    sizes = LearningSizes.quick() if quick else LearningSizes()
    print(HEADER)
    with pinned(1):
        measure_learning(
            Plan.quick() if quick else Plan(), sizes, lambda row: print(line(row), flush=True)
        )


if __name__ == "__main__":
    main()
