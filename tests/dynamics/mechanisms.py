"""A hundred random mechanisms, each with every kind of joint, and a state of each."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from oracle import Array, Oracle

import tarsus as ts

COUNT = 100
REFERENCES: tuple[Any, ...] = ("local", "world", "local_world_aligned")
METHODS: tuple[Any, ...] = ("articulated", "sparse", "dense")


@dataclass(frozen=True)
class Case:
    """A mechanism and numbers to try it with."""

    seed: int
    model: ts.Model
    oracle: Oracle
    q: Array
    v: Array
    a: Array
    tau: Array
    external: Array


@functools.cache
def cases() -> tuple[Case, ...]:
    """Return the mechanisms: 18 to 23 bodies, each kind of joint in each of them."""
    return tuple(_case(seed) for seed in range(COUNT))


def _case(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    model = ts.robots.random_mechanism(
        rng, 18 + seed % 6, axes=seed % 5 > 0, armature=seed % 2 == 0, springs=seed % 3 == 0
    )
    assert {model.joint(name).kind for name in model.joint_names} == set(ts._core.joint_kinds())
    q = model.random_configuration(rng)
    v, a, tau = rng.normal(size=(3, model.nv))
    external = rng.normal(size=(model.n_bodies, 6)) * (seed % 4 > 0)
    return Case(seed, model, Oracle(model), q, v, a, tau, external)


def distance(found: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest number if that is above 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{found.shape} is not {expected.shape}"
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(found - expected).max(initial=0.0)) / scale


def check(what: str, residual: Callable[[Case], float], tolerance: float) -> None:
    """Print the largest residual over all mechanisms and compare it with the tolerance."""
    residuals = [residual(case) for case in cases()]
    worst = int(np.argmax(residuals))
    print(f"{what}: {residuals[worst]:.1e} (seed {worst})")
    assert np.isfinite(residuals).all()
    assert residuals[worst] < tolerance, f"{what}: {residuals[worst]:.2e}, seed {worst}"
