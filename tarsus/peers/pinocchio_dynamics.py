"""Pinocchio behind the methods of our model, for identities that are computed with it alone.

Arguments and results have our layout and order, with any leading dimensions. Steps between
configurations are ours: they are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.arrays import Array
from tarsus.peers import NotComparableError
from tarsus.peers.pinocchio_model import symmetric

if TYPE_CHECKING:
    from tarsus.peers.pinocchio import PinocchioPeer


class PinocchioDynamics:
    """The methods of `tarsus.Model` that Pinocchio has."""

    def __init__(self, peer: PinocchioPeer) -> None:
        ours = peer.ours
        self._peer, self._pin, self._model = peer, peer.pin, peer.model
        self._mimic = any(joint.dependent for joint in ours.joints)
        self.nv, self.joints = ours.nv, ours.joints
        self.integrate, self.difference = ours.integrate, ours.difference
        self.joint_velocities = ours.joint_velocities
        self.joint_accelerations = ours.joint_accelerations
        self.coupling_matrix = ours.coupling_matrix

    @property
    def inertial_parameters(self) -> Array:
        """Mass, first moments and moments of inertia of each body (n_bodies, 10)."""
        return np.array([inertia.toDynamicParameters() for inertia in self._model.inertias[1:]])

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Return Coriolis, centrifugal and gravity forces (…, nv)."""
        return self._each(1, self._pin.nonLinearEffects, q, v)

    def gravity_forces(self, q: Array) -> Array:
        """Return gravity forces (…, nv)."""
        return self._each(1, self._pin.computeGeneralizedGravity, q)

    def inverse_dynamics(self, q: Array, v: Array, a: Array) -> Array:
        """Return the generalised forces (…, nv)."""
        return self._each(1, self._pin.rnea, q, v, a)

    def forward_dynamics(self, q: Array, v: Array, tau: Array) -> Array:
        """Return accelerations (…, nv)."""
        return self._each(1, self._pin.aba, q, v, tau)

    def mass_matrix(self, q: Array) -> Array:
        """Return H (…, nv, nv)."""
        return self._each(2, lambda *x: symmetric(self._pin.crba(*x)), q)

    def coriolis_matrix(self, q: Array, v: Array) -> Array:
        """Return C (…, nv, nv)."""
        return self._each(2, self._pin.computeCoriolisMatrix, q, v)

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array) -> Array:
        """Return ∂τ/∂q, ∂τ/∂v, ∂τ/∂a (3, …, nv, nv)."""

        def three(*arguments: Any) -> Array:
            dq, dv, da = self._pin.computeRNEADerivatives(*arguments)
            return np.array([dq, dv, symmetric(da)])

        return np.moveaxis(self._each(2, three, q, v, a), -3, 0)

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> Array:
        """Return ∂a/∂q, ∂a/∂v, ∂a/∂τ (3, …, nv, nv)."""

        def three(*arguments: Any) -> Array:
            dq, dv, dtau = self._pin.computeABADerivatives(*arguments)
            return np.array([dq, dv, symmetric(dtau)])

        return np.moveaxis(self._each(2, three, q, v, tau), -3, 0)

    def inertial_regressor(self, q: Array, v: Array, a: Array) -> Array:
        """Return Y (…, nv, 10 n_bodies)."""
        rows = self._each(0, self._pin.computeJointTorqueRegressor, q, v, a)
        return np.take(rows, self._peer.order, -2)

    def _each(self, axes: int, function: Callable[..., Array], q: Array, *rest: Array) -> Array:
        """Return results for each state; their last `axes` dimensions are put in our order."""
        lead = np.broadcast_shapes(q.shape[:-1], *(x.shape[:-1] for x in rest))
        states = (
            np.broadcast_to(x, (*lead, x.shape[-1])).reshape(-1, x.shape[-1]) for x in (q, *rest)
        )
        found = np.array([self._one(function, *state) for state in zip(*states, strict=True)])
        for axis in range(-axes, 0):
            found = np.take(found, self._peer.order, axis)
        return found.reshape(*lead, *found.shape[1:])

    def _one(self, function: Callable[..., Array], q: Array, *rest: Array) -> Array:
        # new data each time: with joints that mimic, crba adds to what is there
        data = self._model.createData() if self._mimic else self._peer.data
        arguments = [self._peer.configuration(q), *map(self._peer.velocity, rest)]
        try:
            return np.array(function(self._model, data, *arguments))
        except (RuntimeError, ValueError) as error:
            raise NotComparableError(f"Pinocchio: {error}") from None
