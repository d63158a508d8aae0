"""Section 5.4 of O. Ayit: the quadruped is dropped from 0.1, 0.5 and 1.5 m."""

from __future__ import annotations

import math

from tarsus.robots.quadrupeds import POSTURES
from tarsus.scenes.robots import DT, drop
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_postures import uprightness
from tarsus_lab.reproduce.contact_runs import PENALTIES, RunSummary, summary
from tarsus_lab.reproduce.result import Curve, Result, Row, judged

HEIGHTS = (0.1, 0.5, 1.5)

FALL = "not printed; the time of a free fall, √(2h/g)"
ENDS = (
    "the thesis does not print postures, and where one of several bounces throws the robot over "
    "depends on them; P3 was chosen because it turns over from 1.5 m"
)
SCAN = (
    "three pitches of the feet, three places of them, and knees to the front or back: none of "
    "these 36 postures turns over from 0.5 m, 8 do from 1.5 m"
)
PENALTY = (
    "the thesis prints neither stiffness nor damping nor integrator; soft and firm springs (1e5 "
    "and 1e7 N/m with 2e3 N s/m) survive all drops, and springs with 1e4 N s/m, which break the "
    "bound K λ⁻¹ dt² + 2 D λ⁻¹ dt < 4 on the step, do not: it is the step that fails, not the law"
)
BOUNDED = "finite, no higher than where it fell from; the peak is an impulse of 14 N s / step"


def run() -> Result:
    """Drop the robot in three postures with exact contact, and in P1 on springs."""
    rows: list[Row] = []
    curves: list[Curve] = []
    for height in HEIGHTS:
        exact = {posture: summary(drop(height, posture)) for posture in POSTURES}
        rows += _exact_rows(height, exact)
        rows += _penalty_rows(height)
        curves.append(exact["P1"].curve(f"{height:g} m", 2))
    title = "Drops from three heights, with exact contact and with springs"
    source = f"{SOURCE}, section 5.4, Figures 5.8 to 5.25"
    axes = ("time [s]", "height of the torso [m]")
    return Result("contact-drops", title, source, tuple(rows), tuple(curves), axes)


def _exact_rows(height: float, found: dict[str, RunSummary]) -> list[Row]:
    label, first = f"{height:g} m", next(iter(found.values()))
    touched = float(first.run.t[first.run.contacts.sample.min()])
    free = bool(abs(touched - math.sqrt(2.0 * height / 9.81)) <= 2.0 * DT)
    rows = [judged(f"{label}, exact: first contact [s]", "", touched, free, FALL)]
    start = first.run.q[0, 2]
    bounded = all(o.passed and o.apex <= start for o in found.values())
    text = ", ".join(f"{o.peak / 1e3:.0f}" for o in found.values())
    rows.append(judged(f"{label}, exact: peak force [kN]", "bounded", text, bounded, BOUNDED))
    turned = [posture for posture, o in found.items() if o.upright < -0.99]
    upright = [posture for posture, o in found.items() if o.upright > 0.99]
    text = f"upright {', '.join(upright) or '–'}; upside down {', '.join(turned) or '–'}"
    name = f"{label}, exact: at rest"
    if height == HEIGHTS[0]:
        return [*rows, judged(name, "stands", text, len(upright) == len(found))]
    rows.append(judged(name, "upside down", text, bool(turned), ENDS, "unsupported"))
    over = uprightness(height) < -0.99
    text = f"{over.sum()} of {len(over)} upside down"
    name = f"{label}, exact: many postures at rest"
    return [*rows, judged(name, "upside down", text, bool(over.any()), SCAN, "unsupported")]


def _penalty_rows(height: float) -> list[Row]:
    thesis = "succeeds" if height == HEIGHTS[0] else "fails"
    return [
        summary(drop(height).but(contact=law)).row(f"{height:g} m, {name} springs", thesis, PENALTY)
        for name, law in PENALTIES.items()
    ]
