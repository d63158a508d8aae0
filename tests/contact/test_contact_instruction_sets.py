"""Each instruction set that this processor runs: batches are loops, and all sets agree."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from cone_problem import Array
from contact_scenes import box, quadruped
from test_contact_bits import LAWS, alone, drops, same, together, torques
from test_instruction_sets import SETS, run

import tarsus as ts

HERE = Path(__file__)


def results() -> dict[str, Array]:
    """Return where robots are after some steps, of each law; batches must be loops."""
    found = {}
    for law, options in LAWS.items():
        for world in (box(8, **options), quadruped().but(**options)):
            q, v = drops(world, 11)
            commands = torques(world, 11)
            batch = together(world, q, v, commands, 5)
            same(batch, alone(world, q, v, commands, 5))
            same(batch, together(world, q, v, commands, 5, threads=3))
            for key in ("q", "v", "energy"):
                found[f"{law} {world.model.name} {key}"] = batch[key]
    return found


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Array]]:
    """The results of a process for each instruction set."""
    folder = tmp_path_factory.mktemp("results")
    for name in SETS:
        done = run(name, str(HERE), str(folder / name))
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == name
    return {name: dict(np.load(folder / f"{name}.npz")) for name in SETS}


def test_sets_agree(computed: dict[str, dict[str, Array]]) -> None:
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
            assert residual < 1e-7, f"{name}: {key}: {residual:.1e}"
            worst = max(worst, residual)
        print(f"{name} and baseline: {worst:.1e}")


if __name__ == "__main__":
    np.savez(sys.argv[1], **results())
    print(ts._core.instruction_set())
