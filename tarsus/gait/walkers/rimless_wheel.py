"""The rimless wheel: spokes that roll down a slope, each strike a step; the walker with an answer.

T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990, section 2;
M. Coleman, A. Chatterjee, A. Ruina, "Motions of a rimless spoked wheel", 1997.
"""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Exit, Phase, guards, parameters, resets
from tarsus.gait.walkers.section import Section
from tarsus.gait.walkers.walker import Walker
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import number


def rimless_wheel(
    spokes: int = 8,
    slope: float = 0.1,
    mass: float = 1.0,
    inertia: float = 0.0,
    length: float = 1.0,
    gravity: float = 9.81,
) -> Walker:
    """Return a wheel of `spokes` without a rim on a `slope` [rad].

    Its `mass` [kg] is at the hub, with a moment of `inertia` [kg m²] about it; spokes have a
    `length` [m]. The coordinate is how far the stance spoke leans back from the normal of the
    slope.
    """
    if not number(spokes, "spokes") >= 3 or spokes != int(spokes):
        raise ValueError(f"spokes is {spokes}, must be a whole number from 3 on")
    between = 2.0 * math.pi / int(spokes)
    values = {"mass": mass, "inertia": inertia, "length": length, "gravity": gravity}
    # what turns about the new foot keeps its angular momentum
    kept = (inertia + mass * length**2 * math.cos(between)) / (inertia + mass * length**2)
    lean = guards.JointPosition("lean")
    strike = Exit(
        lean + 0.5 * between,
        to="rolling",
        reset=resets.Linear([[1.0]], shift=[between], rates=[[kept]]),
        name="strike",
    )
    back = Exit(0.5 * between + 1e-6 - 1.0 * lean, name="rolled back")
    phase = Phase(_model(between, slope, **values), (strike, back), name="rolling")
    rate = -math.sqrt(gravity / length) * max(1.0, 2.0 * math.sqrt(between))
    return Walker(
        phase,
        name="rimless wheel",
        start=([0.5 * between], [rate]),
        ahead=lambda q: np.full(np.shape(q)[:-1], 2.0 * length * math.sin(0.5 * between)),
        slope=slope,
        numbers={"spokes": spokes, "slope": slope, **values},
        recipe=rimless_wheel,
        parameters={"slope": parameters.Slope(), "gravity": parameters.Gravity()},
        section=_section(0.5 * between),
    )


def _section(lean: float) -> Section:
    def place(x: Array) -> tuple[Array, Array]:
        return np.full_like(x, lean), x

    return Section(("lean rate",), place, lambda q, v: v)


def _model(
    between: float,
    slope: float,
    *,
    mass: float,
    inertia: float,
    length: float,
    gravity: float,
) -> Model:
    builder = Builder("rimless wheel", gravity=(0.0, 0.0, -gravity))
    hub, tilt = (0.0, 0.0, length), (0.0, slope, 0.0)
    builder.body("wheel", mass, hub, inertia=(inertia, inertia, inertia))
    builder.joint("lean", "revolute", WORLD, "wheel", axis=(0.0, -1.0, 0.0), rotation=tilt)
    for k in range(round(2.0 * math.pi / between)):
        a = k * between
        middle = (0.5 * length * math.sin(a), 0.0, length - 0.5 * length * math.cos(a))
        builder.shape(
            *("wheel", "cylinder", (0.02 * length, length)),
            position=middle,
            rotation=(0.0, -a, 0.0),
        )
    return builder.build()
