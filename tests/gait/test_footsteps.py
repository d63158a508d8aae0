"""Footsteps: lines, arcs, aside, on the spot, along paths and on grounds."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.walking.plans import Footsteps

SOLE = np.array([[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]])


def test_straight_steps() -> None:
    steps = Footsteps.steady(steps=6, width=0.2, length=0.3)
    assert steps.steps == 6
    assert steps.position[:, 1] == pytest.approx(0.1 * steps.side)
    # two that stand, a half, full ones, and the last beside the one before
    assert steps.position[:, 0] == pytest.approx([0, 0, 0.15, 0.45, 0.75, 1.05, 1.35, 1.35])
    assert np.abs(steps.yaw).max() == 0.0


def test_an_arc_is_an_arc() -> None:
    """Bodies between the feet are on a circle of radius length/turn, looking along it."""
    steps = Footsteps.steady(steps=9, width=0.2, length=0.2, turn=0.25)
    radius = 0.2 / 0.25
    outer = np.hypot(steps.position[:, 0], steps.position[:, 1] - radius)
    assert outer == pytest.approx(radius - 0.1 * steps.side)
    along = np.arctan2(steps.position[:, 0], radius - steps.position[:, 1])
    assert np.unwrap(along) == pytest.approx(steps.yaw)


def test_on_the_spot_and_aside() -> None:
    turning = Footsteps.steady(steps=5, width=0.2, turn=0.3)
    assert np.hypot(*turning.position[:, :2].T) == pytest.approx(np.full(7, 0.1))
    assert turning.side[0] == 1  # the foot on the inside goes first
    aside = Footsteps.steady(steps=5, width=0.2, sideways=-0.06, least=0.13)
    assert aside.side[0] == -1
    apart = np.abs(np.diff(aside.position[:, 1]))
    assert apart.min() == pytest.approx(0.14)
    with pytest.raises(ValueError, match=r"sideways is 0.1: soles .* as near as 0.1 m"):
        Footsteps.steady(steps=5, width=0.2, sideways=0.1, least=0.12)


def test_batches() -> None:
    many = Footsteps.steady(steps=4, width=0.2, length=[0.1, 0.2, 0.3], turn=0.1)
    assert many.position.shape == (3, 6, 3)
    one = Footsteps.steady(steps=4, width=0.2, length=0.2, turn=0.1)
    assert many.position[1] == pytest.approx(one.position)


def test_along_a_path() -> None:
    path = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    steps = Footsteps.along(path, width=0.2, length=0.25)
    middle = (steps.position[-2:]).mean(axis=0)
    assert middle[:2] == pytest.approx([1.0, 1.0])
    assert steps.yaw[-1] == pytest.approx(np.pi / 2)
    assert np.abs(np.diff(steps.yaw)).max() < 0.36
    with pytest.raises(ValueError, match="two equal points"):
        Footsteps.along([(0.0, 0.0), (0.0, 0.0)], width=0.2, length=0.2)


def test_soles_stand_on_treads() -> None:
    ground = ts.Steps(rise=0.1, depth=0.3, count=4, start=0.4)
    steps = Footsteps.steady(steps=14, width=0.2, length=0.15).on(ground, SOLE)
    corners = steps.position[:, None, :2] + SOLE
    heights = ground.height(corners[..., 0], corners[..., 1])
    assert np.ptp(heights, axis=1).max() < 1e-12
    assert steps.position[:, 2] == pytest.approx(heights.mean(axis=1))
    assert steps.position[-1, 2] == pytest.approx(0.4)
    assert np.diff(steps.position[:, 2]).min() >= -1e-12


def test_soles_lie_on_slopes() -> None:
    ground = ts.Ground(slope=0.14)
    steps = Footsteps.steady(steps=4, width=0.2, length=0.2, turn=0.4).on(ground, SOLE)
    assert steps.normal == pytest.approx(ground.normal(*steps.position[:, :2].T))
    assert steps.position[:, 2] == pytest.approx(ground.height(*steps.position[:, :2].T))
    rotation = steps.poses[:, :3, :3]
    assert rotation @ np.swapaxes(rotation, -1, -2) == pytest.approx(
        np.broadcast_to(np.eye(3), rotation.shape), abs=1e-12
    )
    assert np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0]) == pytest.approx(steps.yaw)


def test_where_there_is_nothing_flat() -> None:
    rough = ts.HeightField.from_function(
        lambda x, y: 0.1 * np.sin(20.0 * x) * np.sin(20.0 * y), spacing=0.02
    )
    with pytest.raises(ValueError, match=r"step \d+ finds nothing flat within 0.15 m"):
        Footsteps.steady(steps=4, width=0.2, length=0.2).on(rough, SOLE)


def test_what_is_wrong_is_named() -> None:
    steps = Footsteps.steady(steps=2, width=0.2)
    with pytest.raises(ValueError, match="side is"):
        Footsteps(np.array([1, 1, -1]), steps.position, steps.yaw, steps.normal)
    with pytest.raises(ValueError, match=r"yaw has shape \(3,\)"):
        Footsteps(steps.side, steps.position, steps.yaw[:3], steps.normal)
