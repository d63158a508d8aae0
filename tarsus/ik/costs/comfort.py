"""Ranges in which joints are at ease: soft limits, and a posture that they like.

H = ½ Σ soft (q − q_soft)² beyond soft limits + ½ Σ comfort (q − q_comfort)², whose gradient has no
jumps (Schwienbacher 2013, figure 4.2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import weights
from tarsus.ik.costs.cost import Cost
from tarsus.ik.middle_range import middle
from tarsus.model import Model
from tarsus.model.checks import number, reals


class Comfort(Cost):
    """Draws joints back from their limits, and to a posture.

    `soft` [1/s] acts on joints that are within `margin`, a share of their range, of a limit;
    `comfort` [1/s] on all, or (nv,), towards `posture` (nq,), the middle of ranges unless stated.
    """

    def __init__(
        self,
        posture: ArrayLike | None = None,
        *,
        comfort: ArrayLike = 1.0,
        soft: ArrayLike = 10.0,
        margin: float = 0.1,
    ) -> None:
        if not 0.0 <= number(margin, "margin") < 0.5:
            raise ValueError(f"margin is {margin}, must be from 0 to below 0.5 of the range")
        self.margin = margin
        self._stated = (posture, comfort, soft)

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        posture, comfort, soft = self._stated
        self._posture = middle(model) if posture is None else reals(posture, "posture")
        if self._posture.shape != (model.nq,):
            raise ValueError(f"posture has shape {self._posture.shape}, must be ({model.nq},)")
        rates = model.rate_index
        self._positions = np.flatnonzero(rates >= 0)
        self._velocities = rates[self._positions]
        self._nv = model.nv
        lower, upper = model.lower[self._positions], model.upper[self._positions]
        inside = self.margin * (upper - lower)
        whole = np.isfinite(lower) & np.isfinite(upper)
        self._low = np.where(whole, lower + np.where(whole, inside, 0.0), lower)
        self._high = np.where(whole, upper - np.where(whole, inside, 0.0), upper)
        self._soft = weights(soft, model.nv, "soft")[self._velocities]
        liked = weights(comfort, model.nv, "comfort")[self._velocities]
        self._comfort = np.where(model.driven[self._velocities], liked, 0.0)
        return self

    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""
        own = q[..., self._positions]
        beyond = np.maximum(own - self._high, 0.0) + np.minimum(own - self._low, 0.0)
        pull = self._soft * beyond + self._comfort * (own - self._posture[self._positions])
        found = np.zeros((*q.shape[:-1], self._nv))
        found[..., self._velocities] = pull
        return found
