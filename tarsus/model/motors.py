"""The motors of a model: where their rotors are among all joints, and the torques they need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.model.checks import reals
from tarsus.model.cluster_views import Cluster
from tarsus.model.description import Coupling
from tarsus.model.views import JointView


class Motors:
    """The joints that carry rotors, cluster by cluster."""

    def __init__(
        self,
        couplings: Sequence[Coupling],
        joints: Mapping[str, JointView],
        clusters: Sequence[Cluster],
    ) -> None:
        rotors = {name for coupling in couplings if coupling.motor for name in coupling.followers}
        views = [joint for joint in joints.values() if joint.name in rotors]
        self.names = tuple(view.name for view in views)
        self.positions = np.array([view.position_slice.start for view in views], dtype=np.intp)
        self.velocities = np.array([view.velocity_slice.start for view in views], dtype=np.intp)
        number = {name: i for i, name in enumerate(self.names)}
        self._groups = [
            ([number[name] for name in cluster.joints if name in rotors], cluster.v_slice)
            for cluster in clusters
            if not rotors.isdisjoint(cluster.joints)
        ]

    def torques(self, coupling_matrix: Array, tau: ArrayLike) -> Array:
        """Return the torques (…, motors) for a coupling matrix (…, Σ nv, nv) and tau (…, nv).

        The motors of a cluster turn by M v, M their rows of its coupling matrix, so they exert
        Mᵀ torques on its coordinates.
        """
        forces, nv = reals(tau, "tau"), coupling_matrix.shape[-1]
        if forces.shape[-1:] != (nv,):
            raise ValueError(f"tau has shape {forces.shape}, must be (…, {nv})")
        if not np.isfinite(forces).all():
            raise ValueError("tau has entries that are not finite")
        rows = coupling_matrix[..., self.velocities, :]
        lead = np.broadcast_shapes(rows.shape[:-2], forces.shape[:-1])
        torques = np.zeros((*lead, len(self.names)))
        for motors, own in self._groups:
            transposed = np.swapaxes(rows[..., motors, own], -1, -2)
            inverse = np.linalg.pinv(transposed)
            torques[..., motors] = (inverse @ forces[..., own, None])[..., 0]
        return torques
