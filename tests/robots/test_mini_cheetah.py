"""The quadruped with rotors: its numbers, its symmetry, and what approximations get wrong."""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.reproduce.rotor_models import RotorModels

import tarsus as ts

# medians over random states of the relative error of joint accelerations [%], computed with an
# independent prototype; states differ, so they are compared roughly
MEDIANS = {"A0": 742.0, "A1": 7.7, "A2": 8.1, "A3": 0.04}


def test_sizes() -> None:
    for rotors, mass in (("exact", 8.912), ("reflected", 8.912), ("none", 8.252)):
        m = ts.robots.mini_cheetah(rotors)  # type: ignore[arg-type]
        assert (m.nq, m.nv) == (19, 18)
        assert m.total_mass == pytest.approx(mass)
    assert len(ts.robots.mini_cheetah().motors) == 12


def test_reflected_inertias() -> None:
    m = ts.robots.mini_cheetah("reflected")
    for joint, armature in (("abduction", 0.002268), ("hip", 0.002268), ("knee", 0.0054840)):
        assert m.joint(f"hind_left_{joint}").armature[0] == pytest.approx(armature, rel=1e-4)


def test_feet_are_below_the_hips() -> None:
    m = ts.robots.mini_cheetah()
    for leg, (x, y) in (("front_left", (0.19, 0.111)), ("hind_right", (-0.19, -0.111))):
        pose = m.frame_pose(m.neutral(), f"{leg}_foot")
        np.testing.assert_allclose(pose[:3, 3], [x, y, -0.404], atol=1e-12)


def test_left_and_right_are_mirrored() -> None:
    """The kinetic energy of a motion is that of its mirror image."""
    m, rng = ts.robots.mini_cheetah(), np.random.default_rng(0)
    q, v = m.neutral(), rng.normal(size=m.nv)
    q[7:] = rng.normal(size=12)
    mirrored_q, mirrored_v = q.copy(), v.copy()
    mirrored_v[:6] *= [1, -1, 1, -1, 1, -1]
    for end in ("front", "hind"):
        for joint, sign in (("abduction", -1.0), ("hip", 1.0), ("knee", 1.0)):
            left, right = (m.joint(f"{end}_{side}_{joint}") for side in ("left", "right"))
            for a, b in ((left, right), (right, left)):
                mirrored_q[a.q_slice] = sign * q[b.q_slice]
                mirrored_v[a.v_slice] = sign * v[b.v_slice]
    energies = m.kinetic_energy(q, v), m.kinetic_energy(mirrored_q, mirrored_v)
    print(f"kinetic energies differ by {energies[0] - energies[1]:.1e} J")
    assert energies[0] == pytest.approx(energies[1], rel=1e-12)


def test_errors_of_approximations() -> None:
    models, rng = RotorModels.make(ts.robots.mini_cheetah), np.random.default_rng(0)
    q = models.exact.random_configuration(rng, 200)
    v, tau = 8.0 * rng.normal(size=(2, 200, 18))
    v[:, :6], tau[:, :6] = v[:, :6] / 8.0, 0.0
    found = models.accelerations(q, v, tau)
    exact = found["A4"][:, 6:]
    for name, expected in MEDIANS.items():
        errors = np.linalg.norm(found[name][:, 6:] - exact, axis=1) / np.linalg.norm(exact, axis=1)
        median = 100 * np.median(errors)
        print(f"{name}: {median:.3g} % (prototype {expected} %)")
        assert 0.7 * expected < median < 1.4 * expected


def test_unknown_rotors() -> None:
    with pytest.raises(ValueError, match="rotors is 'some', must be one of 'exact', 'reflected'"):
        ts.robots.mini_cheetah("some")  # type: ignore[arg-type]
