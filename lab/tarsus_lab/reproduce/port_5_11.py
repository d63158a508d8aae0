"""Figure 5.11 of V. Duindam: efforts that lead a walker along its gait, and what is left."""

from __future__ import annotations

import numpy as np

from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict, judged
from tarsus_lab.scenes import along_the_gait, stepping_down

QUARTIC = (
    "the fitted field of the thesis leaves 2 to 4 N m of its 7, as its integral curves wiggle "
    "about the gait; ours goes through the gait, on which nominal and potential efforts cancel"
)


def run() -> Result:
    """Compare efforts in nominal walking with section 5.2.3."""
    control = along_the_gait()
    t, q, v = stepping_down(0.0, control, steps=2).flowed.samples
    parts = control.parts(q, v)
    peak = {
        name: float(np.abs(getattr(parts, name)).max())
        for name in ("nominal", "potential", "asymptotic", "energy", "total")
    }
    small = max(peak["asymptotic"], peak["energy"])
    power = float(np.abs(((parts.nominal + parts.asymptotic) * v).sum(axis=-1)).max())
    rows = (
        judged("largest nominal effort [N m]", "large", peak["nominal"], peak["nominal"] > 1.0),
        judged(
            "largest against gravity [N m]", "large", peak["potential"], peak["potential"] > 1.0
        ),
        judged("largest of transfer and energy [N m]", "small", small, small < 0.5),
        _sum(peak["total"], peak["nominal"]),
        judged("power of nominal and transfer [W]", "0", power, power < 1e-12),
    )
    curves = [
        Curve(f"{name}, ankle", tuple(t.tolist()), tuple(effort[:, 0].tolist()))
        for name, effort in (
            ("nominal", parts.nominal),
            ("potential", parts.potential),
            ("sum", parts.total),
        )
    ]
    return Result(
        "port-5.11",
        "Efforts that lead a compass walker along its passive gait",
        f"{SOURCE}, figure 5.11",
        rows,
        tuple(curves),
        ("time [s]", "torque [N m]"),
    )


def _sum(total: float, nominal: float) -> Row:
    verdict: Verdict = "surpassed" if total < 0.1 * nominal else "missed"
    return Row("largest sum [N m]", "2 … 4", total, verdict, QUARTIC)
