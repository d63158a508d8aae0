"""Putting models down on the ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from touching import MUJOCO, ROBOTS, arm, free_body, robot

import tarsus as ts
from tarsus.geometry import (
    Collision,
    Ground,
    HeightField,
    Profile,
    Steps,
    Terrain,
    height_over_ground,
    stand,
)

GROUNDS: dict[str, Terrain] = {
    "level": Ground(),
    "slope": Ground(slope=0.4),
    "profile": Profile([[-1, 0.2], [0, 0.2], [0, 0.5], [0.7, 0.1], [1.5, 0.4]]),
    "steps": Steps(rise=0.2, depth=0.3, count=4, start=-0.3),
    "field": HeightField.from_function(lambda x, y: 0.1 * np.sin(3 * x) * np.cos(2 * y)),
}


@pytest.mark.parametrize("ground", GROUNDS.values(), ids=GROUNDS)
@pytest.mark.parametrize("name", ["anymal.urdf", "solo12.urdf", "romeo_small.urdf"])
def test_robots_stand_on_every_ground(name: str, ground: Terrain) -> None:
    m = robot(name)
    q = m.random_configuration(0, (2, 3))
    q[..., :3] = np.random.default_rng(0).uniform(-1, 1, (2, 3, 3))
    placed = stand(m, q, ground)
    gap = height_over_ground(m, placed, ground)
    print(f"{name}: gaps of {np.abs(gap).max():.1e} m are left")
    assert placed.shape == q.shape and gap.shape == (2, 3)
    assert np.abs(gap).max() < 1e-11
    same = np.ones(m.nq, bool)
    same[2] = False
    np.testing.assert_array_equal(placed[..., same], q[..., same])
    # a little higher it is free, a little lower it is in the ground
    for change in (0.01, -0.01):
        placed[..., 2] += change
        assert (np.sign(height_over_ground(m, placed, ground)) == np.sign(change)).all()
        placed[..., 2] -= change


def test_heights_are_known() -> None:
    m = free_body("sphere", (0.2,))
    q = m.neutral()
    q[2] = 1.0
    assert height_over_ground(m, q) == pytest.approx(0.8)
    slope = Ground(slope=0.3)
    assert height_over_ground(m, q, slope) == pytest.approx(np.cos(0.3) - 0.2)
    assert stand(m, q, slope)[2] == pytest.approx(0.2 / np.cos(0.3))
    tip = Collision.from_model(m, contact_points={"body": (0, 0, -0.5)})
    assert stand(m, q, collision=tip)[2] == pytest.approx(0.5)


def test_a_quadruped_stands_on_four_feet() -> None:
    m = robot("anymal.urdf")
    q = m.neutral()
    for leg, side in (("LF", 1), ("RF", 1), ("LH", -1), ("RH", -1)):
        q[m.joint(f"{leg}_HFE").q_slice] = 0.6 * side
        q[m.joint(f"{leg}_KFE").q_slice] = -1.2 * side
    placed = stand(m, q)
    print(f"the base is {placed[2]:.4f} m high")
    feet = m.forward_kinematics(placed)
    assert 0.35 < placed[2] < 0.6 and len(feet) == m.n_bodies


@pytest.mark.parametrize("name", ["hopper.xml", "walker2d.xml", "half_cheetah.xml", "humanoid.xml"])
def test_models_that_slide_up_and_down(name: str) -> None:
    m = ts.load(next(file for file in MUJOCO if file.name == name))
    placed = stand(m, m.neutral())
    assert abs(height_over_ground(m, placed)) < 1e-11
    assert (placed != m.neutral()).sum() == 1


def test_a_base_whose_axes_are_turned() -> None:
    b = ts.Builder("turned").body("body", 1.0, inertia=(0.1, 0.1, 0.1))
    b.joint("root", "free", "world", "body", rotation=(0.3, -0.7, 0.2), position=(0.1, 0.2, 0.3))
    m = b.shape("body", "box", (0.2, 0.3, 0.4), role="collision").build()
    placed = stand(m, m.neutral())
    before, after = m.frame_pose(m.neutral(), "body"), m.frame_pose(placed, "body")
    np.testing.assert_allclose(after[:2, 3], before[:2, 3], atol=1e-12)
    assert abs(height_over_ground(m, placed)) < 1e-11


def test_several_trees_need_the_name_of_a_base() -> None:
    b = arm()
    b.body("ball", 1.0, inertia=(0.1, 0.1, 0.1)).joint("fly", "free", "world", "ball")
    m = b.shape("ball", "sphere", (0.1,), role="collision").build()
    q = m.neutral()
    q[2] = 3.0
    with pytest.raises(ts.ModelError, match=r"base is needed: the joint that lifts .*root, fly"):
        stand(m, q)
    with pytest.raises(ts.ModelError, match=r"base is 'ball'.*root, fly"):
        stand(m, q, base="ball")
    placed = stand(m, q, base="fly")
    assert placed[m.joint("fly").q_slice][2] == pytest.approx(0.1)
    assert placed[2] == 3.0


MISTAKES: list[tuple[Any, str]] = [
    (lambda: stand(arm(fixed=True).build(), np.zeros(3)), "no free joint on the world"),
    (lambda: stand(arm().build(), np.zeros(3)), r"q must have shape \(…, 10\), got \(3,\)"),
    (lambda: height_over_ground(robot("human.urdf"), np.zeros(1)), "nothing of .* can touch"),
    (lambda: stand("robot", np.zeros(1)), "model is of type str"),
]


@pytest.mark.parametrize(("call", "message"), MISTAKES)
def test_mistakes_are_named(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_all_robots_are_found() -> None:
    assert len(ROBOTS) == 69
