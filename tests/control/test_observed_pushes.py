"""Pushes on a robot that stands: felt by the momentum observer, with known forces of contacts."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Array
from whole_bodies import Body, talos

import tarsus as ts
from tarsus.control import WholeBody
from tarsus.estimation import MomentumObserver
from tarsus.ik import ComTask, OrientationTask, PostureTask

pytest.importorskip("pinocchio")  # whose package of robots this is

PUSH = np.array([40.0, -25.0, 10.0])
POINT = np.array([0.1, 0.05, 0.2])
START = 0.15


@pytest.fixture(scope="module")
def body() -> Body:
    """Return Talos."""
    return talos()


@pytest.fixture(scope="module")
def pushed(body: Body) -> ts.Trajectory:
    """Return it standing, pushed at its torso from a time on."""
    m, q = body.model, body.q
    tasks = [
        ComTask(m.center_of_mass(q), weight=10.0, gain=6.0),
        OrientationTask(body.torso, m.frame_pose(q, body.torso)[:3, :3], gain=8.0),
        PostureTask(q, weight=1e-2, gain=8.0, level=0),
    ]
    law = WholeBody(m, tasks, body.contacts())
    push = ts.Push(body.torso, force=PUSH, point=POINT, start=START)
    return body.simulation().run(q, duration=0.45, controller=law, external=[push])


def felt_by(run: ts.Trajectory, sole: str, k: int) -> Array:
    """Return the wrench at a sole in the step to sample k, as a sensor in the foot measures it."""
    place, total = run.model.frame_pose(run.q[k], sole)[:3, 3], np.zeros(6)
    for contact in run.contacts.at(k):
        if contact.link == sole:
            total[:3] += contact.force
            total[3:] += np.cross(contact.point - place, contact.force)
    return total


def test_a_push_on_the_torso_is_felt_as_a_wrench(body: Body, pushed: ts.Trajectory) -> None:
    m = body.model
    observer = MomentumObserver(m, 60.0, held=True, passive=True)
    found, left = [], []
    for k, t in enumerate(pushed.t):
        known = {sole: felt_by(pushed, sole, k) for sole in body.corners}
        observer.update(float(t), pushed.q[k], pushed.v[k], pushed.tau[max(k - 1, 0)], known)
        wrench, rest = observer.wrench(pushed.q[k], body.torso)
        found.append(wrench)
        left.append(rest)
    before = np.abs(np.array(found)[(pushed.t > 0.05) & (pushed.t < START)]).max()
    arm = m.frame_pose(pushed.q[-1], body.torso)[:3, :3] @ POINT
    expected = np.concatenate([PUSH, np.cross(arm, PUSH)])
    print(f"before {before:.2f}, after {found[-1].round(1)}, expected {expected.round(1)}")
    elsewhere = observer.wrench(pushed.q[-1], "arm_left_7_link")[1]
    print(f"unexplained {left[-1]:.2f}, elsewhere {elsewhere:.1f}")
    assert before < 3.0
    assert np.abs(found[-1] - expected)[:3].max() < 3.0
    assert np.abs(found[-1] - expected)[3:].max() < 3.0
    assert left[-1] < 3.0 < elsewhere


def test_a_wrench_that_is_known_is_not_felt(body: Body, pushed: ts.Trajectory) -> None:
    m = body.model
    observer = MomentumObserver(m, 60.0, held=True, passive=True)
    for k, t in enumerate(pushed.t):
        known = {sole: felt_by(pushed, sole, k) for sole in body.corners}
        arm = m.frame_pose(pushed.q[k], body.torso)[:3, :3] @ POINT
        on = float(t > START + 1e-9)
        known[body.torso] = on * np.concatenate([PUSH, np.cross(arm, PUSH)])
        observer.update(float(t), pushed.q[k], pushed.v[k], pushed.tau[max(k - 1, 0)], known)
    print(f"left {np.abs(observer.residual).max():.2f}")
    assert np.abs(observer.residual).max() < 3.0


def test_wrong_wrenches_are_named(body: Body) -> None:
    m, observer = body.model, MomentumObserver(body.model, 60.0)
    with pytest.raises(ValueError, match="wrench at 'torso_2_link' has shape"):
        observer.update(0.0, body.q, np.zeros(m.nv), np.zeros(m.nv), {body.torso: np.zeros(3)})
    with pytest.raises(ValueError, match="frame 'hat'"):
        observer.update(0.0, body.q, np.zeros(m.nv), np.zeros(m.nv), {"hat": np.zeros(6)})
