"""Centre of mass and momentum about it, of random mechanisms."""

from __future__ import annotations

import numpy as np
from mechanisms import Case, check, distance
from oracle import Array, slope


def centre(c: Case, q: Array) -> Array:
    return np.asarray(c.oracle.masses @ c.oracle.centres(q) / c.oracle.masses.sum())


def test_position() -> None:
    check("centre", lambda c: distance(c.model.center_of_mass(c.q), centre(c, c.q)), 1e-13)


def test_velocity() -> None:
    def residual(c: Case) -> float:
        linear, _ = c.oracle.momenta(c.q, c.v)
        expected = linear.sum(axis=0) / c.oracle.masses.sum()
        return distance(c.model.center_of_mass_velocity(c.q, c.v), expected)

    check("velocity of the centre", residual, 1e-12)


def test_jacobian() -> None:
    def residual(c: Case) -> float:
        jacobians, _ = c.oracle.jacobians(c.q)
        expected = np.einsum("b,bik->ik", c.oracle.masses, jacobians) / c.oracle.masses.sum()
        return distance(c.model.center_of_mass_jacobian(c.q), expected)

    check("Jacobian of the centre", residual, 1e-12)


def test_momentum_is_the_sum_over_bodies() -> None:
    def residual(c: Case) -> float:
        linear, angular = c.oracle.momenta(c.q, c.v)
        arms = c.oracle.centres(c.q) - centre(c, c.q)
        about_centre = (angular + np.cross(arms, linear)).sum(axis=0)
        expected = np.concatenate([linear.sum(axis=0), about_centre])
        return distance(c.model.centroidal_momentum(c.q, c.v), expected)

    check("momentum", residual, 1e-12)


def test_momentum_matrix() -> None:
    def residual(c: Case) -> float:
        columns = c.model.centroidal_momentum(c.q, np.eye(c.model.nv))
        return distance(c.model.centroidal_momentum_matrix(c.q), columns.T)

    check("momentum matrix", residual, 1e-12)


def test_rate_of_the_momentum_matrix() -> None:
    def residual(c: Case) -> float:
        def matrix(s: float) -> Array:
            return c.model.centroidal_momentum_matrix(c.model.integrate(c.q, s * c.v))

        return distance(c.model.centroidal_momentum_matrix_rate(c.q, c.v), slope(matrix))

    check("rate of the momentum matrix", residual, 1e-9)
