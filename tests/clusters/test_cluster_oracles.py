"""The two oracles agree: projection on independent joints, and free bodies with multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from cluster_cases import distance
from machines import FLAVOURS, machine
from maximal import solve


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_free_bodies_with_multipliers_agree_with_projection(flavour: str) -> None:
    for seed in range(3):
        made = machine(seed, flavour)
        own, rng = made.projection(), np.random.default_rng(seed)
        x = made.start_of(own)
        v, tau = rng.normal(size=(2, own.nv))
        external = rng.normal(size=(own.tree.n_bodies, 6))
        a = own.forward_dynamics(x, v, tau, external)
        expected = own.coupling_matrix(x) @ a + own.drift(x, v)
        found = solve(own, x, v, tau, external).joints
        print(f"{flavour} {seed}: {distance(found, expected):.1e}")
        assert distance(found, expected) < 1e-9


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_drift_is_the_rate_of_the_coupling_matrix(flavour: str) -> None:
    for seed in range(3):
        made = machine(seed, flavour)
        own = made.projection()
        x, v = made.start_of(own), np.random.default_rng(seed).normal(size=own.nv)
        found, expected = own.drift(x, v), own.coupling_matrix_rate(x, v) @ v
        print(f"{flavour} {seed}: {distance(found, expected):.1e}")
        assert distance(found, expected) < 1e-7


@pytest.mark.parametrize("flavour", ["loops", "constraints", "everything"])
def test_loops_are_closed_at_the_start(flavour: str) -> None:
    for seed in range(3):
        made = machine(seed, flavour)
        own = made.projection()
        assert np.abs(own.gaps(made.start_of(own))).max() < 1e-14
