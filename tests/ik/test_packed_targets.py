"""Targets as the core reads them: packed side by side, with rates that are their derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm
from task_cases import every_task

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik import ComTask, FrameTask, OrientationTask, PositionTask
from tarsus.ik.core_tasks import CoreTasks, known
from tarsus.ik.tasks.task import AimedTask
from tarsus.robots.trees import random_rotation
from tarsus.spatial import skew

STATES = 3


def core_of(model: ts.Model, tasks: list[ts.ik.Task]) -> CoreTasks:
    return CoreTasks(model, [task.bind(model) for task in tasks])


def test_what_one_state_has_all_have() -> None:
    """Of targets for all states and for each, packed together, each state has its own row."""
    m, rng = ts.robots.quadruped(), np.random.default_rng(0)
    foot = PositionTask("front_left_tip", rng.normal(size=(STATES, 3)))
    com = ComTask(rng.normal(size=3))
    com.target_velocity = rng.normal(size=(STATES, 3))
    found = core_of(m, [foot, com]).targets((STATES,))
    assert found is not None
    for k in range(STATES):
        own = [foot.target[k], np.zeros(3), com.target, com.target_velocity[k]]
        assert (found[k] == np.concatenate(own)).all()


def test_one_row_where_all_states_have_the_same() -> None:
    m = ts.robots.quadruped()
    found = core_of(m, [ComTask([0.0, 0.0, 0.3])]).targets((STATES,))
    assert found is not None
    assert found.shape == (1, 6)


@pytest.mark.parametrize("lead", [(2,), (), (STATES, 2)])
def test_targets_that_do_not_fit_the_states_are_none(lead: tuple[int, ...]) -> None:
    task = ComTask(np.zeros((STATES, 3)))
    assert core_of(ts.robots.quadruped(), [task]).targets(lead) is None


def test_rates_are_derivatives() -> None:
    """Targets that move for a short time, beside the rates that are packed."""
    m, rng, h = ts.robots.quadruped(), np.random.default_rng(1), 1e-6
    moved: list[Array] = []
    for sign in (-1.0, 1.0):
        rng = np.random.default_rng(1)
        tasks: list[AimedTask] = [
            FrameTask("front_left_tip"),
            OrientationTask("torso"),
            ComTask(),
        ]
        core = core_of(m, list(tasks))
        for task in tasks:
            velocity, faster = rng.normal(size=(2, STATES, task.velocity_size))
            linear, spin = velocity[:, :3], velocity[:, -3:]
            turns = np.stack([random_rotation(rng) for _ in range(STATES)])
            after = np.stack(
                [expm(sign * h * skew(w)) @ r for w, r in zip(spin, turns, strict=True)]
            )
            place = rng.normal(size=(STATES, 3)) + sign * h * linear
            target = {"FrameTask": ts.spatial.pose(place, after), "OrientationTask": after}
            task.lead(target.get(type(task).__name__, place), velocity + sign * h * faster, faster)
        found, rates = core.targets((STATES,)), core.target_rates((STATES,))
        assert found is not None and rates is not None
        moved += [found, rates]
    slope = (moved[2] - moved[0]) / (2 * h)
    mean = (moved[1] + moved[3]) / 2
    assert slope == pytest.approx(mean, abs=1e-8)


def test_what_is_led_is_what_is_set() -> None:
    """`lead` sets what the three properties do, and what was packed before is not taken again."""
    m, rng = ts.robots.quadruped(), np.random.default_rng(2)
    for task in every_task(m, rng):
        if not isinstance(task, AimedTask) or not known(m, [task]):
            continue
        core = core_of(m, [task])
        motion = rng.normal(size=(2, STATES, task.velocity_size))
        target = np.array(np.broadcast_to(task.target, (STATES, *task.target_shape)))
        core.targets((STATES,))
        task.lead(target, *motion)
        led = core.targets((STATES,)), core.target_rates((STATES,))
        task.target, (task.target_velocity, task.target_acceleration) = target, motion
        again = core.targets((STATES,)), core.target_rates((STATES,))
        for a, b in zip(led, again, strict=True):
            assert a is not None and b is not None and np.array_equal(a, b)
