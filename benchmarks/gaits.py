"""How long gaits take to find: limit cycles, basins, doublings, and gaits of least efforts.

python benchmarks/gaits.py

How many steps of the compass walker are made in a second is measured by `flows.py`.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy_compass
from gait_biped import Legs, period_error
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio
from tarsus_lab.reproduce import port_4_17, port_5_1
from tarsus_lab.reproduce.port_searches import SPEEDS, cheaper, structures

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.gait.return_map import FINE

CRUDE = 0.05
"""How far off the guess of a limit cycle is, as a part of it."""
TOLERANCE = 1e-10
"""Of a limit cycle, for us and for SciPy."""
OVER = {"lean": (0.15, 0.45), "lean rate": (-1.6, -0.7)}
"""Of the basin: the leaf and what is around it [rad, rad/s]."""
GOSWAMI = {"leg_mass": 5.0, "hip_mass": 10.0, "slope": math.radians(4.2), "gravity": 9.81}
STEEPEST = math.radians(5.3)


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    grid: int = 400
    """States of the basin each way."""
    steps: int = 20
    """Of each of them."""
    threads: int = 2
    doubled: int = 4
    """How often the period doubles."""
    hips: tuple[int, ...] = tuple(port_4_17.PRINTED)
    """Masses of the hip in table 4.2 [kg]."""
    speeds: tuple[float, ...] = SPEEDS
    """Of table 5.1 [m/s]; each has four gaits."""
    robots: tuple[str, ...] = ("g1",)
    rounds: int = 3
    """Of what takes seconds; what takes longer is measured once."""


def measure_gaits(
    plan: Plan,
    sizes: Sizes | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in seconds."""
    sizes, tell = sizes or Sizes(), progress or (lambda text, share: None)
    studies: dict[str, Callable[[], Any]] = {
        "cycle": lambda: cycle(plan),
        "doublings": lambda: doublings(sizes),
        "trunk": lambda: trunk_walkers(sizes),
        "design": lambda: designs(sizes),
        "robots": lambda: [robot(name) for name in sizes.robots],
    }
    found = {}
    with pinned(1):
        for number, (name, measured) in enumerate(studies.items()):
            tell(name, number / (len(studies) + 1))
            found[name] = measured()
    with pinned(sizes.threads):
        tell("basin", len(studies) / (len(studies) + 1))
        found["basin"] = basin(sizes)
    return found


def cycle(plan: Plan) -> dict[str, Any]:
    """Return times of the compass walker's gait with multipliers, beside SciPy's fsolve."""
    walker = ts.gait.walkers.compass()
    guess = crude(walker)
    section = walker.numbered()
    theirs = {
        "guess": section.read(*guess).tolist(),
        "tolerance": TOLERANCE,
        **FINE._asdict(),
    }
    names = {"limit_cycle": ts.gait.limit_cycle, "walker": walker, "guess": guess}
    ours = Contender(f"limit_cycle(walker, guess, tolerance={TOLERANCE}).multipliers", names)
    hand = {"gait": scipy_compass.gait, **theirs}
    peer = Contender("gait(guess, rtol, atol, tolerance)", hand)
    interleave([ours, peer], *plan.rhythm, lambda share: None)
    found = ts.gait.limit_cycle(walker, guess, tolerance=TOLERANCE)
    x, multipliers = scipy_compass.gait(**theirs)
    return {
        "ours": _seconds(ours),
        "peer": _seconds(peer),
        "speed": ratio(peer, ours),
        "crude": CRUDE,
        "error": found.error,
        "apart": float(np.abs(section.read(*found.state) - x).max()),
        "multipliers_apart": _apart(found.multipliers, multipliers),
    }


def crude(walker: ts.gait.Walker) -> tuple[Array, Array]:
    """Return the walker's start, every number off by `CRUDE` of itself, one way or the other."""
    q, v = walker.start
    return (1.0 + CRUDE) * q, (1.0 - CRUDE) * v


def basin(sizes: Sizes) -> dict[str, Any]:
    """Return times of a basin on all threads, by the clock on the wall."""
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass())
    over = {name: np.linspace(*ends, sizes.grid) for name, ends in OVER.items()}
    found, seconds = timed(
        lambda: ts.gait.basin(gait, over, steps=sizes.steps, workers=sizes.threads, progress=False),
        sizes.rounds,
        time.perf_counter,
    )
    return {
        "states": found.steps.size,
        "steps": sizes.steps,
        "threads": sizes.threads,
        "seconds": seconds,
        "walked": int(found.steps.sum()),
        "survived": float(found.survived.mean()),
    }


def doublings(sizes: Sizes) -> dict[str, Any]:
    """Return times of the doublings of Goswami's compass walker, and where they are [°]."""
    walker = ts.gait.walkers.compass(**GOSWAMI)
    found, seconds = timed(
        lambda: ts.gait.doublings(walker, "slope", to=STEEPEST, doubled=sizes.doubled),
        sizes.rounds,
    )
    return {
        "seconds": seconds,
        "wanted": 2**sizes.doubled,
        "period": found.branches[-1].steps,
        "gaits": sum(len(branch) for branch in found.branches),
        "degrees": np.degrees(found.values).tolist(),
        "ratios": found.ratios.tolist(),
    }


def trunk_walkers(sizes: Sizes) -> dict[str, Any]:
    """Return times of the gaits of table 4.2, and how many are not those of the dense search."""
    found, seconds = timed(lambda: [port_4_17.gait(hip) for hip in sizes.hips], sizes.rounds)
    right = [port_4_17.RIGHT[hip][port_4_17.NAMES.index("cost")] for hip in sizes.hips]
    missed = [
        not gait.success or abs(gait.cost / cost - 1.0) > 0.02
        for gait, cost in zip(found, right, strict=True)
    ]
    return {"seconds": seconds, "gaits": len(found), "missed": sum(missed)}


def designs(sizes: Sizes) -> dict[str, Any]:
    """Return the time of the gaits of table 5.1, and how many cost more than the thesis'."""
    structures.cache_clear()
    found, seconds = timed(lambda: [structures(speed) for speed in sizes.speeds], 1)
    rows = [
        cheaper(name, port_5_1.PRINTED[name][SPEEDS.index(speed)], gait)
        for speed, gaits in zip(sizes.speeds, found, strict=True)
        for name, gait in gaits.items()
    ]
    missed = sum(row.verdict == "missed" for row in rows)
    return {"seconds": seconds, "gaits": len(rows), "missed": missed}


def robot(name: str) -> dict[str, Any]:
    """Return the time of a robot's gait, from its model, which is loaded before, to the end."""
    legs = Legs.of(name)
    gait, seconds = timed(legs.optimized, 1)
    return {
        "model": name,
        "joints": legs.walker.phases[0].model.nv,
        "seconds": seconds,
        "success": gait.success,
        "status": gait.status,
        "period_error": period_error(gait),
        "speed": gait.speed,
        "cost_of_transport": gait.cost_of_transport,
    }


def timed(
    call: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.process_time
) -> tuple[Any, dict[str, float]]:
    """Return what a long call returns, and the median and smallest of its times [s].

    Threads that a library for matrices starts count as well.
    """
    samples = []
    for _ in range(rounds):
        begin = clock()
        found = call()
        samples.append(clock() - begin)
    return found, {"median": round(float(np.median(samples)), 4), "min": round(min(samples), 4)}


def _seconds(contender: Contender) -> dict[str, float]:
    return {key: 1e-6 * value for key, value in contender.summary().items()}


def _apart(some: Array, others: Array) -> float:
    """Return how far each of some numbers in the plane is from the nearest of others, at most."""
    return float(np.abs(some[:, None] - others).min(axis=1).max())


if __name__ == "__main__":
    measured = measure_gaits(Plan.quick() if "--quick" in sys.argv else Plan())
    for section, numbers in measured.items():
        print(section, numbers)
