"""Robots of environments are pushed once in an episode, by the momentum that was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from tarsus.environments import WalkTask, WalkVectorEnv
from tarsus.environments.impact import struck

ZEROS = np.zeros((40, 16), np.float32)


def moved(push: float) -> tuple[WalkVectorEnv, np.ndarray]:
    """Return robots after an episode, and how far each strayed to the side at most."""
    task = WalkTask.of("quadruped", episode=0.6, noise=0.0, friction=(0.7, 0.7), push=push)
    envs = WalkVectorEnv(40, task)
    envs.reset(seed=3)
    start, most = envs.herd.q[:, :2].copy(), np.zeros(40)
    for _ in range(round(task.episode / task.period)):
        envs.step(ZEROS)
        most = np.maximum(most, np.linalg.norm(envs.herd.q[:, :2] - start, axis=1))
    return envs, most


def test_pushes_move_robots_and_differ() -> None:
    calm, (envs, most) = moved(0.0)[1], moved(0.6)
    print(f"calm {calm.max():.2e} m, pushed {most.min():.2e} … {most.max():.2e} m")
    assert most.max() > 5 * calm.max()
    assert len(np.unique(envs.herd._pushed)) > 10
    size = np.linalg.norm(envs.herd._push, axis=1)
    assert 0.5 < size.max() <= 0.6
    assert np.unique(np.sign(envs.herd._push), axis=0).shape == (4, 2)


def test_a_push_is_momentum() -> None:
    """In the air the whole robot moves on with the momentum of the push."""
    task = WalkTask.of("quadruped", noise=0.0, push=0.5)
    envs = WalkVectorEnv(2, task)
    envs.reset(seed=0)
    herd, model = envs.herd, task.model
    herd.q[:, 2] += 3.0
    herd._pushed[:] = 0
    herd._push[:] = [[0.4, 0.0], [0.0, -0.2]]
    gained = struck(model, herd.q, model.base.child, herd._push)
    momentum = np.asarray(model.centroidal_momentum(herd.q, gained))[:, :2]
    np.testing.assert_allclose(momentum, model.total_mass * herd._push, atol=1e-12)
    envs.step(np.zeros((2, 16), np.float32))
    momentum = np.asarray(model.centroidal_momentum(herd.q, herd.v))[:, :2]
    # of 39 N s steps of the first order lose 5e-5 while the trunk turns
    np.testing.assert_allclose(momentum, model.total_mass * herd._push, atol=2e-4)


def test_wrong_pushes_are_named() -> None:
    with pytest.raises(ValueError, match="push is -1"):
        WalkTask.of("quadruped", push=-1.0)
