"""How the time of the contact operator J H⁻¹ Jᵀ grows, and residuals of ledgers of energy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave

import tarsus as ts
from tarsus import scenes
from tarsus.simulation.drives import torques

SOME_ENERGY = 1e-3
"""[J]."""


def operator_growth(
    plan: Plan,
    links: tuple[int, ...],
    contacts: tuple[int, ...],
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """Return times of the contact operator, and its growth with links and with contacts."""
    few, most = contacts[0], links[-1]
    by_links = {n: operator_contender(n, few) for n in links}
    by_contacts = {m: operator_contender(most, m) for m in contacts}
    interleave([*by_links.values(), *by_contacts.values()], *plan.rhythm, progress)
    return {
        "contacts": few,
        "links": most,
        "by_links": {n: contender.summary() for n, contender in by_links.items()},
        "by_contacts": {m: contender.summary() for m, contender in by_contacts.items()},
        "links_slope": growth(by_links),
        "contacts_slope": growth(by_contacts),
    }


def operator_contender(links: int, contacts: int) -> Contender:
    """Return the operator of a point on each of the last links of a chain."""
    model = ts.robots.chain(links)
    rng = np.random.default_rng(0)
    places = dict(
        zip(model.body_names[-contacts:], rng.standard_normal((contacts, 3)), strict=True)
    )
    collision = ts.Collision.from_model(model, places)
    simulation = ts.Simulation(model, ground=ts.Ground(), collision=collision)
    assert simulation.worlds is not None
    world = simulation.worlds.get(torques(model, simulation.effort))
    q = model.random_configuration(rng, 1)
    names = {"operator": world.operator, "q": q, "candidates": list(range(contacts))}
    return Contender("operator(q, candidates, rows=False)", names)


def growth(contenders: dict[int, Contender]) -> dict[str, float]:
    """Return the slopes, log time over log size, of the medians and of the smallest times."""
    sizes = np.log(list(contenders))
    summaries = [contender.summary() for contender in contenders.values()]
    return {
        key: round(float(np.polyfit(sizes, np.log([s[key] for s in summaries]), 1)[0]), 3)
        for key in ("median", "min")
    }


def ledger_residual(name: str) -> float:
    """Return the largest residual of a scene's ledger, as a part of the energy that flowed."""
    run = getattr(scenes, name)().run(record=("energy",), progress=False)
    # where nothing moves, rounding would be divided by rounding
    return float(np.abs(run.energy.residual).max() / max(float(run.energy.flow), SOME_ENERGY))
