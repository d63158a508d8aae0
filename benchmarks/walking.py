"""How fast machines walk: plan, programme of the whole body and steps of 1 ms, one and a batch.

python benchmarks/walking.py --quick

A sample is a whole walk from standing, with all that a user gets: footsteps that adapt in every
cycle, targets, the quadratic programme, contact, and a look after each step at who has fallen.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from target import Target
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned

import tarsus as ts
from tarsus.robots.load import example

ROBOTS = ("g1", "talos_reduced")
WALKERS, THREADS = 1024, 2
STEPS, BATCH_STEPS = 4, 2
ROUNDS, BATCH_ROUNDS = 7, 3


def measure_walking(
    plan: Plan, progress: Callable[[str, float], None] | None = None
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON: multiples of real time."""
    tell = progress or (lambda section, share: None)
    with pinned(1):
        alone = _alone(plan, lambda share: tell("machines that walk", share))
    with pinned(THREADS):
        batch = _batch(plan, lambda share: tell("a batch that walks", share))
    return {"alone": alone, "batch": batch}


class Walk:
    """A walk of some machines, ready to be timed."""

    def __init__(self, robot: str, walkers: int, steps: int, threads: int) -> None:
        body = ts.gait.Anatomy.from_model(example(robot))
        own, ground = ts.walking.Biped.ready(body), ts.Ground()
        plan = own.footsteps(0.3, steps=steps).on(ground, body.legs[0].sole.corners)
        collision = body.collision()
        self.simulation = ts.Simulation(body.model, ground=ground, collision=collision, dt=1e-3)
        self.control = own.controller(plan, ground, walkers=walkers, threads=threads)
        self.control.notes = False
        self.q = np.tile(own.placed(plan, ground, collision), (walkers, 1))
        self.period, self.fallen, self.threads = own.style.period, own.fallen(), threads
        cycles = round((own.supports.start + steps * own.step_time) / self.period)
        self.duration = cycles * self.period
        self.robot, self.walkers = robot, walkers

    def run(self) -> ts.Trajectory:
        """Walk all steps."""
        return self.simulation.run(
            self.q if self.walkers > 1 else self.q[0],
            duration=self.duration,
            controller=self.control,
            until=self.fallen,
            record=False,
            threads=self.threads,
        )

    def contender(self, **clock: Any) -> Contender:
        """Return the walk as it is timed: µs for each millisecond of each machine."""
        milliseconds = round(1e3 * self.duration) * self.walkers
        return Contender("run()", {"run": self.run}, milliseconds, **clock)

    def row(self, contender: Contender) -> dict[str, Any]:
        """Return multiples of real time, all machines together, and what was walked."""
        run = self.run()
        return {
            "model": self.robot,
            "walkers": self.walkers,
            "threads": self.threads,
            "period": self.period,
            "seconds": self.duration,
            "fell": int(np.isfinite(run.ended.time).sum()),
            "median": round(1e3 / contender.median, 3),
            "best": round(1e3 / min(contender.samples), 3),
        }


def _alone(plan: Plan, tell: Callable[[float], None]) -> list[dict[str, Any]]:
    walks = [Walk(robot, 1, STEPS, 1) for robot in ROBOTS]
    contenders = [walk.contender() for walk in walks]
    interleave(contenders, min(plan.rounds, ROUNDS), plan.seconds, tell)
    return [walk.row(each) for walk, each in zip(walks, contenders, strict=True)]


def _batch(plan: Plan, tell: Callable[[float], None]) -> list[dict[str, Any]]:
    walk = Walk(ROBOTS[0], min(plan.batch, WALKERS), BATCH_STEPS, THREADS)
    contender = walk.contender(clock=time.perf_counter)
    interleave([contender], min(plan.rounds, BATCH_ROUNDS), plan.seconds, tell)
    return [walk.row(contender)]


def walking_table(found: dict[str, Any]) -> list[str]:
    """Return the lines of a table of `docs/benchmarks.md`."""
    lines = ["| walking: planning, whole-body control, steps of 1 ms | × real time |", "|---|---|"]
    for row in (*found["alone"], *found["batch"]):
        many = f"{row['walkers']} × " if row["walkers"] > 1 else ""
        threads = f", {row['threads']} threads" if row["threads"] > 1 else ""
        lines.append(f"| {many}{row['model']}{threads} | {row['median']:.3g} |")
    return lines


def _of(section: str, robot: str, key: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return a function from results to a number of this section, if it was measured."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        rows = results.get("walking", {}).get(section, ())
        return {row["model"]: float(row[key]) for row in rows if row["model"] == robot}

    return values


WALKING_TARGETS = (
    Target(
        "control cycle and steps of 1 ms, × real time",
        *(5.0, 10.0, False),
        _of("alone", "g1", "median"),
        _of("alone", "g1", "best"),
    ),
    Target(
        f"– {WALKERS} walkers in a batch, two threads",
        *(50.0, 200.0, False),
        _of("batch", "g1", "median"),
        _of("batch", "g1", "best"),
    ),
)


def main() -> None:
    """Measure and print."""
    found = measure_walking(Plan.quick() if "--quick" in sys.argv else Plan())
    for row in (*found["alone"], *found["batch"]):
        print(
            f"{row['walkers']:5d} × {row['model']}, {row['threads']} threads, "
            f"{row['seconds']:.2f} s each, {row['fell']} fell: {row['median']:.3g} × real time, "
            f"{row['best']:.3g} at best"
        )


if __name__ == "__main__":
    main()
