"""Mechanisms of every kind with a state each: trees of all joints, gears, couplings and loops."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cluster_cases
import mechanisms
import numpy as np
from cluster_cases import distance as distance
from connection import Connection
from machines import FLAVOURS
from oracle import Array

import tarsus as ts
from tarsus.model.description import FACTORIZATIONS

ROUNDING = 1e-11
STEPS = {"gears": 3, "couplings": 3, "forms": 3, "loops": 5, "constraints": 3, "everything": 5}
"""Of the machines every third or fifth is taken: they take long to make."""


@dataclass(frozen=True)
class Case:
    """A model, its oracle, and a state: x of all joints, q in the user's layout, and the rest."""

    name: str
    model: ts.Model
    x: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    external: Array

    @cached_property
    def own(self) -> Connection:
        return Connection.of(self.model)

    @cached_property
    def matrices(self) -> dict[str, Array]:
        """What the oracle says of C by each factorisation, and of the rate of H as "rate"."""
        found = {f: self.own.spatial_coriolis_matrix(self.x, self.v, f) for f in FACTORIZATIONS}
        return found | {"rate": self.own.mass_matrix_rate(self.x, self.v)}

    @cached_property
    def reference(self) -> tuple[Array, Array]:
        """Another velocity and acceleration (nv,), as controllers have them."""
        rng = np.random.default_rng(self.model.nv)
        return rng.normal(size=self.model.nv), rng.normal(size=self.model.nv)

    def armature_forces(self, v: Array, a: Array) -> Array:
        """Return Gᵀ D (G a + Ġ v), which no body's parameters give; G moves with the state's v."""
        here, rate = self.own.maps_and_rates(self.x, self.v)
        return np.asarray(here.g.T @ (self.own.bodies.armature * (here.g @ a + rate.g @ v)))


def _taken(name: str, c: Any, x: Array) -> Case:
    return Case(name, c.model, x, c.q, c.v, c.a, c.tau, c.external)


@functools.cache
def machine(flavour: str, seed: int) -> Case:
    """Return a machine with gears, couplings or loops."""
    c = cluster_cases.case(flavour, seed)
    return _taken(c.name, c, c.x)


@functools.cache
def tree(seed: int) -> Case:
    """Return a tree with every kind of joint."""
    c = mechanisms._case(seed)
    return _taken(f"tree {seed}", c, c.q)


def cases(every: int = 1) -> Iterator[tuple[str, Iterator[Case]]]:
    """Yield groups of mechanisms, 100 trees and 66 machines, or each n-th of them.

    `every` is odd: the bits of a seed say whether there are armatures and external wrenches.
    """
    yield "trees", (tree(seed) for seed in range(0, mechanisms.COUNT, every))
    for flavour in FLAVOURS:
        seeds = range(0, cluster_cases.COUNTS[flavour], STEPS[flavour] * every)
        yield flavour, (machine(flavour, seed) for seed in seeds)


def check(
    what: str,
    residual: Callable[[Case], float],
    tolerance: float = ROUNDING,
    every: int = 1,
    wanted: Callable[[Case], bool] = lambda _: True,
) -> None:
    """Print the largest residual over each group of mechanisms; compare with the tolerance."""
    wrong = []
    for group, members in cases(every):
        found = {c.name: residual(c) for c in members if wanted(c)}
        if not found:
            continue
        # a NaN is worse than any number
        worst = max(found, key=lambda name: np.nan_to_num(found[name], nan=np.inf))
        line = f"{what}: {found[worst]:.1e} ({worst}, {len(found)} {group})"
        print(line)
        if not found[worst] < tolerance:
            wrong.append(line)
    assert not wrong, "; ".join(wrong)
