"""Tasks: jacobians are derivatives of errors on every mechanism, batches are many states."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from cluster_cases import case
from machines import FLAVOURS
from task_cases import distance, every_task

import tarsus as ts
from tarsus._lib.differences import derivative, rate, steps
from tarsus._lib.files import Array
from tarsus.ik import (
    AngularMomentumTask,
    CentroidalMomentumTask,
    CustomTask,
    FrameTask,
    OrientationTask,
    PostureTask,
    Task,
)
from tarsus.ik.tasks.points import DirectedTask
from tarsus.robots.trees import random_rotation
from tarsus.spatial import pose, rotation_from_vector

HALF_A_TURN = 3.1
"""Errors beyond this [rad] may jump to their opposite within a difference."""


def states(flavour: str) -> list[tuple[ts.Model, Array, Array]]:
    """Return machines with a state q and a velocity each."""
    if flavour == "trees":
        models = [ts.robots.random_mechanism(seed, 18 + seed) for seed in range(3)]
        rng = np.random.default_rng(5)
        return [(m, m.random_configuration(rng), rng.normal(size=m.nv)) for m in models]
    return [(c.model, c.q, c.v) for c in (case(flavour, seed) for seed in range(3))]


@pytest.mark.parametrize("flavour", ["trees", *FLAVOURS])
def test_jacobians_are_derivatives_of_errors(flavour: str) -> None:
    worst: dict[str, float] = {}
    for seed, (model, q, v) in enumerate(states(flavour)):
        for task in every_task(model, np.random.default_rng(seed)):
            if not task.holonomic or np.linalg.norm(task.error(q)[..., -3:]) > HALF_A_TURN:
                continue
            found = np.asarray(task.jacobian(q) @ v)
            apart = distance(found, rate(model, q, v, task.error))
            kind = type(task).__name__
            worst[kind] = max(worst.get(kind, 0.0), apart)
    print(flavour, {kind: f"{value:.0e}" for kind, value in worst.items()})
    assert len(worst) >= 7
    # differences of sixth order: 1e-9 where a loop is near a position where it locks
    assert max(worst.values()) < 1e-8


def later(task: Task, time: float, motion: tuple[Array, Array]) -> Task:
    """Return the task with its target where it is after a time, with the velocity it has then."""
    velocity, faster = motion
    moved = copy.copy(task)
    ahead, now = velocity * time + faster * time**2 / 2.0, velocity + faster * time
    if isinstance(task, AngularMomentumTask | CentroidalMomentumTask):
        moved.target = task.target + time * velocity
        return moved
    if isinstance(task, FrameTask):
        turned = rotation_from_vector(ahead[3:]) @ task.target[:3, :3]
        moved.target = pose(task.target[:3, 3] + ahead[:3], turned)
    elif isinstance(task, OrientationTask):
        moved.target = rotation_from_vector(ahead) @ task.target
    elif isinstance(task, PostureTask):
        moved.target = task.model.integrate(task.target, ahead)
    elif isinstance(task, DirectedTask):
        moved.target = task.target + np.stack([ahead, np.zeros(3)])
    else:
        moved.target = task.target + ahead
    moved.target_velocity = now
    return moved


def gained(task: Task, q: Array, v: Array, motion: tuple[Array, Array]) -> Array:
    """Return the derivative of the rate of the error along the motions of machine and target."""

    def rate_of_error(time: Array) -> Array:
        at, moved = task.model.integrate(q, time * v), later(task, float(time), motion)
        return np.asarray(moved.jacobian(at) @ v - moved.feedforward(at))

    return derivative(rate_of_error, steps(task.model, q, v))


@pytest.mark.parametrize("flavour", ["trees", *FLAVOURS])
def test_drifts_are_what_rates_of_errors_gain(flavour: str) -> None:
    """Along a motion with constant velocities, while targets speed up on straight ways."""
    worst: dict[str, float] = {}
    for seed, (model, q, v) in enumerate(states(flavour)):
        rng = np.random.default_rng(seed)
        for task in every_task(model, rng):
            if isinstance(task, CustomTask) or np.linalg.norm(task.error(q)[..., -3:]) > 2.8:
                continue
            size = model.nv if isinstance(task, PostureTask) else task.velocity_size
            # postures go slowly: their loops must follow
            velocity = rng.normal(size=size) * (0.1 if isinstance(task, PostureTask) else 1.0)
            motion = velocity, rng.normal() * velocity  # turns stay about their axes
            task.target_velocity, task.target_acceleration = motion

            found = np.broadcast_to(task.drift(q, v), (task.size,))
            apart = distance(found, gained(task, q, v, motion))
            kind = type(task).__name__
            worst[kind] = max(worst.get(kind, 0.0), apart)
    print(flavour, {kind: f"{value:.0e}" for kind, value in worst.items()})
    assert len(worst) >= 8
    assert max(worst.values()) < 1e-7  # differences, near positions where loops lock


def test_batches_are_many_states() -> None:
    model = ts.robots.random_mechanism(3, 18)
    q = model.random_configuration(4, (2, 3))
    for task in every_task(model, np.random.default_rng(1)):
        error, jacobian = task.error(q), task.jacobian(q)
        assert error.shape == (2, 3, task.size)
        for i in np.ndindex(2, 3):
            assert np.abs(error[i] - task.error(q[i])).max(initial=0.0) < 1e-12
            own = np.broadcast_to(jacobian, (2, 3, *jacobian.shape[-2:]))[i]
            assert np.abs(own - task.jacobian(q[i])).max(initial=0.0) < 1e-9  # differences, too


def test_what_moving_targets_ask_for() -> None:
    """With J v = feedforward the error stays as it is while the target moves."""
    model, rng = ts.robots.random_mechanism(7, 18), np.random.default_rng(2)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    linear, angular = rng.normal(size=(2, 3))
    start = pose(rng.normal(size=3), random_rotation(rng))
    for kind, relative in (("frame", None), ("frame", "body_3"), ("look", None)):
        if kind == "frame":
            task: ts.ik.Task = ts.ik.FrameTask("body_9", start, relative_to=relative)
        else:
            task = ts.ik.LookAtTask("body_9", start[:3, 3])
        task.bind(model)

        def along(at: Array, task: ts.ik.Task = task, kind: str = kind) -> Array:
            """Return the error where both the machine and the target have moved for a time."""
            found = []
            for time in np.ravel(at):
                moved = start.copy()
                moved[:3, 3] += time * linear
                moved[:3, :3] = rotation_from_vector(time * angular) @ start[:3, :3]
                task.target = moved if kind == "frame" else moved[:3, 3]
                found.append(task.error(model.integrate(q, time * v)))
            return np.array(found)

        h = 1e-5
        behind, ahead = along(np.array([-h, h]))
        change = (ahead - behind) / (2.0 * h)
        task.target = start if kind == "frame" else start[:3, 3]
        task.target_velocity = np.r_[linear, angular] if kind == "frame" else linear
        expected = task.jacobian(q) @ v - task.feedforward(q)
        print(kind, relative, f"{np.abs(change - expected).max():.1e}")
        assert np.abs(change - expected).max() < 1e-7  # differences of second order


def test_momentum_tasks_ask_for_momentum() -> None:
    model, rng = ts.robots.random_mechanism(2, 18), np.random.default_rng(3)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    task = ts.ik.CentroidalMomentumTask(model.centroidal_momentum(q, v)).bind(model)
    assert np.abs(task.jacobian(q) @ v - task.feedforward(q)).max() < 1e-10
    vertical = ts.ik.AngularMomentumTask(axes="z").bind(model)
    assert np.array_equal(vertical.jacobian(q)[0], task.jacobian(q)[5])


def test_orientation_errors_are_finite_at_half_a_turn() -> None:
    model = ts.robots.random_mechanism(0, 3, ["revolute"])
    q = model.neutral()
    there = model.frame_pose(q, "body_2")[:3, :3]
    for axis in np.eye(3):
        task = ts.ik.OrientationTask("body_2", there @ rotation_from_vector(np.pi * axis))
        task.bind(model)
        assert abs(np.linalg.norm(task.error(q)) - np.pi) < 1e-7
        assert np.isfinite(task.jacobian(q)).all()


def test_parts_add_up_to_the_whole() -> None:
    model = ts.robots.random_mechanism(6, 18)
    q = model.random_configuration(1)
    whole = ts.ik.ComTask(np.zeros(3)).bind(model)
    parts = ts.ik.PartComTask(model.body_names, np.zeros(3)).bind(model)
    assert np.abs(whole.error(q) - parts.error(q)).max() < 1e-12
    assert np.abs(whole.jacobian(q) - parts.jacobian(q)).max() < 1e-12
