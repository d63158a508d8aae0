"""Steps in contact beside MuJoCo, creep on a slope, growth of the operator, ledgers of energy.

A step of Tarsus solves Coulomb's law with true stick; MuJoCo's contacts are soft, with elliptic
cones and its Newton solver. Robots, feet, floor, gains and step are the same; that masses,
gravity and the load on the feet agree is checked before any time is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from mujoco_walker import MujocoWalker
from slope import creep
from tarsus_walker import TarsusWalker, spheres_on_floor
from walkers import NOISE, TWIST, Walker

import tarsus as ts
from tarsus import scenes
from tarsus.bench import Plan
from tarsus.bench.timing import Contender, interleave, pinned, ratio
from tarsus.peers import NotComparableError

FRICTION = 0.7
ROBOTS = ("anymal", "solo12", "talos_reduced", "talos_reduced, smooth joints")
ROUNDING = 1e-9
SOME_ENERGY = 1e-3
"""[J]."""
LOAD_TOLERANCE = 0.02
"""By how much the load on the feet may differ from the weight after `settled` steps."""


@dataclass(frozen=True)
class Sizes:
    """How much is simulated."""

    states: int = 1024
    steps: int = 10
    """Of each state in a timed call of a batch."""
    together: int = 250
    """Steps in a timed call of one state that stands."""
    settled: int = 1000
    """Steps before time is taken, for one state."""
    lead: int = 120
    """The same for a batch."""
    twisted: int = 64
    """States of a batch that is expensive."""
    rounds: int = 9
    """Fewer than usual, for batches: a sample takes part of a second."""
    links: tuple[int, ...] = (25, 50, 100, 200, 400)
    contacts: tuple[int, ...] = (4, 8, 16, 32)
    seconds_on_slope: float = 10.0
    scenes: tuple[str, ...] = tuple(scenes.names())
    """Whose ledgers of energy are checked."""


@dataclass
class _Row:
    """A robot that stands or trots, and its contenders: ours, MuJoCo's."""

    walker: Walker
    motion: str
    one: list[Contender]
    batch: list[Contender]


def measure_contact(
    plan: Plan,
    sizes: Sizes | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in µs of a step."""
    sizes, tell = sizes or Sizes(), progress or (lambda section, share: None)
    robots = [Walker(title) for title in ROBOTS]
    agreements = [agreement(walker, sizes) for walker in robots]
    with pinned(1):
        rows = [row for walker in robots for row in _rows(walker, sizes)]
        ones = [contender for row in rows for contender in row.one]
        interleave(ones, *plan.rhythm, lambda share: tell("one state in contact", share))
        batches = [contender for row in rows for contender in row.batch]
        rounds = min(plan.rounds, sizes.rounds)
        interleave(batches, rounds, plan.seconds, lambda share: tell("batches in contact", share))
        operator = _operator(plan, sizes, lambda share: tell("contact operator", share))
    tell("creep and ledgers", 0.0)
    return {
        "agreement": agreements,
        "steps": [_summary(row) for row in rows],
        "operator": operator,
        "creep": creep(FRICTION, sizes.seconds_on_slope),
        "ledger": {name: ledger_residual(name) for name in sizes.scenes},
    }


def agreement(walker: Walker, sizes: Sizes) -> dict[str, Any]:
    """Return how the two sides differ before time is taken; raises if they are not the same.

    Relative differences of the mass, the gravity torques at the stance, and of the loads on the
    feet to the weight, after the robot stood for a while.
    """
    model = walker.model
    weight = model.total_mass * float(np.linalg.norm(model.gravity))
    result: dict[str, Any] = {
        "model": walker.title,
        "nv": model.nv,
        "contacts": len(walker.spheres),
    }
    rows = walker.stand(1, sizes.settled)
    for name, side in _sides(walker, 1).items():
        if isinstance(side, MujocoWalker):
            gravity = side.gravity() - model.gravity_forces(walker.stance)
            result["mass"] = abs(float(side.model.body_mass.sum()) / model.total_mass - 1.0)
            result["gravity"] = float(np.abs(gravity).max() / weight)
            if side.model.nv != model.nv or max(result["mass"], result["gravity"]) > ROUNDING:
                raise RuntimeError(f"{walker.title} is another robot in {name}: {result}")
        side.follow(rows)
        result[f"{name}_load"] = abs(side.load(rows) / weight - 1.0)
        if result[f"{name}_load"] > LOAD_TOLERANCE:
            raise RuntimeError(f"{walker.title} does not stand in {name}: {result}")
    return result


def _sides(walker: Walker, states: int) -> dict[str, TarsusWalker | MujocoWalker]:
    """Return the simulators by name, MuJoCo if it is installed."""
    sides: dict[str, TarsusWalker | MujocoWalker]
    sides = {"tarsus": TarsusWalker(walker, FRICTION, states)}
    with suppress(NotComparableError):
        sides["mujoco"] = MujocoWalker(walker, FRICTION, states)
    return sides


def _rows(walker: Walker, sizes: Sizes) -> list[_Row]:
    rows = [_standing(walker, sizes)]
    if walker.trots:
        rows.append(_trotting(walker, sizes))
    else:
        batch = _standing_batch(walker, sizes, min(sizes.states, sizes.twisted), TWIST)
        rows.append(_Row(walker, "twists its feet", [], batch))
    return rows


def _standing(walker: Walker, sizes: Sizes) -> _Row:
    """One state by the step function of each side, a batch by its rollouts."""
    row = _Row(walker, "stands", [], _standing_batch(walker, sizes, sizes.states, NOISE))
    rows = walker.stand(1, sizes.settled)
    for side in _sides(walker, 1).values():
        side.follow(rows)
        row.one.append(side.stand(rows[:, :1], sizes.together))
    return row


def _standing_batch(walker: Walker, sizes: Sizes, states: int, noise: float) -> list[Contender]:
    rows, contenders = walker.stand(states, sizes.steps, noise), []
    for side in _sides(walker, states).values():
        for _ in range(0, sizes.lead, sizes.steps):
            side.follow(rows)
        contenders.append(side.rollout(rows))
    return contenders


def _trotting(walker: Walker, sizes: Sizes) -> _Row:
    """Rollouts of a period for one state, and of some steps for a batch with all phases."""
    row = _Row(walker, "trots", [], [])
    lead = range(0, sizes.lead, sizes.steps)
    for states, steps, contenders in (
        (1, len(walker.period), row.one),
        (sizes.states, sizes.steps, row.batch),
    ):
        for side in _sides(walker, states).values():
            for first in lead:
                side.follow(walker.trot(states, first, sizes.steps))
            contenders.append(side.rollout(walker.trot(states, lead.stop, steps)))
    return row


def _summary(row: _Row) -> dict[str, Any]:
    result: dict[str, Any] = {
        "model": row.walker.title,
        "nv": row.walker.model.nv,
        "motion": row.motion,
        "contacts": len(row.walker.spheres),
    }
    for names, contenders in (
        (("one", "mujoco"), row.one),
        (("per_state", "mujoco_per_state"), row.batch),
    ):
        pairs = zip(names, contenders, strict=False)  # MuJoCo may be missing
        result |= {name: contender.summary() for name, contender in pairs}
    if len(row.one) > 1:
        result["one_ratio"] = ratio(*row.one)
    if len(row.batch) > 1:
        result["throughput_ratio"] = ratio(*row.batch[::-1])
    return result


def _operator(plan: Plan, sizes: Sizes, progress: Callable[[float], None]) -> dict[str, Any]:
    """Return times of the contact operator, and its growth with links and with contacts."""
    few, links = sizes.contacts[0], sizes.links[-1]
    by_links = {n: _operator_contender(n, few) for n in sizes.links}
    by_contacts = {m: _operator_contender(links, m) for m in sizes.contacts}
    interleave([*by_links.values(), *by_contacts.values()], *plan.rhythm, progress)
    return {
        "contacts": few,
        "links": links,
        "by_links": {n: contender.summary() for n, contender in by_links.items()},
        "by_contacts": {m: contender.summary() for m, contender in by_contacts.items()},
        "links_slope": growth(by_links),
        "contacts_slope": growth(by_contacts),
    }


def _operator_contender(links: int, contacts: int) -> Contender:
    """Return the operator of a point on each of the last links of a chain."""
    model = ts.robots.chain(links)
    rng = np.random.default_rng(0)
    last, places = range(links - contacts, links), rng.standard_normal((contacts, 3))
    world = spheres_on_floor(model, last, places, np.zeros(contacts), np.zeros(links))
    q = model.random_configuration(rng, 1)
    names = {"operator": world.operator, "q": q, "candidates": list(range(contacts))}
    return Contender("operator(q, candidates, rows=False)", names)


def ledger_residual(name: str) -> float:
    """Return the largest residual of a scene's ledger, as a part of the energy that flowed."""
    run = getattr(scenes, name)().run(record=("energy",), progress=False)
    # where nothing moves, rounding would be divided by rounding
    return float(np.abs(run.energy.residual).max() / max(float(run.energy.flow), SOME_ENERGY))


def growth(contenders: dict[int, Contender]) -> dict[str, float]:
    """Return the slopes, log time over log size, of the medians and of the smallest times."""
    sizes = np.log(list(contenders))
    summaries = [contender.summary() for contender in contenders.values()]
    return {
        key: round(float(np.polyfit(sizes, np.log([s[key] for s in summaries]), 1)[0]), 3)
        for key in ("median", "min")
    }
