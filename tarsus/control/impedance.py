"""A frame that yields like a spring: N. Hogan, "Impedance control: an approach to manipulation",
Journal of Dynamic Systems, Measurement, and Control 107(1), 1985.

With the error e and the relative velocity w of the frame, ė = D w, the wrench of a spring and a
damper is f = −Dᵀ K e − K_D w; Dᵀ K e is the slope of ½ eᵀ K e, on SE(3) too. The law

    τ = g + Jᵀ f − ν H N v

leaves the inertia as it is, asks for no sensor of force, and is passive: the energy
½ vᵀ H v + ½ eᵀ K e falls but for what comes from outside. The last term brakes, with the rate ν,
the motions N v that do not move the frame; it exerts no force on it.

With an `inertia` M of one's own, and the wrench h from outside measured, the frame obeys
M ẇ + K_D w + Dᵀ K e = h.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import gain, inverse, not_negative, vectors
from tarsus.control.frame_controller import FrameController
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.control.task import Kind, TaskState
from tarsus.control.task_inertia import power, raised, task_inertia
from tarsus.model import Model
from tarsus.model.description import Array

Sensor: TypeAlias = Callable[[float, Array, Array], ArrayLike]
"""(t, q, v) → wrench (…, 6) or (…, 3)."""


class ImpedanceControl(FrameController):
    """Cartesian impedance: tau = control(t, q, v).

    `kp` [N/m, N·m/rad] and `kd` [N·s/m, N·m·s/rad] are stiffness and damping: numbers, diagonals
    or matrices for the rows of the task. Without `kd`, each mode of the spring and the inertia at
    hand gets the `damping_ratio`, by double diagonalisation (A. Albu-Schäffer, C. Ott, U. Frese,
    G. Hirzinger, ICRA 2003). `posture_kd` ν [1/s] brakes motions that do not move the frame.
    `inertia` [kg, kg·m²] replaces the one the frame has by nature; then `wrench` must measure what
    the world exerts on the frame: a function (t, q, v) → (…, 6) or (…, 3), in the axes of the task.
    `task` and `reference` as of `FrameController`; its acceleration counts only with an `inertia`.

    Every coordinate needs a drive: for a base that floats, state in `effort` what drives it. Joint
    springs and friction are not part of the law.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        kp: ArrayLike,
        kd: ArrayLike | None = None,
        reference: Source | None = None,
        *,
        task: Kind = "pose",
        damping_ratio: float = 1.0,
        posture_kd: float = 2.0,
        inertia: ArrayLike | None = None,
        wrench: Sensor | None = None,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        super().__init__(model, frame, kp, reference, task=task, effort=effort, period=period)
        size = self.task.size
        self.kd = None if kd is None else gain(kd, size, "kd")
        self.damping_ratio = not_negative(damping_ratio, "damping_ratio")
        self.posture_kd = not_negative(posture_kd, "posture_kd")
        self.inertia = None if inertia is None else gain(inertia, size, "inertia")
        self._mobility = None if self.inertia is None else inverse(self.inertia, "inertia")
        if (wrench is None) != (inertia is None):
            raise ValueError("inertia and wrench go together: an inertia needs the wrench measured")
        self.wrench = wrench

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return the generalised forces (…, nv) without limits."""
        state = self.task.state(q, v, setpoint)
        jacobian, own = state.jacobian, task_inertia(self.task, q, state.jacobian)
        brake = -self.posture_kd * (own.null_space @ v[..., None])[..., 0]
        if self._mobility is None or self.wrench is None:
            force = (np.swapaxes(jacobian, -1, -2) @ self._force(state, own.mobility))[..., 0]
            still = np.zeros(self.model.nv)
            return np.asarray(self.model.inverse_dynamics(q, still, brake) + force)
        pushed = vectors(self.wrench(t, q, v), self.task.size, "wrench")[..., None]
        wanted = self._mobility @ (self._force(state, self._mobility) + pushed)
        motion = wanted - state.drift[..., None]
        a = (own.accelerations @ motion)[..., 0] + brake
        force = (np.swapaxes(jacobian, -1, -2) @ pushed)[..., 0]
        return np.asarray(self.model.inverse_dynamics(q, v, a) - force)

    def energy(self, t: float, q: ArrayLike, v: ArrayLike, reference: Any = None) -> Array | float:
        """Return kinetic energy and that of the spring (…) [J], for a reference at rest.

        It never rises without a wrench from outside. With an `inertia` of one's own, the kinetic
        energy is that of the frame.
        """
        e = self.error(t, q, reference)
        spring = np.asarray(0.5 * (e * (e @ self.kp)).sum(axis=-1))[()]
        kinetic: Array | float
        if self.inertia is None:
            kinetic = self.model.kinetic_energy(q, v)
        else:
            w = (self.task.jacobian(q) @ vectors(v, self.model.nv, "v")[..., None])[..., 0]
            kinetic = np.asarray(0.5 * (w * (w @ self.inertia)).sum(axis=-1))
        return kinetic + spring

    def damping_matrix(self, mobility: Array) -> Array:
        """Return K_D (…, k, k) for a mobility J H⁻¹ Jᵀ (…, k, k).

        With K = R² it is 2 ζ R (R mobility R)^−½ R: for numbers, 2 ζ √(stiffness · mass).
        """
        if self.kd is not None:
            return self.kd
        root = power(self.kp, 0.5)
        return 2.0 * self.damping_ratio * root @ power(root @ raised(mobility) @ root, -0.5) @ root

    def _force(self, state: TaskState, mobility: Array) -> Array:
        """Return the wrench (…, k, 1) of spring and damper."""
        spring = np.swapaxes(state.step_rate, -1, -2) @ self.kp @ state.error[..., None]
        return np.asarray(-spring - self.damping_matrix(mobility) @ state.velocity[..., None])
