"""Forces, masses, energies and momenta of machines with couplings and loops."""

from __future__ import annotations

import numpy as np
from cluster_cases import METHODS, Case, check, distance
from machines import FLAVOURS
from oracle import Array, slope
from power import rate_and_power

ROUNDING = 1e-10
CLUSTERS = [name for name in FLAVOURS if not {"constraints"} & set(FLAVOURS[name])]
"""Flavours whose loops are all in clusters."""


def test_mass_matrix_is_projected() -> None:
    check("mass matrix", lambda c: distance(c.model.mass_matrix(c.q), c.mass_matrix), 1e-11)


def test_inverse_mass_matrix() -> None:
    def residual(c: Case) -> float:
        inverse = c.model.inverse_mass_matrix(c.q)
        symmetric = distance(inverse, inverse.T)
        return symmetric + distance(c.mass_matrix @ inverse, np.eye(c.model.nv))

    check("H H⁻¹ = 1", residual, 1e-9)


def test_inverse_dynamics() -> None:
    def residual(c: Case) -> float:
        found = c.model.inverse_dynamics(c.q, c.v, c.a, c.external)
        return distance(found, c.inverse_dynamics)

    check("inverse dynamics", residual, ROUNDING)


def test_bias_and_gravity_forces() -> None:
    def residual(c: Case) -> float:
        still = np.zeros_like(c.v)
        bias = c.own.inverse_dynamics(c.x, c.v, still)
        gravity = c.own.inverse_dynamics(c.x, still, still)
        return max(
            distance(c.model.bias_forces(c.q, c.v), bias),
            distance(c.model.gravity_forces(c.q), gravity),
        )

    check("bias and gravity", residual, ROUNDING, every=3)


def test_forward_dynamics_by_three_methods() -> None:
    def residual(c: Case) -> float:
        found = [
            c.model.forward_dynamics(c.q, c.v, c.tau, c.external, method=method)
            for method in METHODS
        ]
        return max(distance(a, c.forward_dynamics) for a in found)

    check("forward dynamics", residual, 1e-8)


def test_inverse_undoes_forward() -> None:
    def residual(c: Case) -> float:
        found = []
        for method in METHODS:
            a = c.model.forward_dynamics(c.q, c.v, c.tau, c.external, method=method)
            found.append(c.model.inverse_dynamics(c.q, c.v, a, c.external))
        return max(distance(tau, c.tau) for tau in found)

    check("inverse(forward(tau)) = tau", residual, 1e-9, CLUSTERS)


def test_energies() -> None:
    def residual(c: Case) -> float:
        moment = c.own.bodies.masses @ c.own.bodies.centres(c.x)
        return max(
            distance(c.model.kinetic_energy(c.q, c.v), 0.5 * c.v @ c.mass_matrix @ c.v),
            distance(c.model.potential_energy(c.q), -c.model.gravity @ moment),
            distance(c.model.elastic_energy(c.q), c.own.tree.elastic_energy(c.x)),
        )

    check("energies", residual, 1e-11)


def test_passive_forces_of_all_joints() -> None:
    def residual(c: Case) -> float:
        expected = c.g.T @ c.own.tree.passive_forces(c.x, c.w)
        return distance(c.model.passive_forces(c.q, c.v), expected)

    check("passive forces", residual, 1e-11)


def test_power_is_the_rate_of_energy() -> None:
    def residual(c: Case) -> float:
        return distance(*rate_and_power(c.model, c.q, c.v, c.tau, c.external, 3e-5))

    check("power", residual, 1e-6)


def test_centre_of_mass() -> None:
    def residual(c: Case) -> float:
        own = c.own.bodies
        share = own.masses / own.masses.sum()
        jacobian = np.einsum("b,bik->ik", share, own.jacobians(c.x)[0]) @ c.g
        return max(
            distance(c.model.center_of_mass(c.q), share @ own.centres(c.x)),
            distance(c.model.center_of_mass_jacobian(c.q), jacobian),
            distance(c.model.center_of_mass_velocity(c.q, c.v), jacobian @ c.v),
        )

    check("centre of mass", residual, 1e-11)


def centroidal_matrix(c: Case, x: Array) -> Array:
    """Return the momentum matrix (6, nv) by the oracle."""
    own = c.own.bodies
    centre, turning = own.jacobians(x)
    linear = own.masses[:, None, None] * centre
    arms = own.centres(x) - own.masses @ own.centres(x) / own.masses.sum()
    angular = own.world_inertias(x) @ turning + np.cross(arms[:, :, None], linear, axis=1)
    return np.concatenate([linear.sum(axis=0), angular.sum(axis=0)]) @ c.own.coupling_matrix(x)


def test_momentum_about_the_centre() -> None:
    def residual(c: Case) -> float:
        expected = centroidal_matrix(c, c.x)
        return max(
            distance(c.model.centroidal_momentum_matrix(c.q), expected),
            distance(c.model.centroidal_momentum(c.q, c.v), expected @ c.v),
        )

    check("momentum", residual, 1e-11)


def test_rate_of_the_momentum_matrix() -> None:
    def residual(c: Case) -> float:
        xdot = c.own.bodies.rate(c.x, c.w)
        expected = slope(lambda s: centroidal_matrix(c, c.x + s * xdot), 1e-4)
        return distance(c.model.centroidal_momentum_matrix_rate(c.q, c.v), expected)

    check("rate of the momentum matrix", residual, 1e-7, every=4)
