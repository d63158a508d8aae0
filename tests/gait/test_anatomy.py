"""Legs, soles and arms as they are found in machines that are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts
from tarsus.gait import Anatomy
from tarsus.walking.posture import stance

FOUND = {
    "talos_reduced": ("leg_left_6_link", "leg_left_4_joint", "torso_2_link", 6, (0.21, 0.12)),
    "talos": ("leg_left_6_link", "leg_left_4_joint", "torso_2_link", 6, (0.21, 0.12)),
    "g1": ("left_ankle_roll_link", "left_knee_joint", "torso_link", 6, (0.17, 0.06)),
    "romeo": ("l_ankle", "LKneePitch", "torso", 6, (0.19, 0.11)),
    "icub": ("l_ankle_2", "l_knee", "chest", 6, (0.06, 0.13)),
    "bolt": ("FL_LOWER_LEG", "FL_KFE", "base_link", 3, (0.017, 0.01)),
    "lola": ("left_foot", "left_knee_flexion", "torso", 6, (0.2, 0.1)),
}


@pytest.mark.parametrize("name", FOUND)
def test_limbs_are_found(name: str) -> None:
    body = Anatomy.from_model(machine(name))
    foot, knee, torso, freedom, size = FOUND[name]
    print(body)
    assert len(body.legs) == 2
    assert [leg.side for leg in body.legs] == [1, -1]
    assert body.legs[0].end == foot
    assert body.legs[0].bend == knee
    assert body.torso == torso
    assert body.legs[0].freedom == freedom
    assert body.legs[0].sole.size == pytest.approx(size, abs=0.012)
    assert len(body.arms) == (0 if name == "bolt" else 2)


@pytest.mark.parametrize("name", FOUND)
def test_machines_stand_ready(name: str) -> None:
    m = machine(name)
    body = Anatomy.from_model(m)
    q = stance(body)
    soles = [m.frame_pose(q, leg.end) @ leg.sole.placement for leg in body.legs]
    for sole, leg in zip(soles, body.legs, strict=True):
        corners = leg.sole.points @ (m.frame_pose(q, leg.end)[:3, :3].T)
        heights = corners[:, 2] + m.frame_pose(q, leg.end)[2, 3]
        if leg.freedom == 6:
            assert np.abs(heights).max() < 1e-5
            assert sole[:3, :3] == pytest.approx(np.eye(3), abs=1e-5)
        assert sole[:3, 3] == pytest.approx([0.0, leg.side * abs(sole[1, 3]), 0.0], abs=1e-5)
    com = m.center_of_mass(q)
    assert com[:2] == pytest.approx([0.0, 0.0], abs=1e-5)
    own = np.isfinite(m.lower)
    assert (q[own] >= m.lower[own] - 1e-9).all()
    assert (q[own] <= m.upper[own] + 1e-9).all()
    # arms hang beside the trunk, below the shoulders
    for arm in body.arms:
        hand, shoulder = (m.frame_pose(q, each)[:3, 3] for each in (arm.end, arm.root))
        assert hand[2] < shoulder[2]
        assert arm.side * hand[1] > 0.0


def test_a_machine_that_looks_back() -> None:
    """The root of iCub has its x to the back: its left leg is called so."""
    body = Anatomy.from_model(machine("icub"))
    assert body.ahead[0] == -1.0
    q = stance(body)
    assert body.model.frame_pose(q, "l_ankle_2")[1, 3] > 0.0


def test_limbs_that_are_named() -> None:
    m = machine("talos_reduced")
    body = Anatomy.from_model(m, feet=["right_sole_link", "left_sole_link"], arms=[])
    assert [leg.end for leg in body.legs] == ["leg_left_6_link", "leg_right_6_link"]
    assert body.arms == ()
    assert body.torso == "base_link"
    with pytest.raises(ValueError, match="no frame 'sole'"):
        Anatomy.from_model(m, feet=["sole", "left_sole_link"])
    with pytest.raises(ts.ModelError, match="must name frames on two bodies"):
        Anatomy.from_model(m, feet=["left_sole_link"])
    with pytest.raises(TypeError, match="must be a list of names"):
        Anatomy.from_model(m, feet="left_sole_link")


def test_machines_that_cannot_walk() -> None:
    with pytest.raises(ts.ModelError, match="has no free base to walk with"):
        Anatomy.from_model(ts.robots.chain(3))
    b = ts.Builder("stool")
    b.body("seat", 1.0, inertia=(0.1, 0.1, 0.1)).joint("root", "free", "world", "seat")
    with pytest.raises(ts.ModelError, match=r"no limbs that mirror each other .* seat"):
        Anatomy.from_model(b.build())


def test_four_legs_are_no_stance() -> None:
    body = Anatomy.from_model(ts.robots.quadrupeds.anymal().model)
    assert len(body.legs) == 4
    with pytest.raises(ts.ModelError, match="has 4 legs"):
        stance(body)


def test_shanks_that_hang_down_end_in_points() -> None:
    """What can touch of such a leg is an edge along the vertical: it stands on its end."""
    file = Path(__file__).parents[2] / "examples" / "quadruped.urdf"
    body = Anatomy.from_model(ts.load(file, base="free"))
    assert len(body.legs) == 4
    assert all(leg.sole.size == pytest.approx([0.0, 0.0], abs=0.02) for leg in body.legs)
    with pytest.raises(ts.ModelError, match="has 4 legs"):
        ts.walking.walk(body)


def test_stances_on_slopes() -> None:
    m = machine("talos_reduced")
    body = Anatomy.from_model(m)
    ground = ts.Ground(slope=0.14)
    steps = ts.walking.plans.Footsteps.steady(steps=1, width=0.2, start=(0.3, 0.1, 0.5))
    poses = steps.on(ground, body.legs[0].sole.corners).poses[[1, 0]]
    q = stance(body, soles=poses)
    for leg, wanted in zip(body.legs, poses, strict=True):
        assert m.frame_pose(q, leg.end) @ leg.sole.placement == pytest.approx(wanted, abs=1e-5)
    assert m.center_of_mass(q)[:2] == pytest.approx([0.3, 0.1], abs=1e-4)
