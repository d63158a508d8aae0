"""The bungee jump in three representations, and a motion of the library's own forces."""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.reproduce import Result, plot, reproduce
from tarsus_lab.reproduce.bungee import Bungee

import tarsus as ts

TIMES = np.linspace(0.0, 12.0, 601)


@pytest.mark.parametrize(("pieces", "lowest", "when"), [(0, 1.367, 5.47), (10, -1.844, 5.58)])
def test_three_representations_agree(pieces: int, lowest: float, when: float) -> None:
    jump = Bungee(pieces)
    motion = jump.motion(TIMES)
    heights = jump.heights(motion)
    for other in (jump.block_diagram(TIMES), jump.behaviour(TIMES)):
        apart = np.abs(heights - other).max()
        print(f"{pieces} pieces: {apart:.1e} m apart")
        assert apart < 1e-6
    first = TIMES < 9.0
    assert abs(heights[first].min() - lowest) < 0.005
    assert abs(TIMES[first][heights[first].argmin()] - when) < 0.02
    motion.ledger.check(1e-9)


def test_one_mass_beside_the_closed_form() -> None:
    """m ẍ + d ẋ + k x = −m g from rest."""
    m, d, k, g = 91.0, 1.0, 30.0, 9.81
    z, w = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    swing = np.exp(-z * TIMES) * (np.cos(w * TIMES) + z / w * np.sin(w * TIMES))
    exact = 60.0 - m * g / k * (1.0 - swing)
    assert np.abs(Bungee().heights(Bungee().motion(TIMES)) - exact).max() < 1e-7


@pytest.mark.parametrize("pieces", [0, 10])
def test_the_scene_is_the_same_jump(pieces: int) -> None:
    scene = ts.scenes.bungee(pieces)
    run = scene.run(duration=8.0)
    heights = run.model.frame_pose(run.q, run.model.body_names[-1])[:, 2, 3]
    apart = np.abs(heights - Bungee(pieces).block_diagram(run.t)).max()
    print(f"{pieces} pieces: {apart:.1e} m apart")
    assert apart < 1e-6
    run.energy.check(1e-6)
    flow = ts.ports.power_flow(run, 0.0, 4.0)
    assert flow.stored["gravity"] < 0.0 < flow.stored["elastic"]


@pytest.mark.parametrize("name", ["port-1.3", "port-2.12", "port-2.18", "port-2.21"])
def test_reproduced(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    result: Result = reproduce(name)
    print(result)
    assert result.ok
    assert all(row.reason for row in result.rows if row.verdict == "corrected")
    corrected = {"port-1.3": 4, "port-2.12": 1, "port-2.18": 2, "port-2.21": 9}
    assert sum(row.verdict == "corrected" for row in result.rows) == corrected[name]
    file = tmp_path_factory.mktemp("pictures") / f"{name}.png"
    plot(result, file)
    assert file.stat().st_size > 10_000
