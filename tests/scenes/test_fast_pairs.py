"""Bodies that meet fast meet: no step is so long that they pass through each other.

They fly in free space, where momentum is kept whatever happens, and start at all distances, so
that the step in which they meet sees them from near and from far.
"""

from __future__ import annotations

import numpy as np
import pytest
from loose_bodies import Array, loose, placed

import tarsus as ts

DT = 1e-2
SPEEDS = (1.0, 20.0, 40.0, 100.0)
SIZES: dict[str, tuple[float, ...]] = {
    "sphere": (0.1,),
    "box": (0.2, 0.2, 0.2),
    "capsule": (0.1, 0.2),
}
REACH = {"sphere": 0.1, "box": 0.1, "capsule": 0.1}
"""How far a shape reaches along x from its centre [m]."""


def meet(kind: str, other: str, speed: float, aside: float = 0.0) -> tuple[Array, ts.Trajectory]:
    """Return gaps at the start (B,) and runs of two bodies along x, as fast as each other."""
    m = loose((kind, SIZES[kind]), (other, SIZES[other]), gravity=0.0)
    # a step takes them 2 v dt nearer: all phases of it, and some steps before
    way = 2.0 * speed * DT
    gaps = way * np.concatenate([np.linspace(0.0, 1.0, 21), [1.5, 3.3]])
    reach = REACH[kind] + REACH[other]
    q = np.stack([placed([[-gap - reach, 0.0, 0.0], [0.0, aside, 0.0]]) for gap in gaps])
    v = np.zeros((len(gaps), 12))
    v[:, 0], v[:, 6] = speed, -speed
    return gaps, ts.Simulation(m, ground=None, dt=DT).run(q, v, duration=12 * DT)


def momentum(run: ts.Trajectory) -> Array:
    """Return the sum of the velocities (…, T, 3) of two bodies of 1 kg that do not turn."""
    return np.asarray(run.v[..., :3] + run.v[..., 6:9])


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize(
    ("kind", "other"),
    [("sphere", "sphere"), ("box", "box"), ("sphere", "box"), ("capsule", "sphere")],
)
def test_bodies_that_meet_head_on_stop(kind: str, other: str, speed: float) -> None:
    """Without restitution both stay where they meet, touching: momentum was zero."""
    gaps, run = meet(kind, other, speed)
    apart = run.q[..., 7] - run.q[..., 0] - REACH[kind] - REACH[other]
    passed = (apart < -0.5 * (REACH[kind] + REACH[other])).any(axis=1)
    kept = float(np.abs(momentum(run)).max())
    end = float(np.abs(run.v[:, -1]).max())
    print(
        f"{kind} and {other} at {speed} m/s: overlap {-apart.min():.1e} m, {passed.sum()} of "
        f"{len(gaps)} pass through; momentum {kept:.1e}, speed at last {end:.1e}"
    )
    assert apart.min() > -1e-9
    assert kept < 1e-9 * speed and end < 1e-9 * speed
    assert np.abs(apart[:, -1]).max() < 1e-9 * max(1.0, speed)


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_spheres_that_meet_aside_do_not_pass(speed: float, share: float) -> None:
    """Their centres miss each other by a share of two radii."""
    gaps, run = meet("sphere", "sphere", speed, aside=0.2 * share)
    between = run.q[..., 7:10] - run.q[..., :3]
    distance = np.linalg.norm(between, axis=-1) - 0.2
    kept = float(np.abs(momentum(run)).max())
    # one that was stopped or thrown aside does not go on as if nothing had been
    went_on = np.abs(run.v[:, -1, 0] - speed) < 1e-6 * speed
    print(
        f"{share} of two radii, {speed} m/s: overlap {-distance.min():.1e} m, "
        f"{went_on.sum()} of {len(gaps)} pass through, momentum {kept:.1e}"
    )
    assert not went_on.any()
    assert kept < 1e-9 * speed
    # normals are those of the start of a step, so that what slides along turns off the tangent
    assert distance[:, -1].min() > -1e-3


@pytest.mark.parametrize("speed", SPEEDS)
def test_spheres_that_miss_each_other_do_not_touch(speed: float) -> None:
    """Their centres are 2.2 radii apart: whatever a step looks ahead, nothing happens."""
    _, run = meet("sphere", "sphere", speed, aside=0.22)
    off = float(np.abs(run.v - run.v[:, :1]).max())
    print(f"{speed} m/s: velocities change by {off:.1e} m/s")
    assert off == 0.0


@pytest.mark.parametrize("speed", SPEEDS)
@pytest.mark.parametrize("kind", SIZES)
def test_a_thin_wall_stops_what_flies_at_it(kind: str, speed: float) -> None:
    """A wall of 2 cm that is fixed to the world; a step is up to a metre long."""
    b = ts.Builder("wall", gravity=(0.0, 0.0, 0.0))
    b.body("ball", 1.0, inertia=(0.01, 0.01, 0.01)).joint("flight", "free", "world", "ball")
    b.shape("ball", kind, SIZES[kind], role="collision")
    b.shape("world", "box", (0.02, 0.3, 0.3), role="collision")
    m = b.build()
    gaps = np.concatenate([np.linspace(0.0, 1.0, 21) * speed * DT, [2.7 * speed * DT]])
    q = np.stack([placed([-gap - 0.11, 0.03, 0.02]) for gap in gaps])
    v = np.zeros((len(gaps), 6))
    v[:, 0] = speed
    run = ts.Simulation(m, ground=None, dt=DT).run(q, v, duration=12 * DT)
    depth = run.q[..., 0] + 0.11
    through = (run.q[..., 0] > 0.0).any(axis=1)
    print(f"{kind}, {speed} m/s: {depth.max():.1e} m deep, {through.sum()} of {len(gaps)} through")
    assert depth.max() < 1e-9
    assert np.abs(run.v[:, -1, 0]).max() < 1e-9 * speed


@pytest.mark.parametrize("speed", SPEEDS)
def test_a_chain_of_spheres_passes_on_what_it_gets(speed: float) -> None:
    """Plastic impacts: five in a row with gaps, the first hits; all end at a fifth of its speed."""
    m = loose(*[("sphere", (0.1,))] * 5, gravity=0.0)
    q = placed([[0.25 * k, 0.0, 0.0] for k in range(5)])
    v = np.zeros(30)
    v[0] = speed
    steps = 60 if speed < 10.0 else 12
    run = ts.Simulation(m, ground=None, dt=DT).run(q, v, duration=steps * DT)
    x = run.q.reshape(len(run.t), 5, 7)[..., 0]
    overlap = float((0.2 - np.diff(x, axis=1)).max())
    ends = run.v[-1, ::6]
    print(f"{speed} m/s: overlap {overlap:.1e} m, speeds {ends}")
    assert overlap < 1e-9
    np.testing.assert_allclose(run.v[:, ::6].sum(axis=1), speed, rtol=1e-9)
    np.testing.assert_allclose(ends, speed / 5.0, rtol=1e-8)
