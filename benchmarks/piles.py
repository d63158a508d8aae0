"""Boxes in towers, in a pile and side by side: cost of a step beside MuJoCo, and if they stand.

Bodies are free, every box can touch every other and the floor, in both simulators.

    python benchmarks/piles.py --quick
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from rows import HEADER, line
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio
from walkers import DT, FRICTION

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.check.peers import NotComparableError, load_mujoco, specification
from tarsus.formats import convert
from tarsus.robots import building as solids

SIDE, MASS = 0.2, 1.0
"""Of a box [m], [kg]."""
MOST_CONTACTS = 800
"""Room for contacts at once."""


@dataclass(frozen=True)
class Pile:
    """Boxes at their start, and how long they are left alone."""

    name: str
    size: tuple[float, float, float]
    places: Array
    """Of their centres (n, 3) [m]."""
    yaws: Array
    """(n,) [rad]."""
    steps: int
    """That are timed, from the start on."""

    @property
    def start(self) -> Array:
        """The configuration (7 n,)."""
        half = 0.5 * self.yaws
        turned = np.stack([0 * half, 0 * half, np.sin(half), np.cos(half)], axis=-1)
        return np.concatenate([self.places, turned], axis=-1).ravel()

    def model(self) -> ts.Model:
        """Return the boxes, each with a free joint."""
        builder = ts.Builder(self.name)
        for k in range(len(self.places)):
            builder.body(f"box_{k}", MASS, inertia=solids.box(MASS, self.size))
            builder.joint(f"free_{k}", "free", "world", f"box_{k}")
            builder.shape(f"box_{k}", "box", self.size, role="collision")
        return builder.build()


def tower(boxes: int = 10, seconds: float = 10.0) -> Pile:
    """Return boxes on top of each other, timed from the start."""
    places = np.zeros((boxes, 3))
    places[:, 2] = SIDE * (0.5 + np.arange(boxes))
    steps = round(seconds / DT)
    return Pile(f"tower of {boxes} boxes", (SIDE,) * 3, places, np.zeros(boxes), steps)


def heap(boxes: int = 30, seconds: float = 0.5) -> Pile:
    """Return boxes that fall on each other, five a layer, timed from the start."""
    rng = np.random.default_rng(0)
    ring = np.array([[0.0, 0.0], [0.24, 0.0], [-0.24, 0.0], [0.0, 0.24], [0.0, -0.24]])
    places = np.zeros((boxes, 3))
    for k in range(boxes):
        places[k, :2] = ring[k % 5] + rng.uniform(-0.01, 0.01, 2)
        places[k, 2] = 0.6 * SIDE + 1.1 * SIDE * (k // 5)
    yaws = rng.uniform(-0.1, 0.1, boxes)
    return Pile(f"pile of {boxes} boxes", (SIDE,) * 3, places, yaws, round(seconds / DT))


def towers(boxes: int = 100, high: int = 10, seconds: float = 2.0) -> Pile:
    """Return towers beside each other, which do not touch, timed from the start."""
    k = np.arange(boxes)
    places = SIDE * np.stack([3.0 * (k // high % 5), 3.0 * (k // high // 5), 0.5 + k % high], 1)
    name = f"{boxes} boxes in {boxes // high} towers"
    return Pile(name, (SIDE,) * 3, places, np.zeros(boxes), round(seconds / DT))


def scattered(boxes: int = 100, seconds: float = 2.0) -> Pile:
    """Return boxes that fall on the ground side by side, timed from the start."""
    rng, k = np.random.default_rng(0), np.arange(boxes)
    side = int(np.ceil(np.sqrt(boxes)))
    places = SIDE * np.stack([1.5 * (k % side), 1.5 * (k // side), 0.6 + 0.0 * k], 1)
    places += rng.uniform(0.0, 0.2 * SIDE, places.shape)
    yaws = rng.uniform(-0.2, 0.2, boxes)
    return Pile(f"{boxes} boxes scattered", (SIDE,) * 3, places, yaws, round(seconds / DT))


def measure_piles(
    piles: tuple[Pile, ...],
    plan: Plan,
    rounds: int = 3,
    show: Callable[[dict[str, Any]], None] = lambda row: None,
) -> list[dict[str, Any]]:
    """Return rows: time of a step [µs] in Tarsus and MuJoCo, contacts, how far boxes moved."""
    rows = []
    for pile in piles:
        row: dict[str, Any] = {"model": pile.name, "nv": 6 * len(pile.places), "motion": ""}
        contenders = {}
        for name, make in (("tarsus", tarsus_pile), ("mujoco", mujoco_pile)):
            try:
                with suppress(NotComparableError):
                    contenders[name] = make(pile, row)
            except RuntimeError as error:  # those of simulations are such
                row["failure"] = f"{name}: {str(error).splitlines()[0]}"
        interleave(list(contenders.values()), min(plan.rounds, rounds), plan.seconds, _nothing)
        keys = {"tarsus": "one", "mujoco": "mujoco"}
        row |= {keys[name]: contender.summary() for name, contender in contenders.items()}
        if len(contenders) == 2:
            row["one_ratio"] = ratio(contenders["tarsus"], contenders["mujoco"])
        rows.append(row)
        show(row)
    return rows


def tarsus_pile(pile: Pile, row: dict[str, Any]) -> Contender:
    """Return `Simulation.run` of a pile; what the solver does goes to the row."""
    model = pile.model()
    simulation = ts.Simulation(
        model, ground=ts.Ground(friction=FRICTION), dt=DT, max_contacts=MOST_CONTACTS
    )
    options: dict[str, Any] = {"duration": pile.steps * DT, "progress": False}
    run = simulation.run(pile.start, **options, record=("q", "statistics"))
    found = run.statistics
    row |= {
        "contacts": float(found.active.max()),
        "iterations": round(float(found.iterations[1:].mean()), 1),
        "most_iterations": float(found.iterations[1:].max()),
        "residual": float(found.residual[1:].max()),
        "moved": _moved(run.q[0], run.q[-1]),
    }
    names = {"run": simulation.run, "q": pile.start, "options": options | {"record": False}}
    return Contender("run(q, **options)", names, units=pile.steps)


def mujoco_pile(pile: Pile, row: dict[str, Any]) -> Contender:
    """Return `mj_step` of a pile."""
    mujoco, model = load_mujoco(), pile.model()
    spec = specification(mujoco, model)
    spec.option.timestep, spec.option.cone = DT, mujoco.mjtCone.mjCONE_ELLIPTIC
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    half = [0.5 * length for length in pile.size]
    boxes = [
        spec.body(name).add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=half)
        for name in model.body_names
    ]
    for shape in (floor, *boxes):
        shape.condim, shape.friction = 3, [FRICTION, 0.0, 0.0]
    peer = spec.compile()
    data = mujoco.MjData(peer)
    data.qpos[:], _ = convert.to_mujoco(model, pile.start, np.zeros(model.nv), peer=peer)
    kind = mujoco.mjtState.mjSTATE_INTEGRATION
    start = np.empty(mujoco.mj_stateSize(peer, kind))
    mujoco.mj_getState(peer, data, start, kind)
    before = data.qpos.copy()
    mujoco.mj_step(peer, data, pile.steps)
    row |= {"mujoco_contacts": int(data.ncon), "mujoco_moved": _moved(before, data.qpos)}
    names = {"step": mujoco.mj_step, "set_state": mujoco.mj_setState, "model": peer}
    names |= {"data": data, "start": start, "kind": kind}
    call = f"set_state(model, data, start, kind); step(model, data, {pile.steps})"
    return Contender(call, names, units=pile.steps)


def all_piles() -> tuple[Pile, ...]:
    """Return the piles that are measured."""
    return tower(), heap(), towers(), scattered()


def quick_piles() -> tuple[Pile, ...]:
    """Return the piles for a short time."""
    many = towers(seconds=0.2), scattered(seconds=0.2)
    return (tower(seconds=1.0), heap(seconds=0.2), *many)


def _moved(before: Array, after: Array) -> float:
    """Return how far the box moved [m] that moved most."""
    way = (after - before).reshape(-1, 7)[:, :3]
    return float(np.linalg.norm(way, axis=1).max())


def _nothing(share: float) -> None:
    pass


def main() -> None:
    """Measure and show the rows."""
    parser = argparse.ArgumentParser(description="piles of boxes beside MuJoCo")
    parser.add_argument("--quick", action="store_true", help="a second instead of ten")
    quick = parser.parse_args().quick
    print(HEADER)
    piles = quick_piles() if quick else all_piles()
    with pinned(1):
        measure_piles(piles, Plan.quick(), show=lambda row: print(line(row), flush=True))


if __name__ == "__main__":
    main()
