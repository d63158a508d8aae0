"""The trot and the map of what reflected inertia gets wrong on it."""

from __future__ import annotations

import numpy as np
from tarsus_lab.reproduce.trot import HEIGHT, OFFSETS, PERIOD, rotor_error_map, trot

import tarsus as ts
from tarsus.robots.geared import LEGS


def test_feet_stand_and_swing() -> None:
    m = ts.robots.mini_cheetah("none")
    motion = trot(m, 128)
    for leg in LEGS:
        foot = m.frame_pose(motion.q, f"{leg}_foot")[:, :3, 3]
        stands = (motion.phase - OFFSETS[leg]) % 1.0 < 0.5
        assert np.abs(foot[stands, 2]).max() < 1e-12
        assert foot[~stands, 2].max() > 0.05
        assert np.ptp(foot[stands, 0]) < 1e-12
    assert np.all(motion.q[:, 2] == HEIGHT)


def test_rates_are_those_of_the_motion() -> None:
    m = ts.robots.mini_cheetah("none")
    motion = trot(m, 512)
    step = PERIOD / 512
    rates = m.difference(motion.q[:-2], motion.q[2:]) / (2 * step)
    error = np.abs(rates - motion.v[1:-1]).max()
    bend = np.abs((motion.v[2:] - motion.v[:-2]) / (2 * step) - motion.a[1:-1]).max()
    print(f"rates differ by {error:.1e} rad/s, accelerations by {bend:.1e} rad/s²")
    assert error < 0.01 * np.abs(motion.v).max()
    assert bend < 0.03 * np.abs(motion.a).max()


def test_errors_are_large_where_legs_swing() -> None:
    found = rotor_error_map(64)
    assert len(found.joints) == 12
    assert {errors.shape for errors in found.errors.values()} == {(12, 64)}
    medians = {name: float(np.median(errors)) for name, errors in found.errors.items()}
    print({name: f"{100 * median:.3g} %" for name, median in medians.items()})
    assert medians["A0"] > 0.5
    assert 0.02 < medians["A2"] < 0.08
    assert medians["A3"] < 1e-3
    for leg in LEGS:
        row = found.errors["A2"][found.joints.index(f"{leg}_hip")]
        swings = (found.phases - OFFSETS[leg]) % 1.0 >= 0.5
        assert row[swings].mean() > 5 * row[~swings].mean()
