"""Runs as CSV files for spreadsheets: a row for each sample, names and units in the first."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from tarsus._lib.files import replacing
from tarsus.simulation.named_columns import named_columns
from tarsus.simulation.trajectory import Trajectory

CHUNK = 4096
"""Rows that are turned into text at once."""


def write_csv(run: Trajectory, path: Path) -> None:
    """Write a run; the states of a batch stand below each other, their number in front."""
    columns = {name: np.ravel(values) for name, values in named_columns(run).items()}
    if run.batch is not None:
        columns = {"state": np.repeat(np.arange(run.batch), len(run)), **columns}
    count = len(next(iter(columns.values())))
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for start in range(0, count, CHUNK):
            rows = slice(start, start + CHUNK)
            # numbers of Python keep all their bits as text
            writer.writerows(zip(*(each[rows].tolist() for each in columns.values()), strict=True))
