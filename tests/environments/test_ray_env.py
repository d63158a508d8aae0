"""Robots in actors of a real Ray cluster with two workers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from learned_tasks import everything_varies

import tarsus
from tarsus.environments import RayVectorEnv, RobotVectorEnv

ray = pytest.importorskip("ray")


@pytest.fixture
def envs() -> Iterator[RayVectorEnv]:
    with pytest.MonkeyPatch.context() as patch:
        # actors find the package where this process found it
        before = os.environ.get("PYTHONPATH", "")
        root = str(Path(tarsus.__file__).parents[1])
        patch.setenv("PYTHONPATH", os.pathsep.join([root, before] if before else [root]))
        found = RayVectorEnv("solo12", everything_varies(episode=0.3), 5, workers=2)
        yield found
        found.close()
        assert not ray.is_initialized()


def test_actors_give_the_bits_of_one_batch(envs: RayVectorEnv) -> None:
    one = RobotVectorEnv("solo12", everything_varies(episode=0.3), 5)
    assert envs.observation_space == one.observation_space
    assert envs.reset(seed=2)[0].tobytes() == one.reset(seed=2)[0].tobytes()
    rng = np.random.default_rng(0)
    for k in range(25):
        if k == 10:
            mask = {"reset_mask": np.array([True, False, True, False, True])}
            a, b = envs.reset(options=mask)[0], one.reset(options=mask)[0]
            assert a.tobytes() == b.tobytes()
        action = rng.uniform(-1.0, 1.0, (5, 12)).astype(np.float32)
        found, expected = envs.step(action), one.step(action)
        for x, y in zip(found[:4], expected[:4], strict=True):
            assert x.tobytes() == y.tobytes()
        assert found[4].keys() == expected[4].keys()
    with pytest.raises(ValueError, match=r"action must have shape \(5, 12\)"):
        envs.step(action[:2])
    with pytest.raises(ValueError, match="seed has 2 numbers, must have 5"):
        envs.reset(seed=[1, 2])


def test_more_workers_than_robots_are_refused() -> None:
    with pytest.raises(ValueError, match="workers is 3"):
        RayVectorEnv("solo12", num_envs=2, workers=3)
