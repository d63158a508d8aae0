"""Pinocchio as an oracle for Coriolis matrices and regressors, on its own robots and joints."""

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
"""Joints whose axes move in the body; Pinocchio leaves that out of its Coriolis matrix."""


def coriolis_matrix(pair: Pair) -> Array:
    """Return Pinocchio's matrix, rows and columns in our order."""
    found = pin.computeCoriolisMatrix(pair.peer, pair.data, pair.pin_q, pair.pin_v)
    return np.array(found)[pair.velocities][:, pair.velocities]


def regressor(pair: Pair) -> Array:
    """Return Pinocchio's regressor with our order of rows and bodies."""
    arguments = (pair.peer, pair.data, pair.pin_q, pair.pin_v, pair.pin_a)
    found = np.array(pin.computeJointTorqueRegressor(*arguments))[pair.velocities]
    bodies = [pair.peer.getJointId(name) - 1 for name in pair.ours.joint_names]
    return found.reshape(len(found), -1, 10)[:, bodies].reshape(len(found), -1)


def parameters(pair: Pair) -> Array:
    """Return what Pinocchio calls the dynamic parameters of the bodies, in our order."""
    ids = [pair.peer.getJointId(name) for name in pair.ours.joint_names]
    return np.array([pair.peer.inertias[i].toDynamicParameters() for i in ids])


def agree(name: str, pair: Pair, moving: bool = False) -> None:
    m, q, v, a = pair.ours, pair.q, pair.v, pair.a
    residuals = {
        "inertial_regressor": distance(m.inertial_regressor(q, v, a), regressor(pair)),
        "inertial_parameters": distance(m.inertial_parameters, parameters(pair)),
    }
    if not moving:
        residuals["coriolis_matrix"] = distance(m.coriolis_matrix(q, v), coriolis_matrix(pair))
    worst = max(residuals, key=residuals.__getitem__)
    print(f"{name}: {residuals[worst]:.1e} ({worst})")
    wrong = {key: value for key, value in residuals.items() if not value < 1e-11}
    assert not wrong, f"{name}: {wrong}"


@pytest.mark.parametrize(("name", "base"), ROBOTS)
def test_robots(name: str, base: Any) -> None:
    agree(name, robot(name, base))


@pytest.mark.parametrize("name", JOINTS)
def test_joints(name: str) -> None:
    agree(name, joints_in_a_row(name), moving=name in MOVING)


@pytest.mark.parametrize("name", MOVING)
def test_axes_that_move_in_the_body(name: str) -> None:
    """Ḣ = C + Cᵀ and C v = bias − gravity hold for our matrix, and not for Pinocchio's."""
    pair = joints_in_a_row(name)
    m, q, v = pair.ours, pair.q, pair.v
    rate, bias = m.mass_matrix_rate(q, v), m.bias_forces(q, v) - m.gravity_forces(q)
    arguments = (pair.peer, pair.data)

    def mass(s: float) -> Array:
        upper = np.triu(pin.crba(*arguments, pin.integrate(pair.peer, pair.pin_q, s * pair.pin_v)))
        whole = upper + np.triu(upper, 1).T
        return np.asarray(whole[pair.velocities][:, pair.velocities])

    # Pinocchio's own mass matrix changes as we say
    from_peer = (mass(1e-5) - mass(-1e-5)) / 2e-5
    assert distance(rate, from_peer) < 1e-8
    ours, theirs = m.coriolis_matrix(q, v), coriolis_matrix(pair)
    for owner, matrix in (("ours", ours), ("Pinocchio's", theirs)):
        print(
            f"{name}, {owner}: Ḣ − C − Cᵀ {distance(matrix + matrix.T, rate):.1e},"
            f" C v {distance(matrix @ v, bias):.1e}"
        )
    assert distance(ours + ours.T, rate) < 1e-12 and distance(ours @ v, bias) < 1e-12
    assert distance(theirs + theirs.T, rate) > 1e-2
