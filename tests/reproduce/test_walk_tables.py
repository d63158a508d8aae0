"""Studies of arms in walks: Lola, Talos and G1 walk on the ground, a few steps each."""

from __future__ import annotations

from pathlib import Path

import pytest
from tarsus_lab.reproduce import Result, humanoid_walks, lola_5_4, lola_7_4, plot, reproduce
from tarsus_lab.reproduce.humanoid_walks import change, peak, rms


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Walk two steady steps, one on each foot."""
    monkeypatch.setattr(humanoid_walks, "STEPS", 5)
    monkeypatch.setattr(humanoid_walks, "STEADY", (2, 3))
    monkeypatch.setattr(lola_5_4, "STEPS", 3)
    monkeypatch.setattr(lola_7_4, "DELTAS", (0.1,))


def ours(result: Result) -> dict[str, float]:
    print(result)
    assert result.ok
    return {row.label: float(row.ours) for row in result.rows}


def test_arms_that_track() -> None:
    found = ours(reproduce("lola-7.1"))
    assert found["torso leans by [°]"] < 1.0
    assert -18.0 < found["as (7.9): peak of L_z [%]"] < -8.0
    assert -32.0 < found["as (7.9): peak of dL_z/dt [%]"] < -18.0
    assert found["by a damped inverse: peak of L_z [%]"] < -40.0
    assert found["1.4 km/h: torque of the left foot, rms [%]"] < -5.0
    assert found["1.4 km/h: torque of the right foot, rms [%]"] < -5.0


def test_momentum_that_costs(tmp_path: Path) -> None:
    result = reproduce("lola-7.4")
    found = ours(result)
    assert -24.0 < found["δ = 0.5: peak of L_z [%]"] < -16.0
    assert -20.0 < found["δ = 0.5: peak torque of a foot [%]"] < -10.0
    verdicts = [row.verdict for row in result.rows]
    assert verdicts == ["reproduced", "unsupported", "reproduced", "reproduced"]
    assert "arms of 1.6 times the mass" in result.rows[1].reason
    plot(result, tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 10_000


@pytest.mark.parametrize("robot", ["lola", "g1"])
def test_arms_that_are_kept_off_the_legs(robot: str) -> None:
    found = ours(reproduce("lola-5.4", robot))
    assert found["arms swing with the legs: least distance [mm]"] < 0.0
    assert found["arms avoid the legs: least distance [mm]"] > 5.0
    assert found["arms avoid, on the ground: least distance [mm]"] > 5.0


def test_talos_walks_and_tracks() -> None:
    walks = humanoid_walks.HumanoidWalks("talos")
    held, free = (walks.walked(arms) for arms in (humanoid_walks.Still(), lola_5_4.Free()))
    assert max(held.tilt, free.tilt) < 1.0
    # of arms of which nothing is asked, next to nothing comes
    assert abs(change(peak(free.momentum), peak(held.momentum))) < 10.0
    assert rms(held.rate) < 0.7 * peak(held.rate)
