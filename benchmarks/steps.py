"""Steps of a robot in a motion: one state and a batch, Tarsus beside MuJoCo."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from motions import Motion, Situation, stands
from mujoco_walker import MujocoWalker
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, ratio
from tarsus_walker import TarsusWalker
from walkers import Walker

from tarsus.check.peers import NotComparableError

ROUNDING = 1e-9
LOAD_TOLERANCE = 0.02
"""By how much the load on the feet may differ from the weight after standing for a while."""
STANDING = 1000
"""Steps until a robot stands still."""

Side = TarsusWalker | MujocoWalker


@dataclass(frozen=True)
class StepSizes:
    """How much is simulated."""

    states: int = 1024
    """Of a batch."""
    different: int = 64
    """States of a batch that are led to the motion; the batch repeats them."""
    steps: int = 20
    """Of each state in a timed call of a batch."""
    together: int = 250
    """Steps in a timed call of one state."""
    rounds: int = 5
    """At most: a sample of a batch takes part of a second."""

    @classmethod
    def quick(cls) -> StepSizes:
        """Return sizes that take some seconds a row."""
        return cls(states=64, different=16, steps=10, rounds=3)


def agreement(walker: Walker, steps: int = STANDING) -> dict[str, Any]:
    """Return how the two sides differ before time is taken; raises if they are not the same.

    Relative differences of the mass, the gravity torques at the stance, and of the loads on the
    feet to the weight, after the robot stood for so many steps.
    """
    model, situation = walker.model, stands(walker, 1)
    result: dict[str, Any] = {"model": walker.title, "nv": model.nv, "contacts": len(walker.feet)}
    for side in sides(situation):
        if isinstance(side, MujocoWalker):
            gravity = side.gravity() - model.gravity_forces(walker.stance)
            result["mass"] = abs(float(side.model.body_mass.sum()) / model.total_mass - 1.0)
            result["gravity"] = float(np.abs(gravity).max() / walker.weight)
            if side.model.nv != model.nv or max(result["mass"], result["gravity"]) > ROUNDING:
                raise RuntimeError(f"{walker.title} is another robot in {side.name}: {result}")
        side.follow(steps)
        result[f"{side.name}_load"] = abs(side.load() / walker.weight - 1.0)
        if result[f"{side.name}_load"] > LOAD_TOLERANCE:
            raise RuntimeError(f"{walker.title} does not stand in {side.name}: {result}")
    return result


def measure_row(walker: Walker, motion: Motion, sizes: StepSizes, plan: Plan) -> dict[str, Any]:
    """Return times of a step in µs, of one state and of a state of a batch, and their ratios.

    Where something goes wrong in Tarsus, "failure" says what; if nothing works there is no time.
    """
    row: dict[str, Any] = {"model": walker.title, "nv": walker.model.nv}
    row |= {"motion": motion(walker, 1).motion, "states": sizes.states}
    different = min(sizes.states, sizes.different)
    one = _contenders(motion(walker, 1), row, 1, sizes.together)
    batch = _contenders(motion(walker, different), row, sizes.states, sizes.steps)
    everyone = [*one.values(), *batch.values()]
    interleave(everyone, min(plan.rounds, sizes.rounds), plan.seconds, lambda share: None)
    for pair, ours, theirs in ((one, "one", "mujoco"), (batch, "per_state", "mujoco_per_state")):
        for key, name in ((ours, "tarsus"), (theirs, "mujoco")):
            if name in pair:
                row[key] = pair[name].summary()
    if len(one) == 2:
        row["one_ratio"] = ratio(one["tarsus"], one["mujoco"])
    if len(batch) == 2:
        row["throughput_ratio"] = ratio(batch["mujoco"], batch["tarsus"])
    return row


def _contenders(
    situation: Situation, row: dict[str, Any], states: int, steps: int
) -> dict[str, Contender]:
    """Return what is timed, by simulator, from where the motion is reached; notes go to the row."""
    found = {}
    for side in sides(situation):
        try:
            failure = side.settle(states)
            if isinstance(side, TarsusWalker):
                row |= side.statistics(steps)
            found[side.name] = side.one(steps) if states == 1 else side.batch(steps)
        except RuntimeError as error:  # those of simulations are such
            failure = str(error).splitlines()[0]
        if failure:
            row["failure"] = failure
    return found


def sides(situation: Situation) -> list[Side]:
    """Return the simulators, MuJoCo if it is installed."""
    found: list[Side] = [TarsusWalker(situation)]
    with suppress(NotComparableError):
        found.append(MujocoWalker(situation))
    return found
