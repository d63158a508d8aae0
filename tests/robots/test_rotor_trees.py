"""Chains and trees with rotors: golden accelerations, laws of approximations, energy.

Mechanisms of S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive
Robots", University of Notre Dame 2020, section 4.4. The golden values are those of an
independent prototype that agrees with a dense solution with rotors as bodies of their own.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from motion import run
from tarsus_lab.reproduce.rotor_models import RotorModels, solve, weightless

import tarsus as ts
from tarsus.robots.building import Rotors

CHAIN = (-0.0310664140, 0.0012871605, 0.0571182339, 0.1014249696, 0.1705959997)
TREE = (-0.0516080748, 0.0184500807, 0.1282737407, 0.1654190851, 0.2052941061)
GYROSCOPIC = (-0.1284804569, -0.0412266812, 0.2651719692, -0.0072016544, 0.0724612244)
DIAGONAL = (0.2075074270, -0.2726805119, 0.4048231916, -0.1347848651, 0.3475735145)
NUMBERS = np.arange(1.0, 6.0)

# largest errors [rad/s²] of A0 to A3 at fixed n² J: chain of 10, skew π/2, q̇ = π/2
SWEEP = {
    1: (40.1, 7.65, 5.18, 4.56),
    2: (38.8, 5.35, 4.10, 2.72),
    5: (39.3, 2.67, 2.28, 1.21),
    10: (39.8, 1.47, 1.26, 0.647),
    20: (40.2, 0.989, 0.659, 0.336),
    50: (40.4, 0.890, 0.270, 0.138),
    100: (40.5, 0.857, 0.136, 0.069),
}


@pytest.mark.parametrize(("branching", "expected"), [(1.0, CHAIN), (2.0, TREE)])
def test_golden_accelerations(branching: float, expected: tuple[float, ...]) -> None:
    m = weightless(ts.robots.rotor_tree(5, branching))
    for method in ("articulated", "sparse", "dense"):
        found = m.forward_dynamics(NUMBERS, np.zeros(5), NUMBERS, method=method)
        print(f"{method}: {np.abs(found - expected).max():.1e}")
        np.testing.assert_allclose(found, expected, atol=1e-9)


def test_gyroscopic_effects() -> None:
    def chain(rotors: Rotors) -> ts.Model:
        return ts.robots.rotor_chain(5, skew=np.pi / 2, inertia=(0.6, 0.6, 1.0), rotors=rotors)

    models = RotorModels.make(chain, gravity=False)
    found = models.accelerations(NUMBERS, np.full(5, np.pi / 2), NUMBERS)
    # the diagonal approximation as the thesis computes it, with the Coriolis terms of the links
    np.testing.assert_allclose(found["A4"], GYROSCOPIC, atol=1e-9)
    np.testing.assert_allclose(found["A1"], DIAGONAL, atol=1e-9)


def test_rotors_in_a_plane_have_no_gyroscopic_effects() -> None:
    models = RotorModels.make(
        lambda rotors: ts.robots.rotor_chain(15, rotors=rotors), gravity=False
    )
    q = np.arange(1.0, 16.0)
    found = models.accelerations(q, np.full(15, np.pi / 2), q)
    residual = np.abs(found["A3"] - found["A4"]).max()
    print(f"A3 and A4 differ by {residual:.1e}")
    assert residual < 1e-11


def sweep(ratio: float) -> list[float]:
    """Return the largest errors of A0 to A3, with the same n² J for each ratio n."""
    inertia = np.array([0.6, 0.6, 1.0]) * 25.0 / ratio**2

    def chain(rotors: Rotors) -> ts.Model:
        return ts.robots.rotor_chain(
            10, skew=np.pi / 2, ratio=ratio, inertia=inertia, rotors=rotors
        )

    models, numbers = RotorModels.make(chain, gravity=False), np.arange(1.0, 11.0)
    found = models.accelerations(numbers, np.full(10, np.pi / 2), numbers)
    return [float(np.abs(found[name] - found["A4"]).max()) for name in ("A0", "A1", "A2", "A3")]


@pytest.mark.parametrize("ratio", SWEEP)
def test_errors_by_ratio(ratio: int) -> None:
    found = sweep(ratio)
    print(ratio, [f"{error:.3g}" for error in found])
    np.testing.assert_allclose(found, SWEEP[ratio], rtol=1e-2)


def test_errors_fall_with_the_ratio() -> None:
    """At fixed n² J the error of welded rotors is as 1/n; that of ignored masses stays."""
    at_50, at_100 = sweep(50), sweep(100)
    assert at_50[2] / at_100[2] == pytest.approx(1.98, abs=0.05)
    assert at_100[1] > 0.8


def swinging() -> tuple[RotorModels, np.ndarray]:
    """A chain of four links with rotors, let go; gravity is along −y."""

    def chain(rotors: Rotors) -> ts.Model:
        description = ts.robots.rotor_chain(
            4, skew=np.pi / 2, ratio=6.0, mass=0.2, inertia=(0.004, 0.004, 0.006), rotors=rotors
        ).description
        return ts.Model(replace(description, gravity=np.array([0.0, -9.81, 0.0])))

    return RotorModels.make(chain), np.array([0.3, -0.5, 0.8, -0.2])


def test_energy_of_a_chain_that_swings() -> None:
    models, start = swinging()
    m = models.exact
    energies = []
    q, v = start, np.zeros(4)
    for _ in range(4):
        energies.append(m.kinetic_energy(q, v) + m.potential_energy(q))
        q, v = run(m, q, v, 0.5, 1e-3)
        if len(energies) == 1:
            expected = (-0.40233018, -0.42074113, 0.11497767, -0.26720430)
            np.testing.assert_allclose(q, expected, atol=1e-7)
    energies.append(m.kinetic_energy(q, v) + m.potential_energy(q))
    drift = np.ptp(energies)
    print(f"energy {energies[0]:.8f} J, drift {drift:.1e} J")
    assert drift < 1e-8
    assert energies[0] == pytest.approx(8.56065229, abs=1e-8)


def test_the_diagonal_approximation_swings_elsewhere() -> None:
    models, q = swinging()
    v, h = np.zeros(4), 1e-3
    diagonal = np.diag(models.armature)

    def rate(y: np.ndarray) -> np.ndarray:
        mass = models.without.mass_matrix(y[:4]) + diagonal
        return np.r_[y[4:], solve(mass, -models.without.bias_forces(y[:4], y[4:]))]

    y = np.r_[q, v]
    for _ in range(500):
        k1 = rate(y)
        k2 = rate(y + h / 2 * k1)
        k3 = rate(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
    expected = (-0.38915990, -0.42006507, 0.15361535, -0.26325429)
    np.testing.assert_allclose(y[:4], expected, atol=1e-7)


def test_limits_of_rotors() -> None:
    """Rotors without inertia are as none; rotors that do not turn are as welded ones."""
    q, v, tau = np.random.default_rng(0).normal(size=(3, 7))
    without = ts.robots.rotor_tree(7, skew=1.0, rotors="none")
    weightless_rotors = ts.robots.rotor_tree(7, skew=1.0, mass=0.0, inertia=(0.0, 0.0, 0.0))
    still = ts.robots.rotor_tree(7, skew=1.0, ratio=0.0)
    welded = ts.robots.rotor_tree(7, skew=1.0, ratio=0.0, rotors="reflected")
    for first, second in ((weightless_rotors, without), (still, welded)):
        a, b = (m.forward_dynamics(q, v, tau) for m in (first, second))
        residual = np.abs(a - b).max() / np.abs(b).max()
        print(f"{residual:.1e}")
        assert residual < 1e-12
