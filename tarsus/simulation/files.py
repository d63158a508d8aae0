"""Runs as files: Parquet to keep and read again, CSV for spreadsheets, MCAP for Foxglove."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tarsus._lib.checks import suggestion
from tarsus.simulation.exports import write_csv, write_mcap, write_parquet
from tarsus.simulation.parquet_reader import MAX_BYTES, read_parquet
from tarsus.simulation.trajectory import Trajectory

WRITERS = {".parquet": write_parquet, ".csv": write_csv, ".mcap": write_mcap}


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a run to a .parquet, .csv or .mcap file."""
    path = Path(path)
    check_suffix(path)
    WRITERS[path.suffix](run, path)


def check_suffix(path: Path) -> None:
    """Raise unless runs can be written to files of this kind."""
    if path.suffix not in WRITERS:
        raise ValueError(f"{path} has an unknown format{suggestion(path.suffix, WRITERS)}")


def load_run(
    path: str | Path,
    *,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    max_bytes: int = MAX_BYTES,
) -> Trajectory:
    """Return a run that was saved as .parquet, with its model.

    A file that is damaged, or whose numbers do not fit its model, is a `RunFileError`. Meshes of
    the model are read from the folder of the file and from `package_dirs` only; a file of few
    bytes may hold very many numbers, of which `max_bytes` are allowed.
    """
    path = Path(path)
    if path.suffix != ".parquet":
        raise ValueError(f"{path}: only .parquet files can be read")
    return read_parquet(path, package_dirs, max_bytes)
