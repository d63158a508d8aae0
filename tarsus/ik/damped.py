"""Damped least squares, level by level: finite velocities also where a machine is singular.

With A = Ω^½ J W^−½ and its singular values σ, the velocities that make

    Σ weight (J v − r)² + λ² (v − z)ᵀ W (v − z)

smallest are found with factors σ/(σ² + λ²) in place of 1/σ (Y. Nakamura, H. Hanafusa, "Inverse
kinematic solutions with singularity robustness for robot manipulator control", Journal of Dynamic
Systems, Measurement, and Control 108, 1986). λ is a number, or rises with how near the machine is
to a singular position, or what is smaller than a bound is left out ("truncated").

A next level moves in the null space of those before it (B. Siciliano, J.-J. Slotine, "A general
framework for managing multiple tasks in highly redundant robotic systems", ICAR 1991), and z in
that of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tarsus.arrays import Array
from tarsus.ik.arguments import positive
from tarsus.ik.levels import Level

NULL = 1e-9
"""Singular values below this part of the largest leave their direction to the next level."""


@dataclass(frozen=True)
class Damping:
    """How velocities are kept finite: `value` is λ, in the units of J.

    "fixed" always adds λ²; "adaptive" only where the smallest singular value is below `bound`,
    λ² (1 − (σ/bound)²), so that elsewhere tasks are exact; "truncated" leaves out singular values
    below `bound`, and `value` does not count.
    """

    kind: Literal["fixed", "adaptive", "truncated"] = "adaptive"
    value: float = 1e-2
    bound: float = 1e-2

    def __post_init__(self) -> None:
        if self.kind not in ("fixed", "adaptive", "truncated"):
            kinds = "'fixed', 'adaptive' or 'truncated'"
            raise ValueError(f"kind of damping is {self.kind!r}, must be {kinds}")
        positive(self.value, "value of damping")
        positive(self.bound, "bound of damping")

    def factors(self, sigma: Array, least: Array | float = 0.0) -> Array:
        """Return what takes the place of 1/σ (…, n), zero for those of at most `least`."""
        if self.kind == "truncated":
            kept = sigma > np.maximum(self.bound, least)
            return np.asarray(np.where(kept, 1.0, 0.0) / np.where(kept, sigma, 1.0))
        square = np.full((*sigma.shape[:-1], 1), self.value**2)
        if self.kind == "adaptive":
            # what levels before have taken is no singular position: rows are zero there
            left = np.where(sigma > least, sigma, np.inf) if np.any(least) else sigma
            smallest = left.min(axis=-1, keepdims=True, initial=np.inf)
            near = np.clip(1.0 - (smallest / self.bound) ** 2, 0.0, 1.0)
            square = square * near
        floor = np.maximum(sigma**2 + square, 1e-300)
        return np.asarray(np.where(sigma > least, sigma / floor, 0.0))


def damped(
    levels: Sequence[Level], weight: Array, wish: Array, damping: Damping
) -> tuple[Array, Array]:
    """Return velocities (…, nv), and (…) the smallest singular value of the first level's rows.

    `weight` (…, nv) is that of velocities, `wish` (…, nv) what they would be without tasks.
    """
    scale = 1.0 / np.sqrt(weight)
    nv = weight.shape[-1]
    v = np.zeros_like(wish)
    free = np.broadcast_to(np.eye(nv), (*wish.shape, nv))
    smallest = np.full(wish.shape[:-1], np.inf)
    for number, level in enumerate(levels):
        root = np.sqrt(level.weight)
        whole = root[:, None] * level.jacobian * scale[..., None, :]
        rows = whole @ free
        least = NULL * np.linalg.norm(whole, axis=(-1, -2))[..., None] * (number > 0)
        missing = root * (level.rate - (level.jacobian @ v[..., None])[..., 0])
        u, sigma, vt = np.linalg.svd(rows, full_matrices=False)
        along = (np.swapaxes(u, -1, -2) @ missing[..., None])[..., 0]
        step = np.swapaxes(vt, -1, -2) @ (damping.factors(sigma, least) * along)[..., None]
        v = v + scale * (free @ step)[..., 0]
        if number == 0 and sigma.shape[-1]:
            smallest = sigma[..., -1]
        taken = vt * (sigma > np.maximum(least, NULL * sigma[..., :1]))[..., None]
        free = free - free @ np.swapaxes(taken, -1, -2) @ taken
    rest = np.swapaxes(free, -1, -2) @ ((wish - v) / scale)[..., None]
    return np.asarray(v + scale * (free @ rest)[..., 0]), smallest
