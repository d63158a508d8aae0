"""Rods and bands that people push: whatever they do, energy comes from their pushes alone."""

from __future__ import annotations

import numpy as np
import pytest
from prism import BANDS, RODS, right, wrong

import tarsus as ts
from tarsus.studio import Stage


def built(tie: object) -> Stage:
    """Return three rods and nine bands, the last two tied rightly or wrongly."""
    stage = Stage()
    stage.run([*RODS.splitlines(), *BANDS.splitlines(), tie(8), tie(9)])  # type: ignore[operator]
    return stage


@pytest.mark.parametrize("tie", [right, wrong])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thin_rods_on_the_ground_gain_no_energy(tie: object, seed: int) -> None:
    stage = built(tie)
    push = np.random.default_rng(seed).normal(0.0, 0.3, stage.machine.model.nv)
    stage.machine.put(stage.machine.q, push)
    stored = [float(stage.machine.simulation.energy_now().stored[0])]
    for _ in range(25):
        assert stage.do("advance 100").ok
        stored.append(float(stage.machine.simulation.energy_now().stored[0]))
    print(f"{stored[0]:.1f} J become {stored[-1]:.1f} J, at most {max(stored):.1f} J")
    assert max(stored) < 1.01 * stored[0]


def test_scenes_for_whole_runs_get_steps_that_are_short_enough() -> None:
    stage = Stage()
    assert stage.do("load soft_ball").ok
    told = list(stage.told)
    assert any("contact is exact here" in text for text in told)
    assert any("steps are of 0.00025 s" in text for text in told)
    assert stage.do("advance 8000").ok
    # the hand holds it where the surface lets it: the ball rolls as it was led
    assert stage.machine.q[2] == pytest.approx(1.2, abs=0.1)
    scene = ts.scenes.soft_ball()
    assert scene.dt == 2e-3
