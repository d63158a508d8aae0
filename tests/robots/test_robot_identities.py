"""All robots with couplings, loops or rolling joints: dynamics against an independent oracle.

The oracle (tests/projection.py) has all joints of the spanning tree as its own coordinates, and
finds the motion of those that depend on others by itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from motion import energy, run
from projection import Projection

import tarsus as ts

ROBOTS: dict[str, Callable[[], ts.Model]] = {
    "lola(1)": lambda: ts.robots.lola(1),
    "lola(2)": lambda: ts.robots.lola(2),
    "lola(3)": lambda: ts.robots.lola(3),
    "mini_cheetah": ts.robots.mini_cheetah,
    "four_bar": ts.robots.four_bar,
    "four_bar_chain(3)": lambda: ts.robots.four_bar_chain(3),
    "slider_crank": ts.robots.slider_crank,
    "spatial_four_bar": ts.robots.spatial_four_bar,
    "five_bodies": ts.robots.five_bodies,
    "differential": ts.robots.differential,
    "strandbeest_leg": ts.robots.strandbeest_leg,
    "vergence": ts.robots.vergence,
    "rolling_disc": ts.robots.rolling_disc,
    "snakeboard": ts.robots.snakeboard,
    "rotor_tree(7)": lambda: ts.robots.rotor_tree(7, skew=1.0, inertia=(0.6, 0.6, 1.0)),
}
each_robot = pytest.mark.parametrize("name", ROBOTS)


def near(m: ts.Model, rng: np.random.Generator, reach: float = 0.3) -> np.ndarray:
    """Return a configuration near the neutral one, loops closed."""
    return np.asarray(m.integrate(m.neutral(), reach * rng.normal(size=m.nv)))


def distance(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / max(1.0, np.abs(expected).max()))


@each_robot
def test_loops_are_closed_where_the_robot_starts(name: str) -> None:
    m = ROBOTS[name]()
    gaps = np.abs(m.loop_gaps(m.neutral()))
    print(f"{name}: gaps {gaps.max(initial=0.0):.1e}")
    assert gaps.max(initial=0.0) < 1e-12


@each_robot
def test_mass_matrix_and_inverse_dynamics(name: str) -> None:
    m, rng = ROBOTS[name](), np.random.default_rng(1)
    oracle = Projection.of(m)
    q = near(m, rng)
    v, a = rng.normal(size=(2, m.nv))
    x = np.asarray(m.joint_positions(q))
    residuals = (
        distance(m.mass_matrix(q), oracle.mass_matrix(x)),
        distance(m.inverse_dynamics(q, v, a), oracle.inverse_dynamics(x, v, a)),
    )
    print(f"{name}: mass matrix {residuals[0]:.1e}, inverse dynamics {residuals[1]:.1e}")
    assert max(residuals) < 1e-10


@each_robot
def test_forward_dynamics(name: str) -> None:
    """Constraints, which only the snakeboard has, exert forces in forward dynamics alone."""
    m, rng = ROBOTS[name](), np.random.default_rng(2)
    q = near(m, rng)
    v, tau = rng.normal(size=(2, m.nv))
    expected = Projection.of(m).forward_dynamics(np.asarray(m.joint_positions(q)), v, tau)
    for method in ("articulated", "sparse", "dense"):
        found = m.forward_dynamics(q, v, tau, method=method)
        residual = distance(found, expected)
        print(f"{name}: {method} {residual:.1e}")
        assert residual < 1e-8
        if not m.constraints:
            again = distance(m.inverse_dynamics(q, v, found), tau)
            print(f"{name}: inverse of {method} {again:.1e}")
            assert again < 1e-9


@each_robot
def test_energy_is_conserved(name: str) -> None:
    """Nothing drives or brakes: a change of the energy must fall with the step to the fourth."""
    m, rng = ROBOTS[name](), np.random.default_rng(3)
    q, v = near(m, rng, 0.1), 0.5 * rng.normal(size=m.nv)
    if m.constraints:
        J = m.constraint_jacobian(q)
        v = v - np.linalg.pinv(J) @ J @ v
    before = energy(m, q, v)
    drifts = [abs(energy(m, *run(m, q, v, 0.04, h)) - before) for h in (2e-3, 1e-3)]
    scale = m.kinetic_energy(q, v) + abs(m.potential_energy(q))
    print(f"{name}: {drifts[0] / scale:.1e}, {drifts[1] / scale:.1e} of {scale:.2g} J")
    assert drifts[1] < max(drifts[0] / 8.0, 1e-11 * scale)


@each_robot
def test_saved_and_loaded(name: str, tmp_path: object) -> None:
    m = ROBOTS[name]()
    if name == "five_bodies":
        pytest.skip("a function in Python cannot be written to a file")
    file = f"{tmp_path}/robot.yaml"
    ts.save(m, file)
    assert ts.load(file) == m
