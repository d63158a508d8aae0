"""A target that moves: by a function of time, or along a table of times and values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tarsus._lib.checks import pose, reals
from tarsus._lib.files import Array
from tarsus.spatial import (
    quaternion_from_rotation,
    quaternion_from_vector,
    quaternion_product,
    rotation_from_quaternion,
    rotation_from_vector,
    vector_from_rotation,
)

Path = Callable[[float], Any] | tuple[Sequence[float], Any]
"""t [s] → target, or (times (n,), targets (n, …)), between which it goes straight."""


class TargetPlan:
    """Sets a part's target to where it is at the start of a step, and the rate that leads on."""

    def __init__(self, path: Path, slot: tuple[int, int], name: str) -> None:
        self.at, self.count, self.name = *slot, name
        if callable(path):
            self.path: Callable[[float], Any] = path
            return
        if not isinstance(path, (tuple, list)) or len(path) != 2:
            raise TypeError(
                f"the plan of {name!r} is {path!r}, must be a function of time, (times, targets), "
                "or None"
            )
        times, targets = (reals(each, f"the plan of {name!r}") for each in path)
        increasing = times.ndim == 1 and np.isfinite(times).all() and (np.diff(times) > 0.0).all()
        if not increasing or targets.shape[:1] != times.shape or not len(times):
            raise ValueError(f"the plan of {name!r} needs increasing times, and a target for each")
        if not np.isfinite(targets).all():
            raise ValueError(f"the plan of {name!r} has targets that are not finite")
        if targets.shape[1:] == (4, 4):
            check_poses(targets, name)
        self.path = lambda t: between(times, targets, t)

    def set(self, numbers: Array, t: float, dt: float, q: Array, v: Array) -> None:
        """Set the target of the step from t on."""
        row = numbers[:, self.at : self.at + self.count]
        write_target(row, self.path(t), self.name)
        after = row.copy()
        write_target(after, self.path(t + dt), self.name)
        if self.count == 2:
            row[:, 1] = (after[:, 0] - row[:, 0]) / dt
            return
        row[:, 7:10] = (after[:, :3] - row[:, :3]) / dt
        row[:, 10:13] = turn_between(row[:, 3:7], after[:, 3:7]) / dt

    def constant_until(self, t: float) -> float:
        """Return t: it moves in every step."""
        return t


def write_target(row: Array, target: Any, name: str) -> None:
    """Write a target at rest to rows (B, n): a value, a point (3,) or a pose (4, 4), or (B, …)."""
    value = reals(target, f"the target of {name!r}")
    if not np.isfinite(value).all():
        raise ValueError(f"the target of {name!r} is not finite")
    if row.shape[1] == 2:
        fits = value.ndim == 0 or value.shape == (len(row),)
    elif value.shape[-1:] == (3,) and value.ndim <= 2:
        fits = value.ndim == 1 or len(value) == len(row)
    else:
        fits = value.shape[-2:] == (4, 4) and (value.ndim == 2 or len(value) == len(row))
    if not fits:
        wanted = "() or (B,)" if row.shape[1] == 2 else "(3,), (4, 4), (B, 3) or (B, 4, 4)"
        raise ValueError(f"the target of {name!r} has shape {value.shape}, must be {wanted}")
    if row.shape[1] > 2 and value.shape[-1] == 4:
        check_poses(value, name)
    row[:, 1 if row.shape[1] == 2 else 7 :] = 0.0
    if row.shape[1] == 2:
        row[:, 0] = value
    elif value.shape[-1] == 3:
        row[:, :3] = value
    else:
        row[:, :3], row[:, 3:7] = value[..., :3, 3], quaternion_from_rotation(value[..., :3, :3])


def between(times: Array, targets: Array, t: float) -> Array:
    """Return where a table (n,), (n, …) is at t [s]; poses turn about one axis at a steady rate."""
    k = int(np.clip(np.searchsorted(times, t, "right") - 1, 0, max(len(times) - 2, 0)))
    first, last = targets[k], targets[min(k + 1, len(times) - 1)]
    share = float(np.interp(t, times[k : k + 2], (0.0, 1.0)[: len(times)]))
    found = np.asarray(first + share * (last - first))
    if found.shape == (4, 4):
        turn = vector_from_rotation(last[:3, :3] @ first[:3, :3].T)
        found[:3, :3] = rotation_from_vector(share * turn) @ first[:3, :3]
    return found


def check_poses(value: Array, name: str) -> None:
    """Raise unless (…, 4, 4) are poses."""
    for each in value.reshape(-1, 4, 4):
        pose(each, f"the target of {name!r}")


def halt(row: Array, dt: float) -> None:
    """Stop targets (B, n) that move, where they are at the end of a step."""
    if row.shape[1] == 2:
        row[:, 0] += dt * row[:, 1]
        row[:, 1] = 0.0
        return
    row[:, :3] += dt * row[:, 7:10]
    row[:, 3:7] = quaternion_product(quaternion_from_vector(dt * row[:, 10:13]), row[:, 3:7])
    row[:, 7:] = 0.0


def turn_between(a: Array, b: Array) -> Array:
    """Return the rotation vector (B, 3) from quaternions a to b, in the axes that they are in."""
    first, last = rotation_from_quaternion(a), rotation_from_quaternion(b)
    return vector_from_rotation(last @ np.swapaxes(first, -1, -2))
