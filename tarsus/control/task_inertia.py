"""Inertia of a task, and the motions that leave it alone.

O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational
space formulation", IEEE Journal of Robotics and Automation 3(1), 1987. A wrench f on the frame
accelerates it by J H⁻¹ Jᵀ f; the inverse of that mobility is the inertia Λ that is felt there.
N = 1 − H⁻¹ Jᵀ Λ J leaves accelerations that do not move the frame, J N = 0, and Nᵀ forces that
do not.

Near singular positions the mobility along some direction vanishes. Its eigenvalues σ below a
threshold ε are inverted as σ/ε² instead of 1/σ: continuous, and zero where the frame cannot move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.task import Task

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
