"""Runs as tables and at any time; many frames in one call."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def run() -> ts.Trajectory:
    robot = ts.robots.quadruped()
    q0 = robot.neutral()
    q0[2] = 1.0
    return ts.Simulation(robot, ground=ts.Ground()).run(q0, duration=0.2)


def test_a_data_frame_has_what_the_run_has(run: ts.Trajectory) -> None:
    table = run.to_pandas()
    assert np.array_equal(table["t [s]"], run.t)
    joint = run.model.joints[-1]
    assert np.array_equal(table[f"q:{joint.name} [rad]"], run.q[:, joint.q_slice.start])
    assert np.array_equal(table["energy:kinetic [J]"], run.energy.kinetic)
    assert len(table) == len(run)


def test_a_batch_has_states_in_its_index() -> None:
    model = ts.robots.compass()
    starts = np.zeros((3, model.nq))
    starts[:, 2] = [0.1, 0.2, 0.3]
    table = ts.Simulation(model).run(starts, duration=0.05).to_pandas()
    assert table.index.names == ["state", "sample"]
    assert table.loc[2].iloc[0][[c for c in table if c.startswith("q:")][2]] == 0.3


def test_between_samples_a_body_turns_evenly(run: ts.Trajectory) -> None:
    q, v = run.at(run.t[7])
    assert np.allclose(q, run.q[7], atol=1e-15) and np.array_equal(v, run.v[7])
    middle, _ = run.at((run.t[7] + run.t[8]) / 2)
    model = run.model
    there, on = model.difference(run.q[7], middle), model.difference(middle, run.q[8])
    assert np.abs(there - on).max() < 1e-12
    many = run.at(run.t[3:6])
    assert many[0].shape == (3, model.nq) and np.allclose(many[0], run.q[3:6], atol=1e-15)
    with pytest.raises(ValueError, match=r"must be from 0 to 0\.2"):
        run.at(0.3)


def test_frames_and_jacobians_of_all_at_once() -> None:
    model = ts.robots.lola()
    q = model.random_configuration(0, 5)
    names = list(model.frame_names)[::7]
    poses = model.frame_poses(q, names)
    for k, name in enumerate(names):
        assert np.abs(poses[:, k] - model.frame_pose(q, name)).max() < 1e-14
    assert model.frame_poses(q[0]).shape == (len(model.frame_names), 4, 4)
    whole = model.all_jacobians(q, reference="world")
    for k, name in enumerate(model.body_names):
        assert np.array_equal(whole[:, k], model.frame_jacobian(q, name, reference="world"))
    with pytest.raises(LookupError, match="torso"):
        model.frame_poses(q, ["torzo"])
