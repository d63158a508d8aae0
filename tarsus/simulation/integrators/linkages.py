"""Which numbers of a state belong together: errors of one linkage must not hide in another.

A norm over all numbers of a state would let bodies at rest loosen what the moving ones are held
to. So an error is the root mean square within a linkage, and the largest of these.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model import Model

Indices = NDArray[np.int64]


def linkages(model: Model) -> tuple[Indices, Indices]:
    """Return the number of the linkage of each q (nq,) and of each v (nv,).

    A linkage is what hangs on one joint of the world, and what loops connect to it.
    """
    root = {WORLD: -1}
    for cluster in model.clusters:
        at = cluster.index if cluster.parent == WORLD else root[cluster.parent]
        root.update(dict.fromkeys(cluster.bodies, at))
    for constraint in model.constraints:
        a, b = (root[body] for body in constraint.bodies)
        if min(a, b) >= 0:
            root = {body: min(a, b) if at in (a, b) else at for body, at in root.items()}
    numbers = {at: k for k, at in enumerate(sorted({at for at in root.values() if at >= 0}))}
    of_q, of_v = np.zeros(model.nq, np.int64), np.zeros(model.nv, np.int64)
    for cluster in model.clusters:
        of_q[cluster.q_slice] = of_v[cluster.v_slice] = numbers[root[cluster.bodies[0]]]
    return of_q, of_v


class LinkageNorm:
    """The norm of errors of y = (q, v, works); works are groups of their own."""

    def __init__(self, model: Model, works: int) -> None:
        of_q, of_v = linkages(model)
        first = 1 + int(max(of_q, default=0))
        of_joints = first + np.tile(of_v, 3)
        of_parts = first + int(max(of_v, default=0)) + 1 + np.arange(works - 3 * model.nv)
        self._of = np.concatenate([of_q, of_v, of_joints, of_parts])
        self._size = np.maximum(np.bincount(self._of), 1)

    def __call__(self, error: Array) -> float:
        """Return the largest of the linkages' root mean squares of scaled errors."""
        squares = np.bincount(self._of, np.square(error))
        return float(np.sqrt((squares / self._size).max(initial=0.0)))

    @property
    def weights(self) -> Array:
        """Factors on tolerances for solvers that take root mean squares over all numbers.

        Then their norm is the root of the sum of all linkages' mean squares: at least the largest.
        """
        return np.asarray(np.sqrt(self._size[self._of] / len(self._of)))
