"""Five sticks and fifteen rubbers against the oracle: forces, motion, what stays, and rest."""

from __future__ import annotations

import numpy as np
import pytest
from free_bodies import Bodies
from scipy.integrate import solve_ivp
from states import oracle_state
from tensegrity_oracle import RETURN, Tensegrity, shape, symmetric_rest

import tarsus as ts


def test_parts_are_those_of_the_thesis() -> None:
    scene = ts.scenes.tensegrity()
    names = list(scene.simulation().parts)
    kinds = [type(force).__name__ for force in scene.forces]
    assert (scene.model.n_bodies, kinds.count("Rubber"), kinds.count("Damping")) == (5, 15, 5)
    assert [name for name in names if "string" in name] == [
        f"string{letter}{k}" for letter in "BMT" for k in range(1, 6)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_accelerations_are_those_of_free_bodies(seed: int) -> None:
    """The change of velocities in a very short step; rubbers are tight and slack."""
    rng = np.random.default_rng(seed)
    smoothing = float(rng.choice([0.05, 0.2, 1.0]))
    scene, dt = ts.scenes.tensegrity(damping=3.0, smoothing=smoothing), 1e-8
    q = scene.model.integrate(scene.q0, rng.normal(0.0, 0.7, 30))
    v = rng.normal(0.0, 0.5, 30)
    run = scene.but(dt=dt).simulation().run(q, v, duration=dt)
    before, after = oracle_state(run.q, run.v)
    found = ((after - before) / dt).reshape(5, 13)[:, 7:]
    slope = Tensegrity(damping=3.0, smoothing=smoothing).world.slope(0.0, before)
    expected = slope.reshape(5, 13)[:, 7:]
    off = np.abs(found - expected).max() / np.abs(expected).max()
    print(f"accelerations up to {np.abs(expected).max():.3g}, off by {off:.1e}")
    assert off < 1e-5


def test_the_motion_converges_to_that_of_the_oracle() -> None:
    sticks = Tensegrity(smoothing=0.2)
    exact = solve_ivp(
        sticks.world.slope, (0.0, 0.5), sticks.start(), "LSODA", rtol=1e-9, atol=1e-9
    ).y[:, -1]
    errors = []
    for dt in (2e-3, 1e-3, 5e-4):
        run = ts.scenes.tensegrity(smoothing=0.2).but(dt=dt).run(duration=0.5, record=False)
        away = (oracle_state(run.q[-1], run.v[-1]) - exact).reshape(5, 13)[:, :3]
        errors.append(float(np.abs(away).max()))
    print(f"errors after half a second [m]: {errors}")
    assert errors[0] < 5e-3
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_implicit_integrators_take_few_steps_and_agree_with_the_oracle() -> None:
    sticks = Tensegrity(smoothing=0.05)
    exact = solve_ivp(
        sticks.world.slope, (0.0, 1.0), sticks.start(), "LSODA", rtol=1e-10, atol=1e-10
    ).y[:, -1]
    scene = ts.scenes.tensegrity().but(integrator=ts.integrators.Radau(1e-9, 1e-10), dt=0.1)
    run = scene.run(duration=1.0)
    off = np.abs(oracle_state(run.q[-1], run.v[-1]) - exact).max()
    print(f"off by {off:.1e} after a second")
    assert off < 1e-6
    long = scene.but(integrator=ts.integrators.Radau(1e-5, 1e-6)).run(duration=8.0)
    assert long.integration is not None
    assert long.integration.steps < 600
    assert np.abs(long.energy.relative_residual).max() < 1e-5


@pytest.mark.parametrize(("stiffness", "damping"), [(20, 10), (20, 1), (40, 10), (40, 1)])
def test_it_settles_where_its_energy_is_least(stiffness: float, damping: float) -> None:
    rest, least = symmetric_rest(stiffness)
    scene = ts.scenes.tensegrity(stiffness, damping, smoothing=0.2).but(dt=4e-3)
    run = scene.run(duration=30.0, every=100)
    found = shape(Bodies.of(oracle_state(run.q[-1], run.v[-1])))
    expected = shape(rest)
    print({name: f"{found[name]:.5f} ({expected[name]:.5f})" for name in found})
    for name, tolerance in (("top", 2e-3), ("bottom", 2e-3), ("across", 3e-3), ("radius", 2e-3)):
        assert found[name] == pytest.approx(expected[name], abs=tolerance)
    assert found["spread"] < 5e-3
    # slow rubber is a spring of (1 + e)/2 of its stiffness: beside what that stores, it only takes
    assert run.energy.in_parts[-1] == pytest.approx((1 + RETURN) / 2 * least, rel=1e-3)
    for name, (_, work) in run.energy.by_part().items():
        assert np.diff(work).max() < 1e-6 * run.energy.stored[0], name


def test_momentum_stays_zero_without_damping() -> None:
    """Rubbers pull at both ends alike; that of turning is as true as steps are short."""
    angular = []
    for dt in (1e-3, 5e-4):
        run = ts.scenes.tensegrity(damping=0.0).but(dt=dt).run(duration=1.0, every=20)
        momentum = (run.model.centroidal_momentum_matrix(run.q) @ run.v[..., None])[..., 0]
        assert np.abs(momentum[:, :3]).max() < 1e-12
        angular.append(float(np.abs(momentum[:, 3:]).max()))
    print(f"angular momentum {angular} N m s")
    assert angular[1] < 0.55 * angular[0] < 0.55


def test_a_batch_of_structures_has_the_bits_of_each() -> None:
    scene = ts.scenes.tensegrity()
    rng = np.random.default_rng(0)
    q0 = scene.model.integrate(scene.q0, rng.normal(0.0, 0.1, (5, 30)))
    sim, v0 = scene.simulation(), np.zeros(30)
    batch = sim.run(q0, v0, duration=0.2)
    for k in (0, 4):
        alone = sim.run(q0[k], v0, duration=0.2)
        assert np.array_equal(alone.q, batch.q[k])
        force = alone.parts["stringM2"].force
        assert np.array_equal(force, batch.parts["stringM2"].force[k])
