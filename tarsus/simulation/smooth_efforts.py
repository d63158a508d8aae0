"""Efforts of a controller in motions whose steps are not those of the simulation.

A controller acts at every moment, unless it has a period or a memory: then its efforts are held,
over one dt if it states no period.
"""

from __future__ import annotations

import numpy as np

from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.controllers import checked_effort, remembers, steps_of
from tarsus.simulation.drives import Controller, check_controller, efforts_of


class SmoothEfforts:
    """Efforts within their limits, checked: of one state, or of all at once."""

    def __init__(
        self,
        model: Model,
        controller: Controller | None,
        limits: Array,
        *,
        dt: float,
        batched: bool,
    ) -> None:
        if controller is not None:
            check_controller(model, controller)
        self.model, self.limits, self.batched = model, limits, batched
        self._efforts = None if controller is None else efforts_of(controller, limits)
        held = getattr(controller, "period", None) is not None or remembers(controller)
        self.period = steps_of(controller, dt) if held else 0
        """Times dt over which efforts are held; 0 for those that act at every moment."""

    @property
    def any(self) -> bool:
        """Whether there is a controller."""
        return self._efforts is not None

    def one(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts at states as the controller is given them, one or a batch."""
        if self._efforts is None:
            return np.zeros(v.shape)
        tau = checked_effort(self._efforts(t, q, v), self.model, v.shape[:-1], t)
        return np.clip(np.broadcast_to(tau, v.shape), -self.limits, self.limits)

    def tried(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts at a state of a step that may be too long.

        NaN where the state is not finite, at which a controller has no answer: the integrator then
        rejects the step.
        """
        if not (np.isfinite(q).all() and np.isfinite(v).all()):
            return np.full(v.shape, np.nan)
        return self.one(t, q, v)

    def all(self, t: float, q: Array, v: Array) -> Array:
        """Return the efforts (B, nv) at all states (B, nq) and (B, nv)."""
        return self.one(t, q, v) if self.batched else self.one(t, q[0], v[0])[None]
