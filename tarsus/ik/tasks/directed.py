"""What tasks of planes and lines share: a point of the machine, and a place with a direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.ik.arguments import targets
from tarsus.ik.points import FrameOrigin, Point, point_of
from tarsus.ik.tasks.aimed import AimedTask
from tarsus.model import Model
from tarsus.model.checks import numbers


class DirectedTask(AimedTask):
    """Leads a point to what a place and a direction state; `target` (…, 2, 3) holds both.

    The point is the origin of `frame`, or at `offset` (3,) [m] in its axes; `frame` may be "com".
    `target_velocity` (…, 3) [m/s] is that of the place.
    """

    target_shape = (2, 3)
    velocity_size = 3

    def __init__(
        self,
        frame: str,
        place: ArrayLike,
        direction: ArrayLike,
        offset: ArrayLike | None,
        weight: ArrayLike,
        gain: float | None,
        level: int,
        name: str,
    ) -> None:
        self.frame = frame
        self.offset = None if offset is None else numbers(offset, (3,), "offset")
        at = targets(place, (3,), f"point of task {name!r}")
        along = targets(direction, (3,), f"direction of task {name!r}")
        both = np.stack(np.broadcast_arrays(at, along), axis=-2)
        super().__init__(name, both, weight, gain, level)

    def check_target(self, value: Array, what: str) -> None:
        """Raise if a direction has no length."""
        if (np.linalg.norm(value[..., 1, :], axis=-1) < 1e-9).any():
            raise ValueError(f"{what} has a direction {value[..., 1, :].tolist()} without length")

    def prepare(self, model: Model) -> int:
        """Look up the point."""
        if self.offset is None:
            self._point: Point = point_of(model, self.frame)
        else:
            self._point = FrameOrigin(model, self.frame, self.offset)
        return int(self.rows(np.eye(3)[0]).shape[-2])

    def rows(self, direction: Array) -> Array:
        """Return the unit vectors (…, size, 3) along which a point may not be away."""
        raise NotImplementedError

    def error(self, q: ArrayLike) -> Array:
        """Return how far the point is away (…, size) [m]."""
        self.model  # noqa: B018 - says so if there is no machine yet
        away = self._point.place(q) - self.target[..., 0, :]
        return np.asarray((self._rows() @ away[..., None])[..., 0])

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, size, nv) of the error along steps of the velocities."""
        self.model  # noqa: B018 - says so if there is no machine yet
        return np.asarray(self._rows() @ self._point.jacobian(q))

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the velocity of the place asks of the rows (…, size)."""
        if self._target_velocity is None:
            return np.zeros(self.size)
        return np.asarray((self._rows() @ self._target_velocity[..., None])[..., 0])

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, size) while joints do not accelerate."""
        gain = self._point.drift(q, v)
        if self._target_acceleration is not None:
            gain = np.asarray(gain - self._target_acceleration)
        return np.asarray((self._rows() @ gain[..., None])[..., 0])

    def _rows(self) -> Array:
        along = self.target[..., 1, :]
        return self.rows(along / np.linalg.norm(along, axis=-1, keepdims=True))
