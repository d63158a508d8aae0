"""One step of the simulation as an impact: golden impulses, solvers, and the bound of springs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tarsus_lab.reproduce.contact_5_2 import landing
from tarsus_lab.reproduce.contact_pgs import projected_gauss_seidel

import tarsus as ts
from tarsus.robots.quadrupeds import TIPS, quadruped, standing

FALL = np.sqrt(2 * 9.81 * 0.5)
DT = 1e-9
"""A step in which nothing but the impact happens [s]."""


def land(law: object, friction: float, restitution: float) -> tuple[np.ndarray, np.ndarray]:
    """Return impulses (4, 3) and velocities (4, 3) of the tips after posture P1 lands."""
    m = ts.Model(replace(quadruped().description, gravity=np.zeros(3)))
    q, v = standing(m), np.zeros(m.nv)
    v[2] = -FALL
    simulation = ts.Simulation(
        m,
        ground=ts.Ground(friction=friction, restitution=restitution),
        collision=ts.Collision.from_model(m, TIPS),
        contact=law,  # type: ignore[arg-type]
        dt=DT,
        joint_friction=False,
    )
    run = simulation.run(q, v, duration=DT)
    impulses = np.array([contact.force * DT for contact in run.contacts.at(1)])
    tips = [
        m.frame_velocity(run.q[1], run.v[1], tip, reference="local_world_aligned")[:3]
        for tip in TIPS
    ]
    return impulses, np.array(tips)


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "law",
    [ts.contact.Exact(), ts.contact.Exact(solver="pgs"), ts.contact.Lemke(facets=0)],
    ids=["newton", "pgs", "lemke"],
)
def test_impact_without_friction(law: object, restitution: float) -> None:
    """10.8984 (1 + ε) N s on each foot (Ayit 4.13, 4.14)."""
    impulses, after = land(law, 0.0, restitution)
    print(f"ε = {restitution}: {impulses[:, 2]} N s, then {after[:, 2]} m/s")
    np.testing.assert_allclose(impulses[:, 2], 10.8984 * (1 + restitution), atol=1e-4)
    np.testing.assert_allclose(after[:, 2], restitution * FALL, atol=1e-7)


@pytest.mark.parametrize("solver", ["newton", "pgs"])
def test_impact_that_sticks(solver: str) -> None:
    """14.0375 N s along the normal, 4.0672 N s across, with μ = 0.3: no foot slips."""
    law = ts.contact.Exact(solver=solver, tolerance=1e-13)  # type: ignore[arg-type]
    impulses, after = land(law, 0.3, 0.0)
    across = np.linalg.norm(impulses[:, :2], axis=1)
    print(f"{solver}: {impulses[:, 2]}, {across} N s, then {np.abs(after).max():.1e} m/s")
    np.testing.assert_allclose(impulses[:, 2], 14.0375, atol=1e-4)
    np.testing.assert_allclose(across, 4.0672, atol=1e-4)
    # velocities after the step are those at its end, a nanosecond later
    assert np.abs(after).max() < 1e-7


def test_lemke_and_gauss_seidel_agree() -> None:
    lemke, _ = land(ts.contact.Lemke(facets=0), 0.0, 0.0)
    block, _ = land(ts.contact.Exact(tolerance=1e-14), 0.0, 0.0)
    apart = np.abs(lemke - block).max()
    print(f"impulses differ by {apart:.1e} N s")
    assert apart < 1e-7


def test_core_operator_in_p1() -> None:
    """λ⁻¹ of the right hind foot, by test forces through the recursion, to all digits."""
    m = quadruped()
    parts = ts.Collision.from_model(m, TIPS).arguments
    world = ts._core.World(
        m,
        dt=1e-3,
        ground_kind="plane",
        ground_numbers=np.array([0.0, 0.0, 1.0, 0.0]),
        max_contacts=4,
        law_numbers={},
        stiction=np.zeros(m.nv),
        effort=np.full(m.nv, np.inf),
        **parts,
    )
    A, J = world.operator(standing(m)[None], np.array([0], np.int32))
    # rows are normal and two tangents: the tangents as the core chooses them
    axes = np.array(J[0])[:, :3]
    block = np.linalg.solve(axes, np.linalg.solve(axes, A[0].T).T)
    golden = [
        [0.765492, 0.000378, -0.221659],
        [0.000378, 0.274193, -0.000333],
        [-0.221659, -0.000333, 0.287374],
    ]
    print(block)
    np.testing.assert_allclose(block, golden, atol=1e-6)


@pytest.mark.parametrize(("tolerance", "most"), [(1e-6, 12), (1e-10, 26), (1e-12, 34)])
def test_iterations_of_gauss_seidel(tolerance: float, most: int) -> None:
    inverse, velocity = landing()
    found = projected_gauss_seidel(inverse, velocity, 0.3, tolerance=tolerance)
    print(f"{found.iterations} iterations to {tolerance}")
    assert 3 < found.iterations <= most
    np.testing.assert_allclose(found.impulse[:, 2], 14.0375, atol=1e-3)


def test_gauss_seidel_stops_at_its_cap_and_without_forces() -> None:
    inverse, velocity = landing()
    endless = projected_gauss_seidel(inverse, velocity, 0.3, tolerance=1e-20)
    # unless nothing changes any more, to the last digit
    assert endless.iterations == 100 or endless.change == 0.0
    assert np.isfinite(endless.impulse).all()
    leaving = projected_gauss_seidel(inverse, -velocity, 0.3)
    assert leaving.iterations == 1
    assert not leaving.impulse.any()


@pytest.mark.parametrize("damping", [0.0, 1000.0, 3000.0])
@pytest.mark.parametrize("side", [0.98, 1.02])
def test_springs_explode_beyond_their_bound(damping: float, side: float) -> None:
    """A mass m on a spring and a damper: stable if K dt²/m + 2 D dt/m < 4 and D dt/m < 2."""
    mass, dt = 2.0, 1e-3
    stiffness = side * (4.0 - 2.0 * damping * dt / mass) * mass / dt**2
    builder = ts.Builder("mass")
    builder.body("ball", mass, inertia=(1.0, 1.0, 1.0))
    builder.joint("slide", "prismatic", "world", "ball", axis="z")
    builder.shape("ball", "sphere", (0.0,), role="collision")
    m = builder.build()
    law = ts.contact.Penalty(stiffness, damping)
    depth = mass * 9.81 / stiffness
    simulation = ts.Simulation(m, ground=ts.Ground(), contact=law, dt=dt)
    start = np.array([-depth * (1.0 + 1e-6)])
    if side > 1.0:
        with pytest.warns(
            ts.contact.StabilityWarning, match="penalty contact is likely to explode"
        ):
            run = simulation.run(start, np.zeros(1), duration=0.5)
    else:
        run = simulation.run(start, np.zeros(1), duration=0.5)
    swing = np.abs(run.q[:, 0] + depth)
    print(f"D = {damping}, {side}: from {swing[0]:.1e} m to {swing[-10:].max():.1e} m")
    grows = swing[-10:].max() > 10.0 * swing[0]
    assert grows == (side > 1.0)
