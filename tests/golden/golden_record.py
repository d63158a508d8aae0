"""The golden record: hashes and final states of short runs, one file per instruction set.

    python tests/golden/golden_record.py            write the files for this machine's sets
    python tests/golden/golden_record.py --check    list what differs from them

A refactoring must not change a hash. Each instruction set is computed in a process of its own, in
which NumPy and OpenBLAS use AVX2 at most, so that their bits do not depend on the machine. They
may still depend on the versions in `environment`; where these differ from the recorded ones, only
the final configurations are compared, to `TOLERANCE`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
STATES = 9
"""States of a batch: more than the lanes of any instruction set, and no multiple of them."""
TOLERANCE = 1e-9
"""Of the final q [m, rad], where hashes cannot be compared."""
SPREAD = 0.02
"""By how much the states of a batch differ in each velocity at the start [m/s, rad/s]."""
AVX512 = ("AVX512", "X86_V4")
"""Features of NumPy that are switched off: parts of their names."""


def file_of(instruction_set: str) -> Path:
    """Return the file of the record of an instruction set."""
    return HERE / f"{instruction_set}.json"


def read(instruction_set: str) -> dict[str, Any]:
    """Return the record of an instruction set."""
    record: dict[str, Any] = json.loads(file_of(instruction_set).read_text("utf-8"))
    return record


def environment() -> dict[str, str]:
    """Return the versions on which bits may depend beside our own code."""
    import scipy

    libc = "-".join(platform.libc_ver())
    return {"numpy": np.__version__, "scipy": scipy.__version__, "libc": libc}


def computed(instruction_set: str, scenes: Sequence[str] = ()) -> dict[str, Any]:
    """Return the record of the present code, computed in a process with an instruction set."""
    dispatched = np._core._multiarray_umath.__cpu_dispatch__  # type: ignore[attr-defined]
    disabled = " ".join(name for name in dispatched if name.startswith(AVX512))
    import tarsus

    done = subprocess.run(
        [sys.executable, __file__, "--compute", *scenes],
        env={
            **os.environ,
            "TARSUS_INSTRUCTION_SET": instruction_set,
            "NPY_DISABLE_CPU_FEATURES": disabled,
            "OPENBLAS_CORETYPE": "Haswell",
            "OPENBLAS_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join([str(Path(tarsus.__file__).parents[1]), *sys.path]),
        },
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def differences(recorded: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield the runs that differ, and how."""
    exact = recorded["environment"] == now["environment"]
    for name, run in now["runs"].items():
        old = recorded["runs"].get(name)
        if old is None or ("q" in old) != ("q" in run):
            yield f"{name}: recorded {old}, now {run}"
        elif exact and old != run:
            changed = [key for key in run if run[key] != old.get(key)]
            yield f"{name}: {', '.join(changed)} changed"
        elif "q" in run:
            worst = np.abs(np.subtract(old["q"], run["q"])).max(initial=0.0)
            if not worst <= TOLERANCE:
                yield f"{name}: final q differs by {worst:.1e}"


def compute(scenes: Sequence[str]) -> dict[str, Any]:
    """Return the record of this process: each scene with each engine, one state and a batch."""
    from golden_scenes import (
        CALCULATIONS,
        ENGINES,
        FEWER_TICKS,
        LEFT_OUT,
        SCENES,
        TICKS,
        VARIANTS,
    )

    runs = {}
    for name in scenes or SCENES:
        scene, ticks = SCENES[name](), FEWER_TICKS.get(name, TICKS)
        for engine, changes in ENGINES.items():
            if (name, engine) not in LEFT_OUT:
                runs[f"{name} {engine}"] = fingerprint(scene.but(**changes), ticks)
    for variant, (name, changes) in VARIANTS.items():
        if not scenes or name in scenes:
            runs[f"{name} {variant}"] = fingerprint(SCENES[name]().but(**changes), TICKS)
    for name, calculate in CALCULATIONS.items() if not scenes else ():
        arrays = calculate()
        final = [round(float(x), 12) for x in np.ravel(arrays[-1])]
        runs[name] = {"all": hash_of(arrays), "q": final}
    return {"environment": environment(), "runs": runs}


def fingerprint(scene: Any, ticks: int) -> dict[str, Any]:
    """Return hashes and final states of a scene for one state, a batch, and a batch on threads.

    Where an engine refuses the scene, or cannot simulate it, the kind of the error; where only
    threads are refused, that.
    """
    import tarsus as ts

    pattern = (7 * np.arange(STATES)[:, None] + 3 * np.arange(scene.model.nv)) % 11 - 5
    q, v = np.tile(scene.q0, (STATES, 1)), scene.v0 + SPREAD * pattern / 5
    options = {
        "controller": scene.controller,
        "duration": ticks * scene.dt,
        "progress": False,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            simulation = scene.simulation()
            one = simulation.run(scene.q0, scene.v0, **options)
            batch = simulation.run(q, v, **options)
        except (ValueError, ArithmeticError, ts.SimulationError) as error:
            return {"error": type(error).__name__}
        try:
            threads = hash_of_run(simulation.run(q, v, threads=2, **options))
        except ValueError:  # integrators in Python run on one thread
            threads = "refused"
    return {
        "one": hash_of_run(one),
        "batch": hash_of_run(batch),
        "threads": threads,
        "q": [round(x, 12) for x in one.q[-1].tolist()],
    }


def hash_of_run(run: Any) -> str:
    """Return the hash of all that a run recorded."""
    arrays = [run.recorded[name] for name in sorted(run.recorded)]
    if run.touched is not None:
        arrays += [run.touched.point, run.touched.force]
    return hash_of(arrays)


def hash_of(arrays: Sequence[Any]) -> str:
    """Return the first 16 digits of the SHA-256 of arrays."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:16]


def main() -> int:
    """Compute in this process, or write or check the files of all instruction sets."""
    parser = argparse.ArgumentParser(description="Write or check the golden record.")
    parser.add_argument("scenes", nargs="*", help="scenes to check, all unless given")
    parser.add_argument("--check", action="store_true", help="list what differs, write nothing")
    parser.add_argument("--compute", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compute:
        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # whatever scenes print
        json.dump(compute(options.scenes), answers)
        answers.close()
        return 0
    from tarsus import _core

    differ = 0
    for name in _core.instruction_sets():
        record = computed(name, options.scenes)
        if options.check:
            found = list(differences(read(name), record))
            differ += len(found)
            print(f"{name}: {len(record['runs'])} runs, {len(found)} differ", *found, sep="\n  ")
        else:
            file_of(name).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
            print(f"{name}: {len(record['runs'])} runs written")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
