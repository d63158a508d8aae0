"""Random machines as models, each with a state and what the oracle says about it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from machines import FLAVOURS, machine
from maker import Machine
from oracle import Array
from projection import Projection, user_layout

import tarsus as ts

COUNTS = {
    "gears": 50,
    "couplings": 40,
    "forms": 40,
    "loops": 32,
    "constraints": 20,
    "everything": 28,
}
"""Number of machines of each flavour."""
METHODS: tuple[Any, ...] = ("articulated", "sparse", "dense")
REFERENCES: tuple[Any, ...] = ("local", "world", "local_world_aligned")


@dataclass(frozen=True)
class Case:
    """A model, its oracle, and a state: x of all joints, q in the user's layout, and the rest."""

    name: str
    model: ts.Model
    own: Projection
    x: Array
    q: Array
    v: Array
    a: Array
    tau: Array
    external: Array

    @cached_property
    def g(self) -> Array:
        """The coupling matrix (nw, nv)."""
        return self.own.coupling_matrix(self.x)

    @cached_property
    def w(self) -> Array:
        """Velocities of all joints (nw,)."""
        return np.asarray(self.g @ self.v)

    @cached_property
    def wdot(self) -> Array:
        """Accelerations of all joints (nw,)."""
        return np.asarray(self.g @ self.a + self.own.drift(self.x, self.v))

    @cached_property
    def mass_matrix(self) -> Array:
        return self.own.mass_matrix(self.x)

    @cached_property
    def inverse_dynamics(self) -> Array:
        return self.own.inverse_dynamics(self.x, self.v, self.a, self.external)

    @cached_property
    def forward_dynamics(self) -> Array:
        rest = self.tau - self.inverse_dynamics + self.mass_matrix @ self.a
        return self.own.accelerations(self.x, self.v, self.mass_matrix, rest)

    @cached_property
    def motion(self) -> tuple[Array, Array, Array]:
        """Poses of all bodies, their rates and second rates."""
        return self.own.motion(self.x, self.w, self.wdot)

    @cached_property
    def unit_rates(self) -> Array:
        """Rates of all poses (nv, n_bodies, 4, 4) for unit velocities."""
        return np.einsum("kbij,kl->lbij", self.own.bodies.unit_motions(self.x)[1], self.g)


@functools.cache
def case(flavour: str, seed: int) -> Case:
    """Return one machine with a state."""
    made = machine(seed, flavour)
    model = made.builder.build()
    own = Projection.of(model)
    rng = np.random.default_rng(seed)
    x = _configuration(made, own, rng)
    v, a, tau = rng.normal(size=(3, model.nv))
    jacobian = own.constraint_rows(x, v)[0]
    v = v - np.linalg.pinv(jacobian, rcond=1e-10) @ (jacobian @ v)
    external = rng.normal(size=(model.n_bodies, 6)) * (seed % 4 > 0)
    return Case(f"{flavour} {seed}", model, own, x, user_layout(model, x), v, a, tau, external)


def _configuration(made: Machine, own: Projection, rng: np.random.Generator) -> Array:
    """Return a configuration with closed loops: anywhere, but near the start if there are loops."""
    if not own.loops:
        return own.follow(own.tree.random_configuration(rng))
    step = rng.normal(size=own.tree.nv) * 0.05 * own.free
    x = own.bodies.integrate(made.start_of(own), step)
    return own.close(x, everything=True)


def distance(found: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest number if that is above 1."""
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{found.shape} is not {expected.shape}"
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    return float(np.abs(found - expected).max(initial=0.0)) / scale


def check(
    what: str,
    residual: Callable[[Case], float],
    tolerance: float,
    flavours: Collection[str] = tuple(FLAVOURS),
    every: int = 1,
) -> None:
    """Print the largest residual over the machines of each flavour; compare with the tolerance."""
    wrong = []
    for flavour in flavours:
        residuals = [residual(case(flavour, seed)) for seed in range(0, COUNTS[flavour], every)]
        worst = int(np.argmax(residuals))
        line = f"{what}: {residuals[worst]:.1e} ({flavour} {worst * every})"
        print(line)
        if not max(residuals) < tolerance:  # a NaN is wrong, too
            wrong.append(line)
    assert not wrong, "; ".join(wrong)
