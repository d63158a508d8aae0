"""Arms that make up for the angular momentum of the legs: tracking with split coordinates.

With the row of the angular momentum split into free coordinates r (arms) and the others p, and the
momentum L that is wanted,

    y_r = (a_rᵀ/|a_r|) (a_p v_p − L),      v = J_W# r − N W⁻¹ (∇H + y),

so that arms move against what legs do (Schwienbacher 2013, section 7.3.2). The pseudo-inverse
a_rᵀ/|a_r|² itself would be exact and, where a_r is small, wild; normalised as here it is as long as
the momentum that is missing, whatever the arms' posture. `damping` takes a_rᵀ/(|a_r|² + damping²)
instead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.arguments import names_of, positive
from tarsus.ik.costs.cost import Cost
from tarsus.model import Model
from tarsus.model.checks import number


class MomentumTracking(Cost):
    """Lets `joints` bring the angular momentum about `axis` towards `target` [N·m·s]."""

    reacts = True

    def __init__(
        self,
        joints: str | Sequence[str],
        *,
        target: float = 0.0,
        axis: str = "z",
        damping: float | None = None,
    ) -> None:
        if axis not in ("x", "y", "z"):
            raise ValueError(f"axis is {axis!r}, must be 'x', 'y' or 'z'")
        self.joints = names_of(joints, "joints")
        self.damping = None if damping is None else positive(damping, "damping")
        self.target = number(target, "target")
        self._row = 3 + "xyz".index(axis)

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        self._model = model
        views = [model.joint(name) for name in self.joints]
        self._free = np.concatenate(
            [np.arange(view.v_slice.start, view.v_slice.stop) for view in views]
        )
        self._others = np.setdiff1d(np.arange(model.nv), self._free)
        return self

    def gradient(self, q: Array) -> Array:
        """Return zeros (…, nv): there is nothing to do while nothing moves."""
        return np.zeros((*q.shape[:-1], self._model.nv))

    def reaction(self, q: Array, v: Array) -> Array:
        """Return y (…, nv): how the free joints answer to the momentum of the others."""
        row = np.asarray(self._model.centroidal_momentum_matrix(q))[..., self._row, :]
        missing = (row[..., self._others] * v[..., self._others]).sum(axis=-1) - self.target
        own = row[..., self._free]
        square = (own * own).sum(axis=-1)
        scale = np.sqrt(square) if self.damping is None else square + self.damping**2
        found = np.zeros((*q.shape[:-1], self._model.nv))
        found[..., self._free] = own * (missing / np.maximum(scale, 1e-12))[..., None]
        return found
