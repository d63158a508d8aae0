"""Machines whose legs are held at their tips and eliminated one by one, beside dense matrices.

Whether the core takes this way depends on the mechanism and on the state: legs that are stretched,
constraints of other kinds and legs that carry something take the general one. Both are here.
"""

from __future__ import annotations

import numpy as np
import pytest
from held_machines import crawler, dense_motion, still_velocity, tips
from oracle import Array

import tarsus as ts
from tarsus.robots.quadrupeds import legged

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
CLOSE = 2e-10
"""Differences of Jacobians have round-off of about 1e-12 of accelerations of some 100."""
DURATION = 0.1
STRETCHED = float(np.arctan2(0.1, 0.32125))
"""The angle of ANYmal's left front knee at which the leg is longest [rad]."""


def state(model: ts.Model, seed: int) -> tuple[Array, Array]:
    """Return a state whose tips stand still."""
    rng = np.random.default_rng(seed)
    q = np.asarray(model.integrate(model.neutral(), 0.4 * rng.standard_normal(model.nv)))
    return q, still_velocity(model, q, tips(model), rng.standard_normal(model.nv))


def apart(found: ts.Flowed, q: Array, v: Array) -> float:
    """Return the largest difference of states."""
    return float(max(np.abs(found.q - q).max(), np.abs(found.v - v).max()))


def check_lanes(model: ts.Model, q: Array, v: Array, found: ts.Flowed) -> None:
    """A state has the same bits in any lane of a batch, on any thread and beside any others."""
    many = ts.flow(model, np.tile(q, (11, 1)), v, duration=DURATION, **TIGHT)
    some = ts.flow(model, np.tile(q, (11, 1)), v, duration=DURATION, threads=2, **TIGHT)
    for batch in (many, some):
        assert all(np.array_equal(row, found.q) for row in batch.q)
        assert all(np.array_equal(row, found.v) for row in batch.v)


CRAWLERS = {
    "four legs": ("bbbb", {}),
    "one leg": ("b", {}),
    "three legs, two of them on the neck": ("bnn", {}),
    "six legs": ("bbbbbb", {}),
    "legs that slide": ("bBnB", {}),
    "five legs, armature and an arm": ("bbnbb", {"arm": True, "armature": True}),
}


@pytest.mark.parametrize("name", CRAWLERS)
def test_crawlers(name: str) -> None:
    """Random legs on one or two bodies, by dense matrices and SciPy."""
    legs, options = CRAWLERS[name]
    model = crawler(len(legs), legs, **options)
    points, (q, v) = tips(model), state(model, 7)
    held = ts.held(model, points, q)
    found = ts.flow(held, q, v, duration=DURATION, **TIGHT)
    error = apart(found, *dense_motion(model, points, q, v, DURATION))
    print(f"{name}: {error:.1e}")
    assert error < CLOSE
    check_lanes(held, q, v, found)


@pytest.mark.parametrize(
    "how", ["another body", "a leg that carries", "a gear", "a point held twice"]
)
def test_general(how: str) -> None:
    """What is not a leg with a held tip, in the same motions."""
    model = crawler(3, "bbb")
    editor, extra = ts.Editor(model), []
    if how == "a leg that carries":
        editor.body("bag", 0.5, inertia=(0.01, 0.01, 0.01))
        editor.joint("bag_joint", "revolute", "leg0_1", "bag", axis="x", damping=0.1)
    if how == "a gear":
        editor.body("rotor", 0.1, inertia=(1e-4, 1e-4, 1e-4))
        editor.gear("leg1_0_joint", 9.0, rotor="rotor")
    if how == "a point held twice":
        extra = ["tip1"]
    if how == "another body":
        editor.frame("tip_of_neck", "neck", position=(0.1, 0.2, 0.3))
    model = editor.build()
    points, (q, v) = tips(model), state(model, 5)
    held = ts.held(model, points + extra, q)
    found = ts.flow(held, q, v, duration=DURATION, **TIGHT)
    error = apart(found, *dense_motion(model, points, q, v, DURATION))
    print(f"{how}: {error:.1e}")
    assert error < CLOSE
    check_lanes(held, q, v, found)


@pytest.mark.parametrize("bent", [0.0, 1e-9, 1e-4, 0.01])
def test_stretched(bent: float) -> None:
    """ANYmal with a leg that is stretched, or nearly: its joints do not move the tip along it."""
    robot = legged("anymal")
    model, q = robot.model, robot.stance.copy()
    q[model.joint("LF_KFE").q_slice] = STRETCHED + bent
    points = list(robot.feet.values())
    rng = np.random.default_rng(0)
    v = still_velocity(model, q, points, 0.5 * rng.standard_normal(model.nv))
    held = ts.held(model, points, q)
    found = ts.flow(held, q, v, duration=0.02, **TIGHT)
    error = apart(found, *dense_motion(model, points, q, v, 0.02))
    print(f"bent by {bent}: {error:.1e}")
    assert error < CLOSE


def test_lanes_of_both_kinds() -> None:
    """Stretched legs beside bent ones: each lane has the bits that it has alone."""
    robot = legged("anymal")
    model, points = robot.model, list(robot.feet.values())
    knees = STRETCHED + np.array([-1.3, 1e-5, -0.8, 0.0, 1e-4, -1.2, 1e-3, -1.5, 0.01])
    held = ts.held(model, points, robot.stance)
    q = np.tile(robot.stance, (len(knees), 1))
    q[:, model.joint("LF_KFE").q_slice] = knees[:, None]
    v = 0.2 * np.random.default_rng(1).standard_normal((len(knees), model.nv))
    many = ts.flow(held, q, v, duration=0.005, rtol=1e-6, atol=1e-8)
    for k in range(len(knees)):
        alone = ts.flow(held, q[k], v[k], duration=0.005, rtol=1e-6, atol=1e-8)
        assert np.array_equal(alone.q, many.q[k]) and np.array_equal(alone.v, many.v[k])


def test_held_points_stay() -> None:
    """Tips stay where they are, and stand still, to round-off over a long motion."""
    model = crawler(4, "bbbb")
    points, (q, v) = tips(model), state(model, 3)
    held = ts.held(model, points, q)
    found = ts.flow(held, q, v, duration=2.0, rtol=1e-6, atol=1e-8)
    gaps = [model.frame_pose(found.q, p)[:3, 3] - model.frame_pose(q, p)[:3, 3] for p in points]
    speeds = np.asarray(held.constraint_jacobian(found.q)) @ found.v
    print(f"gaps {np.abs(gaps).max():.1e}, speeds {np.abs(speeds).max():.1e}")
    assert np.abs(gaps).max() < 1e-13
    assert np.abs(speeds).max() < 1e-12
