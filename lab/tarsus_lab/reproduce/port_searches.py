"""Searches for gaits that several tables and figures of V. Duindam share."""

from __future__ import annotations

import math
from functools import cache

from tarsus.events import guards
from tarsus.gait.optimal.conditions import Require
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.optimize import optimize
from tarsus.gait.optimal.search import OptimizedGait
from tarsus.gait.walkers.planar import compass
from tarsus.gait.walkers.walker import Walker
from tarsus_lab.reproduce.result import Row, same_digits

SOURCE = "V. Duindam, Port-Based Modeling and Control …, University of Twente 2006"
SPEEDS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3)
"""Of tables 5.1 and 5.2 [m/s]."""
TOTAL = 7.0
"""What hip and legs weigh together [kg]."""
SPRINGS = {"stiffness": (0.0, 50.0), "damping": (0.0, 5.0)}
MASSES = {"leg_mass": (0.01, 3.45)}
"""Bounds of what is free [N m/rad, N m s/rad, kg]; legs without mass would swing for nothing."""
CHEAPER = "the search of the thesis ended before the optimum, or at another one"


def strike_speed(walker: Walker, least: float = 0.5) -> Require:
    """Return that the swing foot comes down at least so fast (4.23) [m/s]."""
    normal = (math.sin(walker.slope), 0.0, math.cos(walker.slope))
    height = guards.Height("right_foot", normal=normal)
    return Require(height, high=-least, during=(1, 1), rate=True, label="strike speed")


@cache
def structures(speed: float) -> dict[str, OptimizedGait]:
    """Return the gaits of a speed: nominal, with a spring and a damper, with masses, with all."""
    walker = compass()
    require = [strike_speed(walker)]
    found = {"nominal": optimize(walker, speed, require=require, starts=2)}
    for name, bounds in (("spring", SPRINGS), ("mass", MASSES)):
        design = Design(bounds, _tied if "leg_mass" in bounds else None)
        starts = [
            optimize(walker, speed, require=require, design=design, starts=1),
            optimize(walker, speed, require=require, design=design, guess=found["nominal"]),
        ]
        found[name] = min(starts, key=_rank)
    design = Design(MASSES | SPRINGS, _tied)
    guesses = [found["mass"], found["spring"]]
    both = [optimize(walker, speed, require=require, design=design, guess=each) for each in guesses]
    found["both"] = min(both, key=_rank)
    return found


def cheaper(label: str, printed: str, gait: OptimizedGait, reason: str = CHEAPER) -> Row:
    """Return a row for a cost: the same, or less, or missed."""
    same = same_digits(printed, gait.cost)
    if gait.violations or (gait.cost > float(printed) and not same):
        return Row(label, printed, gait.cost, "missed")
    if same:
        return Row(label, printed, gait.cost, "reproduced")
    return Row(label, printed, gait.cost, "surpassed", reason)


def _rank(gait: OptimizedGait) -> tuple[bool, float]:
    return bool(gait.violations), gait.cost


def _tied(free: dict[str, float]) -> dict[str, float]:
    return {"hip_mass": TOTAL - 2.0 * free["leg_mass"]}
