"""Robots of example-robot-data stand, are pushed, and trot, with the same controller class."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.robots.quadrupeds import LEGGED, legged
from tarsus.scenes.robots import WALKS
from tarsus.walking.plans import CRAWL, PACE, TROT, Walk, ZmpPreview, reach, static_loads

FOUR_LEGS = ("quadruped", "anymal", "solo12")


@pytest.mark.parametrize("robot", LEGGED)
def test_static_loads_balance_gravity(robot: str) -> None:
    one = legged(robot)
    m, q = one.model, one.stance
    loads = static_loads(m, q, tuple(one.feet.values()))
    jacobians = [
        m.frame_jacobian(q, foot, reference="local_world_aligned")[:3] for foot in one.feet.values()
    ]
    held = loads.tau + sum(J.T @ f for J, f in zip(jacobians, loads.forces, strict=True))
    left = np.abs(held - m.gravity_forces(q))
    print(f"{robot}: {loads.forces[:, 2]} N, left over {left.max():.1e}")
    # two points cannot hold the base from turning about the line through them
    exact = len(one.feet) > 2
    weight = m.total_mass * 9.81
    assert loads.forces[:, 2].sum() == pytest.approx(weight, rel=1e-9 if exact else 1e-3)
    assert left.max() < (1e-9 if exact else 0.01 * weight)


@pytest.mark.parametrize("robot", FOUR_LEGS)
def test_feet_reach_their_targets(robot: str) -> None:
    one = legged(robot)
    m, feet = one.model, tuple(one.feet.values())
    q = np.tile(one.stance, (20, 1))
    places = np.stack([m.frame_pose(one.stance, foot)[:3, 3] for foot in feet])
    targets = places + 0.03 * np.random.default_rng(0).uniform(-1, 1, (20, 4, 3))
    found = reach(m, q, feet, targets)
    error = max(
        np.abs(m.frame_pose(found, foot)[:, :3, 3] - targets[:, k]).max()
        for k, foot in enumerate(feet)
    )
    print(f"{robot}: {error:.1e} m")
    assert error < 1e-9
    assert np.array_equal(found[:, :7], q[:, :7])
    with pytest.raises(ValueError, match=rf"targets: '{feet[1]}' is out of reach by"):
        reach(m, one.stance, feet, places + np.eye(4, 3, -1) * [5.0, 0.0, 0.0])


@pytest.mark.parametrize("robot", LEGGED)
def test_robots_stand(robot: str) -> None:
    run = ts.scenes.stand(robot).run()
    m = run.model
    load = run.contacts.ground_force()[-1, 2]
    moved = np.linalg.norm(run.q[-1, :3] - run.q[0, :3])
    rate = np.abs(run.v[-1]).max()
    residual = np.abs(run.energy.residual).max()
    print(
        f"{robot}: load {load:.3f} N, moved {1e3 * moved:.3f} mm, still moves {rate:.1e}, "
        f"residual {residual:.1e} J"
    )
    assert load == pytest.approx(m.total_mass * 9.81, rel=1e-3)
    assert moved < 0.01
    assert rate < 1e-2
    assert run.statistics.penetration.max() < 1e-4
    # next to nothing moves, so that there is no flow to compare it with
    assert residual < 1e-6 * load


@pytest.mark.parametrize("robot", FOUR_LEGS)
def test_robots_trot(robot: str) -> None:
    run = ts.scenes.walk(robot).run()
    x, y, z = run.q[-1, :3] - run.q[0, :3]
    planned = float(WALKS.get(robot, Walk()).steady(run.t[-1])[0])
    tilt = 2.0 * np.linalg.norm(run.q[:, 3:5], axis=1).max()
    residual = np.abs(run.energy.relative_residual).max()
    print(
        f"{robot}: x {x:.3f} m of {planned:.3f} m, y {y:.3f} m, z {z:.4f} m, "
        f"tilt {np.degrees(tilt):.1f}°, residual {residual:.1e}"
    )
    assert 0.6 * planned < x < 1.3 * planned
    assert abs(y) < 0.3 * planned
    assert np.degrees(tilt) < 10.0
    assert residual < 1e-3


@pytest.mark.parametrize(
    ("plan", "off"),
    [
        (Walk(CRAWL, (0.05, 0.0), 2.0, 0.04), 0.02),
        (Walk(TROT, (0.2, 0.1), 0.5, 0.04), 0.1),
        (Walk(TROT, (0.2, 0.1), 0.5, 0.04, preview=ZmpPreview(0.45)), 0.1),
        (Walk(PACE, (0.1, 0.0), 0.5, 0.04), 0.3),
    ],
    ids=["crawl", "trot aside", "trot with preview", "pace"],
)
def test_other_walks(plan: Walk, off: float) -> None:
    """A crawl and a trot get where they plan to; a pace without feedback only stays up."""
    run = ts.scenes.walk("anymal", plan, 4.0).run(record=("q", "contacts"))
    moved, planned = run.q[-1, :2] - run.q[0, :2], plan.steady(4.0)
    tilt = np.degrees(2.0 * np.linalg.norm(run.q[:, 3:5], axis=1).max())
    print(f"{plan.footfalls.name}: {moved} m of {planned} m, tilt {tilt:.1f}°")
    assert np.abs(moved - planned).max() < off
    assert tilt < 12.0
    assert all(body.endswith("FOOT") for body in run.contacts.touching())


@pytest.mark.parametrize("robot", ["anymal", "solo12"])
def test_pushed_robots_stay_up(robot: str) -> None:
    run = ts.scenes.push(robot, 0.3, np.pi / 4).run(record=("q", "v"))
    print(f"{robot}: height {run.q[-1, 2]:.3f} m of {run.q[0, 2]:.3f} m")
    assert run.q[-1, 2] > 0.9 * run.q[0, 2]
    assert np.abs(run.v[-1]).max() < 0.05


def test_unknown_robots() -> None:
    with pytest.raises(ValueError, match=r"there is no robot on legs 'anymul'.*anymal"):
        legged("anymul")
    with pytest.raises(ValueError, match="talos_reduced has no leg 'hind_right' to walk with"):
        ts.scenes.walk("talos_reduced")
