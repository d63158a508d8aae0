"""Chains and trees of tubes with rotors: golden values and laws of approximations.

Models after S. Echeandia, "Numerical methods …", University of Notre Dame 2020, chapter 4: links
of spatial_v2's autoTree, q and tau of joint i are i; accelerations by dense solutions with rotors
as bodies of their own. Approximations: none (A0), armature only (A1, "MCRBA" there), armature
and the locked rotor's mass (A2, what "reflected" gives), exact (A4).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cluster_cases import METHODS, distance
from oracle import Array
from random_parts import replay

import tarsus as ts

ROUND = {"mass": 0.5, "moments": (1.0, 1.0, 1.0)}


def tubes(n: int, branching: float, skew: float, gravity: Any = (0.0, 0.0, 0.0)) -> ts.Builder:
    """Return a builder with the links alone."""
    description = ts.robots.tree(n, branching, skew=skew).description
    return replay(replace(description, gravity=np.array(gravity)))


def geared(
    n: int,
    branching: float = 1.0,
    skew: float = 0.0,
    *,
    mass: float,
    moments: Any,
    ratio: float,
    approximate: str = "exact",
    gravity: Any = (0.0, 0.0, 0.0),
) -> ts.Model:
    """Return the links with a coaxial rotor on each joint."""
    builder = tubes(n, branching, skew, gravity)
    for i in range(n):
        builder.body(f"rotor_{i}", mass, inertia=moments)
        builder.gear(f"joint_{i}", ratio, f"rotor_{i}", approximate=approximate)
    return builder.build()


def bare(n: int, branching: float = 1.0, skew: float = 0.0, armature: float = 0.0) -> ts.Model:
    """Return the links, with an armature on each joint."""
    description = tubes(n, branching, skew).description()
    joints = [replace(joint, armature=np.array([armature])) for joint in description.joints]
    return ts.Model(replace(description, joints=joints))


def accelerations(model: ts.Model, velocity: float = 0.0, method: Any = "articulated") -> Array:
    """Return the accelerations for q = tau = 1, 2, 3, …, joint by joint."""
    numbers = np.zeros(model.nv)
    for i in range(model.nv):
        numbers[model.joint(f"joint_{i}").v_slice] = i + 1
    a = model.forward_dynamics(numbers, np.full(model.nv, velocity), numbers, method=method)
    return np.array([a[model.joint(f"joint_{i}").v_slice][0] for i in range(model.nv)])


def furthest(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


PLANAR = {
    1.0: (-0.0310664140, 0.0012871605, 0.0571182339, 0.1014249696, 0.1705959997),
    2.0: (-0.0516080748, 0.0184500807, 0.1282737407, 0.1654190851, 0.2052941061),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("branching", PLANAR)
def test_planar_rotors(branching: float, method: str) -> None:
    model = geared(5, branching, **ROUND, ratio=5.0)
    np.testing.assert_allclose(accelerations(model, 0.0, method), PLANAR[branching], atol=1e-9)


# armature only against no rotors (tables 4.3, 4.4), and against the exact dynamics
TABLES = {
    (5, 1.0): (23.15, 0.0580),
    (10, 1.0): (39.18, 0.1592),
    (15, 1.0): (57.79, 0.1855),
    (5, 2.0): (28.19, 0.0713),
    (10, 2.0): (79.69, 0.1518),
    (15, 2.0): (179.47, 0.2529),
}


@pytest.mark.parametrize(("n", "branching"), TABLES)
def test_tables_of_approximations(n: int, branching: float) -> None:
    none, some, exact = (
        accelerations(model)
        for model in (
            bare(n, branching),
            bare(n, branching, armature=25.0),
            geared(n, branching, **ROUND, ratio=5.0),
        )
    )
    published, corrected = TABLES[n, branching]
    print(
        f"armature − none {furthest(some, none):.3f}, exact − armature {furthest(exact, some):.4f}"
    )
    assert abs(furthest(some, none) - published) < 0.006
    assert abs(furthest(exact, some) - corrected) < 1e-4


def test_rotors_across_their_axes_are_gyroscopes() -> None:
    rotor = {"mass": 0.5, "moments": (0.6, 0.6, 1.0)}
    model = geared(5, 1.0, np.pi / 2, **rotor, ratio=5.0)
    expected = (-0.1284804569, -0.0412266812, 0.2651719692, -0.0072016544, 0.0724612244)
    for method in METHODS:
        found = accelerations(model, np.pi / 2, method)
        np.testing.assert_allclose(found, expected, atol=1e-9)
    armature = (0.2075074270, -0.2726805119, 0.4048231916, -0.1347848651, 0.3475735145)
    found = accelerations(bare(5, 1.0, np.pi / 2, 25.0), np.pi / 2)
    np.testing.assert_allclose(found, armature, atol=1e-9)


def test_planar_rotors_have_no_gyroscopic_forces() -> None:
    """With parallel axes the bias forces are those of locked rotors; with others they are not."""
    for skew, same in ((0.0, True), (np.pi / 2, False)):
        models = [
            geared(8, 1.0, skew, **ROUND, ratio=5.0, approximate=how)
            for how in ("exact", "reflected")
        ]
        q, v = np.arange(1.0, 9.0), np.full(8, np.pi / 2)
        exact, locked = (_by_joint(m, m.bias_forces(_in(m, q), _in(m, v))) for m in models)
        print(f"skew {skew:.2f}: {distance(exact, locked):.1e}")
        assert (distance(exact, locked) < 1e-11) is same


def _in(model: ts.Model, values: Array) -> Array:
    found = np.zeros(model.nv)
    for i, value in enumerate(values):
        found[model.joint(f"joint_{i}").v_slice] = value
    return found


def _by_joint(model: ts.Model, values: Array) -> Array:
    return np.array([values[model.joint(f"joint_{i}").v_slice][0] for i in range(model.nv)])


def test_errors_of_reflected_inertia_fall_with_the_ratio() -> None:
    """With ratio² J kept, what couplings leave out falls as 1/ratio; the rotor's mass stays."""

    def errors(ratio: float) -> tuple[float, float]:
        moments = np.array([0.6, 0.6, 1.0]) * 25.0 / ratio**2
        exact, locked = (
            accelerations(
                geared(
                    *(10, 1.0, np.pi / 2), mass=0.5, moments=moments, ratio=ratio, approximate=how
                ),
                np.pi / 2,
            )
            for how in ("exact", "reflected")
        )
        armature = accelerations(bare(10, 1.0, np.pi / 2, 25.0), np.pi / 2)
        return furthest(exact, armature), furthest(exact, locked)

    found = {ratio: errors(ratio) for ratio in (5.0, 50.0, 100.0)}
    print({ratio: tuple(np.round(pair, 3)) for ratio, pair in found.items()})
    np.testing.assert_allclose(found[5.0], (2.67, 2.28), atol=0.01)
    np.testing.assert_allclose(found[100.0], (0.857, 0.136), atol=0.001)
    assert abs(found[50.0][1] / found[100.0][1] - 1.98) < 0.05


@pytest.mark.parametrize("method", METHODS)
def test_rotors_without_inertia_change_nothing(method: Any) -> None:
    rng = np.random.default_rng(0)
    with_them = geared(10, 2.0, np.pi / 2, mass=0.0, moments=(0, 0, 0), ratio=7.0)
    without = bare(10, 2.0, np.pi / 2)
    q, v, tau = rng.normal(size=(3, 10))
    found = with_them.forward_dynamics(*(_in(with_them, x) for x in (q, v, tau)), method=method)
    expected = without.forward_dynamics(q, v, tau, method=method)
    residual = distance(_by_joint(with_them, found), expected)
    print(f"zero inertia: {residual:.1e}")
    assert residual < 1e-13


def test_rotors_that_do_not_turn_are_welded() -> None:
    rng = np.random.default_rng(1)
    rotor = {"mass": 0.5, "moments": (0.6, 0.7, 1.0)}
    still = geared(10, 2.0, np.pi / 2, **rotor, ratio=0.0)
    welded = geared(10, 2.0, np.pi / 2, **rotor, ratio=0.0, approximate="reflected")
    q, v, tau = rng.normal(size=(3, 10))
    found, expected = (
        _by_joint(m, m.forward_dynamics(_in(m, q), _in(m, v), _in(m, tau))) for m in (still, welded)
    )
    print(f"welded: {distance(found, expected):.1e}")
    assert distance(found, expected) < 1e-13


def test_energy_of_a_swinging_chain() -> None:
    """Runge–Kutta, 2 s in steps of 1 ms; the armature alone ends up 0.04 rad away."""
    rotor = {"mass": 0.2, "moments": (0.004, 0.004, 0.006)}
    model = geared(4, 1.0, np.pi / 2, **rotor, ratio=6.0, gravity=(0.0, -9.81, 0.0))
    q, v = _in(model, np.array([0.3, -0.5, 0.8, -0.2])), np.zeros(4)

    def energy() -> float:
        return float(model.kinetic_energy(q, v) + model.potential_energy(q))

    before, halfway = energy(), np.zeros(4)
    assert abs(before - 8.56065229) < 1e-8
    for step in range(2000):
        if step == 500:
            halfway = q
        q, v = runge_kutta(model, q, v, 1e-3)
    expected = (-0.40233018, -0.42074113, 0.11497767, -0.26720430)
    np.testing.assert_allclose(_by_joint(model, halfway), expected, atol=1e-7)
    print(f"energy changed by {energy() - before:.1e} J")
    assert abs(energy() - before) < 1e-8


def runge_kutta(model: ts.Model, q: Array, v: Array, dt: float) -> tuple[Array, Array]:
    """Return the state after a step, for coordinates whose rates are v."""
    still = np.zeros_like(v)
    k1 = model.forward_dynamics(q, v, still)
    k2 = model.forward_dynamics(q + 0.5 * dt * v, v2 := v + 0.5 * dt * k1, still)
    k3 = model.forward_dynamics(q + 0.5 * dt * v2, v3 := v + 0.5 * dt * k2, still)
    k4 = model.forward_dynamics(q + dt * v3, v4 := v + dt * k3, still)
    q = q + dt / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
    return q, v + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
