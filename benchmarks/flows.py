"""Motions by `ts.flow` and with located events, beside SciPy's integrators driven from Python.

python benchmarks/flows.py --quick
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy_compass
from free_fall import Before, frictionless, plain
from held_feet import HeldFeet, PinocchioFeet, sprung
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.check.peers import NotComparableError
from tarsus.gait import walkers as machines
from tarsus.gait.walkers.planar import start
from tarsus.robots.load import example
from tarsus.robots.quadrupeds import legged
from tarsus.simulation import SimulationError

TIGHT = {"rtol": 1e-10, "atol": 1e-12}
LOOSE = {"rtol": 1e-8, "atol": 1e-10}
CHECKED = 8
"""States of a batch whose ends are compared."""


PEERS = {"peer": "speed", "plain": "plain_speed"}
"""Contenders that are not ours, and what ratios of speeds to them are called."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    batch: int = 64
    """States of the robots; compass walkers are as many as the plan says."""
    held: float = 1.0
    """How long a robot sways on its feet [s]."""
    free: float = 0.2
    """How long one flies [s]."""
    dropped: float = 0.4
    """How long one falls and lands [s]."""


def measure_flows(
    plan: Plan,
    sizes: Sizes | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times of a motion in µs."""
    sizes, tell = sizes or Sizes(), progress or (lambda text, share: None)
    found = {}
    with pinned(1):
        for number, (name, measured) in enumerate(
            {
                "compass": lambda: compass(plan),
                "held": lambda: held(plan, sizes),
                "free": lambda: free(plan, sizes),
                "ledgers": lambda: ledgers(sizes),
            }.items()
        ):
            tell(name, number / 4)
            found[name] = measured()
    return found


def compass(plan: Plan) -> dict[str, Any]:
    """Return times of a step of the compass walker, strike and impact included."""
    q, v = walkers(plan.batch)
    names = {
        "flow": ts.flow,
        "phase": machines.compass().phases,
        "most": scipy_compass.LONGEST,
        **TIGHT,
    }
    call = "flow(phase, q, v, duration=most, events=1, rtol=rtol, atol=atol{})"
    contenders = pair(call.format(""), names, q, v)
    if "derivatives" in inspect.signature(ts.flow).parameters:
        felt = pair(call.format(", derivatives=True"), names, q, v)
        contenders |= {f"{key}_derivatives": each for key, each in felt.items()}
    theirs = {"step": scipy_compass.step, "y": np.concatenate([q[0], v[0]]), **TIGHT}
    contenders["peer"] = Contender("step(y, rtol, atol)", theirs)
    found = timed(plan, contenders)
    for key in ("one", "batch"):
        if felt_one := contenders.get(f"{key}_derivatives"):
            found[f"{key}_derivatives_ratio"] = ratio(felt_one, contenders[key])
    return {"states": len(q), **found, **strikes_apart(q, v)}


def walkers(count: int) -> tuple[Array, Array]:
    """Return q and v (count, 2) of walkers about a passive gait, both feet on the slope."""
    (q, v), random = start(), np.random.default_rng(0)
    lean = q[0] + 0.01 * random.standard_normal(count)
    return np.stack([lean, -2.0 * lean], axis=1), v + 0.02 * random.standard_normal((count, 2))


def strikes_apart(q: Array, v: Array) -> dict[str, float]:
    """Return how far strikes [s] and the states after them are from those by hand and SciPy."""
    q, v = q[:CHECKED], v[:CHECKED]
    ours = ts.flow(
        machines.compass().phases, q, v, duration=scipy_compass.LONGEST, events=1, **TIGHT
    )  # type: ignore[arg-type]
    theirs = [scipy_compass.step(y, **TIGHT) for y in np.concatenate([q, v], axis=1).tolist()]
    after = np.concatenate([ours.q, ours.v], axis=1) - [y for _, y in theirs]
    return {
        "error": float(np.abs(ours.t - [t for t, _ in theirs]).max()),
        "state_error": float(np.abs(after).max()),
    }


def held(plan: Plan, sizes: Sizes) -> dict[str, Any]:
    """Return times of ANYmal that sways with its feet held."""
    feet = HeldFeet()
    v = feet.velocities(sizes.batch)
    q = np.tile(feet.q, (len(v), 1))
    names = {"flow": ts.flow, "model": feet.model, "duration": sizes.held, **LOOSE}
    call = "flow(model, q, v, duration=duration, rtol=rtol, atol=atol)"
    contenders = pair(call, names, q, v)
    apart = {}
    try:
        peer = PinocchioFeet(feet)
        y = peer.state(q[0], v[0])
        theirs = {"end": peer.end, "y": y, "duration": sizes.held, **LOOSE}
        contenders["peer"] = Contender("end(y, duration, rtol, atol)", theirs)
        end = ts.flow(feet.model, q[0], v[0], duration=sizes.held, **LOOSE)  # type: ignore[arg-type]
        there = peer.end(y, sizes.held, **LOOSE)
        apart = {"error": float(np.abs(peer.state(end.q, end.v) - there).max())}
    except NotComparableError:
        pass
    return {"states": len(v), **timed(plan, contenders), **apart}


def free(plan: Plan, sizes: Sizes) -> dict[str, Any]:
    """Return times of Talos in free fall: a flow, a simulation, and SciPy's from Python."""
    model = frictionless(example("talos_reduced"))
    v = 0.3 * np.random.default_rng(0).standard_normal((sizes.batch, model.nv))
    q = np.tile(model.neutral(), (len(v), 1))
    names = {"flow": ts.flow, "model": model, "duration": sizes.free, **TIGHT}
    call = "flow(model, q, v, duration=duration, rtol=rtol, atol=atol)"
    contenders = pair(call, names, q, v)
    method = ts.integrators.DormandPrince(**TIGHT)
    sim = ts.Simulation(model, integrator=method, dt=sizes.free)
    simulated = pair("run(q, v, duration=duration)", {"run": sim.run, "duration": sizes.free}, q, v)
    contenders |= {f"{key}_simulation": each for key, each in simulated.items()}
    y = np.concatenate([q[0], v[0]])
    before, theirs = Before(model), {"y": y, "duration": sizes.free, **TIGHT}
    contenders["peer"] = Contender("end(y, duration, rtol, atol)", {"end": before.end, **theirs})
    shortest = {"plain": plain, "model": model, **theirs}
    contenders["plain"] = Contender("plain(model, y, duration, rtol, atol)", shortest)
    flowed = ts.flow(model, q[0], v[0], duration=sizes.free, **TIGHT)  # type: ignore[arg-type]
    ours = np.concatenate([flowed.q, flowed.v])
    ends = [before.end(y, sizes.free, **TIGHT), plain(model, y, sizes.free, **TIGHT)]
    apart = max(float(np.abs(ours - end).max()) for end in ends)
    return {"states": len(v), **timed(plan, contenders), "error": apart}


def ledgers(sizes: Sizes) -> list[dict[str, Any]]:
    """Return residuals of ledgers of runs with located events, as parts of what flowed."""
    rows = []
    for name, scene in event_scenes(sizes).items():
        row: dict[str, Any] = {"scene": name}
        try:
            run = scene.run(progress=False)
        except SimulationError as error:
            rows.append(row | {"failure": str(error).splitlines()[0]})
            continue
        worst = float(np.abs(run.energy.residual).max() / float(run.energy.flow))
        rows.append(row | {"residual": worst, "events": len(run.events)})
    return rows


def event_scenes(sizes: Sizes) -> dict[str, ts.scenes.Scene]:
    """Return what bounces, tumbles, rocks, slides and lands, by name."""
    box = ts.scenes.slide()
    thrown, spun = box.q0.copy(), np.array([1.0, 0.0, 0.0, 1.0, 3.0, 2.0])
    thrown[2] = 0.5
    rough = ts.Ground(friction=0.5, restitution=0.3)
    robot = ts.scenes.stand("anymal", sizes.dropped)
    above = robot.q0.copy()
    above[2] += 0.1
    limp = robot.but(q0=above, controller=None)
    scenes = {
        "a ball bounces": ts.scenes.bounce(),
        "a box tumbles": box.but(q0=thrown, v0=spun, ground=rough, duration=1.5),
        "a closet rocks": ts.scenes.closet(),
        "a block slides": ts.scenes.slide(),
        "ANYmal is dropped, limp": limp,
        "ANYmal is dropped, on springs": limp.but(model=sprung(legged("anymal"))),
    }
    # the closet has a law of its own, which locates events as well
    return {
        name: scene if name == "a closet rocks" else scene.but(contact="event", dt=0.01)
        for name, scene in scenes.items()
    }


def pair(call: str, names: dict[str, Any], q: Array, v: Array) -> dict[str, Contender]:
    """Return the call for the first state, and for all of them."""
    return {
        "one": Contender(call, {**names, "q": q[0], "v": v[0]}),
        "batch": Contender(call, {**names, "q": q, "v": v}, units=len(q)),
    }


def timed(plan: Plan, contenders: dict[str, Contender]) -> dict[str, Any]:
    """Return times of contenders in turn, and how many times as fast as peers ours are."""
    interleave(list(contenders.values()), *plan.rhythm, lambda share: None)
    found: dict[str, Any] = {key: each.summary() for key, each in contenders.items()}
    for peer, name in PEERS.items():
        if peer in contenders:
            found[name] = {
                key: ratio(contenders[peer], each)
                for key, each in contenders.items()
                if key not in PEERS
            }
    return found


if __name__ == "__main__":
    measured = measure_flows(Plan.quick() if "--quick" in sys.argv else Plan())
    for section, found in measured.items():
        for row in found if isinstance(found, list) else found.items():
            print(section, row)
