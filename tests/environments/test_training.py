"""The example that trains a quadruped: returns rise, and what was trained walks."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "32_train_a_quadruped.py"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_a_quadruped", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_a_quadruped"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_a_few_rounds_double_the_return_and_repeat_to_the_bit(example: ModuleType) -> None:
    _, curve = example.train(10, tell=False)
    _, again = example.train(3, tell=False)
    print(np.round(curve, 1))
    assert again == curve[:3]
    assert np.mean(curve[-2:]) > 2.0 * curve[0]


def test_without_training_robots_stay_where_they_are(example: ModuleType) -> None:
    policy, _ = example.train(1, tell=False)
    policy.weights[:] = 0.0
    way, asked, fell = example.walked(policy, 2.0)
    assert fell == 0
    assert way.max() < 0.05 < asked.min()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_a_trained_quadruped_trots_as_far_as_it_is_told(example: ModuleType, seed: int) -> None:
    policy, curve = example.train(160, seed=seed, tell=False)
    way, asked, fell = example.walked(policy, 6.0)
    print(f"{curve[0]:.1f} … {curve[-1]:.1f}; {way.round(2)} m of {asked.round(2)} m, {fell} fell")
    assert np.mean(curve[-10:]) > 4.0 * curve[0]
    assert fell == 0
    assert way.mean() > 1.5
    assert (way > 0.6 * asked).all()


def test_stable_baselines_takes_the_environment(
    example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3")
    example.with_stable_baselines(1024)
    assert "after 1024 steps" in capsys.readouterr().out
