"""Figures 4.5 and 4.6 of V. Duindam: shares of energy that strikes of a compass walker take."""

from __future__ import annotations

import math

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.impact_analysis import impact_analysis
from tarsus.gait.walkers.planar import compass
from tarsus_lab.reproduce.port_searches import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, judged

RATIOS = (0.0, 1.0, 5.0, 10.0)
"""Masses of the hip over those of a leg."""


def shares(between: float, ratio: float) -> Array:
    """Return the shares (2,), largest first, with an angle between the legs [rad]."""
    return impact_analysis(compass(1.0, ratio), [-between / 2, between]).shares


def run() -> Result:
    """Compare shares of energy over angles and masses with figures 4.5 and 4.6."""
    angles = np.linspace(0.1, math.pi - 0.1, 40)
    table = {ratio: np.array([shares(a, ratio) for a in angles]) for ratio in RATIOS}
    across = max(float(np.ptp(shares(math.pi / 2, ratio))) for ratio in RATIOS)
    bare = float(np.ptp(table[0.0], axis=1).max())
    inside = all(((each >= 0.0) & (each <= 1.0)).all() for each in table.values())
    rows: list[Row] = [
        judged("shares are between 0 and 1", "yes", "yes" if inside else "no", inside),
        judged("they differ at 90° by", "0", across, across < 1e-9),
        judged("they differ without a hip mass by", "0", bare, bare < 1e-9),
    ]
    curves = [
        Curve(
            f"{word} share, hip {ratio:g} : 1", tuple(angles.tolist()), tuple(each[:, k].tolist())
        )
        for ratio, each in table.items()
        for k, word in enumerate(("largest", "smallest"))
        if ratio > 0.0
    ]
    return Result(
        "port-4.5",
        "A compass walker: shares of energy that a strike takes, by angle and masses",
        f"{SOURCE}, figures 4.5 and 4.6",
        tuple(rows),
        tuple(curves),
        ("between the legs [rad]", "share lost"),
    )
