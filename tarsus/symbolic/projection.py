"""From the links of a tree to the coordinates of a model: w = G(q) v.

The links move by constant subspaces. Joints that follow others, and those whose subspaces depend
on q, come in by G: then H = Gᵀ H_w G and C = Gᵀ (C_w(G v) G + H_w Ġ).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy

from tarsus.symbolic.mechanism import Mechanism
from tarsus.symbolic.recursions import Recursions, Values

EQUATIONS: Mapping[str, tuple[str, ...]] = {
    "mass_matrix": ("q",),
    "coriolis_matrix": ("q", "v"),
    "gravity_forces": ("q",),
    "christoffel_symbols": ("q",),
    "inverse_dynamics": ("q", "v", "a"),
    "configuration_rate": ("q", "v"),
}
"""What there are equations for, and on what they depend."""


class Projection:
    """The equations of a mechanism in its own coordinates.

    `share` may put names in place of intermediate results.
    """

    def __init__(
        self, mechanism: Mechanism, share: Callable[[Any], Any] = lambda value: value
    ) -> None:
        self._own = mechanism
        self._share = share
        links = [link.mapped(self._shared) for link in mechanism.links]
        self._tree = Recursions(links, lambda terms: share(sympy.Add(*terms)))
        self._motion = self._shared(mechanism.motion)
        self._plain = np.array_equal(mechanism.motion, np.eye(len(mechanism.v), dtype=int))
        self._known: dict[str, Values] = {}

    def values(self, name: str) -> Values:
        """Return an equation as an array, computed once."""
        if name not in self._known:
            equation: Callable[[], Values] = getattr(self, f"_{name}")
            values = equation()
            flat = [sympy.sympify(value) for value in values.ravel()]
            self._known[name] = np.array(flat, dtype=object).reshape(values.shape)
        return self._known[name]

    def _mass_matrix(self) -> Values:
        times, own, links = self._tree.times, self._own, self._tree.mass_matrix()
        if not self._plain:
            links = times(self._motion.T, times(links, self._motion))
        return links + times(own.armature, own.coupling)

    def _gravity_forces(self) -> Values:
        forces = self._tree.gravity_forces(self._own.gravity)
        return self._tree.times(self._motion.T, forces)

    def _christoffel_symbols(self) -> Values:
        """Γ, the matrices C for the velocities v = e_k."""
        times, own, gamma = self._tree.times, self._own, self._tree.christoffel_symbols()
        if self._plain:
            return gamma
        mass = self._tree.mass_matrix()
        result = np.zeros((len(own.v),) * 3, dtype=object)
        for k, unit in enumerate(np.eye(len(own.v), dtype=int).astype(object)):
            moving, following = self._rates(unit)
            coriolis = sum(gamma[:, :, c] * w for c, w in enumerate(self._motion[:, k]) if w != 0)
            links = times(coriolis, self._motion) + times(mass, moving)
            result[:, :, k] = times(self._motion.T, links) + times(own.armature, following)
        return result

    def _coriolis_matrix(self) -> Values:
        gamma, n = self.values("christoffel_symbols"), len(self._own.v)
        return self._tree.times(gamma.reshape(n * n, n), self._own.v).reshape(n, n)

    def _inverse_dynamics(self) -> Values:
        times, own = self._tree.times, self._own
        moving, following = self._rates(own.v)
        forces = self._tree.inverse_dynamics(
            own.gravity,
            times(self._motion, own.v),
            times(self._motion, own.a) + times(moving, own.v),
        )
        accelerations = times(own.coupling, own.a) + times(following, own.v)
        return times(self._motion.T, forces) + times(own.armature, accelerations)

    def _configuration_rate(self) -> Values:
        return self._own.rate

    def _rates(self, v: Values) -> tuple[Values, Values]:
        """Return the rates of the motion of the links and of the coupling of the joints."""
        own = self._own
        return (
            self._shared(own.rate_of(own.motion, v)),
            self._shared(own.rate_of(own.coupling, v)),
        )

    def _shared(self, values: Values) -> Values:
        flat = [self._share(value) for value in values.ravel()]
        return np.array(flat, dtype=object).reshape(values.shape)
