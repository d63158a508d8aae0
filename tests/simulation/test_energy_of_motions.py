"""The ledger of an interactive motion is that of a run of the same steps."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts


def test_a_motion_counts_as_a_run_does() -> None:
    scene = ts.scenes.tensegrity()
    q0, v0 = scene.q0, scene.v0
    run = scene.simulation().run(q0, v0, duration=0.5)
    motion = scene.simulation()
    motion.reset(q0, v0, ledger=True)
    motion.step(steps=len(run.t) - 1)
    now = motion.energy_now()
    for name in now.names:
        print(name, getattr(now, name)[0], getattr(run.energy, name)[-1])
        assert getattr(now, name)[0] == getattr(run.energy, name)[-1]
    assert now.by_part()["stringB1"][0][0] == run.energy.by_part()["stringB1"][0][-1]


def test_contacts_too_and_after_a_snapshot() -> None:
    robot = ts.robots.quadruped()
    motion = ts.Simulation(robot, ground=ts.Ground())
    q0 = robot.neutral()
    q0[2] = 1.0
    run = motion.run(q0, duration=0.6)
    motion.reset(q0, ledger=True)
    motion.step(steps=300)
    middle = motion.snapshot()
    motion.step(steps=17)
    motion.restore(middle)
    motion.step(steps=len(run.t) - 301)
    now = motion.energy_now()
    assert now.contact_friction[0] == run.energy.contact_friction[-1] != 0.0
    assert now.impacts[0] == run.energy.impacts[-1] != 0.0


def test_batches_have_one_a_state() -> None:
    robot = ts.robots.compass()
    motion = ts.Simulation(robot)
    motion.reset(np.zeros((3, robot.nq)), np.ones((3, robot.nv)), ledger=True)
    motion.step(steps=5)
    assert motion.energy_now().kinetic.shape == (3, 1)


def test_works_that_nobody_counted_are_no_zeros() -> None:
    robot = ts.robots.compass()
    motion = ts.Simulation(robot)
    motion.reset(np.zeros(robot.nq))
    with pytest.raises(RuntimeError, match="ledger=True"):
        motion.energy_now()
