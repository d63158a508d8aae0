"""Pinocchio as an oracle for derivatives of dynamics, on its own robots and joints.

Carpentier and Mansard 2018, as `computeRNEADerivatives` and `computeABADerivatives` have it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from coriolis_cases import distance
from oracle import Array
from peers import JOINTS, ROBOTS, joints_in_a_row, robot
from test_pinocchio import Pair

MOVING = ("universal", "universal_zx", "spherical_zyx")
"""Joints whose axes move in the body; Pinocchio leaves that out of its derivatives."""


def ordered(pair: Pair, matrix: Any) -> Array:
    return np.array(matrix)[pair.velocities][:, pair.velocities]


def inverse_derivatives(pair: Pair) -> list[Array]:
    arguments = (pair.peer, pair.data, pair.pin_q, pair.pin_v, pair.pin_a, pair.forces)
    return [ordered(pair, part) for part in pin.computeRNEADerivatives(*arguments)]


def forward_derivatives(pair: Pair) -> list[Array]:
    arguments = (pair.peer, pair.data, pair.pin_q, pair.pin_v, pair.pin_tau, pair.forces)
    return [ordered(pair, part) for part in pin.computeABADerivatives(*arguments)]


def agree(name: str, pair: Pair) -> None:
    m, q, v, f = pair.ours, pair.q, pair.v, pair.external
    inverse = m.inverse_dynamics_derivatives(q, v, pair.a, f)
    residual = max(map(distance, inverse, inverse_derivatives(pair)))
    print(f"{name}: inverse {residual:.1e}")
    assert residual < 1e-11
    if (condition := np.linalg.cond(inverse[2])) > 1e12:
        return  # joints that move no inertia
    forward = m.forward_dynamics_derivatives(q, v, pair.tau, f)
    residual = max(map(distance, forward, forward_derivatives(pair)))
    print(f"{name}: forward {residual:.1e}, condition {condition:.0e}")
    assert residual < max(1e-10, 1e-15 * condition)


@pytest.mark.parametrize(("name", "base"), ROBOTS)
def test_robots(name: str, base: Any) -> None:
    agree(name, robot(name, base))


@pytest.mark.parametrize("name", [name for name in JOINTS if name not in MOVING])
def test_joints(name: str) -> None:
    agree(name, joints_in_a_row(name))
