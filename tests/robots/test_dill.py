"""Dill(n) against golden values.

The mechanism is that of M. Schwienbacher, "Efficient Algorithms for Biped Robots", TU München
2013, section 2.10.1, in the state in which it is timed there: all angles π/6, all rates 1, no
torques. Total masses, numbers of links and of non-zeros of the mass matrix (Table 2.1) follow
the thesis. The accelerations were computed by three independent methods (projection by
Jacobians, the O(n) recursion, composite bodies with LTL factors) that agree.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tarsus as ts

METHODS = ("articulated", "sparse", "dense")

# n: trace of M, kinetic energy, norm and first of the accelerations, norm without gravity
GOLDEN = {
    1: (2.8646709499e-03, 2.1588618766e-03, 117.831787083, 32.816562749, 4.069757852),
    2: (3.2434049558e-02, 2.2671064244e-02, 125.725463617, 12.605086860, 11.486393956),
    3: (3.3010477362e-01, 2.0946609914e-01, 168.160373038, 8.467698948, 24.133545661),
    4: (2.4086593684e00, 1.3114122286e00, 179.360380338, 4.923305348, 38.340907763),
    5: (1.3759435551e01, 5.4553059934e00, 199.811961953, 1.932194189, 53.837178507),
    6: (6.6961040580e01, 1.7407478740e01, 245.647508056, -0.534617369, 74.699236718),
    7: (2.8749430492e02, 5.3029553427e01, 326.271032979, -2.641388869, 104.693172332),
    8: (1.1133605897e03, 1.6690955153e02, 457.923066253, -4.358033153, 140.559458537),
}
MASSES = {1: 0.2, 2: 1.1, 3: 4.1, 4: 11.9, 5: 29.9, 6: 68.9, 7: 150.5}
NON_ZEROS = {1: 3, 2: 8, 3: 20, 4: 48, 5: 112, 6: 256, 7: 576, 8: 1280}

# single accelerations, without gravity for n = 1 and 2, with it for n = 3
DILL_1 = (1.40102722965, -3.821001396866)
DILL_2 = (0.469653068243, -1.806109333162, 1.813978121881, -11.187677353039)
DILL_3 = (
    *(8.467698947579, -60.494585233373, -66.024722670992, 46.81532812341),
    *(-57.674408510477, 32.737832093931, 86.661283088035, -78.02175534619),
)


def accelerations(model: ts.Model, method: str = "articulated") -> np.ndarray:
    q, v, tau = np.full(model.nq, np.pi / 6), np.ones(model.nv), np.zeros(model.nv)
    return np.asarray(model.forward_dynamics(q, v, tau, method=method))


def weightless(n: int) -> ts.Model:
    description = ts.robots.dill(n).description
    return ts.Model(replace(description, gravity=np.zeros(3)))


@pytest.mark.parametrize("n", GOLDEN)
def test_golden_values(n: int) -> None:
    model = ts.robots.dill(n)
    q, v = np.full(model.nq, np.pi / 6), np.ones(model.nv)
    found = (
        np.trace(model.mass_matrix(q)),
        model.kinetic_energy(q, v),
        np.linalg.norm(accelerations(model)),
        accelerations(model)[0],
        np.linalg.norm(accelerations(weightless(n))),
    )
    residuals = np.abs(np.array(found) / np.array(GOLDEN[n]) - 1.0)
    print(f"dill({n}):", " ".join(f"{residual:.1e}" for residual in residuals))
    assert residuals.max() < 2e-9  # the golden values have ten digits


@pytest.mark.parametrize("method", METHODS)
def test_single_accelerations(method: str) -> None:
    np.testing.assert_allclose(accelerations(ts.robots.dill(3), method), DILL_3, rtol=1e-11)
    np.testing.assert_allclose(accelerations(weightless(1), method), DILL_1, rtol=1e-11)
    np.testing.assert_allclose(accelerations(weightless(2), method), DILL_2, rtol=1e-11)


@pytest.mark.parametrize("n", range(1, 9))
def test_methods_agree(n: int) -> None:
    model = ts.robots.dill(n)
    first, *others = (accelerations(model, method) for method in METHODS)
    residual = max(np.abs(other - first).max() / np.abs(first).max() for other in others)
    print(f"dill({n}): methods agree to {residual:.1e}")
    assert residual < 1e-9


@pytest.mark.parametrize("n", MASSES)
def test_total_mass(n: int) -> None:
    assert np.isclose(ts.robots.dill(n).total_mass, MASSES[n], rtol=1e-13)


@pytest.mark.parametrize("n", NON_ZEROS)
def test_sparsity_of_the_mass_matrix(n: int) -> None:
    model = ts.robots.dill(n)
    assert model.n_bodies == 2**n
    parents = [model.body(name).parent for name in model.body_names]
    depths: list[int] = []
    for parent in parents:
        depths.append(1 if parent < 0 else depths[parent] + 1)
    assert sum(depths) == NON_ZEROS[n]


def test_the_inertia_is_about_the_joint() -> None:
    """The moment about the centre of mass, 103/1200000, is that of a slender cylinder."""
    inertia = ts.robots.dill(0).body("link").inertia
    np.testing.assert_allclose(np.diag(inertia)[1:], 103 / 1200000, rtol=1e-13)


def test_bad_argument() -> None:
    with pytest.raises(ValueError, match="n is -1"):
        ts.robots.dill(-1)
