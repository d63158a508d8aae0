"""Manipulability: how far a machine is from positions in which a frame cannot move some way.

w = √det(J Jᵀ), the product of the singular values of the frame's jacobian (T. Yoshikawa,
"Manipulability of robotic mechanisms", International Journal of Robotics Research 4, 1985). The
cost is H = −w.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.ik.costs.cost import Cost
from tarsus.ik.points import ALIGNED
from tarsus.model import Model

STEP = 1e-5
"""Of central differences [rad, m]: what rounding and truncation cost is about 1e-10 of w."""


class Manipulability(Cost):
    """Leads joints to where `frame` can move in all directions; `rate` [1/s] says how strongly.

    `rows` are "position", "orientation" or "pose": which velocities of the frame count.
    """

    def __init__(self, frame: str, *, rows: str = "position", rate: float = 1.0) -> None:
        choices = {"position": slice(0, 3), "orientation": slice(3, 6), "pose": slice(0, 6)}
        if rows not in choices:
            raise ValueError(f"rows is {rows!r}, must be one of {', '.join(choices)}")
        self.frame, self.rate = frame, positive(rate, "rate")
        self._rows = choices[rows]

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        model.frame(self.frame)
        self._model = model
        return self

    def measure(self, q: ArrayLike) -> Array:
        """Return w (…) of configurations (…, nq)."""
        jacobian = self._model.frame_jacobian(q, self.frame, ALIGNED)[..., self._rows, :]
        square = np.linalg.det(jacobian @ np.swapaxes(jacobian, -1, -2))
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""
        steps = STEP * np.eye(self._model.nv)
        ahead = self.measure(self._model.integrate(q[..., None, :], steps))
        behind = self.measure(self._model.integrate(q[..., None, :], -steps))
        return np.asarray(-self.rate * (ahead - behind) / (2.0 * STEP))
