"""Five ways to compute with the rotors of motors, from ignoring them to exact.

A0  without rotors
A1  n² J on the diagonal of the mass matrix, the rotors' masses ignored ("MCRBA" of the thesis)
A2  the same, and rotors welded where they are: what most models in files are
A3  the exact mass matrix, with the Coriolis terms of A2: no gyroscopic terms of rotors
A4  exact: rotors are bodies that turn

S. F. Echeandia, "Rigid-Body Dynamics Algorithms for Physically Interactive Robots", University
of Notre Dame 2020, section 4.4, compares A0, A1 and A4.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.robots.building import Rotors

NAMES = ("A0", "A1", "A2", "A3", "A4")


@dataclass(frozen=True)
class RotorModels:
    """A mechanism without rotors, with welded ones and n² J, and with exact ones."""

    without: Model
    reflected: Model
    exact: Model

    @classmethod
    def make(cls, robot: Callable[[Rotors], Model], *, gravity: bool = True) -> RotorModels:
        """Return the three models of a robot that takes a way of modelling rotors."""
        models = (robot("none"), robot("reflected"), robot("exact"))
        return cls(*(models if gravity else map(weightless, models)))

    @property
    def armature(self) -> Array:
        """The reflected inertias n² J (nv,)."""
        parts = [joint.armature for joint in self.reflected.joints]
        return np.concatenate(parts)

    def accelerations(self, q: Array, v: Array, tau: Array) -> dict[str, Array]:
        """Return the accelerations (…, nv) of A0 to A4 under the same forces."""
        diagonal = np.zeros((len(self.armature),) * 2)
        np.fill_diagonal(diagonal, self.armature)
        mass_1 = self.without.mass_matrix(q) + diagonal
        return {
            "A0": self.without.forward_dynamics(q, v, tau),
            "A1": solve(mass_1, tau - self.without.bias_forces(q, v)),
            "A2": self.reflected.forward_dynamics(q, v, tau),
            "A3": solve(self.exact.mass_matrix(q), tau - self.reflected.bias_forces(q, v)),
            "A4": self.exact.forward_dynamics(q, v, tau),
        }


def solve(mass: Array, force: Array) -> Array:
    """Return mass⁻¹ force, of one state or a batch."""
    return np.asarray(np.linalg.solve(mass, force[..., None])[..., 0])


def weightless(model: Model) -> Model:
    """Return the same mechanism without gravity."""
    return Model(replace(model.description, gravity=np.zeros(3)))
