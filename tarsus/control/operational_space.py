"""Motion of a frame by the operational space formulation (O. Khatib 1987; see task_inertia.py).

Accelerations of the joints that give the frame the one it should have, with the least energy,
plus a posture in the motions that are left:

    a = H⁻¹ Jᵀ Λ (ẇ* − d) + N a_0,      τ = H a + C v + g .

ẇ* is chosen so that the error obeys ë + K_D ė + K_P e = 0, on SE(3) too, where e is a logarithm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.control.arguments import gain, not_negative, vectors
from tarsus.control.frame_controller import FrameController
from tarsus.control.joint_gains import Gains
from tarsus.control.reference import Setpoint, Source
from tarsus.control.task import Kind, TaskState
from tarsus.control.task_inertia import power, task_inertia
from tarsus.model import Model
from tarsus.model.description import Array


class OperationalSpaceControl(FrameController):
    """Task-space inverse dynamics: tau = control(t, q, v).

    `kp` [1/s²] and `kd` [1/s] are numbers, diagonals or matrices for the rows of the task; damping
    is critical by default. Motions that are left are drawn to `posture` (nq,), if there is one, as
    `posture_kp` [1/s²] and `posture_kd` [1/s] say; they do not disturb the task. `task` and
    `reference` as of `FrameController`.

    Near singular positions the frame does not accelerate further in the directions that are
    lost; the posture may move there. Every coordinate needs a drive: for a base that floats, state
    in `effort` what drives it. Joint springs and friction are not part of the law.
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
        posture: ArrayLike | None = None,
        posture_kp: float = 25.0,
        posture_kd: float = 10.0,
        effort: Gains | None = None,
        period: float | None = None,
    ) -> None:
        super().__init__(model, frame, kp, reference, task=task, effort=effort, period=period)
        critical = 2.0 * power(self.kp, 0.5)  # errors fade without swinging over
        self.kd = critical if kd is None else gain(kd, self.task.size, "kd")
        self.posture = None if posture is None else vectors(posture, model.nq, "posture")
        self.posture_kp = not_negative(posture_kp, "posture_kp")
        self.posture_kd = not_negative(posture_kd, "posture_kd")

    def law(self, t: float, q: Array, v: Array, setpoint: Setpoint) -> Array:
        """Return the generalised forces (…, nv) without limits."""
        state = self.task.state(q, v, setpoint)
        motion = self._relative_acceleration(state) - state.drift
        inertia = task_inertia(self.task, q, state.jacobian)
        a = inertia.accelerations @ motion[..., None]
        a = a + inertia.null_space @ self._posture_acceleration(q, v)[..., None]
        return np.asarray(self.model.inverse_dynamics(q, v, a[..., 0]))

    def _relative_acceleration(self, state: TaskState) -> Array:
        """Return ẇ* (…, k), from ë = D ẇ + Ḋ w."""
        rate = state.step_rate @ state.velocity[..., None]
        change = self.task.step_rate_change(state.error, rate[..., 0])
        pull = self.kp @ state.error[..., None] + self.kd @ rate
        wanted = -pull - change @ state.velocity[..., None]
        return np.asarray(np.linalg.solve(state.step_rate, wanted)[..., 0])

    def _posture_acceleration(self, q: Array, v: Array) -> Array:
        """Return a_0 (…, nv)."""
        a = -self.posture_kd * v
        if self.posture is None:
            return a
        return np.asarray(a - self.posture_kp * self.model.difference(self.posture, q))
