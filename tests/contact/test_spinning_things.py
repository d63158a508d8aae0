"""What spins keeps its energy: tops, thin rods on balls, chains of them, bodies that tumble.

Steps of 1 ms that take velocity products at their start only tear each of these apart.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import tarsus as ts

MASS, LENGTH, THIN = 0.3, 0.5, 0.015
"""Of a rod [kg, m, m]."""
AXIAL, ACROSS = MASS * THIN**2 / 2, MASS * LENGTH**2 / 12
HARD = (0.001, 0.002, 0.0029)
"""Moments of inertia of a body without symmetry [kg m²]."""


def chain(rods: int, base: str, middle: float = LENGTH / 2) -> ts.Model:
    """Return rods on ball joints, the first on a joint of kind `base`; no gravity."""
    builder, carrier = ts.Builder("chain", gravity=(0, 0, 0)), "world"
    for k in range(rods):
        placement = np.eye(4)
        placement[0, 3] = LENGTH if k else 0.0
        com = (LENGTH / 2 if k else middle, 0.0, 0.0)
        builder.body(f"rod_{k}", MASS, com=com, inertia=(AXIAL, ACROSS, ACROSS))
        kind = "spherical" if k else base
        builder.joint(f"ball_{k}", kind, carrier, f"rod_{k}", placement=placement)
        carrier = f"rod_{k}"
    return builder.build()


def energies(model: ts.Model, run: ts.Trajectory, every: int = 10) -> np.ndarray:
    return np.array(
        [model.kinetic_energy(q, v) for q, v in zip(run.q, run.v, strict=True)][::every]
    )


@pytest.mark.parametrize("spin", [40.0, 300.0, 2000.0])
@pytest.mark.parametrize("base", ["free", "spherical"])
def test_rods_that_spin_keep_swing_and_spin(base: str, spin: float) -> None:
    model = chain(1, base, 0.0 if base == "free" else LENGTH / 2)
    v = np.zeros(model.nv)
    v[-3:] = [spin, 3.0, 1.0]
    run = ts.Simulation(model, ground=None, dt=1e-3).run(model.neutral(), v, duration=2.0)
    np.testing.assert_allclose(run.v[:, -3], spin, rtol=1e-9)
    np.testing.assert_allclose(np.hypot(run.v[:, -2], run.v[:, -1]), np.hypot(3, 1), rtol=1e-9)


@pytest.mark.parametrize("base", ["free", "spherical"])
@pytest.mark.parametrize("rods", [1, 2, 3])
@pytest.mark.parametrize("spin", [20.0, 100.0])
def test_chains_of_rods_that_spin_stay_together(base: str, rods: int, spin: float) -> None:
    model = chain(rods, base)
    v = np.random.default_rng(rods).normal(0.0, 1.0, model.nv)
    v[model.nv - 3 * rods] = spin
    simulation = ts.Simulation(model, ground=None, dt=1e-3)
    found = energies(model, simulation.run(model.neutral(), v, duration=1.0))
    print(
        f"{base}, {rods} rods, {spin} rad/s: energy {found.min() / found[0]:.4f} to "
        f"{found.max() / found[0]:.4f} of the start"
    )
    # joints that turn a tenth of a radian in a step change the inertia that it started with
    assert found.max() < (1.5 if spin < 50.0 else 6.0) * found[0]
    assert found.min() > 0.7 * found[0]


def test_bodies_that_tumble_do_as_euler_says() -> None:
    """About the axis between: it turns over again and again, at the times of the exact motion."""
    builder = ts.Builder("tumbling", gravity=(0, 0, 0))
    builder.body("body", 1.0, inertia=HARD)
    model = builder.joint("free", "free", "world", "body").build()
    w = np.array([0.02, 12.0, 0.01])
    moments = np.array(HARD)

    def rate(t: float, w: np.ndarray) -> np.ndarray:
        return -np.cross(w, moments * w) / moments

    exact = solve_ivp(rate, (0, 3), w, rtol=1e-10, atol=1e-12, dense_output=True).sol
    missed = []
    for dt in (2e-3, 1e-3, 5e-4):
        v = np.concatenate([np.zeros(3), w])
        run = ts.Simulation(model, ground=None, dt=dt).run(model.neutral(), v, duration=3.0)
        missed.append(np.abs(run.v[:, 3:] - exact(run.t).T).max())
        energy = (moments * run.v[:, 3:] ** 2).sum(axis=1) / 2
        np.testing.assert_allclose(energy, energy[0], rtol=2e-3)
    print("missed by", missed)
    assert missed[1] < 0.3 * missed[0] and missed[2] < 0.3 * missed[1]  # of second order


def test_a_fast_top_precedes_as_it_should() -> None:
    """ω = m g l / (I s) about the vertical, for a top that spins fast, on its point."""
    reach, disc, spin = 0.05, (1e-3, 6e-4, 6e-4), 200.0
    builder = ts.Builder("top")
    builder.body("top", 0.5, com=(reach, 0, 0), inertia=disc)
    model = builder.joint("point", "spherical", "world", "top").build()
    v = np.array([spin, 0.0, 0.0])
    run = ts.Simulation(model, ground=None, dt=1e-3).run(model.neutral(), v, duration=2.0)
    axes = np.array([model.frame_pose(q, "top")[:3, 0] for q in run.q])
    turned = np.unwrap(np.arctan2(axes[:, 1], axes[:, 0]))
    rate = (turned[-1] - turned[0]) / run.t[-1]
    wanted = 0.5 * 9.81 * reach / (disc[0] * spin)
    print(f"{rate:.4f} rad/s, {wanted:.4f} for one that spins without end")
    assert rate == pytest.approx(wanted, rel=0.02)
    assert np.abs(axes[:, 2]).max() < 0.15  # it nods a little, and does not fall
