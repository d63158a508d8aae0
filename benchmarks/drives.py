"""What motors with electrical state add to the time of a step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tarsus_lab.bench import Plan
from tarsus_lab.bench.timing import Contender, interleave, pinned, ratio

import tarsus as ts

STEPS = 1000
"""Of a run: what starts it costs some of them, and more with motors."""
MOTORS = 20
MOTOR = {"constant": 0.05, "resistance": 0.8, "inductance": 0.002, "ratio": 50.0, "viscous": 0.1}


def measure_drives(
    plan: Plan, progress: Callable[[str, float], None] | None = None
) -> dict[str, Any]:
    """Measure a step of a robot with motors beside the same without; times in µs."""
    tell = progress or (lambda section, share: None)
    lola = ts.robots.lola()
    machines = {"lola": lola, "lola, dry friction": lola}
    pairs = {
        title: (_step(model, 0.1 * ("dry" in title), MOTORS), _step(model, 0.0, 0))
        for title, model in machines.items()
    }
    with pinned(1):
        contenders = [each for pair in pairs.values() for each in pair]
        interleave(contenders, *plan.rhythm, lambda share: tell("motors", share))
    return {
        "motors": [
            {
                "model": title,
                "motors": MOTORS,
                "one": driven.summary(),
                "without": plain.summary(),
                "ratio": ratio(driven, plain),
            }
            for title, (driven, plain) in pairs.items()
        ]
    }


def _step(model: ts.Model, friction: float, count: int) -> Contender:
    """Return steps in the air with motors on the first joints that have a velocity of their own."""
    joints = [j.name for j in model.joints if (j.nq, j.nv) == (1, 1) and not j.dependent]
    motors = [ts.forces.Motor(name, **MOTOR, coulomb=friction) for name in joints[:count]]
    sim = ts.Simulation(model, ground=None, forces=motors, dt=1e-3)
    names = {"run": sim.run, "q": model.neutral(), "duration": STEPS * 1e-3}
    return Contender("run(q, duration=duration, record=False)", names, units=STEPS)
