"""Tasks of points: position, center of mass, plane, line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import names_of, numbers
from tarsus._lib.files import Array
from tarsus.ik.points import (
    ALIGNED,
    CentreOfMass,
    FrameOrigin,
    PartCentre,
    Point,
    carried_by,
    point_of,
    seen_drift,
)
from tarsus.ik.tasks.task import AimedTask, targets
from tarsus.model.model import Model
from tarsus.spatial import skew

# What tasks of points share: a point, seen from the world or from a frame or point of the machine.
#
# With the point p, the origin o and the axes R from which it is seen, the error is
#
#     e = Rᵀ (p − o) − target,        J = Rᵀ (J_p − J_o + [p − o] J_ω),
#
# J_ω the jacobian of the angular velocity of the axes. In the world o = 0 and R = 1.


class PointTask(AimedTask):
    """Leads a point to a target: in the world, from `relative_to`, or in the `axes` of a frame.

    `relative_to` is the name of a frame, whose axes are taken, too, unless `axes` names another
    frame or the "world"; it can be the "com".
    """

    target_shape = (3,)
    velocity_size = 3

    def __init__(
        self,
        name: str,
        target: ArrayLike | None,
        relative_to: str | None,
        axes: str | None,
        weight: ArrayLike,
        gain: float | None,
        level: int,
    ) -> None:
        super().__init__(name, target, weight, gain, level)
        self.relative_to = relative_to
        self.axes = axes

    @abstractmethod
    def point(self, model: Model) -> Point:
        """Return the point that is led."""

    def prepare(self, model: Model) -> int:
        """Look up the points and the axes; the target is where the point is at first."""
        self.led = self.point(model)
        self.origin = None if self.relative_to is None else point_of(model, self.relative_to)
        axes = self.axes
        if axes is None and isinstance(self.origin, FrameOrigin):
            axes = self.relative_to
        self.seen_in = None if axes is None or axes == "world" else axes
        if self.seen_in is not None:
            model.frame(self.seen_in)
        if self._target is None:
            self.target = self.place(model.neutral())
        return 3

    def place(self, q: ArrayLike) -> Array:
        """Return where the point is (…, 3) [m], as the target is stated."""
        at = self._arm(q)
        if self.seen_in is not None:
            rotation = self.model.frame_pose(q, self.seen_in)[..., :3, :3]
            at = (np.swapaxes(rotation, -1, -2) @ at[..., None])[..., 0]
        return np.asarray(at)

    def error(self, q: ArrayLike) -> Array:
        """Return how far the point is from its target (…, 3) [m]."""
        return np.asarray(self.place(q) - self.target)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, 3, nv) of the error along steps of the velocities."""
        rows = self.led.jacobian(q)
        if self.origin is not None:
            rows = rows - self.origin.jacobian(q)
        if self.seen_in is not None:
            turn = self.model.frame_jacobian(q, self.seen_in, ALIGNED)[..., 3:, :]
            rotation = self.model.frame_pose(q, self.seen_in)[..., :3, :3]
            rows = np.swapaxes(rotation, -1, -2) @ (rows + skew(self._arm(q)) @ turn)
        return np.asarray(rows)

    def feedforward(self, q: ArrayLike) -> Array:
        """Return the target's velocity (…, 3) [m/s]."""
        return np.zeros(3) if self._target_velocity is None else self._target_velocity

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, 3) while joints do not accelerate."""
        gain = self.led.drift(q, v)
        if self.origin is not None:
            gain = gain - self.origin.drift(q, v)
        if self.seen_in is not None:
            rows = self.led.jacobian(q)
            rows = rows if self.origin is None else rows - self.origin.jacobian(q)
            rate = (rows @ v[..., None])[..., 0]
            gain = seen_drift(self.model, q, v, self.seen_in, self._arm(q), rate, gain)
        moving = self._target_acceleration
        return gain if moving is None else np.asarray(gain - moving)

    def _arm(self, q: ArrayLike) -> Array:
        """Return the way (…, 3) [m] from the origin to the point, in world axes."""
        self.model  # noqa: B018 - says so if there is no machine yet
        at = self.led.place(q)
        return at if self.origin is None else np.asarray(at - self.origin.place(q))


# The position of a frame.


class PositionTask(PointTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m] in its axes, to `target`.

    `target` (…, 3) [m] is in world axes; with `relative_to` (a frame, or "com") it is seen from
    there, in the axes of that frame or in those of the frame `axes`. Without a target the point
    stays where the neutral configuration has it.
    """

    def __init__(
        self,
        frame: str,
        target: ArrayLike | None = None,
        *,
        offset: ArrayLike | None = None,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        self.frame = frame
        self.offset = None if offset is None else numbers(offset, (3,), "offset")
        super().__init__(
            name or f"{frame} position", target, relative_to, axes, weight, gain, level
        )

    def point(self, model: Model) -> Point:
        """Return the point of the frame."""
        return FrameOrigin(model, self.frame, self.offset)


# The centre of mass of a machine.


class ComTask(PointTask):
    """Leads the centre of mass to `target` (…, 3) [m], in the world or seen from `relative_to`.

    Without a target it stays where the neutral configuration has it.
    """

    def __init__(
        self,
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str = "com",
    ) -> None:
        super().__init__(name, target, relative_to, axes, weight, gain, level)

    def point(self, model: Model) -> Point:
        """Return the centre of mass."""
        return CentreOfMass(model)


# The centre of mass of a part of a machine: an arm's, a leg's.


class PartComTask(PointTask):
    """Leads the centre of mass of a part to `target` (…, 3) [m].

    `part` is the body that carries the part (a shoulder, for an arm), or the names of all its
    bodies. Mostly it is seen from the centre of mass of the machine, in the axes of its torso:
    `PartComTask("shoulder", relative_to="com", axes="torso")` (Schwienbacher 2013, table 4.2).
    """

    def __init__(
        self,
        part: str | Sequence[str],
        target: ArrayLike | None = None,
        *,
        relative_to: str | None = None,
        axes: str | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        self.part = part if isinstance(part, str) else names_of(part, "part")
        first = part if isinstance(part, str) else self.part[0]
        own = name or f"{first} part com"
        super().__init__(own, target, relative_to, axes, weight, gain, level)

    def point(self, model: Model) -> Point:
        """Return the centre of mass of the bodies."""
        several = not isinstance(self.part, str)
        return PartCentre(model, self.part if several else carried_by(model, str(self.part)))


# What tasks of planes and lines share: a point of the machine, and a place with a direction.


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
            self.led: Point = point_of(model, self.frame)
        else:
            self.led = FrameOrigin(model, self.frame, self.offset)
        return int(self.rows(np.eye(3)[0]).shape[-2])

    def rows(self, direction: Array) -> Array:
        """Return the unit vectors (…, size, 3) along which a point may not be away."""
        raise NotImplementedError

    def error(self, q: ArrayLike) -> Array:
        """Return how far the point is away (…, size) [m]."""
        self.model  # noqa: B018 - says so if there is no machine yet
        away = self.led.place(q) - self.target[..., 0, :]
        return np.asarray((self.directions @ away[..., None])[..., 0])

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative (…, size, nv) of the error along steps of the velocities."""
        self.model  # noqa: B018 - says so if there is no machine yet
        return np.asarray(self.directions @ self.led.jacobian(q))

    def feedforward(self, q: ArrayLike) -> Array:
        """Return what the velocity of the place asks of the rows (…, size)."""
        if self._target_velocity is None:
            return np.zeros(self.size)
        return np.asarray((self.directions @ self._target_velocity[..., None])[..., 0])

    def drift(self, q: Array, v: Array) -> Array:
        """Return what the rate of the error gains (…, size) while joints do not accelerate."""
        gain = self.led.drift(q, v)
        if self._target_acceleration is not None:
            gain = np.asarray(gain - self._target_acceleration)
        return np.asarray((self.directions @ gain[..., None])[..., 0])

    @property
    def directions(self) -> Array:
        """Unit vectors (…, size, 3) in world axes along which the point may not be away."""
        along = self.target[..., 1, :]
        return self.rows(along / np.linalg.norm(along, axis=-1, keepdims=True))


# A point on a plane: e = n · (p − o), with the unit normal n and a place o of the plane.


class PlaneTask(DirectedTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m], onto a plane of the world.

    The plane goes through `place` (…, 3) [m], across `normal` (…, 3). The error is how far the
    point is on the side to which the normal points: `Within` keeps it on that side, a half-space.
    `frame` may be "com". `target` (…, 2, 3) holds place and normal.
    """

    def __init__(
        self,
        frame: str,
        place: ArrayLike,
        normal: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or f"{frame} on plane"
        super().__init__(frame, place, normal, offset, weight, gain, level, own)

    def rows(self, direction: Array) -> Array:
        """Return the normal (…, 1, 3)."""
        return direction[..., None, :]


# A point on a line: e = B (p − o), with B (2, 3) across the line and a place o of it.


class LineTask(DirectedTask):
    """Leads the origin of `frame`, or the point at `offset` (3,) [m], onto a line of the world.

    The line goes through `place` (…, 3) [m], along `direction` (…, 3). `frame` may be "com".
    `target` (…, 2, 3) holds both.
    """

    def __init__(
        self,
        frame: str,
        place: ArrayLike,
        direction: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        weight: ArrayLike = 1.0,
        gain: float | None = None,
        level: int = 0,
        name: str | None = None,
    ) -> None:
        own = name or f"{frame} on line"
        super().__init__(frame, place, direction, offset, weight, gain, level, own)

    def rows(self, direction: Array) -> Array:
        """Return two unit vectors (…, 2, 3) across the line and across each other."""
        other = np.eye(3)[np.argmin(np.abs(direction), axis=-1)]
        first = np.cross(direction, other)
        first = first / np.linalg.norm(first, axis=-1, keepdims=True)
        return np.stack([first, np.cross(direction, first)], axis=-2)
