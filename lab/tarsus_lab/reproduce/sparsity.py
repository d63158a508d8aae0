"""Non-zeros of the mass matrix that follow from the tree of clusters alone.

R. Featherstone, D. E. Orin, "Robot Dynamics: Equations and Algorithms", ICRA 2000, and
R. Featherstone, "Efficient Factorization of the Joint-Space Inertia Matrix for Branched
Kinematic Trees", International Journal of Robotics Research 24, 2005: a coordinate couples with
those of its own cluster and with those on the way to the root.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.model.model import Model


def pattern(model: Model) -> NDArray[np.bool_]:
    """Return which entries (nv, nv) of the mass matrix can differ from zero."""
    cluster_of = {name: cluster.index for cluster in model.clusters for name in cluster.bodies}
    filled = np.zeros((model.nv, model.nv), bool)
    reach: list[NDArray[np.bool_]] = []  # of each cluster: its coordinates and its ancestors'
    for cluster in model.clusters:
        above = cluster_of.get(cluster.parent)
        columns = np.zeros(model.nv, bool) if above is None else reach[above].copy()
        columns[cluster.v_slice] = True
        filled[cluster.v_slice] = columns
        reach.append(columns)
    return filled | filled.T


def n_non_zeros(model: Model) -> int:
    """Return how many entries of the lower triangle of the mass matrix can differ from zero."""
    return int(np.tril(pattern(model)).sum())


def n_dense(nv: int) -> int:
    """Return how many entries a lower triangle has."""
    return nv * (nv + 1) // 2
