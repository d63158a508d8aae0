"""Runs as files: .npz to keep and read again; Parquet, CSV and MCAP for other programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tarsus._lib.checks import suggestion
from tarsus.simulation.exports import write_csv, write_mcap, write_parquet
from tarsus.simulation.run_file import MAX_BYTES, read_run, write_run
from tarsus.simulation.trajectory import Trajectory

RUN = ".npz"
"""Of files that can be read again."""
WRITERS = {RUN: write_run, ".parquet": write_parquet, ".csv": write_csv, ".mcap": write_mcap}


def save_run(run: Trajectory, path: str | Path) -> None:
    """Write a run to a .npz, .parquet, .csv or .mcap file."""
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
    """Return a run that was saved as .npz, with its model and ground.

    Parameters
    ----------
    path : str or Path
        A file that `run.save("run.npz")` wrote. Exports (.parquet, .csv, .mcap) cannot be read.
    package_dirs : sequence of paths, default ()
        Folders, beside that of the file, from which meshes of the model may be read.
    max_bytes : int, default 2 GiB
        How many bytes all arrays of the file may take together: a small file can hold very many
        equal numbers.

    Raises
    ------
    RunFileError
        If the file is damaged, or what it holds does not fit its model.
    """
    path = Path(path)
    if path.suffix != RUN:
        kept = f"; save the run as {path.stem}{RUN} to read it again" * (path.suffix in WRITERS)
        raise ValueError(f"{path}: only {RUN} files can be read{kept}")
    return read_run(path, package_dirs, max_bytes)
