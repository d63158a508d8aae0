"""Table 5.1 of V. Duindam: costs of the compass walker with springs, dampers and masses free."""

from __future__ import annotations

from tarsus_lab.reproduce.port_searches import SOURCE, SPEEDS, cheaper, structures
from tarsus_lab.reproduce.result import Curve, Result, Row, judged

PRINTED = {
    "nominal": ("1.4", "0.44", "0.032", "0.0059", "0.025", "0.28", "0.82", "1.7", "2.8"),
    "spring": ("1.4", "0.44", "0.032", "0.0038", "0.0030", "0.0065", "0.015", "0.032", "0.061"),
    "mass": ("0.062", "0.011", "0.0023", "0.0032", "0.0071", "0.012", "0.016", "0.011", "0.011"),
    "both": (
        *("0.037", "0.0029", "0.0017", "0.0014", "0.0016", "0.0027", "0.0042", "0.0054"),
        "0.0099",
    ),
}
LABELS = {
    "nominal": "as it is",
    "spring": "with a spring and a damper",
    "mass": "with masses free",
    "both": "with all free",
}


def run() -> Result:
    """Compare 36 optimal gaits with table 5.1."""
    rows: list[Row] = []
    curves = []
    for name, printed in PRINTED.items():
        costs = []
        for speed, cost in zip(SPEEDS, printed, strict=True):
            gait = structures(speed)[name]
            rows.append(cheaper(f"{LABELS[name]}, {speed} m/s: cost", cost, gait))
            costs.append(gait.cost)
        curves.append(Curve(LABELS[name], SPEEDS, tuple(costs)))
    rows.append(_ordered())
    return Result(
        "port-5.1",
        "A compass walker at nine speeds: what springs, dampers and masses save",
        f"{SOURCE}, table 5.1",
        tuple(rows),
        tuple(curves),
        ("speed [m/s]", "cost [N² m² s]"),
    )


def _ordered() -> Row:
    """Return whether more freedom never costs more."""
    worst = 0.0
    for speed in SPEEDS:
        cost = {name: gait.cost for name, gait in structures(speed).items()}
        for free, held in (("both", "mass"), ("both", "spring"), ("mass", "nominal")):
            worst = max(worst, cost[free] - cost[held])
        worst = max(worst, cost["spring"] - cost["nominal"])
    return judged("more freedom costs more by at most", "never", worst, worst < 1e-4)
