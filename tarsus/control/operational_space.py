"""Motion of a frame by the operational space formulation (O. Khatib 1987; see task_inertia.py).

Accelerations of the joints that give the frame the one it should have, with the least energy,
plus a posture in the motions that are left:

    a = H⁻¹ Jᵀ Λ (ẇ* − d) + N a_0,      τ = H a + C v + g .

ẇ* is chosen so that the error obeys ë + K_D ė + K_P e = 0, on SE(3) too, where e is a logarithm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import checked_model, gain, not_negative, vectors
from tarsus.control.task import Kind, Task, TaskState
from tarsus.control.task_inertia import power, task_inertia
from tarsus.model import Model
from tarsus.model.description import Array


class OperationalSpaceControl:
    """Task-space inverse dynamics: tau = control(q, v, target, velocity, acceleration).

    `task` is the "pose" of `frame` (six rows: linear, angular, in the axes of the frame), or its
    "position" (three rows, world axes). `stiffness` [1/s²] and `damping` [1/s] are numbers,
    diagonals or matrices for these rows; damping is critical by default. Motions that are left are
    drawn to `posture` (nq,), if there is one, as `posture_stiffness` [1/s²] and
    `posture_damping` [1/s] say; they do not disturb the task.

    Near singular positions the frame does not accelerate further in the directions that are
    lost; the posture may move there. For a floating base the law asks for forces on the base,
    which no motor exerts. Joint springs and friction are not part of it.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        stiffness: ArrayLike,
        damping: ArrayLike | None = None,
        *,
        task: Kind = "pose",
        posture: ArrayLike | None = None,
        posture_stiffness: float = 25.0,
        posture_damping: float = 10.0,
    ) -> None:
        self.model = checked_model(model, "OperationalSpaceControl")
        self.task = Task(model, frame, task)
        self.stiffness = gain(stiffness, self.task.size, "stiffness")
        critical = 2.0 * power(self.stiffness, 0.5)  # errors fade without swinging over
        self.damping = critical if damping is None else gain(damping, self.task.size, "damping")
        self.posture = None if posture is None else vectors(posture, model.nq, "posture")
        self.posture_stiffness = not_negative(posture_stiffness, "posture_stiffness")
        self.posture_damping = not_negative(posture_damping, "posture_damping")

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        target: ArrayLike,
        velocity: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
    ) -> Array:
        """Return the generalised forces (…, nv) that bring the frame to the target.

        Targets are poses (…, 4, 4) or positions (…, 3). Their velocity and acceleration (…, 6)
        are in the target's own frame, like the local ones of `frame_velocity` and
        `frame_acceleration`; those (…, 3) of positions are in world axes.
        """
        state = self.task.state(q, v, target, velocity, acceleration)
        motion = self._relative_acceleration(state) - state.drift
        inertia = task_inertia(self.task, q, state.jacobian)
        a = inertia.accelerations @ motion[..., None]
        a = a + inertia.null_space @ self._posture_acceleration(q, v)[..., None]
        return np.asarray(self.model.inverse_dynamics(q, v, a[..., 0]))

    def error(self, q: ArrayLike, target: ArrayLike) -> Array:
        """Return the error (…, 6) or (…, 3) [m, rad]: the step from the target to the frame."""
        return self.task.error(q, target)

    def _relative_acceleration(self, state: TaskState) -> Array:
        """Return ẇ* (…, k), from ë = D ẇ + Ḋ w."""
        rate = state.step_rate @ state.velocity[..., None]
        change = self.task.step_rate_change(state.error, rate[..., 0])
        pull = self.stiffness @ state.error[..., None] + self.damping @ rate
        wanted = -pull - change @ state.velocity[..., None]
        return np.asarray(np.linalg.solve(state.step_rate, wanted)[..., 0])

    def _posture_acceleration(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Return a_0 (…, nv)."""
        a = -self.posture_damping * vectors(v, self.model.nv, "v")
        if self.posture is None:
            return a
        return np.asarray(a - self.posture_stiffness * self.model.difference(self.posture, q))
