"""Linkages whose loops are constraints move as those whose loops are in clusters.

Their loops lie in a plane: some rows vanish but for round-off, which random machines never have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tarsus as ts

METHODS: tuple[Any, ...] = ("articulated", "sparse", "dense")


def with_constraints(model: ts.Model) -> ts.Model:
    """Return the same mechanism with all loops as constraints."""
    description = model.description
    loops = [replace(loop, constraint=True, independent=None) for loop in description.loops]
    return ts.Model(replace(description, loops=loops))


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "strandbeest_leg"])
def test_linkages(name: str) -> None:
    """Both ways give the same accelerations of all joints, by every method."""
    model = getattr(ts.robots, name)()
    free = with_constraints(model)
    q, v, tau = model.neutral(), np.array([0.7]), np.array([0.3])
    (own,) = (joint for joint in model.joints if joint.own_velocities)

    def in_order(values: np.ndarray) -> np.ndarray:
        out = np.zeros(free.nv)
        for joint in model.joints:
            out[free.joint(joint.name).v_slice] = values[joint.velocity_slice]
        return out

    forces = np.zeros(free.nv)
    forces[free.joint(own.name).v_slice] = tau
    x, w = in_order(model.joint_positions(q)), in_order(model.joint_velocities(q, v))
    expected = in_order(model.joint_accelerations(q, v, model.forward_dynamics(q, v, tau)))
    for method in METHODS:
        found = free.forward_dynamics(x, w, forces, method=method)
        residual = np.abs(found - expected).max() / np.abs(expected).max()
        print(f"{name}, {method}: {residual:.1e}")
        assert residual < 1e-12
