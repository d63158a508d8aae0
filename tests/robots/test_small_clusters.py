"""The five-body example of a thesis, and the differential."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts


def test_clusters_of_five_bodies() -> None:
    """B2, B3 and B4 are one sub-system; B5 hangs on a member of it (Schwienbacher, Fig. 2.12)."""
    m = ts.robots.five_bodies()
    groups = [set(cluster.bodies) for cluster in m.clusters]
    assert groups == [{"B1"}, {"B2", "B3", "B4"}, {"B5"}]
    assert (m.nq, m.nv) == (4, 4)


def test_the_function_of_five_bodies() -> None:
    m = ts.robots.five_bodies()
    q = np.array([0.3, 0.8, 0.2, -0.5])
    turned = m.joint_positions(q)[m.joint("q4").position_slice]
    np.testing.assert_allclose(turned, np.sin(0.8) + 0.8 * 0.2**2, rtol=1e-14)


def test_differential() -> None:
    m = ts.robots.differential()
    assert (m.nq, m.nv, len(m.clusters)) == (2, 2, 1)
    pitch, roll = m.joint("pitch"), m.joint("roll")
    q = np.zeros(2)
    q[pitch.q_slice], q[roll.q_slice] = 0.7, 0.2
    x = m.joint_positions(q)
    for gear, angle in (("left", 0.9), ("right", 0.5)):
        np.testing.assert_allclose(x[m.joint(gear).position_slice], angle, rtol=1e-14)
    # torques on the gears act on both axes: gears alike pitch, gears against each other roll
    H = m.mass_matrix(np.zeros(2))
    spin = 2 * 6e-5
    carrier_and_hand = ts.Model(plain(m)).mass_matrix(np.zeros(4))
    np.testing.assert_allclose(H, carrier_and_hand[:2, :2] + spin * np.eye(2), rtol=1e-12)


def plain(m: ts.Model) -> ts.Description:
    """Return the mechanism without its coupling."""
    return replace(m.description, couplings=[])


def test_geared_pendulum() -> None:
    """A rotor of 1e-4 kg m² at a ratio of 100 adds 1 kg m² to a rod of 1 kg and 1 m."""
    for ratio, expected in ((100.0, -3.678750), (0.0, -14.715)):
        b = ts.Builder("pendulum", gravity=(0.0, -9.81, 0.0))
        b.body("rod", 1.0, (0.5, 0.0, 0.0), (1e-3, 1 / 12, 1 / 12))
        b.joint("hinge", "revolute", "world", "rod")
        b.body("rotor", 0.1, inertia=(1e-4, 1e-4, 1e-4))
        b.gear("hinge", ratio, "rotor")
        found = b.build().forward_dynamics(np.zeros(1), np.zeros(1), np.zeros(1))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


# yaw of the camera, angle of the lever, and its derivative
VERGENCE = (
    (0.0, 1.2, 0.7956445685),
    (0.1, 1.252093109, 0.2660605625),
    (-0.1, 1.088107960, 1.4736682089),
)


def vergence() -> ts.Model:
    """A lever about x that turns a camera about y by a coupler: Schwienbacher, section 3.4."""
    b = ts.Builder("vergence")
    for name in ("camera", "lever"):
        b.body(name, 0.1, inertia=(1e-4, 1e-4, 1e-4))
    b.joint("yaw", "revolute", "world", "camera", position=(0.05, 0.0, 0.06), axis="y")
    b.joint("lever", "revolute", "world", "lever", axis="x")
    b.close_loop(
        *("distance", "camera", (-0.02, 0.0, -0.03), "lever", (0.0, 0.0, 0.02)),
        name="coupler",
        length=0.04201393452924865,
        independent=["yaw"],
        start={"lever": 1.2},
    )
    return b.build()


@pytest.mark.parametrize(("yaw", "lever", "ratio"), VERGENCE)
def test_camera_vergence(yaw: float, lever: float, ratio: float) -> None:
    m = vergence()
    q = m.integrate(m.neutral(), np.array([yaw]))
    np.testing.assert_allclose(q[m.joint("lever").q_slice], lever, rtol=1e-9)
    rate = m.coupling_matrix(q)[m.joint("lever").velocity_slice]
    np.testing.assert_allclose(rate, [[ratio]], rtol=1e-8)


def test_a_camera_out_of_reach() -> None:
    m = vergence()
    with pytest.raises(ArithmeticError, match="coupler"):
        m.integrate(m.neutral(), np.array([1.2]))
