"""A run has the same bits however many ticks one call of the core covers."""

from __future__ import annotations

import golden_record
import numpy as np
import pytest
from golden_scenes import SCENES

import tarsus as ts
from tarsus.scenes import Scene
from tarsus.simulation import compliant, located, runner, smooth_steps
from tarsus.simulation.integrators import methods

TICKS = 130
"""More than two blocks of 64, and no multiple of 7."""

ENGINES = {
    "step": {"contact": "exact"},
    "explicit": {"contact": "exact", "integrator": "explicit"},
    "lemke": {"contact": "lemke"},
    "penalty": {"contact": "penalty"},
    "event": {"contact": "event"},
    "compliant": {"contact": "compliant"},
    "rk4": {"integrator": "rk4", "ground": None},
    "gauss": {"integrator": "gauss", "ground": None},
    "dormand_prince": {"integrator": "dormand_prince", "ground": None},
    "radau": {"integrator": "radau", "ground": None},
}


def run_in_blocks(scene: Scene, ticks: int, patch: pytest.MonkeyPatch) -> ts.Trajectory:
    """Return a run of a batch whose calls of the core cover so many ticks."""
    for module in (located, methods, smooth_steps):
        patch.setattr(module, "CHUNK", ticks)
    patch.setattr(compliant, "BLOCK", ticks * scene.dt)
    patch.setattr(runner, "chunk_of", lambda pace, few: ticks)
    patch.setattr(runner, "STEPS", 3 * ticks)
    v = scene.v0 + 0.01 * np.arange(3)[:, None]
    q = np.tile(scene.q0, (3, 1))
    return scene.simulation().run(q, v, duration=TICKS * scene.dt, progress=False)


@pytest.mark.parametrize("ticks", [1, 7, 64])
@pytest.mark.parametrize("engine", ENGINES)
def test_blocks_of_ticks_do_not_change_bits(
    engine: str, ticks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "slide" if "ground" not in ENGINES[engine] else "four_bar_chain"
    scene = SCENES[name]().but(**ENGINES[engine])
    whole = golden_record.hash_of_run(run_in_blocks(scene, TICKS, monkeypatch))
    assert golden_record.hash_of_run(run_in_blocks(scene, ticks, monkeypatch)) == whole


@pytest.mark.parametrize("engine", ["event", "compliant"])
@pytest.mark.parametrize("name", ["eggs", "car", "snakeboard", "supports", "strandbeest_leg"])
def test_blocks_of_located_events_do_not_change_bits(
    name: str, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Impacts, sliding, continuous controllers, loops, and a state of `supports` that fails."""
    scene = SCENES[name]().but(**ENGINES[engine])
    whole = golden_record.hash_of_run(run_in_blocks(scene, TICKS, monkeypatch))
    assert golden_record.hash_of_run(run_in_blocks(scene, 7, monkeypatch)) == whole


@pytest.mark.parametrize("name", ["slide", "push", "tensegrity", "car"])
def test_runs_have_the_bits_of_single_steps(name: str) -> None:
    scene = SCENES[name]()
    run = scene.run(duration=TICKS * scene.dt, progress=False)
    motion = scene.simulation()
    motion.reset(scene.q0, scene.v0, controller=scene.controller)
    for k in range(TICKS):
        motion.step()
        assert motion.q.tobytes() == run.q[k + 1].tobytes(), k
        assert motion.v.tobytes() == run.v[k + 1].tobytes(), k
