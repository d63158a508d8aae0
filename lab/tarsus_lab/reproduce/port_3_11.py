"""Example 3.11 of V. Duindam: a bar on two supports keeps both, one or none."""

from __future__ import annotations

import numpy as np

from tarsus import scenes
from tarsus.scenes.contact import CASES
from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, judged

STAYS = {"rests": "both", "lifts": "none", "tips": "second", "turns": "first"}
SIZES = (
    "the thesis has no sizes; here the bar is 2 m long, and supports are where the scene has them"
)
RISEN = 1e-6
"""Feet that are higher have been let go [m]."""


def run() -> Result:
    """Compare the four bars with example 3.11."""
    rows, curves = [], []
    for letter, case in zip("abcd", CASES, strict=True):
        row, curve = _case(letter, case)
        rows.append(row)
        curves.append(curve)
    return Result(
        "port-3.11",
        "A bar of 10 N on two supports, and 11 N that lift it: which supports hold?",
        f"{SOURCE}, example 3.11",
        tuple(rows),
        tuple(reversed(curves)),
        ("time [s]", "the bar has turned by [rad]"),
    )


def _case(letter: str, case: str) -> tuple[Row, Curve]:
    run = scenes.supports(case).run()  # type: ignore[arg-type]
    heights = {
        name: float(np.asarray(run.model.frame_pose(run.q[-1], name))[2, 3])
        for name in ("first", "second")
    }
    held = [name for name, height in heights.items() if abs(height) < RISEN]
    found = {0: "none", 2: "both"}.get(len(held), "".join(held))
    curve = Curve(f"({letter})", tuple(run.t.tolist()), tuple(np.abs(run.q[:, 2]).tolist()))
    return judged(f"({letter}) holds", STAYS[case], found, found == STAYS[case], SIZES), curve
