"""Forces of contact without sensors of force: the momentum observer.

A. De Luca, R. Mattone, "Sensorless robot collision detection and hybrid force/motion control",
IEEE International Conference on Robotics and Automation, 2005. The generalised momentum p = H v
changes with ṗ = τ + Cᵀ v − g + τ_ext, the same for every C with Ḣ = C + Cᵀ. The residual

    r = K [ p − p₀ − ∫ (τ + Cᵀ v − g + r) dt ]      obeys      ṙ = K (τ_ext − r),

so it follows the external forces with the time constant 1/K. It asks for no acceleration.

On a base that floats, what contacts do is part of τ: Σ Jᵀ w with wrenches w that sensors in feet
measure, or that a controller plans. What is left is what nobody knew of, and a push on a known body
is the wrench w with Jᵀ w = r in the sense of least squares (A. Del Prete, L. Natale, F. Nori,
G. Metta, "Contact force estimations using tactile sensors and force/torque sensors", 2012).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import elapsed, expect, number, vectors, weights
from tarsus._lib.files import Array
from tarsus.ik.points import ALIGNED
from tarsus.model.model import Model


class MomentumObserver:
    """Estimates the generalised forces of contacts from q, v and tau alone.

    `bandwidth` K [1/s] is a number, or one for each velocity (nv,). The integral is by the
    trapezoidal rule, implicit in r; left rectangles would report forces that are not there. `held`
    says that `tau` was constant since the last update, as a digital controller leaves it;
    otherwise it is the force at the moment of the update. `passive` counts joint springs, damping
    and friction of the model as known; without it they are reported like contacts. Loops that are
    constraints are reported, too: their forces act on the coordinates from outside.
    """

    def __init__(
        self, model: Model, bandwidth: ArrayLike, *, held: bool = False, passive: bool = False
    ) -> None:
        expect(model, Model, "model")
        self.model = model
        self.bandwidth = weights(bandwidth, model.nv, "bandwidth")
        self.held = held
        self.passive = passive
        self.reset()

    def reset(self) -> None:
        """Forget everything; the next update is the start, where the residual is zero."""
        self.residual: Array = np.zeros(self.model.nv)
        self._drive: Array | None = None
        self._time = 0.0

    def update(
        self,
        t: float,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        wrenches: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        """Return the residual (…, nv) at the time t [s]; the first update is the start.

        `wrenches` are known ones (…, 6) [N, N·m] by name of frame, [force, moment] at its origin
        and in world axes, as those of contacts; they act as long as tau does.
        """
        tau = vectors(tau, self.model.nv, "tau")
        for frame, wrench in (wrenches or {}).items():
            rows = self.model.frame_jacobian(q, frame, ALIGNED)
            felt = vectors(wrench, 6, f"wrench at {frame!r}")
            tau = tau + (np.swapaxes(rows, -1, -2) @ felt[..., None])[..., 0]
        dt = elapsed(number(t, "t") if self._drive is None else self._time, t)
        momentum = np.asarray(self.model.generalized_momentum(q, v))
        drive = self.model.coriolis_transpose_forces(q, v) - self.model.gravity_forces(q)
        if self.passive:
            drive = drive + self.model.passive_forces(q, v)
        if not self.held:
            drive = drive + tau
        if self._drive is None:
            self._momentum, self._integral = momentum, np.zeros_like(momentum)
            self.residual = np.zeros(np.broadcast_shapes(momentum.shape, tau.shape))
        else:
            # what is known of the integral; the share of the new r is on the left side
            known = self._integral + dt / 2.0 * (self._drive + drive + self.residual)
            if self.held:
                known = known + dt * tau
            lost = momentum - self._momentum - known
            self.residual = self.bandwidth * lost / (1.0 + self.bandwidth * dt / 2.0)
            self._integral = known + dt / 2.0 * self.residual
        self._drive, self._time = drive, float(t)
        return self.residual.copy()

    def get_state(self) -> dict[str, Array]:
        """Return what the next update depends on, by name; nothing before the first."""
        if self._drive is None:
            return {}
        own = {"drive": self._drive, "momentum": self._momentum, "integral": self._integral}
        own |= {"residual": self.residual, "time": np.array(self._time)}
        return {name: np.array(value) for name, value in own.items()}

    def set_state(self, state: Mapping[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        self.reset()
        if not state:
            return
        own = {name: np.array(value) for name, value in state.items()}
        self._drive, self._momentum, self._integral = (
            own[name] for name in ("drive", "momentum", "integral")
        )
        self.residual, self._time = own["residual"], float(own["time"])

    def wrench(self, q: ArrayLike, frame: str) -> tuple[Array, Array]:
        """Return the wrench (…, 6) at a frame that the residual tells of, and what it leaves (…).

        [force, moment] at the frame's origin and in world axes, by least squares; the second is
        the length of the part of the residual that no wrench there explains, near zero if the push
        is where it is looked for.
        """
        rows = np.asarray(self.model.frame_jacobian(q, frame, ALIGNED))
        felt = (np.linalg.pinv(np.swapaxes(rows, -1, -2)) @ self.residual[..., None])[..., 0]
        left = self.residual - (np.swapaxes(rows, -1, -2) @ felt[..., None])[..., 0]
        return np.asarray(felt), np.asarray(np.linalg.norm(left, axis=-1))
