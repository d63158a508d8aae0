"""An oracle for free rigid bodies: Newton's and Euler's equations in plain NumPy, world axes.

A state is (n, 13) for n bodies: centre (3), quaternion x y z w (4), velocity of the centre in the
world (3), angular velocity in body axes (3).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

Wrenches = Callable[[float, "Bodies"], tuple[Array, Array]]
"""From time and bodies to forces at centres (n, 3) and torques (n, 3), in the world."""


@dataclass(frozen=True)
class Bodies:
    """Where bodies are and how they move: rotations (n, 3, 3), the others (n, 3), in the world."""

    center: Array
    rotation: Array
    velocity: Array
    spin: Array

    @classmethod
    def of(cls, state: Array) -> Bodies:
        """Return the bodies of a state (n, 13) or flat."""
        state = state.reshape(-1, 13)
        rotation = Rotation.from_quat(state[:, 3:7]).as_matrix()
        spin = np.einsum("nij,nj->ni", rotation, state[:, 10:])
        return cls(state[:, :3], rotation, state[:, 7:10], spin)

    def points(self, body: NDArray[np.int64], at: Array) -> tuple[Array, Array]:
        """Return places (m, 3) and velocities (m, 3) of points `at` (m, 3) of bodies (m,)."""
        arm = np.einsum("nij,nj->ni", self.rotation[body], at)
        return self.center[body] + arm, self.velocity[body] + np.cross(self.spin[body], arm)


@dataclass(frozen=True)
class World:
    """Masses (n,) and principal inertias (n, 3) of bodies, and what acts on them."""

    mass: Array
    inertia: Array
    wrenches: Wrenches

    def slope(self, t: float, flat: Array) -> Array:
        """Return the rate of a flat state."""
        state, bodies = flat.reshape(-1, 13), Bodies.of(flat)
        force, torque = self.wrenches(t, bodies)
        spin = state[:, 10:]
        own = np.einsum("nji,nj->ni", bodies.rotation, torque)  # in body axes
        rate = np.empty_like(state)
        rate[:, :3] = state[:, 7:10]
        x, y, z, w = state[:, 3:7].T
        a, b, c = spin.T
        rate[:, 3] = (w * a + y * c - z * b) / 2
        rate[:, 4] = (w * b + z * a - x * c) / 2
        rate[:, 5] = (w * c + x * b - y * a) / 2
        rate[:, 6] = -(x * a + y * b + z * c) / 2
        rate[:, 7:10] = force / self.mass[:, None]
        rate[:, 10:] = (own - np.cross(spin, self.inertia * spin)) / self.inertia
        return rate.ravel()

    def energy(self, flat: Array) -> float:
        """Return the kinetic energy [J]."""
        state = flat.reshape(-1, 13)
        linear = self.mass @ np.sum(state[:, 7:10] ** 2, axis=1)
        return float(linear + np.sum(self.inertia * state[:, 10:] ** 2)) / 2
