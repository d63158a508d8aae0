"""What closes only through another impulse of the same step is stopped in that step, too.

The conditions of a step are linear in its velocities: gaps must not become negative along the
rows. What is left is the curvature of the way, ½ (ω dt)² times the arm, and nothing at all where
bodies do not turn.
"""

from __future__ import annotations

import numpy as np
import pytest
from loose_bodies import deepest, loose, moving, placed
from scipy.spatial.transform import Rotation

import tarsus as ts

ROUNDING = 1e-9
"""[m, rad] what solvers and sums may leave."""


@pytest.mark.parametrize("apart", [0.0, 1e-9, 1e-6, 1e-4])
@pytest.mark.parametrize("dt", [1e-3, 2e-3, 1e-2])
@pytest.mark.parametrize("speed", [1.0, 4.3])
def test_boxes_that_land_together(speed: float, dt: float, apart: float) -> None:
    """The upper box flies as fast as the lower one, until that is stopped by the ground."""
    size = (0.2, 0.2, 0.2)
    m = loose(("box", size), ("box", size))
    height = 0.1 + 0.5 * speed * dt
    q = placed([[0.0, 0.0, height], [0.0, 0.0, height + 0.2 + apart]])
    v = np.zeros(12)
    v[[2, 8]] = -speed
    run = ts.Simulation(m, ground=ts.Ground(friction=0.5), dt=dt).run(q, v, duration=10 * dt)
    between = run.q[:, 9] - run.q[:, 2] - 0.2
    below = run.q[:, 2] - 0.1
    print(f"least gaps {between.min():.1e} m and {below.min():.1e} m")
    assert between.min() > -ROUNDING and below.min() > -ROUNDING


def test_a_column_of_ten_lands_together() -> None:
    m = loose(*[("box", (0.2, 0.2, 0.2))] * 10)
    heights = 0.1 + 2e-3 + (0.2 + 1e-9) * np.arange(10)
    v = np.zeros((10, 6))
    v[:, 2] = -4.0
    run = ts.Simulation(m, ground=ts.Ground(friction=0.5), dt=1e-3, max_contacts=80).run(
        placed(np.outer(heights, [0.0, 0.0, 1.0])), v.ravel(), duration=0.02
    )
    z = run.q.reshape(len(run.t), 10, 7)[..., 2]
    gaps = np.diff(z, axis=1, prepend=-0.1) - 0.2
    print(f"least gap {gaps.min():.1e} m")
    assert gaps.min() > -ROUNDING


def test_a_blow_goes_through_forty_balls_in_one_step() -> None:
    """However many have to join: the first flies into a row of the others, and all go on as one."""
    count, speed = 40, 4.0
    m = loose(*[("sphere", (0.1,))] * count, gravity=0.0)
    v = np.zeros((count, 6))
    v[0, 0] = speed
    run = ts.Simulation(m, ground=None, dt=1e-3).run(
        placed(np.outer((0.2 + 1e-9) * np.arange(count), [1.0, 0.0, 0.0])), v.ravel(), duration=1e-3
    )
    gaps = np.diff(run.q[-1].reshape(count, 7)[:, 0]) - 0.2
    error = np.abs(run.v[-1].reshape(count, 6)[:, 0] - speed / count).max()
    print(f"least gap {gaps.min():.1e} m, velocities off by {error:.1e} m/s")
    assert gaps.min() > -ROUNDING
    # gaps of 1e-9 m are closed within the step: so much faster is who comes from behind
    assert error < count * 1e-9 / 1e-3


def leg() -> ts.Model:
    """Return a leg on a vertical rail: a hip, a thigh, a shank with a ball, a knee that stops."""
    b = ts.Builder("leg")
    b.body("hip", 2.0, inertia=(0.01, 0.01, 0.01)).joint(
        "rail", "prismatic", "world", "hip", axis="z"
    )
    b.body("thigh", 1.0, (0, 0, -0.2), (0.01, 0.01, 0.001))
    b.joint("hinge", "revolute", "hip", "thigh", axis="y")
    b.body("shank", 0.5, (0, 0, -0.2), (0.01, 0.01, 0.001))
    b.joint(
        "knee", "revolute", "thigh", "shank", axis="y", position=(0, 0, -0.4), lower=-0.5, upper=0.5
    )
    b.shape("shank", "sphere", (0.02,), role="collision", position=(0, 0, -0.4))
    return b.build()


@pytest.mark.parametrize("dt", [1e-3, 1e-4])
def test_an_impact_does_not_drive_a_knee_through_its_limit(dt: float) -> None:
    """400 legs land with their knees just off a limit; angles are coordinates: no curvature."""
    m, count, rng = leg(), 400, np.random.default_rng(0)
    side = rng.choice([-1.0, 1.0], count)
    q = np.zeros((count, 3))
    q[:, 1] = rng.uniform(-1.2, 1.2, count)
    q[:, 2] = side * (0.5 - 10.0 ** rng.uniform(-7, -3, count))
    speed = rng.uniform(0.5, 3.0, count)
    ground = ts.Ground(friction=0.7)
    q[:, 0] -= ts.geometry.height_over_ground(m, q, ground) - 0.5 * dt * speed
    v = np.zeros((count, 3))
    v[:, 0] = -speed
    run = ts.Simulation(m, ground=ground, dt=dt).run(q, v, duration=50 * dt)
    over = np.abs(run.q[..., 2]) - 0.5
    at_limit = (over[:, 1:].max(axis=1) > -1e-6).sum()
    print(f"{at_limit} knees at their limits, overrun by {over.max():.1e} rad")
    assert at_limit > count // 10
    assert over.max() < ROUNDING


@pytest.mark.parametrize("kind", ["box", "capsule"])
def test_a_rod_whose_other_end_is_slapped_down(kind: str) -> None:
    """One end lands first and turns the rod, so that the other comes down within the same step."""
    length, dt, count, rng = 0.6, 1e-3, 300, np.random.default_rng(1)
    m = loose((kind, (0.02, 0.02, length) if kind == "box" else (0.01, length - 0.02)))
    lean = rng.uniform(-0.05, 0.05, count) * rng.choice([1.0, 0.1, 0.01], count)
    speed = rng.uniform(0.3, 5.0, count)
    turns = Rotation.from_euler("y", 0.5 * np.pi + lean[:, None])
    q = np.stack([placed([0, 0, 0], turn) for turn in turns])
    q[:, 2] -= ts.geometry.height_over_ground(m, q, ts.Ground()) - 0.5 * dt * speed
    v = np.stack([moving(t, (0, 0, -s)) for t, s in zip(turns, speed, strict=True)])
    run = ts.Simulation(m, ground=ts.Ground(friction=0.5), dt=dt).run(q, v, duration=0.05)
    rates = np.linalg.norm(run.v[..., 3:], axis=-1)
    # the way of an end is an arc: what one step may add, and what may be left of the steps before
    arc = 0.5 * length * (rates * dt) ** 2
    allowed = ROUNDING + 10.0 * np.maximum.accumulate(arc, axis=1)
    depth = deepest(run)
    print(f"{kind}: {depth.max():.1e} m deep, arcs of {arc.max():.1e} m in a step")
    assert arc.max() > 1e-8, "they do not turn"
    assert (depth <= allowed).all()


def test_a_gap_that_two_impulses_close() -> None:
    """A see-saw on an edge: the ground stops one end, which presses the other on a block."""
    b = ts.Builder("see-saw")
    b.body("beam", 1.0, inertia=(0.01, 0.1, 0.1)).joint(
        "pivot", "revolute", "world", "beam", axis="y", position=(0, 0, 0.3)
    )
    for x in (-0.5, 0.5):
        b.shape("beam", "sphere", (0.05,), role="collision", position=(x, 0, 0))
    b.body("block", 5.0, inertia=(0.1, 0.1, 0.1)).joint("fall", "prismatic", "world", "block")
    b.shape("block", "box", (0.2, 0.2, 0.2), role="collision", position=(0.5, 0, 0.6))
    b.body("other", 5.0, inertia=(0.1, 0.1, 0.1)).joint("drop", "prismatic", "world", "other")
    b.shape("other", "box", (0.2, 0.2, 0.2), role="collision", position=(-0.5, 0, 0.6))
    m = b.build()
    for apart in (0.0, 1e-9, 1e-5):
        q, v, dt = np.zeros(3), np.zeros(3), 1e-3
        names = [joint.name for joint in m.joints]
        fall, drop = names.index("fall"), names.index("drop")
        q[fall], q[drop] = -0.15 + 1e-3, -0.15 + apart
        v[fall] = -3.0  # one block hits its end, which throws up the other
        run = ts.Simulation(m, ground=None, dt=dt).run(q, v, duration=20 * dt)
        gaps = run.contacts.gap
        rate = np.abs(run.v[:, names.index("pivot")]).max()
        print(f"{apart} m apart: deepest {-gaps.min():.1e} m, beam turns at {rate:.1f} rad/s")
        assert rate > 1.0 and len(gaps) > 0
        assert gaps.min() > -ROUNDING - 10.0 * 0.5 * 0.5 * (rate * dt) ** 2
