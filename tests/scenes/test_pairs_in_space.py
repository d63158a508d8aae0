"""Bodies rub and bounce on each other without a ground: `ground=ts.Space(friction=…)`.

A `Space` is a terrain without a surface, with the contact parameters of all terrains. `ground=None`
is `ts.Space()`: the defaults of all terrains (friction 0.7), not silently none.
"""

from __future__ import annotations

import numpy as np
import pytest
from loose_bodies import loose, placed

import tarsus as ts


def bar_and_block(friction: float | None) -> ts.Trajectory:
    """Return a block of 1 kg that slides at 1 m/s on a free bar of 1 kg, pressed on it by 10 N."""
    b = ts.Builder("bar and block", gravity=(0.0, 0.0, 0.0))
    for name in ("bar", "block"):
        b.body(name, 1.0, inertia=(0.1, 0.1, 0.1)).joint(name, "translation", "world", name)
    b.shape("bar", "box", (2.0, 0.2, 0.1), role="collision")
    b.shape("block", "box", (0.1, 0.1, 0.1), role="collision")
    m = b.build()
    q, v, press = np.zeros(6), np.zeros(6), np.zeros(6)
    q[5], v[3] = 0.1, 1.0
    press[2], press[5] = 10.0, -10.0
    ground = None if friction is None else ts.Space(friction=friction)
    sim = ts.Simulation(m, ground=ground, dt=1e-3)
    return sim.run(q, v, duration=1.0, controller=lambda t, q, v: press)


@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_a_block_and_a_bar_end_at_half_the_speed(friction: float) -> None:
    """Momentum is kept; they slow each other by μ 10 N until both move at 0.5 m/s."""
    run = bar_and_block(friction)
    stop = 0.5 / (friction * 10.0)
    expected = np.maximum(0.5, 1.0 - friction * 10.0 * run.t)
    print(f"μ = {friction}: off by {np.abs(run.v[:, 3] - expected).max():.1e} m/s")
    np.testing.assert_allclose(run.v[:, 3], expected, atol=1.01 * friction * 10.0 * 1e-3)
    np.testing.assert_allclose(run.v[:, 0] + run.v[:, 3], 1.0, rtol=1e-12)
    assert np.ptp(run.v[run.t > stop + 2e-3, 3]) < 1e-9


def test_no_ground_is_a_space_with_its_defaults() -> None:
    one, other = bar_and_block(None), bar_and_block(0.7)
    assert one.v.tobytes() == other.v.tobytes()
    assert abs(one.v[-1, 0] - 0.5) < 1e-9


@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_spheres_bounce_in_space(restitution: float) -> None:
    """Relative speed after is e times that before."""
    m = loose(("sphere", (0.1,)), ("sphere", (0.1,)), gravity=0.0)
    q, v = placed([[0.0, 0, 0], [0.2205, 0, 0]]), np.zeros(12)
    v[0], v[6] = 1.0, -1.0
    space = ts.Space(friction=0.0, restitution=restitution)
    run = ts.Simulation(m, ground=space, dt=1e-3).run(q, v, duration=0.05)
    print(f"e = {restitution}: {run.v[-1, [0, 6]]} m/s")
    np.testing.assert_allclose(run.v[-1, [0, 6]], [-restitution, restitution], atol=1e-9)
