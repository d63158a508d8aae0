"""Everything that writes a file, as one list: a name with its suffix, and what writes it.

Run as a program it overwrites files and is killed, has no room, or no right to.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tarsus_lab.reproduce.plot import plot
from tarsus_lab.reproduce.result import Result, Row

import tarsus as ts
from tarsus.simulation import Trajectory
from tarsus.simulation.checkpoint import Checkpoint, write
from tarsus.simulation.state import State
from tarsus.view.films import animate

Writer = Callable[[Path, int], None]
"""Writes version 0 or 1 of something to a path."""


def run(version: int) -> Trajectory:
    """Return one of two motions."""
    model = ts.robots.chain(3)
    q0 = model.neutral()
    q0[-1] += 0.1 * (1 + version)
    return ts.Simulation(model).run(q0, duration=0.2)


RUNS = [run(version) for version in (0, 1)]


def _checkpoint(path: Path, version: int) -> None:
    state = State(RUNS[version].q[-1:], RUNS[version].v[-1:], np.full((1, 2000), version), 7)
    write(path, Checkpoint(state, {"steps": 9}, np.zeros((1, 3)), {}))


def _table(path: Path, version: int) -> None:
    row = Row("length", "1.0", 1.0 + version, "reproduced")
    plot(Result("lengths", "Lengths", "measured", (row,)), path)


def _film(path: Path, version: int) -> None:
    animate(RUNS[version], path, fps=20, width=64, height=48)


WRITERS: dict[str, Writer] = {
    "model.yaml": lambda path, version: ts.save(ts.robots.chain(40 + version), path) and None,
    "model.json": lambda path, version: ts.save(ts.robots.chain(40 + version), path) and None,
    "model.urdf": lambda path, version: ts.save(ts.robots.chain(40 + version), path) and None,
    "model.sdf": lambda path, version: ts.save(ts.robots.chain(40 + version), path) and None,
    "model.xml": lambda path, version: ts.save(ts.robots.chain(40 + version), path) and None,
    "run.npz": lambda path, version: RUNS[version].save(path),
    "run.parquet": lambda path, version: RUNS[version].save(path),
    "run.csv": lambda path, version: RUNS[version].save(path),
    "run.mcap": lambda path, version: RUNS[version].save(path),
    "checkpoint.npz": _checkpoint,
    "run.png": lambda path, version: RUNS[version].plot(path) and None,
    "energy.svg": lambda path, version: RUNS[version].energy.plot(str(path)) and None,
    "page.html": lambda path, version: animate(RUNS[version], path),
    "film.gif": _film,
    "scene.glb": lambda path, version: animate(RUNS[version], path),
    "table.png": _table,
}


def overwrite_all(folder: Path) -> None:
    """Overwrite all files, and print what comes of it."""
    for name, writer in WRITERS.items():
        try:
            writer(folder / name, 1)
            print(f"{name}|no error")
        except OSError as error:
            print(f"{name}|{type(error).__name__}|{error}")


def be_killed(folder: Path, kills: int) -> None:
    """Let children overwrite files and kill them; print what is whole afterwards."""
    rng = np.random.default_rng(1)
    for name in ("model.yaml", "run.npz", "run.mcap", "checkpoint.npz"):
        file, whole = folder / name, {(folder / f"{k}-{name}").read_bytes() for k in (0, 1)}
        for _ in range(kills):
            child = os.fork()
            if not child:
                for version in itertools.count():
                    WRITERS[name](file, version % 2)
            time.sleep(rng.uniform(0.01, 0.06))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            print(f"{name}|{'whole' if file.read_bytes() in whole else 'broken'}")


if __name__ == "__main__":
    task, place = sys.argv[1], Path(sys.argv[2])
    if task == "kill":
        be_killed(place, int(sys.argv[3]))
        sys.exit()
    if task == "fill":  # as on a disk with room for 600 bytes
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))
    elif os.geteuid() == 0:  # as somebody who may not write there, once all modules are read
        with contextlib.redirect_stdout(None), tempfile.TemporaryDirectory() as elsewhere:
            overwrite_all(Path(elsewhere))
        os.seteuid(65534)
    overwrite_all(place)
