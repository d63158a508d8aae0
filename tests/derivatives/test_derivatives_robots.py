"""Derivatives of dynamics of robots with couplings and loops, and of large clusters."""

from __future__ import annotations

import numpy as np
import pytest
from coriolis_cases import distance
from slopes import along_q
from special import SPECIAL, special


@pytest.mark.parametrize("name", SPECIAL)
def test_against_sums_over_bodies_and_differences(name: str) -> None:
    c = special(name)
    m, direction = c.model, np.random.default_rng(2).normal(size=(1, c.model.nv))
    by_q, by_v, mass = m.inverse_dynamics_derivatives(c.q, c.v, c.a, c.external)
    slope = c.own.slopes_of_forces(c.x, c.v, c.a, c.external, direction)
    gamma = m.christoffel_symbols(c.q)
    exact = {
        "inverse by q": distance(by_q @ direction[0], slope[0]),
        "inverse by v": distance(by_v, gamma @ c.v + np.swapaxes(gamma, 1, 2) @ c.v),
        "inverse by a": distance(mass, m.mass_matrix(c.q)),
    }
    forward = m.forward_dynamics_derivatives(c.q, c.v, c.tau, c.external)
    expected = along_q(m, c.q, lambda q: m.forward_dynamics(q, c.v, c.tau, c.external))
    units = np.eye(m.nv)
    plus, minus = (m.forward_dynamics(c.q, c.v + s * units, c.tau, c.external) for s in (1.0, -1.0))
    rough = {
        "forward by q": distance(forward[0], expected),
        "forward by v": distance(forward[1], 0.5 * (plus - minus).T),
    }
    print(name, {key: f"{residual:.1e}" for key, residual in (exact | rough).items()})
    assert max(exact.values()) < 1e-10
    assert max(rough.values()) < 1e-8
