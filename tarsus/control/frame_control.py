"""Impedance and operational-space control of frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import (
    gain_matrix,
    inverse_gain,
    not_negative,
    poses,
    suggestion,
    vectors,
)
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.control.controller import (
    ControlLaw,
    Gains,
    Setpoint,
    Source,
    check_driven,
    checked_model,
    parts_of,
)
from tarsus.model.model import Model
from tarsus.spatial import pose_step, relative_motion, step_rate_matrix_rate

# What controllers of a frame have in common: a task, its gains, and a reference for the frame.


class FrameController(ControlLaw):
    """A law that leads a frame of a model along a reference.

    `task` is the "pose" of `frame` (six rows: linear, angular, in the axes of the frame) or its
    "position" (three rows, world axes). `kp` and `kd` are numbers, diagonals or matrices for these
    rows. `reference` is a pose (…, 4, 4) or a position (…, 3), that of the neutral configuration
    unless stated, or a function of time that returns one, also with its velocity and acceleration:
    (…, 6) in its own frame for a pose, (…, 3) in world axes for a position. `effort` and `period`
    as of `ControlLaw`; every coordinate needs a drive.
    """

    def __init__(
        self,
        model: Model,
        frame: str,
        kp: ArrayLike,
        reference: Source | None,
        *,
        task: Kind,
        effort: Gains | None,
        period: float | None,
    ) -> None:
        checked_model(model, type(self).__name__)
        self.task = Task(model, frame, task)
        self.kp = gain_matrix(kp, self.task.size, "kp")
        start = self.task.place(model.neutral()) if reference is None else reference
        super().__init__(model, start, effort=effort, period=period)
        check_driven(model, self.effort, type(self).__name__)

    def setpoint(self, value: Any) -> Setpoint:
        """Return a pose or position, with velocity and acceleration, as a checked setpoint."""
        return self.task.setpoint(value)

    def error(self, t: float, q: ArrayLike, reference: Any = None) -> Array:
        """Return the error (…, 6) or (…, 3) [m, rad]: the step from the reference to the frame."""
        return self.task.error(q, self.reference.at(t, reference)[0])


# A frame that yields like a spring: N. Hogan, "Impedance control: an approach to manipulation",
# Journal of Dynamic Systems, Measurement, and Control 107(1), 1985.
#
# With the error e and the relative velocity w of the frame, ė = D w, the wrench of a spring and a
# damper is f = −Dᵀ K e − K_D w; Dᵀ K e is the slope of ½ eᵀ K e, on SE(3) too. The law
#
#     τ = g + Jᵀ f − ν H N v
#
# leaves the inertia as it is, asks for no sensor of force, and is passive: the energy
# ½ vᵀ H v + ½ eᵀ K e falls but for what comes from outside. The last term brakes, with the rate ν,
# the motions N v that do not move the frame; it exerts no force on it.
#
# With an `inertia` M of one's own, and the wrench h from outside measured, the frame obeys
# M ẇ + K_D w + Dᵀ K e = h.


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
        self.kd = None if kd is None else gain_matrix(kd, size, "kd")
        self.damping_ratio = not_negative(damping_ratio, "damping_ratio")
        self.posture_kd = not_negative(posture_kd, "posture_kd")
        self.inertia = None if inertia is None else gain_matrix(inertia, size, "inertia")
        self._mobility = None if self.inertia is None else inverse_gain(self.inertia, "inertia")
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


# Motion of a frame by the operational space formulation (O. Khatib 1987).
#
# Accelerations of the joints that give the frame the one it should have, with the least energy,
# plus a posture in the motions that are left:
#
#     a = H⁻¹ Jᵀ Λ (ẇ* − d) + N a_0,      τ = H a + C v + g .
#
# ẇ* is chosen so that the error obeys ë + K_D ė + K_P e = 0, on SE(3) too, where e is a logarithm.


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
        self.kd = critical if kd is None else gain_matrix(kd, self.task.size, "kd")
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


# Inertia of a task, and the motions that leave it alone.
#
# O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational
# space formulation", IEEE Journal of Robotics and Automation 3(1), 1987. A wrench f on the frame
# accelerates it by J H⁻¹ Jᵀ f; the inverse of that mobility is the inertia Λ that is felt there.
# N = 1 − H⁻¹ Jᵀ Λ J leaves accelerations that do not move the frame, J N = 0, and Nᵀ forces that
# do not.
#
# Near singular positions the mobility along some direction vanishes. Its eigenvalues σ below a
# threshold ε are inverted as σ/ε² instead of 1/σ: continuous, and zero where the frame cannot move.


SINGULAR = 1e-3
"""Mobility, relative to the mean over the directions of its kind, below which it is singular."""


@dataclass(frozen=True)
class TaskInertia:
    """Inertia and null space of a task, for states (…)."""

    mobility: Array
    """J H⁻¹ Jᵀ (…, k, k)."""
    inertia: Array
    """Λ (…, k, k), the inverse of the mobility, bounded where that is singular."""
    accelerations: Array
    """H⁻¹ Jᵀ Λ (…, nv, k): accelerations of the joints for those of the task, of least energy."""
    null_space: Array
    """N (…, nv, nv)."""


def task_inertia(task: Task, q: ArrayLike, jacobian: Array) -> TaskInertia:
    """Return the inertia of a task at q, where its Jacobian is `jacobian`."""
    turned = np.swapaxes(jacobian, -1, -2)
    moved = task.model.inverse_mass_matrix(q) @ turned
    mobility = jacobian @ moved
    inertia = bounded_inverse(mobility)
    accelerations = moved @ inertia
    null_space = np.eye(task.model.nv) - accelerations @ jacobian
    return TaskInertia(mobility, inertia, accelerations, null_space)


def bounded_inverse(mobility: Array) -> Array:
    """Return the inverse (…, k, k) of a mobility, with the small eigenvalues as said above.

    Forces and moments have different units: each kind is first scaled to a mean mobility of one.
    """
    scale, values, axes = _diagonalized(mobility)
    inverse = np.where(values > SINGULAR, 1.0 / np.maximum(values, SINGULAR), values / SINGULAR**2)
    return _composed(inverse, axes / scale)


def raised(mobility: Array) -> Array:
    """Return a mobility (…, k, k) with no eigenvalue below the threshold, scaled likewise."""
    scale, values, axes = _diagonalized(mobility)
    return _composed(np.maximum(values, SINGULAR), axes * scale)


def power(matrix: Array, exponent: float) -> Array:
    """Return a power (…, k, k) of symmetric matrices; zeros stay zero."""
    values, axes = np.linalg.eigh(matrix)
    positive = values > 1e-12 * values.max(axis=-1, keepdims=True)
    return _composed(np.where(positive, np.where(positive, values, 1.0) ** exponent, 0.0), axes)


def _diagonalized(mobility: Array) -> tuple[Array, Array, Array]:
    """Return the scale (…, k, 1) of each direction, and eigenvalues and axes of what is scaled."""
    entries = np.diagonal(mobility, axis1=-2, axis2=-1)
    kinds = entries.reshape(*entries.shape[:-1], -1, 3)
    mean = np.repeat(kinds.mean(axis=-1), 3, axis=-1)
    scale = np.sqrt(np.where(mean > 0.0, mean, 1.0))[..., None]
    values, axes = np.linalg.eigh(mobility / (scale * np.swapaxes(scale, -1, -2)))
    return scale, np.maximum(values, 0.0), axes


def _composed(values: Array, axes: Array) -> Array:
    return np.asarray((axes * values[..., None, :]) @ np.swapaxes(axes, -1, -2))


# Where a frame is relative to where it should be, and how its motion depends on the joints.
#
# A task is the position of a frame (three rows, world axes) or its pose (six rows, linear first,
# in the axes of the frame). With the error e and the velocity w relative to the target,
#
#     ė = D w,        ẇ = J a + d,
#
# where D is the identity for positions and that of SE(3) for poses, and d has J̇ v and the motion
# of the target.


Kind = Literal["pose", "position"]


@dataclass(frozen=True)
class TaskState:
    """The error of a task and its motion, for states (…)."""

    error: Array
    """e (…, k), from the target to the frame [m, rad]."""
    velocity: Array
    """w (…, k), relative to the target [m/s, rad/s]."""
    step_rate: Array
    """D (…, k, k) or (k, k), with ė = D w."""
    jacobian: Array
    """J (…, k, nv)."""
    drift: Array
    """d (…, k), with ẇ = J a + d."""


class Task:
    """The position or the pose of a frame that moves."""

    def __init__(self, model: Model, frame: str, kind: Kind) -> None:
        if kind not in ("pose", "position"):
            raise ValueError(f"unknown task {kind!r}{suggestion(kind, ('pose', 'position'))}")
        if model.frame(frame).body == WORLD:
            moving = [each.name for each in model.frames if each.body != WORLD]
            raise ValueError(f"frame {frame!r} is fixed to the world{suggestion(frame, moving)}")
        self.model, self.frame, self.kind = model, frame, kind
        self.size = 6 if kind == "pose" else 3

    def setpoint(self, value: Any) -> Setpoint:
        """Return a pose or position, or such with its velocity and acceleration, checked.

        Poses are (…, 4, 4), positions (…, 3). Velocity and acceleration (…, k) are what
        `frame_velocity` and `frame_acceleration` would be of them: of poses in their own frame, of
        positions in world axes; what is missing is zero.
        """
        place, velocity, acceleration = parts_of(value, 2 if self.kind == "pose" else 1)
        return (
            poses(place, "reference") if self.kind == "pose" else vectors(place, 3, "reference"),
            vectors(velocity, self.size, "the velocity of reference"),
            vectors(acceleration, self.size, "the acceleration of reference"),
        )

    def place(self, q: ArrayLike) -> Array:
        """Return the pose (…, 4, 4) of the frame, or its position (…, 3)."""
        pose = np.asarray(self.model.frame_pose(q, self.frame))
        return pose if self.kind == "pose" else pose[..., :3, 3]

    def error(self, q: ArrayLike, target: Array) -> Array:
        """Return e (…, k), the step from a target to where the frame is."""
        place = self.place(q)
        return np.asarray(place - target) if self.kind == "position" else pose_step(target, place)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return J (…, k, nv), in the axes of the task."""
        if self.kind == "pose":
            return np.asarray(self.model.frame_jacobian(q, self.frame))
        return self.model.frame_jacobian(q, self.frame, "local_world_aligned")[..., :3, :]

    def state(self, q: ArrayLike, v: ArrayLike, setpoint: Setpoint) -> TaskState:
        """Return error and motion relative to a setpoint, which may move."""
        k, still = self.size, np.zeros(self.model.nv)
        target, v_d, a_d = setpoint
        reference: Literal["local", "local_world_aligned"] = (
            "local" if self.kind == "pose" else "local_world_aligned"
        )
        error, jacobian = self.error(q, target), self.jacobian(q)
        own = self.model.frame_velocity(q, v, self.frame, reference)[..., :k]
        bias = self.model.frame_acceleration(q, v, still, self.frame, reference)[..., :k]
        if self.kind == "position":
            return TaskState(error, own - v_d, np.eye(k), jacobian, bias - a_d)
        relative = relative_motion("free", error, own, v_d, a_d)
        drift = bias - relative.target_acceleration
        return TaskState(error, relative.velocity, relative.step_rate, jacobian, drift)

    def step_rate_change(self, step: Array, rate: Array) -> Array:
        """Return Ḋ (…, k, k) while the error changes with a rate (…, k); positions have none."""
        if self.kind == "position":
            return np.zeros((3, 3))
        return step_rate_matrix_rate("free", step, rate)
