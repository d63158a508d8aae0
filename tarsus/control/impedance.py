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

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import checked_model, gain, inverse, not_negative, vectors
from tarsus.control.task import Kind, Task, TaskState
from tarsus.control.task_inertia import power, raised, task_inertia
from tarsus.model import Model
from tarsus.model.description import Array


class ImpedanceControl:
    """Cartesian impedance: tau = control(q, v, target, velocity, wrench).

    `task` is the "pose" of `frame` (six rows: linear, angular, in the axes of the frame) or its
    "position" (three rows, world axes). `stiffness` [N/m, N·m/rad] and `damping` [N·s/m,
    N·m·s/rad] are numbers, diagonals or matrices for these rows. Without `damping`, each mode of
    the spring and the inertia at hand gets the `damping_ratio`, by double diagonalisation
    (A. Albu-Schäffer, C. Ott, U. Frese, G. Hirzinger, ICRA 2003). `null_damping` ν [1/s] brakes
    motions that do not move the frame. `inertia` [kg, kg·m²] replaces the one the frame has by
    nature; then the wrench from outside must be measured.

    For a floating base the law asks for forces on the base, which no motor exerts. Joint springs
    and friction are not part of it.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        stiffness: ArrayLike,
        damping: ArrayLike | None = None,
        *,
        task: Kind = "pose",
        damping_ratio: float = 1.0,
        null_damping: float = 2.0,
        inertia: ArrayLike | None = None,
    ) -> None:
        self.model = checked_model(model, "ImpedanceControl")
        self.task = Task(model, frame, task)
        size = self.task.size
        self.stiffness = gain(stiffness, size, "stiffness")
        self.damping = None if damping is None else gain(damping, size, "damping")
        self.damping_ratio = not_negative(damping_ratio, "damping_ratio")
        self.null_damping = not_negative(null_damping, "null_damping")
        self.inertia = None if inertia is None else gain(inertia, size, "inertia")
        self._mobility = None if self.inertia is None else inverse(self.inertia, "inertia")

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        target: ArrayLike,
        velocity: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> Array:
        """Return the generalised forces (…, nv).

        Targets are poses (…, 4, 4) or positions (…, 3), which may move with a velocity (see
        `OperationalSpaceControl`). `wrench` (…, 6) or (…, 3) is what the world exerts on the
        frame, in the axes of the task; it is only needed with an `inertia`.
        """
        state = self.task.state(q, v, target, velocity)
        v = vectors(v, self.model.nv, "v")
        jacobian, own = state.jacobian, task_inertia(self.task, q, state.jacobian)
        brake = -self.null_damping * (own.null_space @ v[..., None])[..., 0]
        if self._mobility is None:
            force = (np.swapaxes(jacobian, -1, -2) @ self._force(state, own.mobility))[..., 0]
            still = np.zeros(self.model.nv)
            return np.asarray(self.model.inverse_dynamics(q, still, brake) + force)
        if wrench is None:
            raise ValueError("wrench is missing: an inertia that is not natural needs it measured")
        pushed = vectors(wrench, self.task.size, "wrench")[..., None]
        wanted = self._mobility @ (self._force(state, self._mobility) + pushed)
        motion = wanted - state.drift[..., None]
        a = (own.accelerations @ motion)[..., 0] + brake
        force = (np.swapaxes(jacobian, -1, -2) @ pushed)[..., 0]
        return np.asarray(self.model.inverse_dynamics(q, v, a) - force)

    def error(self, q: ArrayLike, target: ArrayLike) -> Array:
        """Return the error (…, 6) or (…, 3) [m, rad]: the step from the target to the frame."""
        return self.task.error(q, target)

    def energy(self, q: ArrayLike, v: ArrayLike, target: ArrayLike) -> Array | float:
        """Return kinetic energy and that of the spring (…) [J], for a target that rests.

        It never rises without a wrench from outside. With an `inertia` of one's own, the kinetic
        energy is that of the frame.
        """
        e = self.error(q, target)
        spring = np.asarray(0.5 * (e * (e @ self.stiffness)).sum(axis=-1))[()]
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
        if self.damping is not None:
            return self.damping
        root = power(self.stiffness, 0.5)
        return 2.0 * self.damping_ratio * root @ power(root @ raised(mobility) @ root, -0.5) @ root

    def _force(self, state: TaskState, mobility: Array) -> Array:
        """Return the wrench (…, k, 1) of spring and damper."""
        spring = np.swapaxes(state.step_rate, -1, -2) @ self.stiffness @ state.error[..., None]
        return np.asarray(-spring - self.damping_matrix(mobility) @ state.velocity[..., None])
