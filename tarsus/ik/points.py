"""Points of a machine that tasks lead: origins of frames, and centres of mass of all or of parts.

Each has `place(q)` (…, 3) in the world, `jacobian(q)` (…, 3, nv), its velocity in world axes, and
`drift(q, v)` (…, 3), its acceleration in world axes while joints do not accelerate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import find
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.spatial import skew

ALIGNED: Literal["local_world_aligned"] = "local_world_aligned"


class Point(Protocol):
    """A point that moves with a machine."""

    def place(self, q: ArrayLike) -> Array:
        """Return where it is (…, 3) [m]."""
        ...

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the matrices (…, 3, nv) from velocities to its velocity."""
        ...

    def drift(self, q: Array, v: Array) -> Array:
        """Return its acceleration (…, 3) [m/s²] while joints do not accelerate."""
        ...


class FrameOrigin:
    """The origin of a frame, or a point that is fixed to it at `offset` (3,) in its axes."""

    def __init__(self, model: Model, frame: str, offset: Array | None = None) -> None:
        model.frame(frame)
        self.model, self.frame = model, frame
        self.offset = offset

    def place(self, q: ArrayLike) -> Array:
        """Return where it is (…, 3) [m]."""
        pose = self.model.frame_pose(q, self.frame)
        if self.offset is None:
            return np.asarray(pose[..., :3, 3])
        return np.asarray(pose[..., :3, 3] + pose[..., :3, :3] @ self.offset)

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the matrices (…, 3, nv) from velocities to its velocity."""
        rows = self.model.frame_jacobian(q, self.frame, ALIGNED)
        if self.offset is None:
            return np.asarray(rows[..., :3, :])
        arm = self.model.frame_pose(q, self.frame)[..., :3, :3] @ self.offset
        return np.asarray(rows[..., :3, :] - skew(arm) @ rows[..., 3:, :])

    def drift(self, q: Array, v: Array) -> Array:
        """Return its acceleration (…, 3) [m/s²] while joints do not accelerate."""
        still = np.zeros(self.model.nv)
        own = self.model.frame_acceleration(q, v, still, self.frame, ALIGNED)
        if self.offset is None:
            return np.asarray(own[..., :3])
        arm = self.model.frame_pose(q, self.frame)[..., :3, :3] @ self.offset
        turn = skew(self.model.frame_velocity(q, v, self.frame, ALIGNED)[..., 3:])
        change = skew(own[..., 3:]) + turn @ turn
        return np.asarray(own[..., :3] + (change @ arm[..., None])[..., 0])


class CentreOfMass:
    """The centre of mass of a whole machine."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def place(self, q: ArrayLike) -> Array:
        """Return where it is (…, 3) [m]."""
        return np.asarray(self.model.center_of_mass(q))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the matrices (…, 3, nv) from velocities to its velocity."""
        return np.asarray(self.model.center_of_mass_jacobian(q))

    def drift(self, q: Array, v: Array) -> Array:
        """Return its acceleration (…, 3) [m/s²] while joints do not accelerate."""
        rate = self.model.centroidal_momentum_matrix_rate(q, v)[..., :3, :]
        return np.asarray((rate @ v[..., None])[..., 0] / self.model.total_mass)


class PartCentre:
    """The centre of mass of some bodies: an arm's, a leg's."""

    def __init__(self, model: Model, bodies: Sequence[str]) -> None:
        self.bodies = [model.body(name) for name in bodies]
        self.mass = float(sum(view.mass for view in self.bodies))
        if self.mass <= 0.0:
            raise ModelError(f"the bodies {', '.join(bodies)} have no mass, and no centre of mass")
        self._points = [
            (view.mass / self.mass, FrameOrigin(model, view.name, view.com))
            for view in self.bodies
            if view.mass > 0.0
        ]

    def place(self, q: ArrayLike) -> Array:
        """Return where it is (…, 3) [m]."""
        return np.asarray(sum(share * point.place(q) for share, point in self._points))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the matrices (…, 3, nv) from velocities to its velocity."""
        return np.asarray(sum(share * point.jacobian(q) for share, point in self._points))

    def drift(self, q: Array, v: Array) -> Array:
        """Return its acceleration (…, 3) [m/s²] while joints do not accelerate."""
        return np.asarray(sum(share * point.drift(q, v) for share, point in self._points))


def seen_drift(
    model: Model, q: Array, v: Array, axes: str, arm: Array, rate: Array, drift: Array
) -> Array:
    """Return what the rate of Rᵀ arm gains (…, 3) while joints do not accelerate.

    R are the axes of a frame; `arm`, its `rate` and the `drift` of that (…, 3) are in world axes:
    Rᵀ (drift − 2 ω × rate + (ω × ω × − α ×) arm).
    """
    still = np.zeros(model.nv)
    turn = skew(model.frame_velocity(q, v, axes, ALIGNED)[..., 3:])
    change = turn @ turn - skew(model.frame_acceleration(q, v, still, axes, ALIGNED)[..., 3:])
    whole = drift[..., None] - 2.0 * turn @ rate[..., None] + change @ arm[..., None]
    rotation = model.frame_pose(q, axes)[..., :3, :3]
    return np.asarray((np.swapaxes(rotation, -1, -2) @ whole)[..., 0])


def carried_by(model: Model, body: str) -> tuple[str, ...]:
    """Return the names of `body` and of all bodies that it carries, near and far."""
    first = model.body(body)
    found = {first.index}
    for view in model.bodies:  # parents come before what they carry
        if view.parent in found:
            found.add(view.index)
    return tuple(view.name for view in model.bodies if view.index in found)


def point_of(model: Model, name: str) -> Point:
    """Return the centre of mass for the name "com", else the origin of the frame `name`."""
    if name == "com" and name not in model.frame_names:
        return CentreOfMass(model)
    find(dict.fromkeys((*model.frame_names, "com")), name, "frame")
    return FrameOrigin(model, name)
