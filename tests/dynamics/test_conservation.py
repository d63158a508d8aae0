"""Flights of free mechanisms: energy and momentum are kept as far as the integrator allows."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import DescriptionDraft

KINDS = [kind for kind in ts._core.joint_kinds() if kind != "free"]
STEP, COUNT = 1e-3, 60


def flyer(seed: int, *, gravity: bool) -> ts.Model:
    """A mechanism with every kind of joint that hangs on the world by one free joint only."""
    made = ts.robots.random_mechanism(seed, len(KINDS), KINDS, armature=False)
    description = DescriptionDraft.of(made.description)
    description.bodies.insert(0, ts.Body("trunk", 5.0, inertia=np.diag([0.3, 0.4, 0.5])))
    for joint in list(description.joints):
        if joint.parent == "world":
            description.change(joint, parent="trunk")
    description.joints.insert(0, ts.Joint("flight", "free", "world", "trunk"))
    if not gravity:
        description.gravity = np.zeros(3)
    return ts.Model(description.build())


def fly(model: ts.Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runge–Kutta of fourth order on q̇ and v̇; quaternions drift off by the method's error."""

    def rates(x: np.ndarray) -> np.ndarray:
        q, v = x[: model.nq], x[model.nq :]
        rate, a = model.configuration_rate(q, v), model.forward_dynamics(q, v, np.zeros_like(v))
        return np.concatenate([rate, a])

    x = np.concatenate([q, v])
    for _ in range(COUNT):
        k1 = rates(x)
        k2 = rates(x + 0.5 * STEP * k1)
        k3 = rates(x + 0.5 * STEP * k2)
        k4 = rates(x + STEP * k3)
        x = x + STEP / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return x[: model.nq], x[model.nq :]


def start(model: ts.Model, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return model.random_configuration(rng), rng.normal(size=model.nv)


@pytest.mark.parametrize("seed", range(5))
def test_energy_and_momentum_of_a_flight(seed: int) -> None:
    model = flyer(seed, gravity=True)
    q0, v0 = start(model, seed)
    q1, v1 = fly(model, q0, v0)

    def energy(q: np.ndarray, v: np.ndarray) -> float:
        return float(model.kinetic_energy(q, v) + model.potential_energy(q))

    duration = STEP * COUNT
    lost = abs(energy(q1, v1) - energy(q0, v0)) / model.kinetic_energy(q0, v0)
    before, after = model.centroidal_momentum(q0, v0), model.centroidal_momentum(q1, v1)
    gained = np.concatenate([model.total_mass * model.gravity * duration, np.zeros(3)])
    momentum = np.abs(after - before - gained).max() / np.abs(before).max()
    fallen = model.center_of_mass(q0) + model.center_of_mass_velocity(q0, v0) * duration
    fallen += 0.5 * model.gravity * duration**2
    path = np.abs(model.center_of_mass(q1) - fallen).max()
    print(f"seed {seed}: energy {lost:.1e}, momentum {momentum:.1e}, path {path:.1e}")
    assert np.abs(model.difference(q0, q1)).max() > 1e-2  # it moves
    assert lost < 1e-7 and momentum < 1e-7 and path < 1e-7


def test_a_spinning_body_keeps_its_spin_about_the_centre_of_mass() -> None:
    builder = ts.Builder("stone", gravity=(0, 0, 0))
    builder.body("stone", 2.0, com=(0.1, 0.2, -0.3), inertia=(0.3, 0.4, 0.5))
    model = builder.joint("flight", "free", "world", "stone").build()
    q, v = start(model, 0)
    before = model.centroidal_momentum(q, v)
    q, v = fly(model, q, v)
    np.testing.assert_allclose(model.centroidal_momentum(q, v), before, rtol=1e-10, atol=1e-12)
