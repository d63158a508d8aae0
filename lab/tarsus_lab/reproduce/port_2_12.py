"""Example 2.12: the geometric Jacobian of a slider, two gearwheels and another slider."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus_lab.reproduce.port_1_3 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict, judged

Q = (0.3, 0.7, 0.2)
SIGN = (
    "with the slider at −q1 (2.41) a turn about −x through (0, −q1, 3) has this velocity at the "
    "origin; differences of the end's pose, which use no Jacobian, say the same"
)


def mechanism() -> Model:
    """Return the mechanism of figure 2.6: both wheels have the radius 1, hubs at 1 and 3."""
    builder = Builder("gears")
    for name in ("slide", "wheel", "upper_wheel", "end"):
        builder.body(name, 1.0, inertia=(0.1, 0.1, 0.1))
    builder.joint("q1", "prismatic", WORLD, "slide", axis=(0.0, -1.0, 0.0))
    builder.joint("q2", "revolute", "slide", "wheel", axis="x", position=(0.0, 0.0, 1.0))
    builder.joint("turned", "revolute", "slide", "upper_wheel", axis="x", position=(0.0, 0.0, 3.0))
    builder.joint("q3", "prismatic", "upper_wheel", "end", axis="z")
    builder.couple(["q2", "turned"], [[1.0], [-1.0]])
    return builder.build()


def printed(q: Array) -> Array:
    """Return J₄ (6, 3) as (2.43) has it: turns first, +q1 in the last row."""
    _, q2, _ = q
    rows = [[0, -1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]
    return np.array([*rows, [-1, -3, np.sin(q2)], [0, q[0], np.cos(q2)]], float)


def jacobian(model: Model, q: Array) -> Array:
    """Return the library's J₄ (6, 3) in the order of the thesis: turns first."""
    return np.roll(np.asarray(model.frame_jacobian(q, "end", reference="world")), 3, axis=0)


def by_differences(model: Model, q: Array) -> Array:
    """Return J₄ (6, 3) from differences of the end's pose alone: Ḣ H⁻¹."""
    columns = []
    for unit in np.eye(3):
        ahead, behind = (np.asarray(model.frame_pose(q + h * unit, "end")) for h in (1e-5, -1e-5))
        rate = (ahead - behind) / 2e-5 @ np.linalg.inv(np.asarray(model.frame_pose(q, "end")))
        columns.append([rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]])
    return np.transpose(columns)


def run() -> Result:
    """Compare the Jacobian of the end with (2.43)."""
    model, q = mechanism(), np.array(Q)
    ours, thesis, true = jacobian(model, q), printed(q), by_differences(model, q)
    rows = [_entry(ours, thesis, true, i, j) for j in range(3) for i in range(6)]
    apart = float(np.abs(ours - true).max())
    rows.append(judged("all, beside differences of the pose", "", apart, apart < 1e-8))
    return Result(
        "port-2.12",
        f"The Jacobian of the end of a mechanism with gears, at q = {Q}",
        f"{SOURCE}, example 2.12, (2.43)",
        tuple(rows),
        _curves(model),
        ("q1 [m]", "vz of the end for each q2 [m]"),
    )


def _curves(model: Model) -> tuple[Curve, ...]:
    """Return the entry with the sign in question, as the slider moves."""
    places = np.linspace(-1.0, 1.0, 21)
    ways: dict[str, Callable[[Array], Array]] = {
        "(2.43) as printed": printed,
        "ours": lambda q: jacobian(model, q),
        "differences of the pose": lambda q: by_differences(model, q),
    }
    return tuple(
        Curve(
            label,
            tuple(places.tolist()),
            tuple(float(way(np.array([q1, *Q[1:]]))[5, 1]) for q1 in places),
        )
        for label, way in ways.items()
    )


def _entry(ours: Array, thesis: Array, true: Array, i: int, j: int) -> Row:
    label = f"{('ω', 'v')[i // 3]}{'xyz'[i % 3]} for each q{j + 1}"
    value, says = float(ours[i, j]), f"{thesis[i, j]:.6g}"
    value = round(value, 12) + 0.0
    if abs(value - thesis[i, j]) < 1e-9:
        return Row(label, says, value, "reproduced")
    verdict: Verdict = "corrected" if abs(value - true[i, j]) < 1e-8 else "missed"
    return Row(label, says, value, verdict, SIGN)
