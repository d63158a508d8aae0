"""Motions with known numbers, by every integrator: bars in free space, a four-bar, a spinning body.

The numbers are those of Schröder 1990, computed anew to more digits, and a formulation of the same
chains in NumPy that shares nothing with the library (`bars.PlanarChain`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from bars import ARM, INERTIA, PlanarChain, chain, four_bar, turn_last

import tarsus as ts
from tarsus import integrators

TIGHT: list[Any] = [
    integrators.RK4(),
    integrators.Gauss(),
    integrators.DormandPrince(1e-10, 1e-11),
    integrators.Radau(1e-10, 1e-11),
    integrators.Adams(1e-11, 1e-12),
]


def name_of(integrator: Any) -> str:
    return str(integrator.name)


@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
def test_a_body_without_torque(integrator: Any) -> None:
    b = ts.Builder("body", gravity=(0.0, 0.0, 0.0))
    b.body("body", 1.0, inertia=(1.0, 2.0, 3.0)).joint("ball", "spherical", "world", "body")
    m = b.build()
    run = ts.Simulation(m, dt=1e-2, integrator=integrator).run(None, [0.3, 2.0, 0.1], duration=5.0)
    golden = [
        [-0.89805649, -0.12151512, -0.42276307],
        [0.28238156, -0.89616727, -0.34226435],
        [-0.33727613, -0.42675321, 0.83912246],
    ]
    pose = m.forward_kinematics(run.q[-1])[0]
    np.testing.assert_allclose(
        pose[:3, :3], golden, atol=1e-7 if integrator.name == "rk4" else 1e-8
    )
    np.testing.assert_allclose(np.linalg.norm(run.q, axis=-1), 1.0, atol=1e-15)


@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
@pytest.mark.parametrize("root", [0, 1, 2])
@pytest.mark.parametrize("idle", [0, 3])
def test_three_bars_by_any_root(integrator: Any, root: int, idle: int) -> None:
    m = chain(3, root, joint="free" if root == 1 else "planar", idle=idle)
    if root == 2:  # only the last bar turns: about its hinge, seen from its own centre
        v = np.zeros(m.nv)
        v[m.joint("root").v_slice] = [0.0, 0.4, 0.1]
        v[m.joint("hinge_1").v_slice] = -0.1
    else:
        v = turn_last(m, 3, 0.1)
    run = ts.Simulation(m, dt=2e-2, integrator=integrator).run(None, v, duration=1.0, every=50)
    seen = m.frame_velocity(run.q[-1], run.v[-1], "bar_1")
    if root != 1:  # its frame is at a hinge, not at its centre
        arm = np.array([4.0 if root == 0 else -4.0, 0.0, 0.0])
        seen[:3] += np.cross(seen[3:], arm)
    np.testing.assert_allclose(seen[[5, 0, 1]], [3.192743e-4, 1.3266748e-2, 9.180747e-4], rtol=1e-6)


@pytest.mark.parametrize(
    ("integrator", "dt"),
    [(integrators.Gauss(), 0.5), (integrators.Radau(1e-10, 1e-11), 10.0)],
    ids=["gauss", "radau"],
)
def test_nine_minutes_of_three_bars_keep_their_energy(integrator: Any, dt: float) -> None:
    m = chain(3)
    run = ts.Simulation(m, dt=dt, integrator=integrator).run(
        None, turn_last(m, 3, 0.1), duration=540.0
    )
    assert run.energy.stored[0] == pytest.approx(0.12208333, abs=1e-8)
    off = np.abs(run.energy.residual).max() / run.energy.stored[0]
    print(f"{integrator.name}: {off:.1e} of the energy, {run.integration}")
    assert off < (1e-13 if integrator.name == "gauss" else 1e-8)


@pytest.mark.parametrize("constraint", [False, True])
@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
def test_a_four_bar_falls(integrator: Any, constraint: bool) -> None:
    m = four_bar(constraint=constraint)
    dt = 1e-3 if integrator.name == "rk4" else 1e-2
    run = ts.Simulation(m, dt=dt, integrator=integrator).run(duration=2.0)
    at = np.rint(np.array([0.25, 0.5, 1.0, 2.0]) / dt).astype(int)
    golden = [0.89862546, 0.24115860, -1.79295103, -4.47082553]
    np.testing.assert_allclose(run.q[at, 0], golden, atol=2e-8)
    assert np.abs(run.loop_gaps).max() < 1e-12
    # energy that was moved: some 30 J
    assert np.abs(run.energy.residual).max() < 1e-6


@pytest.mark.parametrize("constraint", [False, True])
def test_ten_minutes_of_a_four_bar_keep_their_energy(constraint: bool) -> None:
    m = four_bar(constraint=constraint)
    run = ts.Simulation(m, dt=0.04, integrator="gauss").run(duration=600.0, every=5)
    relative = run.energy.residual / run.energy.kinetic.max()
    parts = relative[: 3000 // 6 * 6].reshape(6, -1)
    print(f"error {np.abs(relative).max():.1e}, means {parts.mean(axis=1)}")
    assert np.abs(relative).max() < 1e-10
    # no trend: the means of six parts differ by less than the error that is allowed, by far
    assert np.ptp(parts.mean(axis=1)) < 1e-11
    assert np.abs(run.loop_gaps).max() < 1e-10


COUPLE = np.array([0.0, 1.0, 0.0, 0.0])
"""A pure couple of 1 N m on the second of four bars."""


@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
def test_four_bars_under_a_couple(integrator: Any) -> None:
    times = [5.0, 15.0]
    oracle = PlanarChain(4, COUPLE, np.zeros(4)).angles(times)
    golden = [-0.32174333, 0.52994055, -0.27346994, 0.02731349]
    np.testing.assert_allclose(oracle[0], golden, atol=1e-8)
    m = chain(4)
    tau = np.zeros(m.nv)
    tau[2] = tau[3] = 1.0  # the second bar's angle is that of the first and the first hinge's
    # held: efforts that do not change are no callable
    run = ts.Simulation(m, dt=0.05, integrator=integrator).run(
        duration=15.0, controller=lambda t, q, v: tau
    )
    angles = np.cumsum(run.q[[100, 300], 2:], axis=1)
    np.testing.assert_allclose(angles, oracle, atol=1e-6)


@pytest.mark.parametrize("integrator", TIGHT, ids=name_of)
def test_four_bars_whose_tip_is_held(integrator: Any) -> None:
    m = held_tip()
    tau = np.zeros(m.nv)
    tau[2] = tau[3] = 1.0
    run = ts.Simulation(m, dt=0.05, integrator=integrator).run(
        duration=15.0, controller=lambda t, q, v: tau
    )
    angles = np.cumsum(run.q[[100, 300], 2:], axis=1)
    golden = [
        [-0.29414678, 0.47889023, -0.22265103, 0.0],
        [-0.10668120, 2.31753131, -0.22570741, 0.0],
    ]
    np.testing.assert_allclose(angles, golden, atol=1e-6)
    assert np.abs(run.loop_gaps).max() < 1e-10  # 1990: up to 2 cm


def held_tip() -> ts.Model:
    """Return four bars, the last of which is held where it is by a loop outside the clusters."""
    b = ts.Builder("held", gravity=(0.0, 0.0, 0.0))
    b.body("bar_0", 1.0, inertia=INERTIA).joint("root", "planar", "world", "bar_0")
    for k in range(1, 4):
        b.body(f"bar_{k}", 1.0, com=(ARM, 0.0, 0.0), inertia=INERTIA)
        at = (ARM if k == 1 else 2 * ARM, 0.0, 0.0)
        b.joint(f"hinge_{k}", "revolute", f"bar_{k - 1}", f"bar_{k}", position=at, axis="z")
    place = np.eye(4)
    place[0, 3] = 5 * ARM
    b.close_loop("weld", "world", place, "bar_3", np.eye(4), name="nail", constraint=True)
    return b.build()
