"""The speed of parts: kits that are dragged, sticks and rubbers, changes, gears, equivalents.

python benchmarks/parts.py --quick
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gears import measure_gears
from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio

import tarsus as ts

FRAME = 17
"""Steps of 1 ms in a frame of 60 Hz."""


@dataclass(frozen=True)
class Sizes:
    """How much is measured."""

    bodies: int = 100
    pins: int = 19
    """Points that meet; with the hand they are one constraint more."""
    others: tuple[int, ...] = (0, 20)
    """Parts that are there while one more comes and goes."""
    changes: int = 50
    """In a sample."""
    seconds: float = 2.0
    """Of the arm with stiff gears."""


def measure_parts(
    plan: Plan,
    sizes: Sizes | None = None,
    progress: Callable[[str, float], None] | None = None,
) -> dict[str, Any]:
    """Measure everything here; returns plain data for JSON, times in µs."""
    sizes, tell = sizes or Sizes(), progress or (lambda text, share: None)
    found = {}
    with pinned(1):
        for number, (name, measured) in enumerate(
            {
                "dragged": lambda: dragged(plan, sizes),
                "sticks": lambda: sticks(plan),
                "changes": lambda: changes(plan, sizes),
                "gears": lambda: measure_gears(*plan.rhythm, sizes.seconds),
                "equivalents": lambda: equivalents(plan),
            }.items()
        ):
            tell(name, number / 5)
            found[name] = measured()
    return found


def dragged(plan: Plan, sizes: Sizes) -> list[dict[str, Any]]:
    """Return times of a frame in which a hand drags a kit: loose bodies, and as a tree."""
    loops = kit(sizes, joined=True)
    q = loops.neutral()
    tree = ts.assemble(loops, q)
    loose = kit(sizes, joined=False)
    sims = {"constraints at run time": (loose, q), "assembled to a tree": (tree.model, tree.q)}
    contenders = {}
    for name, (model, start) in sims.items():
        sim = ts.Simulation(model, dt=1e-3)
        sim.reset(start)
        if model is loose:
            for k in range(sizes.pins):
                sim.add(ts.constraint.PointToPoint(*pin(k)))
        hand = sim.add(ts.constraint.Grab("body0", stiffness=500.0, limit=200.0))
        contenders[name] = Contender("drag()", {"drag": Drag(sim, hand)})
    interleave(list(contenders.values()), *plan.rhythm, lambda share: None)
    return [{"kit": name, "frame": each.summary()} for name, each in contenders.items()]


def sticks(plan: Plan) -> list[dict[str, Any]]:
    """Return times of eight seconds of five sticks on fifteen rubbers (Schröder 1990, 7.2)."""
    scene = ts.scenes.tensegrity()
    contenders = {}
    for rtol, atol in ((1e-6, 1e-7), (1e-4, 1e-3)):
        radau = ts.integrators.Radau(rtol=rtol, atol=atol)
        sim = ts.Simulation(scene.model, forces=scene.forces, dt=1 / 30, integrator=radau)
        names = {"sim": sim, "q": scene.q0, "v": scene.v0}
        call = "sim.run(q, v, duration=8.0, record=['q'])"
        contenders[f"rtol {rtol:g}, atol {atol:g}"] = Contender(call, names)
    interleave(list(contenders.values()), *plan.rhythm, lambda share: None)
    return [{"accuracy": name, "run": each.summary()} for name, each in contenders.items()]


class Drag:
    """A frame of a hand that goes round and round."""

    def __init__(self, sim: ts.Simulation, hand: Any) -> None:
        self.sim, self.hand, self.frames = sim, hand, 0

    def __call__(self) -> None:
        """Set the hand, and make the steps of a frame."""
        angle = 0.1 * self.frames
        self.hand.target = (0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.3)
        self.sim.step(steps=FRAME)
        self.frames += 1


def kit(sizes: Sizes, *, joined: bool) -> ts.Model:
    """Return free bodies in a row without gravity; `joined`: balls between the first of them."""
    builder = ts.Builder("kit", gravity=(0.0, 0.0, 0.0))
    for k in range(sizes.bodies):
        builder.body(f"body{k}", 1.0, inertia=0.1 * np.eye(3))
        builder.joint(f"free{k}", "free", "world", f"body{k}", position=(float(k), 0.0, 0.0))
    if joined:
        for k in range(sizes.pins):
            (a, at), (b, there) = pin(k)
            builder.close_loop("spherical", a, at, b, there, name=f"ball{k}")
    return builder.build()


def pin(k: int) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """Return where body k and the next meet."""
    return (f"body{k}", (0.5, 0.0, 0.0)), (f"body{k + 1}", (-0.5, 0.0, 0.0))


def changes(plan: Plan, sizes: Sizes) -> list[dict[str, Any]]:
    """Return times to add a part to a quadruped in motion, and to remove it."""
    model = ts.robots.quadruped()
    c, f, (first, other) = ts.constraint, ts.forces, model.body_names[3:5]
    point = (0.1, 0.0, 0.0)
    parts = {
        "Nail": c.Nail(first),
        "PointToPoint": c.PointToPoint((first, point), (other, point)),
        "Distance": c.Distance(first, other),
        "Grab": c.Grab(first),
        "JointMotion": c.JointMotion(model.joint_names[3]),
        "Spring": f.Spring(first, other, 100.0),
        "Weld": c.Weld(first, other),
        "Nail of a pose": c.Nail(first, pose=True),
    }
    rows = []
    for others in sizes.others:
        sim = ts.Simulation(model, dt=1e-3)
        sim.reset(model.random_configuration(np.random.default_rng(0)))
        for k in range(others):
            sim.add(c.Nail(model.body_names[k % len(model.body_names)]))
        for name, part in parts.items():
            samples = np.array([_change(sim, part, sizes.changes) for _ in range(plan.rounds)])
            rows.append(
                {"part": name, "others": others}
                | {key: _summary(samples[:, k]) for k, key in enumerate(("add", "remove"))}
            )
    return rows


def _change(sim: ts.Simulation, part: Any, times: int) -> list[float]:
    """Return medians of the times to add a part and to remove it [µs]."""
    clock, spent = time.thread_time, []
    for _ in range(times):
        begin = clock()
        handle = sim.add(part)
        added = clock()
        sim.remove(handle)
        spent.append((added - begin, clock() - added))
    return [1e6 * float(median) for median in np.median(spent, axis=0)]


def _summary(samples: Any) -> dict[str, float]:
    return {
        "median": round(float(np.median(samples)), 4),
        "min": round(float(np.min(samples)), 4),
    }


def equivalents(plan: Plan) -> list[dict[str, Any]]:
    """Return steps with a part beside steps of a model that has the same of its own."""
    pairs = {"a nail / a ball joint": nailed(), "a spring / a joint's": sprung()}
    contenders = {
        name: [Contender("sim.step(steps=100)", {"sim": sim}, units=100) for sim in pair]
        for name, pair in pairs.items()
    }
    flat = [each for pair in contenders.values() for each in pair]
    interleave(flat, *plan.rhythm, lambda share: None)
    return [
        {"what": name, "part": a.summary(), "own": b.summary(), "ratio": ratio(a, b)}
        for name, (a, b) in contenders.items()
    ]


def nailed() -> list[ts.Simulation]:
    """Return a pendulum of ten links that hangs on a nail, and on a ball joint."""
    found = []
    for joint in ("free", "spherical"):
        builder = ts.Builder("pendulum")
        parent, kind = "world", joint
        for k in range(10):
            builder.body(f"link{k}", 1.0, (0.0, 0.0, -0.1), 0.01 * np.eye(3))
            place = (0.0, 0.0, 0.0 if k == 0 else -0.2)
            builder.joint(f"joint{k}", kind, parent, f"link{k}", position=place)
            parent, kind = f"link{k}", "revolute"
        sim = ts.Simulation(builder.build(), dt=1e-3)
        if joint == "free":
            sim.add(ts.constraint.Nail("link0"))
        sim.reset(sim.model.neutral(), 0.1 * np.ones(sim.model.nv))
        found.append(sim)
    return found


def sprung() -> list[ts.Simulation]:
    """Return a chain of ten links with springs in its joints, as parts, and of its own."""
    found = []
    for stiffness in (None, 100.0):
        builder = ts.Builder("chain")
        parent = "world"
        for k in range(10):
            builder.body(f"link{k}", 1.0, (0.0, 0.0, -0.1), 0.01 * np.eye(3))
            place = (0.0, 0.0, 0.0 if k == 0 else -0.2)
            builder.joint(
                *(f"joint{k}", "revolute", parent, f"link{k}"),
                position=place,
                stiffness=stiffness,
                rest=None if stiffness is None else 0.0,
            )
            parent = f"link{k}"
        sim = ts.Simulation(builder.build(), dt=1e-3)
        if stiffness is None:
            for k in range(10):
                sim.add(ts.forces.JointSpring({f"joint{k}": 1.0}, 100.0))
        sim.reset(0.1 * np.ones(sim.model.nq))
        found.append(sim)
    return found


if __name__ == "__main__":
    measured = measure_parts(Plan.quick() if "--quick" in sys.argv else Plan())
    for section, rows in measured.items():
        for row in rows if isinstance(rows, list) else rows.items():
            print(section, row)
