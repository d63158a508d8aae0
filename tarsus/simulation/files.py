"""Runs as files: Parquet to keep and to read again, MCAP for viewers such as Foxglove."""

from __future__ import annotations

from pathlib import Path

from tarsus.model.checks import suggestion
from tarsus.simulation.mcap_file import write_mcap
from tarsus.simulation.parquet_file import read_parquet, write_parquet
from tarsus.simulation.trajectory import Trajectory

WRITERS = {".parquet": write_parquet, ".mcap": write_mcap}


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a run to a .parquet or .mcap file."""
    path = Path(path)
    if path.suffix not in WRITERS:
        raise ValueError(f"{path} has an unknown format{suggestion(path.suffix, WRITERS)}")
    WRITERS[path.suffix](run, path)


def load_run(path: str | Path) -> Trajectory:
    """Return a run that was saved as .parquet, with its model."""
    path = Path(path)
    if path.suffix != ".parquet":
        raise ValueError(f"{path}: only .parquet files can be read")
    return read_parquet(path)
