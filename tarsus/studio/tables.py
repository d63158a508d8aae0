"""A recording as a table of comma-separated values: a row each moment, names with units above."""

from __future__ import annotations

import csv
import math
from pathlib import Path

from tarsus.files import replacing
from tarsus.simulation.named_columns import named_columns
from tarsus.studio.filming import Film


def write_table(film: Film, path: Path) -> None:
    """Write times, coordinates, velocities and charted numbers, with all their bits.

    A number is left out where it was not charted.
    """
    columns = named_columns(film.run)
    columns |= {f"{name} [{film.units[name]}]": values for name, values in film.charts.items()}
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for row in zip(*(values.tolist() for values in columns.values()), strict=True):
            writer.writerow(["" if math.isnan(x) else x for x in row])
