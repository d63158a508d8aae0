"""Figures 5.9 and 5.10 of V. Duindam: steps down, of a walker alone and of one that is led."""

from __future__ import annotations

import numpy as np

from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, judged
from tarsus_lab.scenes import DroppedWalk, along_the_gait, stepping_down

GAINS = "gains as in the thesis, kp = 1, a₀ = 0.1, a₁ = 0.001; its field is another one"
TUNED = "a gentler pull to the curve, 2 instead of 3 1/rad, and a₀ = 0.5"
FORCES = "the thesis leaves open whether the stance foot would lift; it does not"
GRIP = "no shoe has such a grip: the foot would slip in the first step, which the thesis leaves out"


def alone() -> Result:
    """Compare steps down of the passive walker with section 5.2.3."""
    falls = {drop: stepping_down(drop, steps=30).fell for drop in (0.01, 0.02, 0.022, 0.025, 0.05)}
    deepest = max(drop for drop, fell in falls.items() if not fell)
    shown = stepping_down(0.02, steps=10), stepping_down(0.05, steps=10)
    rows = (
        judged("deepest step down it survives [m]", "0.02", deepest, deepest == 0.02),
        judged("5 cm", "falls", _word(shown[1]), falls[0.05]),
        judged("2.2 cm", "", "falls" if falls[0.022] else "walks", falls[0.022]),
    )
    curves = tuple(_curve(f"{name} cm", walk) for name, walk in zip((2, 5), shown, strict=True))
    return Result(
        "port-5.9",
        "Steps down of a passive compass walker",
        f"{SOURCE}, section 5.2.3",
        rows,
        curves,
        ("time [s]", "stance leg [rad]"),
    )


def led() -> Result:
    """Compare steps down of the walker that is led along its gait with section 5.2.3."""
    five = stepping_down(0.05, along_the_gait(), steps=8)
    eleven = stepping_down(0.11, along_the_gait(pull=2.0, transfer=0.5), steps=8)
    rows = (*_rows("5 cm", five, GAINS), *_rows("11 cm", eleven, TUNED))
    return Result(
        "port-5.10",
        "Steps down of a compass walker that is led along its passive gait",
        f"{SOURCE}, section 5.2.3",
        rows,
        (_curve("5 cm", five), _curve("11 cm", eleven)),
        ("time [s]", "stance leg [rad]"),
    )


def _rows(name: str, walk: DroppedWalk, reason: str) -> tuple[Row, ...]:
    forces = walk.reactions
    least = float(forces[:, 1].min())
    slip = float(np.abs(forces[:, 0] / forces[:, 1]).max())
    return (
        judged(f"{name}: steps without a fall", "walks on", walk.steps, not walk.fell, reason),
        judged(f"{name}: least normal force [N]", "", least, least > 0.0, FORCES),
        judged(f"{name}: friction that it takes", "", slip, slip < 1.0, GRIP, "unsupported"),
    )


def _word(walk: DroppedWalk) -> str:
    return "falls" if walk.fell else "walks"


def _curve(label: str, walk: DroppedWalk) -> Curve:
    t, q, _ = walk.flowed.samples
    return Curve(label, tuple(t.tolist()), tuple(q[:, 0].tolist()))
