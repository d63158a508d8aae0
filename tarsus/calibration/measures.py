"""What is measured in each pose: poses, positions or distances of frames, from other frames.

A foot that is pinned to a jig is measured, too: its pose in the jig's frame is always the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.control.arguments import poses
from tarsus.model import WORLD
from tarsus.model.checks import LARGEST, number, reals
from tarsus.spatial import rotation_from_vector, vector_from_rotation, velocity_map


@dataclass(frozen=True)
class Measure:
    """A quantity of `frame` as seen from `reference`, a frame or the world.

    `sigma` is the standard deviation of what is measured [m]. If it is not known, results are
    weighed by what is stated, and their deviations scaled by what residuals show.
    """

    frame: str
    reference: str = WORLD
    sigma: float = 1e-3
    rows: ClassVar[int] = 0
    units: ClassVar[tuple[str, ...]] = ("m",)

    def __post_init__(self) -> None:
        if number(self.sigma, "sigma") <= 0.0:
            raise ValueError(f"sigma is {self.sigma}, must be positive")

    @property
    def title(self) -> str:
        """The measure in words."""
        seen = "" if self.reference == WORLD else f" from {self.reference}"
        return f"{type(self).__name__.lower()} of {self.frame}{seen}"

    @property
    def deviations(self) -> Array:
        """Standard deviations (rows,)."""
        return np.full(self.rows, self.sigma)

    def values(self, value: ArrayLike, count: int) -> Array:
        """Return measured values for each pose, NaN for none; one value stands for all."""
        raise NotImplementedError

    def of(self, relative: Array) -> Array:
        """Return what would be measured at poses (n, 4, 4) of the frame in the reference."""
        raise NotImplementedError

    def residuals(self, relative: Array, measured: Array) -> Array:
        """Return predicted less measured (n, rows)."""
        raise NotImplementedError

    def derivatives(self, relative: Array, measured: Array, twists: Array) -> Array:
        """Return slopes (n, rows, k) of residuals along twists (n, 6, k) in the frame's axes."""
        raise NotImplementedError

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        """Return values with noise of the stated deviations."""
        raise NotImplementedError


class Position(Measure):
    """The origin of a frame (3,) [m], in axes of the reference."""

    rows = 3

    def values(self, value: ArrayLike, count: int) -> Array:
        return _finite(value, (3,), count, self.title)

    def of(self, relative: Array) -> Array:
        return relative[:, :3, 3]

    def residuals(self, relative: Array, measured: Array) -> Array:
        return np.asarray(relative[:, :3, 3] - measured)

    def derivatives(self, relative: Array, measured: Array, twists: Array) -> Array:
        return np.asarray(relative[:, :3, :3] @ twists[:, :3])

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))


class Distance(Measure):
    """The distance [m] of the origins of two frames, as a ball-bar or a string tells it."""

    rows = 1

    def values(self, value: ArrayLike, count: int) -> Array:
        return _finite(value, (), count, self.title)

    def of(self, relative: Array) -> Array:
        return np.asarray(np.linalg.norm(relative[:, :3, 3], axis=1))

    def residuals(self, relative: Array, measured: Array) -> Array:
        return np.asarray((self.of(relative) - measured)[:, None])

    def derivatives(self, relative: Array, measured: Array, twists: Array) -> Array:
        p = relative[:, :3, 3]
        unit = p / np.maximum(np.linalg.norm(p, axis=1, keepdims=True), 1e-300)
        return np.asarray(unit[:, None] @ relative[:, :3, :3] @ twists[:, :3])

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))


@dataclass(frozen=True)
class Pose(Measure):
    """The pose of a frame (4, 4); `angle_sigma` is the deviation of its turn [rad].

    Residuals are those of the position, in axes of the reference, and the rotation vector that
    turns the measured frame to the predicted one, in axes of the frame.
    """

    angle_sigma: float = 1e-3
    rows: ClassVar[int] = 6
    units: ClassVar[tuple[str, ...]] = ("m", "rad")

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.angle_sigma, "angle_sigma") <= 0.0:
            raise ValueError(f"angle_sigma is {self.angle_sigma}, must be positive")

    @property
    def deviations(self) -> Array:
        return np.repeat([self.sigma, self.angle_sigma], 3)

    def values(self, value: ArrayLike, count: int) -> Array:
        found = _finite(value, (4, 4), count, self.title)
        poses(found[~np.isnan(found[:, 0, 0])], self.title)
        return found

    def of(self, relative: Array) -> Array:
        return relative

    def residuals(self, relative: Array, measured: Array) -> Array:
        shift = relative[:, :3, 3] - measured[:, :3, 3]
        return np.concatenate([shift, _turn(relative, measured)], axis=1)

    def derivatives(self, relative: Array, measured: Array, twists: Array) -> Array:
        step = np.zeros((len(relative), 6))
        step[:, 3:] = _turn(relative, measured)
        # with R = R₀ exp(w) the angular velocity in axes of R is S(w) ẇ
        turning = np.linalg.solve(velocity_map(step)[:, 3:, 3:], twists[:, 3:])
        return np.concatenate([relative[:, :3, :3] @ twists[:, :3], turning], axis=1)

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        found = np.array(measured)
        found[:, :3, 3] += self.sigma * rng.normal(size=(len(found), 3))
        turn = rotation_from_vector(self.angle_sigma * rng.normal(size=(len(found), 3)))
        found[:, :3, :3] = found[:, :3, :3] @ turn
        return found


def _turn(relative: Array, measured: Array) -> Array:
    back = np.swapaxes(measured[:, :3, :3], 1, 2)
    return np.asarray(vector_from_rotation(back @ relative[:, :3, :3]))


def _finite(value: ArrayLike, shape: tuple[int, ...], count: int, title: str) -> Array:
    array = reals(value, f"the {title}")
    if array.shape not in (shape, (count, *shape)):
        raise ValueError(
            f"the {title} has shape {array.shape}, must be {(count, *shape)} or {shape}"
        )
    found = np.array(np.broadcast_to(array, (count, *shape)))
    flat = found.reshape(count, -1)
    whole = np.isnan(flat).all(axis=1) | (np.abs(flat) <= LARGEST).all(axis=1)
    if not whole.all():
        pose = int(np.argmin(whole))
        raise ValueError(f"the {title} is not finite in pose {pose}; NaN all over: not measured")
    return found
