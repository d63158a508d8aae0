"""Which rims of a body matter: those on its outline, and the best few corners of its meshes.

A ground that is flat over the size of a body touches it on its outline only. Rims behind the
outline (a corner inside another box, the rim of a cylinder that ends in a sphere) are left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.geometry.directions import DIRECTIONS
from tarsus.geometry.rims import reach

SLACK = 1e-3
"""Rims this far behind the outline, in sizes of the body, count as being on it."""
EXACT = 1e-6
"""Corners of meshes are added until the outline is that exact, in sizes of the body."""


def outline(
    rims: Array, of_mesh: NDArray[np.bool_], mesh_points: int, *, hollows: bool = False
) -> tuple[NDArray[np.int64], float]:
    """Return the numbers of the rims (n, 8) to keep, in order, and the error of the outline [m].

    All rims on the outline stay that are no corners of meshes, with `hollows` those behind it,
    too. At most `mesh_points` corners of
    meshes are added one by one, each the farthest in the direction in which those so far reach
    least. The error is how far the body reaches beyond the kept ones in the worst direction.
    """
    far = reach(rims, DIRECTIONS)
    farthest = far.argmax(axis=1)
    best = np.take_along_axis(far, farthest[:, None], axis=1)[:, 0]
    size = float((best[:3] + best[3:6]).max())
    others = np.flatnonzero(~of_mesh)
    near = (far[:, others] >= best[:, None] - SLACK * size).any(axis=0) | hollows
    kept: list[int] = others[near].tolist()
    covered = far[:, kept].max(axis=1, initial=-np.inf)
    for _ in range(min(mesh_points, len(rims) - len(others))):
        behind = best - covered
        if behind.max() <= EXACT * size:
            break
        kept.append(int(farthest[np.argmax(behind)]))
        covered = np.maximum(covered, far[:, kept[-1]])
    return np.sort(np.array(kept, np.int64)), max(float((best - covered).max()), 0.0)
