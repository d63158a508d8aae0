"""Each instruction set that this processor runs: batches are loops, and all sets agree.

The set is chosen when the core is imported, hence a process for each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from calls import algorithms, arguments, states

import tarsus as ts

SETS = ts._core.instruction_sets()
HERE = Path(__file__)


def run(instruction_set: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TARSUS_INSTRUCTION_SET": instruction_set}
    paths = [str(Path(ts.__file__).parents[1]), *sys.path]
    environment["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, check=False
    )


def results() -> dict[str, np.ndarray]:
    """Results of every algorithm on three mechanisms; a batch must be a loop."""
    found = {}
    for seed in range(3):
        model = ts.robots.random_mechanism(seed, 13, armature=True, springs=True)
        for algorithm in algorithms():
            arrays = arguments(model, algorithm, (13,), seed)
            batch = algorithm(model, **arrays)
            loop = np.array([algorithm(model, **state) for state in states(arrays)])
            assert batch.tobytes() == loop.tobytes(), f"{algorithm}: a batch is not a loop"
            for threads in (2, 3, 7):
                again = algorithm(model, **arrays, threads=threads)
                assert again.tobytes() == batch.tobytes(), f"{algorithm}: {threads} threads"
            found[f"{algorithm}, seed {seed}"] = batch
    return found


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, np.ndarray]]:
    """The results of a process for each instruction set."""
    folder = tmp_path_factory.mktemp("results")
    for name in SETS:
        done = run(name, str(HERE), str(folder / name))
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == name
    return {name: dict(np.load(folder / f"{name}.npz")) for name in SETS}


def test_there_is_a_set_for_this_machine() -> None:
    assert SETS and set(SETS) <= {"baseline", "avx2", "avx512"}
    assert ts._core.instruction_set() in SETS


def test_sets_agree(computed: dict[str, dict[str, np.ndarray]]) -> None:
    if "baseline" not in computed:
        pytest.skip("the core has one instruction set: make test INSTRUCTION_SETS=runnable")
    baseline = computed["baseline"]
    for name in SETS:
        worst = 0.0
        for key, expected in baseline.items():
            found = computed[name][key]
            assert found.shape == expected.shape
            scale = np.abs(expected).max(initial=1.0)
            residual = np.abs(found - expected).max(initial=0.0) / scale
            assert residual < 1e-12, f"{name}: {key}: {residual:.1e}"
            worst = max(worst, residual)
        print(f"{name} and baseline: {worst:.1e}")


def test_an_unknown_set_is_an_import_error_that_lists_the_known() -> None:
    done = run("sse9", "-c", "import tarsus; tarsus.Model")
    assert done.returncode == 1  # an exception, not a crash
    assert "ImportError" in done.stderr and "'sse9'" in done.stderr
    assert all(name in done.stderr for name in SETS)


def test_an_empty_wish_is_none() -> None:
    done = run("", "-c", "import tarsus; print(tarsus._core.instruction_set())")
    assert done.stdout.strip() == SETS[0]


if __name__ == "__main__":
    np.savez(sys.argv[1], **results())
    print(ts._core.instruction_set())
