"""Charts under the picture of a page: the ledger of energy, forces of contacts, and quantities."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.view.machine_data import packed
from tarsus.view.stage import Stage

if TYPE_CHECKING:
    from tarsus.simulation.energy import EnergyLedger
    from tarsus.simulation.trajectory import Trajectory

MOST = 4
"""Lines of a chart: those that move most."""
STORED = {
    "kinetic": "kinetic",
    "gravity": "gravity",
    "elastic": "springs",
    "in_parts": "parts",
    "in_contacts": "surfaces",
}
"""Names of what is stored, and words for them."""
WORKS = (
    *("supplied", "damping", "joint_friction", "contact_friction", "contact_normal", "impacts"),
    *("loops", "limits", "parts", "corrections"),
)


def chart_data(stage: Stage) -> list[dict[str, Any]]:
    """Return charts with values (T,) at the pictures' times: what was recorded, and was told."""
    run = stage.run
    charts = []
    if run is not None and "energy" in run.recorded:
        charts += _energy_charts(run.energy, stage)
    if run is not None and run.touched is not None and len(run.touched.sample):
        charts.append(_chart("contact forces, sum", "N", _forces(run), stage))
    by_unit: dict[str, dict[str, Array]] = {}
    for name, values in stage.quantities.items():
        words, unit = _name_and_unit(name)
        by_unit.setdefault(unit, {})[words] = values
    charts += [_chart(", ".join(lines), unit, lines, stage) for unit, lines in by_unit.items()]
    return [chart for chart in charts if chart["lines"]]


def _energy_charts(ledger: EnergyLedger, stage: Stage) -> list[dict[str, Any]]:
    """Return what is stored, what did work, and what is left over, all since the start."""
    stored = {words: getattr(ledger, name) for name, words in STORED.items()}
    changes = {words: values - values[0] for words, values in _that_move(stored).items()}
    works = {name.replace("_", " "): ledger.work(name) for name in WORKS}
    return [
        _chart(
            "energy since the start",
            "J",
            {**changes, "sum": ledger.stored - ledger.stored[0]},
            stage,
        ),
        _chart("work", "J", _that_move(works), stage),
        _chart("residual of the ledger", "J", {"residual": ledger.residual}, stage),
    ]


def _that_move(lines: Mapping[str, Array]) -> dict[str, Array]:
    """Return the lines that move most, of those that move at all, in the order they came in."""
    ranges = {name: float(np.ptp(values)) for name, values in lines.items()}
    least = sorted(ranges.values(), reverse=True)[:MOST][-1]
    return {name: x for name, x in lines.items() if ranges[name] >= least and ranges[name] > 0.0}


def _forces(run: Trajectory) -> dict[str, Array]:
    """Return the vertical and the level part of the sum of all contact forces (T,) [N]."""
    assert run.touched is not None
    total = np.zeros((len(run.t), 3))
    np.add.at(total, run.touched.sample, run.touched.force)
    return {"upwards": total[:, 2], "level": np.linalg.norm(total[:, :2], axis=1)}


def _chart(title: str, unit: str, lines: Mapping[str, Array], stage: Stage) -> dict[str, Any]:
    values = {name: np.asarray(x)[stage.samples] for name, x in lines.items()}
    return {
        "title": title,
        "unit": unit,
        "lines": [{"name": name, "values": packed(x)} for name, x in values.items()],
    }


def _name_and_unit(name: str) -> tuple[str, str]:
    """Return "height" and "m" of "height [m]"."""
    found = re.fullmatch(r"(.*?)\s*\[([^\]]*)\]", name)
    return (found[1], found[2]) if found else (name, "")
