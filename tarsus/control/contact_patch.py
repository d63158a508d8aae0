"""Contacts and targets of whole-body control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import (
    count,
    not_negative,
    number,
    numbers,
    read_only,
    reals,
    suggestion,
    vectors,
)
from tarsus._lib.files import Array
from tarsus.control.controller import Setpoint, parts_of
from tarsus.ik.points import ALIGNED
from tarsus.ik.tasks.posture import PostureTask
from tarsus.ik.tasks.task import AimedTask, Task
from tarsus.model.model import Model
from tarsus.spatial import rotation_along, skew

# Where a body pushes against its surroundings: a sole, an edge or a point of a frame.
#
# Forces act at corners, each within a pyramid inside the cone of friction. With the normal n and
# the edges t of the pyramid every force is a sum of generators with weights that are not negative,
#
#     f = Σ λ (n + μ t),      λ ≥ 0,
#
# so that the normal force is Σ λ, the centre of pressure stays between the corners, and what a sole
# may twist follows from what its corners may hold (S. Caron, Q.-C. Pham, Y. Nakamura, "Stability of
# surface contacts for humanoid robots", ICRA 2015).


class Contact:
    """What may push at `corners` (k, 3) of a frame, in its axes: one point, an edge, or a face.

    `friction` is the coefficient, `sides` the number of edges of the pyramid; `torsion` [m] is what
    moment about the normal a corner holds of a newton. `normal` (3,) points out of the ground, in
    world axes; it alone may be changed, at any time. `margin` [m] keeps the centre of pressure
    inside the edges of a face. `force` [N] is the largest normal force, by default three times the
    weight. Velocities of the contact fade with the rate `damping` [1/s].
    """

    def __init__(
        self,
        frame: str,
        corners: ArrayLike = ((0.0, 0.0, 0.0),),
        *,
        friction: float = 0.7,
        torsion: float = 0.0,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        margin: float = 0.0,
        force: float | None = None,
        damping: float = 20.0,
        sides: int = 4,
        name: str | None = None,
    ) -> None:
        self.frame, self.name = frame, name or f"{frame} contact"
        self.friction = not_negative(friction, f"friction of {self.name!r}")
        self.torsion = not_negative(torsion, f"torsion of {self.name!r}")
        self.margin = not_negative(margin, f"margin of {self.name!r}")
        self.damping = not_negative(damping, f"damping of {self.name!r}")
        self.force = None if force is None else number(force, f"force of {self.name!r}")
        if self.force is not None and self.force <= 0.0:
            raise ValueError(f"force of {self.name!r} is {self.force}, must be positive")
        count(sides, f"sides of {self.name!r}", 3, 64)
        self.sides = sides
        stated = reals(corners, f"corners of {self.name!r}")
        if stated.ndim != 2 or stated.shape[1:] != (3,) or not len(stated):
            raise ValueError(f"corners of {self.name!r} have shape {stated.shape}, must be (k, 3)")
        if not np.isfinite(stated).all():
            raise ValueError(f"corners of {self.name!r} have entries that are not finite")
        self.corners = read_only(shrunk(stated, self.margin, self.name))
        self.centre = read_only(self.corners.mean(axis=0))
        self.turns = read_only(_turns(self.corners, self.name))
        self.levers = read_only(self.corners - self.centre)
        self.normal = normal

    def __setattr__(self, name: str, value: object) -> None:
        # controllers lay out their programmes by these numbers once
        if not name.startswith("_") and name in self.__dict__:
            raise AttributeError(
                f"{name} of {self.name!r} cannot be changed, only normal can: make another contact"
            )
        super().__setattr__(name, value)

    @property
    def edges(self) -> Array:
        """Edges of the pyramid (3, sides) in world axes: a new array for each normal."""
        return self._edges

    @property
    def normal(self) -> Array:
        """Which way the ground pushes (3,), in world axes."""
        return self._normal

    @normal.setter
    def normal(self, value: ArrayLike) -> None:
        along = numbers(value, (3,), f"normal of {self.name!r}")
        length = float(np.linalg.norm(along))
        if length < 1e-9:
            raise ValueError(f"normal of {self.name!r} is {along.tolist()}, it has no direction")
        self._normal = read_only(along / length)
        angle = 2.0 * np.pi * np.arange(self.sides) / self.sides
        # an edge of the pyramid points along the frame that `rotation_along` chooses
        local = np.stack([np.cos(angle), np.sin(angle), np.ones(self.sides)])
        local[:2] *= self.friction
        self._edges = read_only(rotation_along(self._normal) @ local)

    @property
    def generators(self) -> int:
        """How many generators there are."""
        return len(self.corners) * self.sides * (2 if self.torsion > 0.0 else 1)

    @property
    def rows(self) -> int:
        """How many motions the contact takes: of its centre, and turns."""
        return 3 + len(self.turns)

    def twist(self, model: Model, q: Array, v: Array) -> tuple[Array, Array, Array]:
        """Return the jacobian (…, 6, nv) and drift (…, 6) of the centre, and the frame's rotation.

        Linear and angular, both in world axes.
        """
        rotation = model.frame_pose(q, self.frame)[..., :3, :3]
        jacobian = model.frame_jacobian(q, self.frame, ALIGNED)
        drift = model.frame_acceleration(q, v, np.zeros(model.nv), self.frame, ALIGNED)
        if self.centre.any():
            arm = rotation @ self.centre
            turn = skew(model.frame_velocity(q, v, self.frame, ALIGNED)[..., 3:])
            jacobian[..., :3, :] -= skew(arm) @ jacobian[..., 3:, :]
            change = skew(drift[..., 3:]) + turn @ turn
            drift[..., :3] += (change @ arm[..., None])[..., 0]
        return jacobian, drift, rotation

    def held(self, twists: Array, rotation: Array) -> Array:
        """Return the motions (…, rows, k) that the contact takes, of twists (…, 6, k)."""
        if len(self.turns) == 3:
            return twists
        turned = self.turns @ np.swapaxes(rotation, -1, -2) @ twists[..., 3:, :]
        return np.concatenate([twists[..., :3, :], turned], axis=-2)

    def wrenches(self, rotation: Array) -> Array:
        """Return the generators (…, 6, generators): wrenches at the centre, in world axes.

        Their normal force is 1 N; `rotation` (…, 3, 3) is that of the frame.
        """
        lead, k = rotation.shape[:-2], len(self.corners)
        arms = skew(self.levers @ np.swapaxes(rotation, -1, -2))
        found = np.empty((*lead, 6, k, self.sides))
        found[..., :3, :, :] = self.edges[:, None, :]
        found[..., 3:, :, :] = np.swapaxes(arms @ self.edges, -3, -2)
        flat = found.reshape(*lead, 6, k * self.sides)
        if self.torsion == 0.0:
            return flat
        both = np.concatenate([flat, flat], axis=-1)
        twist = self.torsion * self._normal[:, None]
        both[..., 3:, : k * self.sides] += twist
        both[..., 3:, k * self.sides :] -= twist
        return both

    def pressure_centre(self, push: Array) -> Array:
        """Return the centre of pressure (…, 3) in axes of the frame, NaN without normal force.

        It is the mean of the corners, each by its normal force; `push` (…, generators) are weights.
        """
        copies = push.reshape(*push.shape[:-1], -1, len(self.corners), self.sides)
        normal = copies.sum(axis=(-3, -1))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(normal @ self.corners / normal.sum(axis=-1)[..., None])

    def __repr__(self) -> str:
        kind = {1: "a point", 2: "an edge"}.get(len(self.corners), f"{len(self.corners)} corners")
        return f"<tarsus.control.Contact {self.name!r}: {kind}, friction {self.friction:g}>"


def shrunk(corners: Array, margin: float, name: str) -> Array:
    """Return the corners (k, 3) of the convex hull of a face, with all edges moved inwards."""
    if len(corners) < 3:
        if margin > 0.0:
            raise ValueError(f"margin of {name!r} is {margin}, but it has no face to shrink")
        return corners
    centre = corners.mean(axis=0)
    _, sizes, axes = np.linalg.svd(corners - centre)
    if sizes[1] < 1e-9:
        raise ValueError(f"corners of {name!r} are in a line: an edge has two")
    if sizes[2] > 1e-6 * sizes[0]:
        raise ValueError(f"corners of {name!r} are not in a plane: {corners.tolist()}")
    flat = (corners - centre) @ axes[:2].T
    from scipy.spatial import ConvexHull  # slow to import, and only needed here

    flat = flat[ConvexHull(flat).vertices]  # counter-clockwise
    along = np.roll(flat, -1, axis=0) - flat
    inwards = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    inwards /= np.linalg.norm(inwards, axis=-1, keepdims=True)
    bound = (inwards * flat).sum(axis=-1) + margin
    if (bound >= -1e-6).any():
        raise ValueError(f"margin of {name!r} is {margin}, it leaves nothing of the face")
    found = [
        np.linalg.solve(np.stack([inwards[k - 1], inwards[k]]), bound[[k - 1, k]])
        for k in range(len(flat))
    ]
    return np.asarray(np.array(found) @ axes[:2] + centre)


def _turns(corners: Array, name: str) -> Array:
    """Return about which axes of the frame (k, 3) a contact cannot turn."""
    if len(corners) >= 3:
        return np.eye(3)
    if len(corners) == 1:
        return np.zeros((0, 3))
    edge = corners[1] - corners[0]
    length = float(np.linalg.norm(edge))
    if length < 1e-9:
        raise ValueError(f"both corners of {name!r} are at {corners[0].tolist()}")
    return rotation_along(edge / length)[:, :2].T


# What a whole body follows: targets of tasks by name, with their motions, and loads of contacts.
#
# A setpoint by name becomes three rows of numbers, as all setpoints are: all targets and loads, all
# velocities, all accelerations. What it does not name is no number there, and stays as it is.


class BodyTargets:
    """The targets of tasks and the loads of contacts of one controller."""

    def __init__(self, tasks: Sequence[Task], contacts: Sequence[Contact]) -> None:
        self.contacts = tuple(contacts)
        self.aimed = [task for task in tasks if isinstance(task, AimedTask | PostureTask)]
        self.loads = np.ones(len(self.contacts))
        names = [task.name for task in tasks] + [contact.name for contact in contacts]
        twice = [name for k, name in enumerate(names) if name in names[:k]]
        if twice:
            raise ValueError(f"two tasks or contacts have the name {twice[0]!r}")
        self._names = names

    def setpoint(self, value: Any) -> Setpoint:
        """Return targets by name as a setpoint; None leaves all as it is."""
        if value is None:
            return np.zeros(0), np.zeros(0), np.zeros(0)
        if isinstance(value, tuple):
            return value  # one that was made before
        if not isinstance(value, Mapping):
            raise TypeError(f"reference is {value!r}, must be targets by name, or return them")
        for name in value:
            if name not in self._names:
                raise ValueError(f"reference names {name!r}{suggestion(name, self._names)}")
        parts = [self._parts(task, value) for task in self.aimed]
        loads = [
            _load(value[contact.name], contact.name)
            if contact.name in value
            else np.full(1, np.nan)
            for contact in self.contacts
        ]
        places, velocities, faster = zip(*parts, strict=True) if parts else ((), (), ())
        return _joined([*places, *loads]), _joined(velocities), _joined(faster)

    def _parts(self, task: AimedTask | PostureTask, value: Mapping[str, Any]) -> Setpoint:
        """Return target (…, numbers), velocity and acceleration of a task, NaN if not named."""
        shape, size = _sizes(task)
        if task.name not in value:
            return (
                np.full(int(np.prod(shape)), np.nan),
                np.full(size, np.nan),
                np.full(size, np.nan),
            )
        place, velocity, acceleration = parts_of(value[task.name], len(shape))
        what = f"target of task {task.name!r}"
        flat = reals(place, what)
        if flat.shape[flat.ndim - len(shape) :] != shape or not np.isfinite(flat).all():
            sizes = ", ".join(map(str, shape))
            raise ValueError(f"{what} has shape {flat.shape}, must be (…, {sizes}) and finite")
        return (
            flat.reshape(*flat.shape[: flat.ndim - len(shape)], -1),
            vectors(velocity, size, f"the velocity of the {what}"),
            vectors(acceleration, size, f"the acceleration of the {what}"),
        )

    def aim(self, setpoint: Setpoint) -> None:
        """Give the tasks their targets and the contacts their loads."""
        places, velocities, faster = setpoint
        if not places.size:
            return
        place = motion = 0
        for task in self.aimed:
            shape, size = _sizes(task)
            count = int(np.prod(shape))
            own, moves = places[..., place : place + count], slice(motion, motion + size)
            if not np.isnan(own.flat[0]):
                task.target = own.reshape(*own.shape[:-1], *shape)
                task.target_velocity = velocities[..., moves]
                task.target_acceleration = faster[..., moves]
            place, motion = place + count, motion + size
        loads = places[..., place:]
        self.loads = np.where(np.isnan(loads), self.loads, loads)


def _sizes(task: AimedTask | PostureTask) -> tuple[tuple[int, ...], int]:
    """Return the shape of a task's target, and how many numbers its velocity has."""
    if isinstance(task, PostureTask):
        return (task.model.nq,), task.model.nv
    return task.target_shape, task.velocity_size


def _load(value: Any, name: str) -> Array:
    """Return loads (…, 1) of a contact, from 0 to 1."""
    found = np.asarray(value, np.float64)
    if not ((found >= 0.0) & (found <= 1.0)).all():
        raise ValueError(f"load of {name!r} is {value!r}, must be from 0 (open) to 1")
    return found[..., None]


def _joined(parts: Sequence[Array]) -> Array:
    """Return numbers of all parts side by side (…, size)."""
    if not parts:
        return np.zeros(0)
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
    return np.concatenate([np.broadcast_to(p, (*lead, p.shape[-1])) for p in parts], axis=-1)
