"""Steps in contact beside MuJoCo, hard motions first; creep, growth of the operator, ledgers.

A step of Tarsus solves Coulomb's law with true stick; MuJoCo's contacts are soft, with elliptic
cones and its Newton solver. Robots, spheres, floor, gains and step are the same; that masses,
gravity and the load on the feet agree is checked before any time is taken.

    python benchmarks/contact.py --quick --only g1 --motion tips
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bipeds import BIPEDS
from learning import LearningSizes, measure_learning
from motions import motions_of
from operators import ledger_residual, operator_growth
from piles import Pile, all_piles, measure_piles, quick_piles
from quadrupeds import QUADRUPEDS
from rows import HEADER, line
from slope import creep
from steps import StepSizes, agreement, measure_row
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import pinned
from walkers import FRICTION, SMOOTH, Walker

ROBOTS = ("talos_reduced", f"talos_reduced, {SMOOTH}", *list(BIPEDS)[1:], *QUADRUPEDS)
"""Titles of all robots."""
FEW = (*ROBOTS[:4], "a1", "anymal")
"""Those of a quick look."""

SCENES = (*("bounce", "cans", "drop", "incline", "jump", "push", "slide", "stand", "trot", "walk"),)
"""Scenes in contact."""


@dataclass(frozen=True)
class Sizes:
    """How much is simulated."""

    step: StepSizes = field(default_factory=StepSizes)
    robots: tuple[str, ...] = ROBOTS
    motions: tuple[str, ...] = ()
    """Parts of the names of motions; all if there are none."""
    learning: LearningSizes = field(default_factory=LearningSizes)
    piles: tuple[Pile, ...] = field(default_factory=all_piles)
    links: tuple[int, ...] = (25, 50, 100, 200, 400)
    contacts: tuple[int, ...] = (4, 8, 16, 32)
    seconds_on_slope: float = 10.0
    scenes: tuple[str, ...] = SCENES
    """Whose ledgers of energy are checked."""

    @classmethod
    def quick(cls) -> Sizes:
        """Return sizes for a look that takes minutes."""
        return cls(StepSizes.quick(), FEW, learning=LearningSizes.quick(), piles=quick_piles())

    def wants(self, motion: str) -> bool:
        """Return whether a motion is measured."""
        return not self.motions or any(part in motion for part in self.motions)


Tell = Callable[[str, float], None]


def measure_contact(
    plan: Plan, sizes: Sizes | None = None, progress: Tell | None = None
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in µs of a step."""
    tell = progress or (lambda section, share: None)
    if sizes is None:
        sizes = Sizes.quick() if plan == Plan.quick() else Sizes()
    results = measure_steps(plan, sizes, tell, lambda row: None)
    with pinned(1):
        tell("learning", 0.0)
        results["learning"] = measure_learning(plan, sizes.learning)
        tell("piles", 0.0)
        results["piles"] = measure_piles(sizes.piles, plan)
        results["operator"] = operator_growth(
            plan, sizes.links, sizes.contacts, lambda share: tell("contact operator", share)
        )
    tell("creep and ledgers", 0.0)
    results["creep"] = creep(FRICTION, sizes.seconds_on_slope)
    results["ledger"] = {name: ledger_residual(name) for name in sizes.scenes}
    return results


def measure_steps(
    plan: Plan, sizes: Sizes, tell: Tell, show: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """Return the agreement of all robots and the rows of all their motions."""
    agreements, rows = [], []
    for number, title in enumerate(sizes.robots):
        walker = Walker(title)
        agreements.append(agreement(walker))
        with pinned(1):
            for motion in motions_of(walker):
                if not sizes.wants(motion(walker, 1).motion):
                    continue
                tell("steps in contact", number / len(sizes.robots))
                rows.append(measure_row(walker, motion, sizes.step, plan))
                show(rows[-1])
    return {"agreement": agreements, "steps": rows}


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description="steps in contact beside MuJoCo")
    parser.add_argument("--quick", action="store_true", help="some robots, 64 states, few rounds")
    parser.add_argument("--only", action="append", default=[], help="part of a robot's title")
    parser.add_argument("--motion", action="append", default=[], help="part of a motion's name")
    parser.add_argument("--states", type=int, help="of a batch")
    parser.add_argument("--output", type=Path, help="keep the rows as JSON")
    return parser.parse_args(words)


def main() -> None:
    """Measure what the command line asks for, and show it row by row."""
    asked = arguments()
    plan = Plan.quick() if asked.quick else Plan()
    step = StepSizes.quick() if asked.quick else StepSizes()
    if asked.states:
        step = replace(step, states=asked.states)
    chosen = tuple(title for title in ROBOTS if any(part in title for part in asked.only))
    if not asked.only:
        chosen = FEW if asked.quick else ROBOTS
    sizes = Sizes(step, chosen, tuple(asked.motion))
    began = time.perf_counter()
    print(HEADER)
    results = measure_steps(plan, sizes, lambda *_: None, lambda row: print(line(row), flush=True))
    print(f"{time.perf_counter() - began:.0f} s")
    if asked.output:
        asked.output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
