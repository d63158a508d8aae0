"""A recording as a table of comma-separated values: a row each moment, names with units above."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from tarsus.files import replacing
from tarsus.model import Model
from tarsus.studio.filming import Film


def write_table(film: Film, path: Path) -> None:
    """Write times, charted numbers, and all coordinates and velocities, with all their bits."""
    run = film.run
    q, v = _names(run.model)
    charted = [f"{name} [{film.units[name]}]" for name in film.charts]
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t [s]", *charted, *q, *v])
        for k, t in enumerate(run.t.tolist()):
            numbers = [float(values[k]) for values in film.charts.values()]
            row = [t, *numbers, *run.q[k].tolist(), *run.v[k].tolist()]
            writer.writerow(["" if math.isnan(x) else repr(x) for x in row])


def _names(model: Model) -> tuple[list[str], list[str]]:
    """Return a name for each coordinate and each velocity: q.hinge, q.base.3, …"""
    q, v = [f"q.{k}" for k in range(model.nq)], [f"v.{k}" for k in range(model.nv)]
    for joint in model.joints:
        for names, kind, where in ((q, "q", joint.q_slice), (v, "v", joint.v_slice)):
            places = list(range(*where.indices(len(names))))
            for number, place in enumerate(places):
                end = f".{number}" if len(places) > 1 else ""
                names[place] = f"{kind}.{joint.name}{end}"
    return q, v
