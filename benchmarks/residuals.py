"""How well is contact solved? A million steps over all motions, and those that are not solved.

    python benchmarks/residuals.py --steps 1000000 --output residuals.json

The residual of a step is the largest violation of its conditions that is left, as a part of the
speeds in it. A step with more than 1e-8 counts as not solved.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from contact import ROBOTS
from motions import Motion, Situation, motions_of
from tarsus_lab.bench.timing import describe_machine, today
from tarsus_walker import TarsusWalker
from walkers import DT, Walker

from tarsus._lib.files import Array
from tarsus.simulation import SimulationError, Trajectory

SOLVED = 1e-8
STATES = 64
"""Of a batch."""
QUANTILES = {"median": 0.5, "of_100": 0.99, "of_10000": 0.9999, "worst": 1.0}
HEADER = (
    f"{'':44} {'steps':>8} {'unsolved':>9} {'share':>8} {'median':>8} {'1 in 100':>8} "
    f"{'1 in 1e4':>8} {'worst':>8} {'most sweeps':>11}"
)


def survey(
    scenes: Sequence[tuple[Walker, Motion]], steps: int, states: int = STATES
) -> Iterator[dict[str, Any]]:
    """Yield a row for each motion of a robot, all together with about so many steps.

    A batch has so many states, fewer where it takes long until the motion is reached.
    """
    each = max(1, steps // max(1, len(scenes)))
    for walker, motion in scenes:
        lead = motion(walker, 1).lead
        deep = min(each, max(each // states, lead + lead // 3))
        yield row_of(motion(walker, max(1, each // deep)), deep)


def row_of(situation: Situation, steps: int) -> dict[str, Any]:
    """Return how the residuals of so many steps from the start are spread."""
    row: dict[str, Any] = {"model": situation.walker.title, "motion": situation.motion}
    side = TarsusWalker(situation)
    try:
        run = side.follow(steps, ("v", "statistics"))
    except (SimulationError, RuntimeError) as error:
        return row | {"steps": 0, "failure": str(error).splitlines()[0]}
    found = relative_residuals(run).ravel()
    above = int(np.sum(~(found <= SOLVED)))  # what is no number is not solved either
    return row | {
        "steps": found.size,
        "unsolved": above,
        "share": above / found.size,
        **{name: float(np.quantile(found, at)) for name, at in QUANTILES.items()},
        "most_iterations": float(run.statistics.iterations.max()),
    }


def relative_residuals(run: Trajectory) -> Array:
    """Return the residual of every step (B, T), as a part of the speeds in it.

    Where the solver tells no relative residual, the speeds are the largest velocity of the state,
    and no less than what gravity gives in a step.
    """
    statistics = run.statistics
    for name in ("relative_residual", "relative"):
        if hasattr(statistics, name):
            return np.asarray(getattr(statistics, name))[..., 1:]
    gravity = DT * float(np.linalg.norm(run.model.gravity))
    speeds = np.maximum(np.abs(run.v).max(axis=-1), gravity)
    # a step is as fast as its start or its end, whichever is faster
    fastest = np.maximum(speeds[..., 1:], speeds[..., :-1])
    return np.asarray(statistics.residual[..., 1:] / fastest)


def line(row: dict[str, Any]) -> str:
    """Return a row as text."""
    title = f"{row['model']} {row['motion']}".ljust(44)
    if "failure" in row:
        return f"{title} {row['failure']}"
    numbers = " ".join(f"{row[name]:8.1e}" for name in QUANTILES)
    counts = f"{row['steps']:8d} {row['unsolved']:9d} {row['share']:8.4f}"
    return f"{title} {counts} {numbers} {row['most_iterations']:11.0f}"


def scenes_of(robots: Sequence[str], parts: Sequence[str]) -> list[tuple[Walker, Motion]]:
    """Return the motions of robots, of those whose names have one of the parts, or all."""
    found = []
    for walker in map(Walker, robots):
        for motion in motions_of(walker):
            name = motion(walker, 1).motion
            if not parts or any(part in name for part in parts):
                found.append((walker, motion))
    return found


def main() -> None:
    """Survey what the command line asks for, show a table and keep it as JSON."""
    parser = argparse.ArgumentParser(description="residuals of contact over many steps")
    parser.add_argument("--steps", type=int, default=1_000_000, help="of all motions together")
    parser.add_argument("--states", type=int, default=STATES, help="of a batch")
    parser.add_argument("--only", action="append", default=[], help="part of a robot's title")
    parser.add_argument("--motion", action="append", default=[], help="part of a motion's name")
    parser.add_argument("--output", type=Path, help="a file for the table as JSON")
    asked = parser.parse_args()
    robots = [t for t in ROBOTS if not asked.only or any(part in t for part in asked.only)]
    print(HEADER)
    rows = []
    for row in survey(scenes_of(robots, asked.motion), asked.steps, asked.states):
        print(line(row), flush=True)
        rows.append(row)
    steps, unsolved = (sum(row.get(key, 0) for row in rows) for key in ("steps", "unsolved"))
    failures = sum("failure" in row for row in rows)
    print(f"{unsolved} of {steps} steps above {SOLVED:g}; {failures} motions could not be done")
    if asked.output:
        kept = {"date": today(), "machine": describe_machine(), "solved": SOLVED, "rows": rows}
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        asked.output.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
