"""Measurements of a calibration: poses, positions, distances and joint positions.

Frames are seen from other frames: a foot that is pinned to a jig is measured, too, because its pose
in the jig's frame is always the same. The position of a joint that follows from those with encoders
is a second sensor: a motor that counts beside an absolute encoder, or a joint of a loop. Then no
camera is needed to find what is wrong with a linkage (J. M. Hollerbach, C. W. Wampler, "The
calibration index and taxonomy for robot kinematic calibration methods", International Journal of
Robotics Research 1996).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import LARGEST, number, poses, reals
from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.spatial import (
    adjoint,
    inverse,
    rotation_from_vector,
    vector_from_rotation,
    velocity_map,
)


class Measure:
    """A quantity that is measured in each pose, `rows` numbers of it.

    What `look` sees of a model is what residuals and their slopes are made of.
    """

    rows: ClassVar[int] = 0

    @property
    def title(self) -> str:
        """The measure in words."""
        raise NotImplementedError

    def units(self, model: Model) -> tuple[str, ...]:
        """Return the unit of each part of it, "m" or "rad"; a part has up to three rows."""
        return ("m",)

    @property
    def deviations(self) -> Array:
        """Standard deviations (rows,)."""
        raise NotImplementedError

    def check(self, model: Model) -> None:
        """Raise unless the model has what is measured."""
        raise NotImplementedError

    def values(self, value: ArrayLike, count: int) -> Array:
        """Return measured values for each pose, NaN for none; one value stands for all."""
        raise NotImplementedError

    def look(self, model: Model, q: Array) -> Array:
        """Return what there is to see at configurations (n, nq)."""
        raise NotImplementedError

    def motion(self, model: Model, q: Array, seen: Array) -> Array:
        """Return how that moves (n, k, nv) with velocities."""
        raise NotImplementedError

    def of(self, seen: Array) -> Array:
        """Return what would be measured."""
        raise NotImplementedError

    def residuals(self, seen: Array, measured: Array) -> Array:
        """Return predicted less measured (n, rows)."""
        raise NotImplementedError

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        """Return slopes (n, rows, nv) of residuals along the motion."""
        raise NotImplementedError

    def reach(self, seen: Array) -> float:
        """Return how far away things are [m], a natural size of lengths; zero if unknown."""
        raise NotImplementedError

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        """Return values with noise of the stated deviations."""
        raise NotImplementedError


def measured_values(value: ArrayLike, shape: tuple[int, ...], count: int, title: str) -> Array:
    """Return values (count, *shape), each finite or NaN all over; one stands for all."""
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


@dataclass(frozen=True)
class FrameMeasure(Measure):
    """A quantity of `frame` as seen from `reference`, a frame or the world.

    `sigma` is the standard deviation of what is measured [m]. If it is not known, results are
    weighed by what is stated, and their deviations scaled by what residuals show. What is seen is
    the pose of the frame in the reference, and its motion that in the frame's own axes.
    """

    frame: str
    reference: str = WORLD
    sigma: float = 1e-3

    def __post_init__(self) -> None:
        if number(self.sigma, "sigma") <= 0.0:
            raise ValueError(f"sigma is {self.sigma}, must be positive")

    @property
    def title(self) -> str:
        seen = "" if self.reference == WORLD else f" from {self.reference}"
        return f"{type(self).__name__.lower()} of {self.frame}{seen}"

    @property
    def deviations(self) -> Array:
        return np.full(self.rows, self.sigma)

    def check(self, model: Model) -> None:
        for name in (self.frame, self.reference):
            if name != WORLD:
                model.frame(name)

    def look(self, model: Model, q: Array) -> Array:
        frame = np.asarray(model.frame_pose(q, self.frame))
        if self.reference == WORLD:
            return frame
        return np.asarray(inverse(model.frame_pose(q, self.reference)) @ frame)

    def motion(self, model: Model, q: Array, seen: Array) -> Array:
        own = np.asarray(model.frame_jacobian(q, self.frame, reference="local"))
        if self.reference == WORLD:
            return own
        carried = np.asarray(model.frame_jacobian(q, self.reference, reference="local"))
        return np.asarray(own - adjoint(inverse(seen)) @ carried)

    def reach(self, seen: Array) -> float:
        return float(np.sqrt((seen[:, :3, 3] ** 2).sum(axis=1).mean()))


class Position(FrameMeasure):
    """The origin of a frame (3,) [m], in axes of the reference."""

    rows = 3

    def values(self, value: ArrayLike, count: int) -> Array:
        return measured_values(value, (3,), count, self.title)

    def of(self, seen: Array) -> Array:
        return seen[:, :3, 3]

    def residuals(self, seen: Array, measured: Array) -> Array:
        return np.asarray(seen[:, :3, 3] - measured)

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        return np.asarray(seen[:, :3, :3] @ motion[:, :3])

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))


class Distance(FrameMeasure):
    """The distance [m] of the origins of two frames, as a ball-bar or a string tells it."""

    rows = 1

    def values(self, value: ArrayLike, count: int) -> Array:
        return measured_values(value, (), count, self.title)

    def of(self, seen: Array) -> Array:
        return np.asarray(np.linalg.norm(seen[:, :3, 3], axis=1))

    def residuals(self, seen: Array, measured: Array) -> Array:
        return np.asarray((self.of(seen) - measured)[:, None])

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        p = seen[:, :3, 3]
        unit = p / np.maximum(np.linalg.norm(p, axis=1, keepdims=True), 1e-300)
        return np.asarray(unit[:, None] @ seen[:, :3, :3] @ motion[:, :3])

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))


@dataclass(frozen=True)
class Pose(FrameMeasure):
    """The pose of a frame (4, 4); `angle_sigma` is the deviation of its turn [rad].

    Residuals are those of the position, in axes of the reference, and the rotation vector that
    turns the measured frame to the predicted one, in axes of the frame.
    """

    angle_sigma: float = 1e-3
    rows: ClassVar[int] = 6

    def __post_init__(self) -> None:
        super().__post_init__()
        if number(self.angle_sigma, "angle_sigma") <= 0.0:
            raise ValueError(f"angle_sigma is {self.angle_sigma}, must be positive")

    def units(self, model: Model) -> tuple[str, ...]:
        return ("m", "rad")

    @property
    def deviations(self) -> Array:
        return np.repeat([self.sigma, self.angle_sigma], 3)

    def values(self, value: ArrayLike, count: int) -> Array:
        found = measured_values(value, (4, 4), count, self.title)
        poses(found[~np.isnan(found[:, 0, 0])], self.title)
        return found

    def of(self, seen: Array) -> Array:
        return seen

    def residuals(self, seen: Array, measured: Array) -> Array:
        shift = seen[:, :3, 3] - measured[:, :3, 3]
        return np.concatenate([shift, _turn(seen, measured)], axis=1)

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        step = np.zeros((len(seen), 6))
        step[:, 3:] = _turn(seen, measured)
        # with R = R₀ exp(w) the angular velocity in axes of R is S(w) ẇ
        turning = np.linalg.solve(velocity_map(step)[:, 3:, 3:], motion[:, 3:])
        return np.concatenate([seen[:, :3, :3] @ motion[:, :3], turning], axis=1)

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        found = np.array(measured)
        found[:, :3, 3] += self.sigma * rng.normal(size=(len(found), 3))
        turn = rotation_from_vector(self.angle_sigma * rng.normal(size=(len(found), 3)))
        found[:, :3, :3] = found[:, :3, :3] @ turn
        return found


def _turn(seen: Array, measured: Array) -> Array:
    back = np.swapaxes(measured[:, :3, :3], 1, 2)
    return np.asarray(vector_from_rotation(back @ seen[:, :3, :3]))


@dataclass(frozen=True)
class JointPosition(Measure):
    """The position of a joint of one coordinate [rad or m], with the deviation `sigma`."""

    joint: str
    sigma: float = 1e-3
    rows: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if number(self.sigma, "sigma") <= 0.0:
            raise ValueError(f"sigma is {self.sigma}, must be positive")

    @property
    def title(self) -> str:
        return f"position of joint {self.joint}"

    def units(self, model: Model) -> tuple[str, ...]:
        return ("m",) if model.joint(self.joint).kind == "prismatic" else ("rad",)

    @property
    def deviations(self) -> Array:
        return np.array([self.sigma])

    def check(self, model: Model) -> None:
        model.motor_positions(model.neutral(), motors=[self.joint])

    def values(self, value: ArrayLike, count: int) -> Array:
        return measured_values(value, (), count, self.title)

    def look(self, model: Model, q: Array) -> Array:
        return model.motor_positions(q, motors=[self.joint])

    def motion(self, model: Model, q: Array, seen: Array) -> Array:
        return model.motor_matrix(q, motors=[self.joint])

    def of(self, seen: Array) -> Array:
        return seen[:, 0]

    def residuals(self, seen: Array, measured: Array) -> Array:
        return np.asarray(seen - measured[:, None])

    def derivatives(self, seen: Array, measured: Array, motion: Array) -> Array:
        return motion

    def reach(self, seen: Array) -> float:
        return 0.0

    def noisy(self, measured: Array, rng: np.random.Generator) -> Array:
        return np.asarray(measured + self.sigma * rng.normal(size=measured.shape))
